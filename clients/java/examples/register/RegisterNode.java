package register;

import dev.shakedown.Disk;
import dev.shakedown.Env;
import dev.shakedown.Host;
import dev.shakedown.Message;
import dev.shakedown.Node;
import dev.shakedown.State;
import dev.shakedown.Value;
import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The replicated register of the book as a host of Shakedown.
 *
 * <p>Messages may overtake each other on the network, and then a backup goes back to an older version. With the option
 * {@code versions=true} it does not.
 */
public final class RegisterNode implements Node {
    private static final int PRIMARY = 1;

    private Register register;
    /** The clients whose writes not all backups hold yet, by version. */
    private final SortedMap<Long, Long> clients = new TreeMap<>();

    @Override
    public void boot(Env env, Disk disk) {
        register = new Register(env.option("versions", "false").equals("true"));
    }

    /** Takes a write: the request is the value, the answer its version. */
    @Override
    public void request(Env env, long id, Value request) {
        long value = request.asLong();
        if (env.id() != PRIMARY) {
            return;
        }
        Register.Replicate message = register.write(value);
        clients.put(message.version(), id);
        for (int to = 1; to <= env.nodes(); to++) {
            if (to != PRIMARY) {
                env.send(to, "Replicate", message, "version " + message.version() + " is " + message.value());
            }
        }
    }

    /** Takes a message of the primary at a backup, and of a backup at the primary. */
    @Override
    public void receive(Env env, Message message) {
        switch (message.kind()) {
            case "Replicate" -> {
                Register.Ack ack = register.replicate(message.as(Register.Replicate.class));
                env.send(message.from(), "Ack", ack, "version " + ack.version());
            }
            case "Ack" -> {
                long version = message.as(Register.Ack.class).version();
                if (register.acknowledged(version, env.nodes() - 1)) {
                    env.answer(clients.remove(version), version);
                }
            }
            default -> throw new IllegalArgumentException("a message of kind " + message.kind());
        }
    }

    @Override
    public void state(State state) {
        state.set("version", register.version()).set("value", register.value());
    }

    /** The host. */
    public static Host host() {
        return Host.of(RegisterNode.class, RegisterNode::new)
                .name("register")
                .version("register 1.0")
                .kinds("Replicate", "Ack")
                .build();
    }

    /** Serves until standard input ends. */
    public static void main(String[] args) throws IOException {
        host().serve();
    }
}
