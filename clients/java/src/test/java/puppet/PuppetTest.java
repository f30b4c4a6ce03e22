package puppet;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.shakedown.HostClient;
import dev.shakedown.ProtocolException;
import dev.shakedown.Value;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a host does with calls, good and bad. */
class PuppetTest {
    private static final String HELLO = "{\"call\":\"hello\",\"protocol\":1,\"encoding\":\"%s\"}\n";
    private static final String BOOT = "{\"call\":\"boot\",\"seq\":1,\"node\":1,\"id\":1,\"nodes\":3,\"life\":1,\"now\":0,"
            + "\"seed\":\"0000000000000007\",\"options\":{},\"disk\":{}}\n";

    private static Map<String, Object> fields(Object... pairs) {
        Map<String, Object> fields = new TreeMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            fields.put((String) pairs[i], pairs[i + 1]);
        }
        return fields;
    }

    private static Map<String, Object> message(String kind) {
        return fields("node", 1, "now", 4, "from", 2, "kind", kind, "message", null);
    }

    private static HostClient booted() throws ProtocolException {
        HostClient client = new HostClient(Puppet.host());
        client.boot(1, 1, 3, Map.of());
        client.boot(2, 2, 3, Map.of());
        return client;
    }

    private static String served(String input) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Puppet.host().serveOn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void everyEffectArrivesAndLinesOfJsonAreServed() throws IOException {
        String receive = "{\"call\":\"receive\",\"seq\":2,\"node\":1,\"now\":0,\"from\":2,\"kind\":\"everything\",\"message\":null,\"unknown\":[{}]}\n";
        String[] lines = served(String.format(HELLO, "json") + BOOT + receive + "{\"call\":\"crash\",\"node\":1}\n").split("\n");
        assertEquals(
                "{\"calls\":[\"tick\"],\"encoding\":\"json\",\"kinds\":[\"One\"],\"name\":\"puppet\",\"protocol\":1,\"version\":\"puppet 1\"}", lines[0]);
        assertEquals("{\"seq\":1,\"state\":{\"life\":1,\"keys\":[]}}", lines[1]);
        assertEquals(
                "{\"seq\":2,\"sends\":[{\"to\":2,\"kind\":\"One\",\"message\":{\"a\":1}},{\"to\":3,\"kind\":\"Two\",\"message\":\"AQI=\",\"text\":\"two bytes\"},"
                        + "{\"to\":2,\"kind\":\"Three\",\"message\":null},{\"to\":3,\"kind\":\"Three\",\"message\":null}],"
                        + "\"answers\":[{\"id\":7,\"answer\":\"done\"}],\"facts\":[{\"name\":\"commit\",\"fields\":{\"index\":7,\"ok\":true,\"op\":\"put\"}}],"
                        + "\"timers\":[{\"set\":\"election\",\"ticks\":5},{\"cancel\":\"election\"}],"
                        + "\"disk\":[{\"put\":{\"term\":3},\"delete\":[\"old\"]},{\"flush\":true}],\"state\":{\"from\":2}}",
                lines[2]);
        assertEquals(3, lines.length);
    }

    @Test
    void onlyFieldsThatChangedAreSent() throws IOException {
        HostClient client = new HostClient(Puppet.host());
        Value booted = client.call("boot", fields("node", 1, "id", 1, "nodes", 3, "life", 2, "now", 0, "seed", "0000000000000007",
                "options", Map.of(), "disk", Map.of("term", 3, "a", 1)));
        assertEquals("{\"life\":2,\"keys\":[\"a\",\"term\"],\"term\":3}", booted.get("state").toString());
        Map<String, Object> tick = fields("node", 1, "now", 5);
        assertEquals("{\"seq\":2,\"state\":{\"now\":5}}", client.call("tick", tick).toString());
        assertEquals("{\"seq\":3}", client.call("tick", tick).toString());
        assertEquals("{\"seq\":4,\"state\":{\"life\":null}}", client.call("receive", message("forget")).toString());
        assertEquals(
                "{\"seq\":5,\"state\":{\"keys\":[\"a\",\"term\"],\"term\":3,\"now\":5}}", client.call("observe", fields("node", 1)).toString());
    }

    @Test
    void randomnessComesFromTheSeed() throws IOException {
        HostClient client = new HostClient(Puppet.host());
        client.boot(7, 1, 3, Map.of());
        Map<String, Object> call = message("random");
        call.put("node", 7);
        assertEquals(55, client.call("receive", call).get("state").get("random").asLong());
    }

    @Test
    void exceptionsAreRepliesWithAMessageAndAPlace() throws IOException {
        Map<String, String> cases = new LinkedHashMap<>();
        cases.put("throw", "IllegalStateException: broken");
        cases.put("null", "NullPointerException: Cannot invoke");
        cases.put("assert", "AssertionError: never");
        cases.put("recurse", "StackOverflowError");
        cases.put("nobody", "node 9 of 3");
        cases.put("bad-name", "not one word");
        cases.put("bad-value", "no value of the protocol");
        cases.put("bad-fact", "no integer, truth value or text");
        cases.put("flood", "more than 10000 messages");
        cases.put("twice", "twice");
        cases.put("large", "the limit is 16777216");
        for (Map.Entry<String, String> expected : cases.entrySet()) {
            HostClient client = booted();
            for (int again = 0; again < 2; again++) {
                Value reply = client.call("receive", message(expected.getKey()));
                Value panic = reply.get("panic");
                assertTrue(panic.get("message").asText().contains(expected.getValue()), reply::toString);
                assertTrue(reply.get("sends").isNull());
                boolean isLarge = expected.getKey().equals("large");
                assertTrue(isLarge || panic.get("place").asText().matches("Puppet\\.java:[0-9]+"), reply::toString);
                if (isLarge) {
                    break;
                }
            }
            // The host and its other nodes go on.
            assertTrue(client.call("tick", fields("node", 2, "now", 1)).get("panic").isNull());
            assertTrue(client.call("crash", fields("node", 1)).isNull());
        }
    }

    @Test
    void bootThatFailsIsReported() throws IOException {
        HostClient client = new HostClient(Puppet.host());
        Value reply = client.boot(1, 1, 3, Map.of("fails", "yes"));
        assertTrue(reply.get("panic").get("message").asText().contains("option fails is set"));
        assertTrue(client.call("crash", fields("node", 1)).isNull());
    }

    private static byte[] framed(Object... frames) {
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        input.writeBytes(String.format(HELLO, "msgpack").getBytes(StandardCharsets.UTF_8));
        for (Object frame : frames) {
            if (frame instanceof byte[] raw) {
                input.writeBytes(raw);
            } else {
                byte[] packed = Value.of(frame).toMessagePack();
                input.writeBytes(ByteBuffer.allocate(4).putInt(packed.length).array());
                input.writeBytes(packed);
            }
        }
        return input.toByteArray();
    }

    private static Map<String, Object> bootWith(Object... pairs) {
        Map<String, Object> boot = fields("call", "boot", "seq", 1, "node", 1, "id", 1, "nodes", 3, "life", 1, "now", 0, "seed",
                "0000000000000007", "options", Map.of(), "disk", Map.of());
        boot.putAll(fields(pairs));
        return boot;
    }

    private static byte[] octets(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    @Test
    void malformedCallsEndTheHostWithAnError() {
        Map<String, Object> boot = bootWith();
        Map<String, Object[]> cases = new LinkedHashMap<>();
        cases.put("no map", new Object[] {octets(0, 0, 0, 1, 1)});
        cases.put("garbage", new Object[] {octets(0, 0, 0, 3, 0xc1, 1, 2)});
        cases.put("an empty frame", new Object[] {octets(0, 0, 0, 0)});
        cases.put("a frame that is long", new Object[] {octets(0xff, 0xff, 0xff, 0xff)});
        cases.put("the end of a frame", new Object[] {octets(0, 0, 0, 9, 1)});
        cases.put("the end of a long frame", new Object[] {octets(0, 0xff, 0, 0, 1)});
        cases.put("no more than a length", new Object[] {octets(0, 0, 0, 4)});
        cases.put("the end of a length", new Object[] {octets(0, 0)});
        cases.put("two values", new Object[] {octets(0, 0, 0, 2, 0x80, 0x80)});
        cases.put("no name", new Object[] {fields("seq", 1, "node", 1)});
        cases.put("no seq", new Object[] {fields("call", "tick", "node", 1)});
        cases.put("no such node", new Object[] {fields("call", "tick", "seq", 1, "node", 1)});
        cases.put("no such call", new Object[] {boot, fields("call", "dance", "seq", 2, "node", 1)});
        cases.put("not wanted", new Object[] {boot, fields("call", "flushed", "seq", 2, "node", 1)});
        cases.put("boot twice", new Object[] {boot, boot});
        cases.put("bad seed", new Object[] {bootWith("seed", "7")});
        cases.put("seed with a sign", new Object[] {bootWith("seed", "+000000000000007")});
        cases.put("bad id", new Object[] {bootWith("id", 4)});
        cases.put("id 0", new Object[] {bootWith("id", 0)});
        cases.put("many nodes", new Object[] {bootWith("nodes", 1L << 40)});
        cases.put("bad options", new Object[] {bootWith("options", Map.of("a", 1))});
        cases.put("bad disk", new Object[] {bootWith("disk", List.of(1))});
        cases.put("no message", new Object[] {boot, fields("call", "receive", "seq", 2, "node", 1, "from", 1, "kind", "a")});
        cases.put("bad from", new Object[] {boot, fields("call", "receive", "seq", 2, "node", 1, "from", 4, "kind", "a", "message", 1)});
        cases.put("number as text", new Object[] {bootWith("node", "1")});
        cases.forEach((name, frames) -> assertThrows(ProtocolException.class,
                () -> Puppet.host().serveOn(new ByteArrayInputStream(framed(frames)), new ByteArrayOutputStream()), name));
        assertDoesNotThrow(() -> Puppet.host().serveOn(new ByteArrayInputStream(framed(boot)), new ByteArrayOutputStream()));
    }

    @Test
    void badHandshakesAreRefused() throws IOException {
        for (String line : List.of("GET / HTTP/1.1\n", "{\"call\":\"hello\",\"protocol\":2}\n", "{\"call\":\"boot\"}\n", "[]\n")) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertThrows(ProtocolException.class,
                    () -> Puppet.host().serveOn(new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)), out));
            assertFalse(Value.ofJson(out.toByteArray()).get("error").isNull());
        }
        assertEquals("", served(""));
        assertThrows(ProtocolException.class, () -> served("{"));
    }

    @Test
    void strayPrintsNeverReachTheReplies() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java", "-cp", System.getProperty("java.class.path"), "puppet.Puppet");
        Process host = builder.start();
        String print = "{\"call\":\"receive\",\"seq\":2,\"node\":1,\"now\":0,\"from\":1,\"kind\":\"print\",\"message\":null}\n";
        try (var in = host.getOutputStream()) {
            in.write((String.format(HELLO, "json") + BOOT + print).getBytes(StandardCharsets.UTF_8));
        }
        String out = new String(host.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String errors = new String(host.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, host.waitFor(), errors);
        assertEquals(3, out.lines().count(), out);
        assertTrue(out.endsWith("{\"seq\":2}\n"), out);
        assertTrue(errors.contains("this is not for the protocol\n"), errors);
    }

    @Test
    void aCallThatCannotBeReadEndsTheProgramWithAnotherStatusThanZero() throws Exception {
        Process host = new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java", "-cp", System.getProperty("java.class.path"), "puppet.Puppet").start();
        try (var in = host.getOutputStream()) {
            in.write((String.format(HELLO, "json") + "nonsense\n").getBytes(StandardCharsets.UTF_8));
        }
        host.getInputStream().readAllBytes();
        String errors = new String(host.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(1, host.waitFor());
        assertTrue(errors.contains("call 1: byte 1 of the line"), errors);
    }
}
