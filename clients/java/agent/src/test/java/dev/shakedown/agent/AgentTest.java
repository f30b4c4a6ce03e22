package dev.shakedown.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.shakedown.live.TestNodes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** What an instrumented program and Shakedown write each other. One process has one agent, so the tests are in an order. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AgentTest {
    /** How long something may take that has to come. */
    private static final int PATIENCE_MILLIS = 10_000;

    private static Socket shakedown;
    private static BufferedReader lines;

    @BeforeAll
    static void attach(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("instructions");
        Files.writeString(file, """
                # What cannot be annotated.
                ready    dev.shakedown.agent.Voter#start
                action   Count-{times} dev.shakedown.agent.Plain#act times=0
                variable counts dev.shakedown.agent.Plain#counts
                """);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> attached = CompletableFuture.runAsync(() -> {
                try {
                    Agent.attach(TestNodes.connect(listener.getLocalPort()), file.toString(), ByteBuddyAgent.install());
                } catch (IOException e) {
                    throw new CompletionException(e);
                }
            });
            listener.setSoTimeout(PATIENCE_MILLIS);
            shakedown = listener.accept();
            shakedown.setSoTimeout(PATIENCE_MILLIS);
            lines = new BufferedReader(new InputStreamReader(shakedown.getInputStream(), StandardCharsets.UTF_8));
            lines.readLine();
            give("{\"type\":\"welcome\",\"protocol\":1,\"node\":1,\"nodes\":1,\"life\":1,\"seed\":\"1\"}");
            attached.join();
        }
    }

    @AfterAll
    static void close() throws IOException {
        shakedown.close();
    }

    private static void give(String line) throws IOException {
        shakedown.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void expect(String line) throws IOException {
        assertEquals(line, lines.readLine());
    }

    @Test
    @Order(1)
    void annotatedActionsWaitAndVariablesAreReadAfterThem() throws IOException {
        Programs.start();
        expect("{\"type\":\"state\",\"fields\":{\"counts\":[0],\"term\":1,\"voted-for\":null}}");
        expect("{\"type\":\"ready\",\"requests\":false}");
        CompletableFuture<Boolean> voted = Programs.vote(7);
        expect("{\"type\":\"action\",\"id\":1,\"name\":\"Vote\",\"fields\":{\"from\":\"n3\",\"sure\":true,\"term\":7}}");
        assertFalse(voted.isDone());
        give("{\"type\":\"permit\",\"seq\":1,\"id\":1}");
        expect("{\"type\":\"state\",\"fields\":{\"term\":7,\"voted-for\":\"n3\"}}");
        expect("{\"type\":\"done\",\"seq\":1}");
        assertTrue(voted.join());
    }

    @Test
    @Order(2)
    void anActionThatThrowsEndsToo() throws IOException {
        CompletableFuture<Void> failed = Programs.fail();
        expect("{\"type\":\"action\",\"id\":2,\"name\":\"Fail\"}");
        give("{\"type\":\"permit\",\"seq\":2,\"id\":2}");
        expect("{\"type\":\"state\",\"fields\":{\"term\":9}}");
        expect("{\"type\":\"done\",\"seq\":2}");
        assertThrows(CompletionException.class, failed::join);
    }

    @Test
    @Order(3)
    void aFileNamesActionsAndVariablesOfClassesWithoutAnnotations() throws IOException {
        CompletableFuture<Void> one = Programs.plain(1);
        expect("{\"type\":\"action\",\"id\":3,\"name\":\"Count-1\",\"fields\":{\"times\":1}}");
        CompletableFuture<Void> two = Programs.plain(2);
        expect("{\"type\":\"action\",\"id\":4,\"name\":\"Count-2\",\"fields\":{\"times\":2}}");
        give("{\"type\":\"permit\",\"seq\":3,\"id\":4}");
        expect("{\"type\":\"state\",\"fields\":{\"counts\":[2]}}");
        expect("{\"type\":\"done\",\"seq\":3}");
        two.join();
        give("{\"type\":\"permit\",\"seq\":4,\"id\":3}");
        expect("{\"type\":\"state\",\"fields\":{\"counts\":[3]}}");
        expect("{\"type\":\"done\",\"seq\":4}");
        one.join();
    }

    @Test
    @Order(4)
    void variablesAreShownAfterAMethodThatIsNoAction() throws IOException {
        Programs.lead();
        expect("{\"type\":\"state\",\"fields\":{\"term\":10}}");
    }

    @Test
    @Order(5)
    void actionsBeginAtOnceWhenTheTestIsOver() throws IOException {
        give("{\"type\":\"end\"}");
        assertTrue(Programs.vote(8).join());
    }
}
