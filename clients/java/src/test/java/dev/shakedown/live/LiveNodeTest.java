package dev.shakedown.live;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.shakedown.Value;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server and Shakedown write each other: the lines that the tests of the library for Go expect too. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LiveNodeTest {
    private static final String HELLO = "{\"type\":\"hello\",\"protocol\":1,\"token\":\"secret\",\"node\":2}";
    private static final String WELCOME =
            "{\"type\":\"welcome\",\"protocol\":1,\"node\":2,\"nodes\":3,\"life\":4,\"seed\":\"00000000000000ff\"}";

    /** The other end of a node's connection. */
    private Socket shakedown;
    private BufferedReader lines;
    /** Why a node was not connected. */
    private volatile IOException refusal;

    /** Connects a node to a Shakedown that answers the registration with this line. */
    private LiveNode connect(String answer) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<LiveNode> node = new CompletableFuture<>();
            String address = "127.0.0.1:" + listener.getLocalPort();
            LiveNode.thread("test", () -> {
                try {
                    node.complete(LiveNode.connect(Map.of(LiveNode.ADDRESS, address, LiveNode.TOKEN, "secret", LiveNode.NODE, "2")));
                } catch (IOException e) {
                    refusal = e;
                    node.complete(null);
                }
            }).start();
            shakedown = listener.accept();
            lines = new BufferedReader(new InputStreamReader(shakedown.getInputStream(), StandardCharsets.UTF_8));
            expect(HELLO);
            give(answer);
            return node.join();
        }
    }

    private LiveNode welcomed() throws IOException {
        return connect(WELCOME);
    }

    @AfterEach
    void close() throws IOException {
        if (shakedown != null) {
            shakedown.close();
        }
    }

    private void give(String line) throws IOException {
        shakedown.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private void expect(String line) throws IOException {
        assertEquals(line, lines.readLine());
    }

    @Test
    void whoRegistersKnowsWhoItIs() throws IOException {
        LiveNode node = welcomed();
        assertTrue(node.isUnderTest());
        assertEquals(2, node.id());
        assertEquals(3, node.nodes());
        assertEquals(4, node.life());
        assertEquals(255, node.seed());
        assertNull(node.error());
        assertFalse(node.done().isDone());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{\"type\":\"error\",\"reason\":\"its token is wrong\"} | its token is wrong",
        "{\"type\":\"welcome\",\"protocol\":2} | of version 2",
        "{\"type\":\"welcome\",\"protocol\":1,\"seed\":\"x\"} | no seed",
        "{\"type\":\"welcome\",\"protocol\":1} | no seed",
        "hello | byte 1 of the line",
        "null | without a type",
    })
    void aRegistrationThatIsRefusedNamesTheReason(String answer, String reason) throws IOException {
        assertNull(connect(answer));
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    @Test
    void whatAServerDoesIsWrittenInOrder() throws IOException {
        LiveNode node = welcomed();
        node.send(1, "Vote", Map.of("term", 3), new byte[] {1, (byte) 255});
        node.event("role", Map.of("role", "leader"));
        node.event("plain", null);
        Map<String, Object> state = new HashMap<>(Map.of("term", 3));
        state.put("gone", null);
        node.state(state);
        node.setTimer("election", Duration.ofMillis(150), () -> {});
        node.clearTimer("election");
        expect("{\"type\":\"send\",\"to\":1,\"kind\":\"Vote\",\"fields\":{\"term\":3},\"payload\":\"Af8=\"}");
        expect("{\"type\":\"event\",\"name\":\"role\",\"fields\":{\"role\":\"leader\"}}");
        expect("{\"type\":\"event\",\"name\":\"plain\"}");
        expect("{\"type\":\"state\",\"fields\":{\"gone\":null,\"term\":3}}");
        expect("{\"type\":\"timer\",\"id\":1,\"name\":\"election\",\"ms\":150}");
        expect("{\"type\":\"clear\",\"name\":\"election\"}");
        Map<String, Object> bad = Map.of("bad", new Object());
        assertThrows(IllegalArgumentException.class, () -> node.send(1, "Vote", bad, null));
        assertThrows(IllegalArgumentException.class, () -> node.event("bad", bad));
        assertThrows(IllegalArgumentException.class, () -> node.send(1, "Vote", null, new byte[Line.LENGTH_MAX]));
        assertNull(node.error());
    }

    @Test
    void handlersAreCalledOneAtATimeAndAcknowledged() throws IOException {
        LiveNode node = welcomed();
        node.start(
                message -> {
                    assertEquals(3, message.fields().get("term").asInt());
                    assertArrayEquals(new byte[] {1, (byte) 255}, message.payload());
                    node.event("got", Map.of("kind", message.kind(), "from", message.from()));
                },
                (id, request) -> {
                    if (request.equals(Value.of("bad"))) {
                        node.failed(id, "no");
                    } else {
                        node.answer(id, request);
                    }
                });
        expect("{\"type\":\"ready\",\"requests\":true}");
        give("{\"type\":\"deliver\",\"seq\":1,\"from\":3,\"kind\":\"Vote\",\"fields\":{\"term\":3},\"payload\":\"Af8=\",\"unknown\":0}");
        give("{\"type\":\"request\",\"seq\":2,\"id\":7,\"request\":{\"read\":0}}");
        give("{\"type\":\"request\",\"seq\":3,\"id\":8,\"request\":\"bad\"}");
        expect("{\"type\":\"event\",\"name\":\"got\",\"fields\":{\"from\":3,\"kind\":\"Vote\"}}");
        expect("{\"type\":\"done\",\"seq\":1}");
        expect("{\"type\":\"answer\",\"id\":7,\"answer\":{\"read\":0}}");
        expect("{\"type\":\"done\",\"seq\":2}");
        expect("{\"type\":\"answer\",\"id\":8,\"answer\":{\"failed\":\"no\"}}");
        expect("{\"type\":\"done\",\"seq\":3}");
    }

    @Test
    void whatAHandlerThrowsIsTheEndAndIsNotAcknowledged() throws IOException {
        LiveNode node = welcomed();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        node.whenFailed(thrown::complete);
        RuntimeException mistake = new IllegalStateException("a mistake");
        node.start(message -> {
            throw mistake;
        });
        expect("{\"type\":\"ready\",\"requests\":false}");
        give("{\"type\":\"deliver\",\"seq\":1,\"from\":1,\"kind\":\"Go\"}");
        assertSame(mistake, thrown.join());
        node.event("next", null);
        expect("{\"type\":\"event\",\"name\":\"next\"}");
    }

    @Test
    void aTimerGoesOffUnlessItWasClearedOrSetAnew() throws IOException {
        LiveNode node = welcomed();
        node.start(message -> {});
        expect("{\"type\":\"ready\",\"requests\":false}");
        Duration second = Duration.ofSeconds(1);
        node.setTimer("a", second, () -> node.event("first", null));
        node.setTimer("a", second, () -> node.event("second", null));
        node.setTimer("b", second, () -> node.event("third", null));
        node.clearTimer("b");
        expect("{\"type\":\"timer\",\"id\":1,\"name\":\"a\",\"ms\":1000}");
        expect("{\"type\":\"timer\",\"id\":2,\"name\":\"a\",\"ms\":1000}");
        expect("{\"type\":\"timer\",\"id\":3,\"name\":\"b\",\"ms\":1000}");
        expect("{\"type\":\"clear\",\"name\":\"b\"}");
        give("{\"type\":\"fire\",\"seq\":1,\"id\":1,\"name\":\"a\"}");
        give("{\"type\":\"fire\",\"seq\":2,\"id\":3,\"name\":\"b\"}");
        give("{\"type\":\"fire\",\"seq\":3,\"id\":2,\"name\":\"a\"}");
        expect("{\"type\":\"done\",\"seq\":1}");
        expect("{\"type\":\"done\",\"seq\":2}");
        expect("{\"type\":\"event\",\"name\":\"second\"}");
        expect("{\"type\":\"done\",\"seq\":3}");
    }

    @Test
    void timersThatAreSetAtTheSameTimeAreWrittenInTheirOrder() throws IOException {
        LiveNode node = welcomed();
        int threads = 8;
        int times = 200;
        for (int i = 0; i < threads; i++) {
            LiveNode.thread("test", () -> {
                for (int j = 0; j < times; j++) {
                    node.setTimer("a", Duration.ofSeconds(1), () -> {});
                }
            }).start();
        }
        for (int id = 1; id <= threads * times; id++) {
            expect("{\"type\":\"timer\",\"id\":" + id + ",\"name\":\"a\",\"ms\":1000}");
        }
    }

    @Test
    void anActionWaitsForPermissionAlsoInAHandler() throws IOException {
        LiveNode node = welcomed();
        CompletableFuture<GoneException> gone = new CompletableFuture<>();
        node.start(message -> {
            try {
                node.action("Campaign", Map.of("term", 4), () -> node.state(Map.of("term", 4)));
            } catch (GoneException e) {
                gone.complete(e);
            }
        });
        expect("{\"type\":\"ready\",\"requests\":false}");
        give("{\"type\":\"deliver\",\"seq\":1,\"from\":1,\"kind\":\"Go\"}");
        expect("{\"type\":\"action\",\"id\":1,\"name\":\"Campaign\",\"fields\":{\"term\":4}}");
        give("{\"type\":\"permit\",\"seq\":2,\"id\":1}");
        expect("{\"type\":\"state\",\"fields\":{\"term\":4}}");
        expect("{\"type\":\"done\",\"seq\":2}");
        expect("{\"type\":\"done\",\"seq\":1}");
        assertFalse(gone.isDone());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "nonsense", "{\"type\":\"dance\"}", "{\"type\":\"permit\",\"seq\":1,\"id\":9}", "{\"type\":\"error\",\"reason\":\"enough\"}",
        "{\"type\":\"end\"}", "{}",
    })
    void everythingEndsWithTheConnection(String given) throws IOException {
        LiveNode node = welcomed();
        node.start(message -> {});
        expect("{\"type\":\"ready\",\"requests\":false}");
        CompletableFuture<Exception> waits = new CompletableFuture<>();
        LiveNode.thread("test", () -> {
            try {
                node.action("Never", null, () -> waits.complete(null));
            } catch (GoneException e) {
                waits.complete(e);
            }
        }).start();
        expect("{\"type\":\"action\",\"id\":1,\"name\":\"Never\"}");
        if (given.isEmpty()) {
            shakedown.close();
        } else {
            give(given);
        }
        node.done().join();
        assertSame(node.error(), waits.join());
        assertTrue(node.error().getMessage().startsWith("the connection to Shakedown has ended"), node.error().getMessage());
        assertThrows(GoneException.class, () -> node.send(1, "Late", null, null));
        assertThrows(GoneException.class, () -> node.action("Late", null, () -> {}));
        node.event("late", null);
    }

    @Test
    void withoutATestAServerDoesWhatItDoes() throws IOException {
        LiveNode node = LiveNode.connect(Collections.emptyMap());
        node.start(message -> {});
        node.event("role", null);
        node.state(null);
        node.answer(1, null);
        node.failed(1, "");
        CompletableFuture<Void> acted = new CompletableFuture<>();
        node.action("Campaign", null, () -> acted.complete(null));
        assertTrue(acted.isDone());
        CompletableFuture<Void> fired = new CompletableFuture<>();
        CompletableFuture<Void> never = new CompletableFuture<>();
        node.setTimer("never", Duration.ZERO.plusHours(1), () -> never.complete(null));
        node.clearTimer("never");
        node.setTimer("now", Duration.ZERO, () -> fired.complete(null));
        fired.join();
        assertFalse(never.isDone() || node.isUnderTest() || node.done().isDone());
        assertEquals(0, node.id() + node.nodes() + node.life() + node.seed());
        assertNull(node.error());
        assertThrows(IllegalStateException.class, () -> node.send(1, "Vote", null, null));
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1:1,", "127.0.0.1:1,x", "somewhere,1"})
    void variablesThatAreWrongAreNamed(String address, String id) {
        Map<String, String> environment = Map.of(LiveNode.ADDRESS, address, LiveNode.NODE, id == null ? "" : id);
        IOException refused = assertThrows(IOException.class, () -> LiveNode.connect(environment));
        assertTrue(refused.getMessage().contains(LiveNode.NODE), refused.getMessage());
    }
}
