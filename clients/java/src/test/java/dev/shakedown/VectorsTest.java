package dev.shakedown;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The library draws, reads and writes what the shared vectors have. */
class VectorsTest {
    @Test
    void randomDrawsWhatTheVectorsHave() throws IOException {
        List<Value> vectors = Vectors.read("random.json").items();
        assertFalse(vectors.isEmpty());
        for (Value vector : vectors) {
            long seed = Long.parseUnsignedLong(vector.get("seed").asText(), 16);
            SeededRandom random = new SeededRandom(seed);
            for (Value draw : vector.get("draws").items()) {
                assertEquals(draw.asText(), String.format("%016x", random.nextLong()), vector.get("seed").asText());
            }
            for (Value below : vector.get("below").items()) {
                SeededRandom again = new SeededRandom(seed);
                long bound = Long.parseUnsignedLong(below.get("bound").asText());
                for (Value number : below.get("numbers").items()) {
                    assertEquals(number.asText(), Long.toUnsignedString(again.below(bound)), below.get("bound").asText());
                }
            }
        }
    }

    private static byte[] hex(Value vector) {
        return HexFormat.of().parseHex(vector.get("hex").asText());
    }

    @Test
    void messagePackIsWhatTheVectorsHave() throws IOException {
        Value vectors = Vectors.read("msgpack.json");
        assertFalse(vectors.get("good").items().isEmpty());
        for (Value vector : vectors.get("good").items()) {
            Object value = Vectors.typed(vector.get("value"));
            assertEquals(Vectors.comparable(value), Vectors.comparable(Value.ofMessagePack(hex(vector)).as(Object.class)));
            assertArrayEquals(hex(vector), Value.of(value).toMessagePack(), vector.toString());
        }
        assertFalse(vectors.get("also").items().isEmpty());
        for (Value vector : vectors.get("also").items()) {
            Object value = Vectors.typed(vector.get("value"));
            assertEquals(Vectors.comparable(value), Vectors.comparable(Value.ofMessagePack(hex(vector)).as(Object.class)));
        }
        assertFalse(vectors.get("bad").items().isEmpty());
        for (Value vector : vectors.get("bad").items()) {
            assertThrows(DecodeException.class, () -> Value.ofMessagePack(hex(vector)), vector.toString());
        }
    }

    @Test
    void jsonIsWhatTheVectorsHave() throws IOException {
        for (Value vector : Vectors.read("msgpack.json").get("good").items()) {
            Object value = Vectors.typed(vector.get("value"));
            byte[] text = vector.get("json").asText().getBytes(StandardCharsets.UTF_8);
            Value read = Value.ofJson(text);
            if (value instanceof byte[] bytes) {
                assertArrayEquals(bytes, read.asBytes());
            } else {
                assertEquals(Vectors.comparable(value), Vectors.comparable(read.as(Object.class)));
            }
            byte[] written = Value.ofMessagePack(hex(vector)).toString().getBytes(StandardCharsets.UTF_8);
            assertEquals(read.as(Object.class), Value.ofJson(written).as(Object.class), vector.toString());
        }
    }

    @Test
    void jsonThatIsNoneIsRefused() {
        String deep = "[".repeat(129) + "]".repeat(129);
        List<String> bad = List.of(
                "", " ", "{", "[", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{1:2}", "tru", "nul", "01", "-", "1.", "1e", ".5", "+1", "\"", "\"\\x\"",
                "\"\\u12\"", "\"\\ud800\"", "\"\t\"", "1 2", "1e999", "18446744073709551616", "-9223372036854775809", "NaN", deep);
        for (String text : bad) {
            assertThrows(DecodeException.class, () -> Value.ofJson(text.getBytes(StandardCharsets.UTF_8)), text);
        }
        assertThrows(DecodeException.class, () -> Value.ofJson(new byte[] {'"', (byte) 0xff, '"'}));
    }

    @Test
    void everyByteOfATruncatedOrAlteredValueIsReadWithoutAnotherException() throws IOException {
        SeededRandom random = new SeededRandom(7);
        byte[] whole = Vectors.read("register.json").toMessagePack();
        byte[] line = Vectors.read("register.json").toString().getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 2000; i++) {
            byte[] packed = altered(whole, random);
            byte[] text = altered(line, random);
            try {
                Value.ofMessagePack(packed).as(Object.class);
            } catch (DecodeException e) {
                assertFalse(e.getMessage().isEmpty());
            }
            try {
                Value.ofJson(text).as(Object.class);
            } catch (DecodeException e) {
                assertFalse(e.getMessage().isEmpty());
            }
        }
    }

    private static byte[] altered(byte[] data, SeededRandom random) {
        byte[] copy = java.util.Arrays.copyOf(data, 1 + random.index(data.length));
        for (int changes = random.index(4); changes > 0; changes--) {
            copy[random.index(copy.length)] = (byte) random.nextLong();
        }
        return copy;
    }
}
