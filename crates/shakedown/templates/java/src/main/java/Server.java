import dev.shakedown.Env;
import dev.shakedown.Host;
import dev.shakedown.Message;
import dev.shakedown.Node;
import dev.shakedown.State;
import dev.shakedown.Value;
import java.io.IOException;

/** A replicated register as a host of Shakedown: one node. Put your own protocol in its place. */
public final class Server implements Node {
    /** A message of the primary, node 1: hold this value, it has this version. */
    record Replicate(long version, long value) {}

    private long version;
    private long value;

    /** Takes a write: the request is the value, the answer its version. */
    @Override
    public void request(Env env, long id, Value request) {
        if (env.id() == 1) {
            version++;
            value = request.asLong();
            env.broadcast("Replicate", new Replicate(version, value));
            env.answer(id, version);
        }
    }

    /**
     * Takes a message at a backup. An old one must not overwrite a newer value: take the condition away, and Shakedown finds
     * out.
     */
    @Override
    public void receive(Env env, Message message) {
        Replicate m = message.as(Replicate.class);
        if (m.version() > version) {
            version = m.version();
            value = m.value();
        }
    }

    /** Shows what the properties are about. */
    @Override
    public void state(State state) {
        state.set("version", version).set("value", value);
    }

    static Host host() {
        return Host.of(Server.class, Server::new).name("NAME").version("NAME 1.0").kinds("Replicate").build();
    }

    public static void main(String[] args) throws IOException {
        host().serve();
    }
}
