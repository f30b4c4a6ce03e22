package puppet;

import dev.shakedown.Change;
import dev.shakedown.Disk;
import dev.shakedown.Env;
import dev.shakedown.Host;
import dev.shakedown.Message;
import dev.shakedown.Node;
import dev.shakedown.State;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** Does what its messages ask for. */
public final class Puppet implements Node {
    /** A copy of System.out from before the host serves. */
    private static final PrintStream EARLY = System.out;

    private final Map<String, Object> fields = new LinkedHashMap<>();

    @Override
    public void boot(Env env, Disk disk) {
        if (env.options().containsKey("fails")) {
            throw new IllegalStateException("option fails is set");
        }
        fields.put("life", env.life());
        fields.put("keys", disk.keys());
        if (disk.has("term")) {
            fields.put("term", disk.get("term").asLong());
        }
    }

    @Override
    public void receive(Env env, Message message) {
        switch (message.kind()) {
            case "everything" -> everything(env, message.from());
            case "forget" -> fields.remove("life");
            case "random" -> fields.put("random", env.random().below(1000));
            case "throw" -> throw new IllegalStateException("broken");
            case "null" -> fields.put("from", ((String) fields.get("nothing")).length());
            case "assert" -> throw new AssertionError("never");
            case "recurse" -> receive(env, message);
            case "print" -> print();
            case "nobody" -> env.send(9, "One", null);
            case "bad-name" -> env.send(1, "one word and another", null);
            case "bad-value" -> env.answer(1, new Object());
            case "bad-fact" -> env.fact("commit", "index", 1.5);
            case "flood" -> {
                for (int i = 0; i < 20_000; i++) {
                    env.send(1, "One", null);
                }
            }
            case "large" -> env.send(1, "One", new byte[17 << 20]);
            case "twice" -> env.write(Change.put("a", 1), Change.delete("a"));
            default -> throw new IllegalArgumentException(message.kind());
        }
    }

    private void everything(Env env, int from) {
        env.send(2, "One", Map.of("a", 1));
        env.send(3, "Two", new byte[] {1, 2}, "two bytes");
        env.broadcast("Three", null);
        env.answer(7, "done");
        env.fact("commit", "index", 7, "ok", true, "op", "put");
        env.setTimer("election", 5);
        env.cancelTimer("election");
        env.write(Change.put("term", 3), Change.delete("old"));
        env.flush();
        fields.put("from", from);
    }

    private static void print() {
        System.out.println("this is not for the protocol");
        EARLY.println("nor is this");
        EARLY.flush();
        try {
            if (System.in.read() >= 0) {
                throw new IllegalStateException("a node reads the calls");
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void tick(Env env) {
        fields.put("now", env.now());
    }

    @Override
    public void state(State state) {
        for (String name : new ArrayList<>(fields.keySet())) {
            state.set(name, fields.get(name));
        }
    }

    /** The host. */
    public static Host host() {
        return Host.of(Puppet.class, Puppet::new).name("puppet").version("puppet 1").kinds("One").build();
    }

    /** Serves until standard input ends. */
    public static void main(String[] args) throws IOException {
        host().serve();
    }
}
