import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.shakedown.HostClient;
import dev.shakedown.ProtocolException;
import dev.shakedown.Value;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the node without Shakedown's command. */
class ServerTest {
    @Test
    void anOldMessageDoesNotOverwriteANewerValue() throws ProtocolException {
        HostClient client = new HostClient(Server.host());
        client.boot(1, 2, 3, Map.of());
        for (long version : new long[] {2, 1}) {
            Server.Replicate message = new Server.Replicate(version, 10 * version);
            client.call("receive", Map.of("node", 1, "now", 0, "from", 1, "kind", "Replicate", "message", message));
        }
        Value state = client.call("observe", Map.of("node", 1)).get("state");
        assertEquals(2, state.get("version").asLong());
        assertEquals(20, state.get("value").asLong());
    }
}
