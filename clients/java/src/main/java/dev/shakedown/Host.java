package dev.shakedown;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Makes nodes and serves them to Shakedown.
 *
 * <pre>{@code
 * public static void main(String[] args) throws IOException {
 *     Host.of(Register.class, Register::new)
 *             .name("register").version("register 1.0").kinds("Replicate", "Ack")
 *             .build().serve();
 * }
 * }</pre>
 */
public final class Host {
    private static final int PROTOCOL = 1;
    private static final List<String> OPTIONAL_CALLS = List.of("tick", "fire", "request", "flushed", "reconnected", "disconnected");

    private final Builder<?> plan;

    private Host(Builder<?> plan) {
        this.plan = plan;
    }

    /**
     * Begins a host.
     *
     * @param <N> the type of its nodes
     * @param type the class of its nodes: which methods of {@link Node} it overrides decides which calls are made
     * @param makes makes a node that has not booted
     * @return what is left to be set
     */
    public static <N extends Node> Builder<N> of(Class<N> type, Supplier<? extends N> makes) {
        return new Builder<>(type, makes);
    }

    /**
     * What a host consists of.
     *
     * @param <N> the type of its nodes
     */
    public static final class Builder<N extends Node> {
        private final Supplier<? extends N> makes;
        private final Set<String> calls = new LinkedHashSet<>();
        private final List<String> kinds = new ArrayList<>();
        private String name;
        private String version = "";

        private Builder(Class<N> type, Supplier<? extends N> makes) {
            this.makes = makes;
            this.name = type.getSimpleName();
            for (Method method : type.getMethods()) {
                boolean isHeard = OPTIONAL_CALLS.contains(method.getName()) && method.getDeclaringClass() != Node.class;
                if (isHeard && method.getParameterCount() > 0 && method.getParameterTypes()[0] == Env.class) {
                    calls.add(method.getName());
                }
            }
        }

        /**
         * Names what is under test.
         *
         * @param name the name, such as "register"
         * @return this
         */
        public Builder<N> name(String name) {
            this.name = name;
            return this;
        }

        /**
         * Sets the version of what is under test. Failure files carry it.
         *
         * @param version the version, such as "register 1.0"
         * @return this
         */
        public Builder<N> version(String version) {
            this.version = version;
            return this;
        }

        /**
         * Names the kinds of messages that nodes send. It may be left out.
         *
         * @param kinds the kinds
         * @return this
         */
        public Builder<N> kinds(String... kinds) {
            this.kinds.addAll(List.of(kinds));
            return this;
        }

        /**
         * Makes the host.
         *
         * @return the host
         */
        public Host build() {
            return new Host(this);
        }
    }

    /**
     * Serves on standard input and output until the input ends. It takes both away from the rest of the program, for good: what
     * else is printed to {@link System#out} goes to standard error, and {@link System#in} is empty. It is called once, by main.
     *
     * @throws ProtocolException if a call cannot be read or done; let it leave main, and the program ends as it should
     * @throws IOException if a stream fails
     */
    public void serve() throws IOException {
        FileInputStream in = new FileInputStream(FileDescriptor.in);
        OutputStream out = takeOut();
        System.setOut(System.err);
        System.setIn(InputStream.nullInputStream());
        serveOn(in, out);
    }

    /**
     * Gives the standard output of the process. Where the system lets it be opened a second time (Linux), the first one is closed, so
     * that even a copy of {@link System#out} that was made before, or native code, cannot write between the replies.
     */
    private static OutputStream takeOut() throws IOException {
        Path own = Path.of("/proc/self/fd/1");
        FileOutputStream first = new FileOutputStream(FileDescriptor.out);
        if (!Files.exists(own)) {
            return first;
        }
        FileOutputStream second;
        try {
            second = new FileOutputStream(own.toFile(), true);
        } catch (IOException e) {
            // A socket cannot be opened by its name.
            return first;
        }
        first.close();
        return second;
    }

    /**
     * Serves on other streams. It returns when the input ends where a call would begin.
     *
     * @param in where calls come from
     * @param out where replies go to; it is flushed after each
     * @throws ProtocolException if a call cannot be read or done
     * @throws IOException if a stream fails
     */
    public void serveOn(InputStream in, OutputStream out) throws IOException {
        Wire wire = new Wire(in, out);
        if (!shakeHands(wire)) {
            return;
        }
        Server server = server(wire);
        for (long number = 1; ; number++) {
            try {
                byte[] frame = wire.read();
                if (frame == null) {
                    return;
                }
                server.serve(frame);
            } catch (ProtocolException e) {
                throw new ProtocolException("shakedown: call " + number + ": " + e.getMessage(), e);
            }
        }
    }

    Server server(Wire wire) {
        return new Server(plan.makes, plan.calls, wire);
    }

    /** Gives false if the input is empty. */
    private boolean shakeHands(Wire wire) throws IOException {
        if (!wire.readLine()) {
            return false;
        }
        Value asked = Value.NULL;
        String refusal = null;
        try {
            asked = Value.ofJson(wire.line());
            if (!asked.get("call").equals(Value.of("hello"))) {
                refusal = "the first line is no handshake: this program is a host of Shakedown's node protocol";
            } else if (!asked.get("protocol").equals(Value.of(PROTOCOL))) {
                refusal = "this host speaks version " + PROTOCOL + " of the protocol, not " + asked.get("protocol");
            }
        } catch (DecodeException e) {
            refusal = "the first line is no handshake: this program is a host of Shakedown's node protocol";
        }
        Map<String, Object> reply = new LinkedHashMap<>();
        if (refusal != null) {
            reply.put("error", refusal);
            send(wire, reply);
            throw new ProtocolException("shakedown: " + refusal);
        }
        boolean isPacked = asked.get("encoding").equals(Value.of("msgpack"));
        reply.put("protocol", PROTOCOL);
        reply.put("encoding", isPacked ? "msgpack" : "json");
        reply.put("name", plan.name);
        reply.put("version", plan.version);
        // The order of methods that Java gives is not determined.
        reply.put("calls", OPTIONAL_CALLS.stream().filter(plan.calls::contains).toList());
        if (!plan.kinds.isEmpty()) {
            reply.put("kinds", plan.kinds);
        }
        send(wire, reply);
        wire.setText(!isPacked);
        return true;
    }

    private static void send(Wire wire, Map<String, Object> reply) throws IOException {
        wire.send((Value.of(reply) + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
