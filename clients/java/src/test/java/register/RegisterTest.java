package register;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.shakedown.Value;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The register does what the shared vectors have. */
class RegisterTest {
    @ParameterizedTest
    @ValueSource(strings = {"json", "msgpack"})
    void transcriptIsThatOfTheVectors(String encoding) throws IOException {
        Value vectors = Value.ofJson(Files.readAllBytes(Path.of("..", "vectors", "register.json")));
        boolean isText = encoding.equals("json");
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        input.writeBytes(("{\"call\":\"hello\",\"protocol\":1,\"encoding\":\"" + encoding + "\"}\n").getBytes(StandardCharsets.UTF_8));
        for (Value line : vectors.get("transcript").items()) {
            if (isText) {
                input.writeBytes((line.get("call") + "\n").getBytes(StandardCharsets.UTF_8));
            } else {
                byte[] packed = Value.of(line.get("call").as(Object.class)).toMessagePack();
                input.writeBytes(ByteBuffer.allocate(4).putInt(packed.length).array());
                input.writeBytes(packed);
            }
        }
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        RegisterNode.host().serveOn(new ByteArrayInputStream(input.toByteArray()), output);
        compare(vectors, isText, ByteBuffer.wrap(output.toByteArray()));
    }

    private static void compare(Value vectors, boolean isText, ByteBuffer output) {
        Map<?, ?> welcome = Value.ofJson(line(output)).as(Map.class);
        Map<?, ?> wants = vectors.get("handshake").as(Map.class);
        wants.forEach((name, wanted) -> assertEquals(wanted, welcome.get(name)));
        assertFalse(vectors.get("transcript").items().isEmpty());
        for (Value line : vectors.get("transcript").items()) {
            if (line.get("reply").isNull()) {
                continue;
            }
            Value reply;
            if (isText) {
                reply = Value.ofJson(line(output));
            } else {
                byte[] packed = new byte[output.getInt()];
                output.get(packed);
                reply = Value.ofMessagePack(packed);
            }
            assertEquals(line.get("reply").as(Map.class), reply.as(Map.class), line.toString());
        }
        assertEquals(0, output.remaining());
    }

    private static byte[] line(ByteBuffer output) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (byte next = output.get(); next != '\n'; next = output.get()) {
            line.write(next);
        }
        return line.toByteArray();
    }
}
