package dev.shakedown.live;

import dev.shakedown.Value;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * A server's connection to Shakedown. Its methods may be called by any thread. There is none to close it: the connection lasts as
 * long as the process.
 *
 * <p>Fields are what can be seen of a message, an event, an action or a state: values that {@link Value#of} takes, or null for
 * none. Those of events and actions are integers, truth values and texts. What is none of these is refused with an
 * {@link IllegalArgumentException}.
 */
public final class LiveNode {
    /** The variables of the environment that Shakedown sets. */
    static final String ADDRESS = "SHAKEDOWN_LIVE";
    static final String TOKEN = "SHAKEDOWN_TOKEN";
    static final String NODE = "SHAKEDOWN_NODE";

    /** The version of the protocol. */
    private static final int PROTOCOL = 1;
    /** How long Shakedown may take to answer the registration. */
    private static final int REGISTER_MILLIS = 10_000;
    /** How many things may wait for the handlers. */
    private static final int QUEUE_MAX = 10_000;
    /** How a process ends whose handler has thrown something. */
    private static final int FAILED = 70;
    private static final RealTimers REAL = new RealTimers();

    /** None if the server is not under test. */
    private final LiveWire wire;
    private final int id;
    private final Given welcome;
    private final long seed;
    private final BlockingQueue<Given> queue = new LinkedBlockingQueue<>(QUEUE_MAX);
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private Consumer<LiveMessage> deliver;
    private RequestHandler request;
    /** What is done when a handler has thrown something. */
    private Consumer<Throwable> failed = LiveNode::halt;

    /** Guards the timers, and their order on the wire: the last one that is written is the one that is set. */
    private final Object timersLock = new Object();
    private final Map<String, SetTimer> timers = new HashMap<>();
    private long lastTimer;

    /** Guards the actions that wait, and why the connection has ended. It is taken after the other one, if both are. */
    private final Object lock = new Object();
    private final Map<Long, CompletableFuture<Long>> actions = new HashMap<>();
    private long lastAction;
    private GoneException error;

    /** A timer that is set: its number, and what is called. */
    private record SetTimer(long id, Runnable f) {}

    /** A server that is not under test. */
    private LiveNode() {
        this(0, null, new Given("welcome", null, 0, 0, 0, "0", 0, 0, null, null, null, null, 0, null));
    }

    private LiveNode(int id, LiveWire wire, Given welcome) {
        this.id = id;
        this.wire = wire;
        this.welcome = welcome;
        this.seed = Long.parseUnsignedLong(welcome.seed(), 16);
    }

    /**
     * Registers this server, if the variables of its environment say where. Otherwise it gives a node that is not under test. It is
     * called once, or again when {@link #done} has come: a server that Shakedown has not started takes part in one execution after
     * the other.
     *
     * @return the connection
     * @throws IOException if Shakedown is not there, or refuses the registration
     */
    public static LiveNode connect() throws IOException {
        return connect(System.getenv());
    }

    static LiveNode connect(Map<String, String> environment) throws IOException {
        String address = environment.getOrDefault(ADDRESS, "");
        if (address.isEmpty()) {
            return new LiveNode();
        }
        int colon = address.lastIndexOf(':');
        try {
            int port = Integer.parseInt(address.substring(colon + 1));
            InetSocketAddress place = new InetSocketAddress(address.substring(0, Math.max(colon, 0)), port);
            return register(place, environment.getOrDefault(TOKEN, ""), Integer.parseInt(environment.getOrDefault(NODE, "")));
        } catch (IllegalArgumentException e) {
            throw new IOException(ADDRESS + " or " + NODE + ": " + e.getMessage(), e);
        }
    }

    private static LiveNode register(InetSocketAddress address, String token, int id) throws IOException {
        LiveWire wire = new LiveWire(address, REGISTER_MILLIS);
        try {
            wire.setPatience(REGISTER_MILLIS);
            wire.write(new Line("hello").with("protocol", PROTOCOL).with("token", token).with("node", id).toBytes());
            Given answer = wire.read();
            if (answer.type().equals("error")) {
                throw new IOException("the registration was refused: " + answer.reason());
            }
            if (!answer.type().equals("welcome") || answer.protocol() != PROTOCOL) {
                throw new IOException("the answer to the registration is \"" + answer.type() + "\" of version " + answer.protocol());
            }
            wire.setPatience(0);
            return new LiveNode(id, wire, answer);
        } catch (NumberFormatException e) {
            wire.close();
            throw new IOException("the answer to the registration has no seed", e);
        } catch (IOException e) {
            wire.close();
            throw e;
        }
    }

    /**
     * Takes messages. Clients are programs that the target file names.
     *
     * @param deliver takes a message
     * @see #start(Consumer, RequestHandler)
     */
    public void start(Consumer<LiveMessage> deliver) {
        begin(deliver, null);
    }

    /**
     * Says that the server is ready: from now on its handlers are called, by a thread of this library. It is called once. The
     * execution begins when all servers have called it.
     *
     * <p>The handlers and the functions of timers are called one at a time, in the order of the steps. What they throw ends the
     * process, and Shakedown reports that.
     *
     * @param deliver takes a message
     * @param request takes what a client asks
     */
    public void start(Consumer<LiveMessage> deliver, RequestHandler request) {
        if (request == null) {
            throw new IllegalArgumentException("there is no handler for requests");
        }
        begin(deliver, request);
    }

    private void begin(Consumer<LiveMessage> deliver, RequestHandler request) {
        if (deliver == null) {
            throw new IllegalArgumentException("there is no handler for messages");
        }
        if (!isUnderTest()) {
            return;
        }
        this.deliver = deliver;
        this.request = request;
        show(new Line("ready").with("requests", request != null));
        thread("reader", this::read).start();
        thread("handlers", this::handle).start();
    }

    /** A thread that does not keep the process alive. */
    static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, "shakedown-" + name);
        thread.setDaemon(true);
        return thread;
    }

    /** Does something else when a handler has thrown something. */
    void whenFailed(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    private static void halt(Throwable thrown) {
        thrown.printStackTrace();
        Runtime.getRuntime().halt(FAILED);
    }

    /**
     * Whether Shakedown tests this server.
     *
     * @return true if messages go through Shakedown
     */
    public boolean isUnderTest() {
        return wire != null;
    }

    /**
     * The number of this server.
     *
     * @return the number, from 1; 0 if it is not under test
     */
    public int id() {
        return id;
    }

    /**
     * How many servers there are.
     *
     * @return the number of servers; 0 if it is not under test
     */
    public int nodes() {
        return welcome.nodes();
    }

    /**
     * How often this server has been started.
     *
     * @return 1 for the first time; 0 if it is not under test
     */
    public int life() {
        return welcome.life();
    }

    /**
     * What follows from the seed of the execution, the server and its life. A server that seeds its random source with it draws
     * the same every time.
     *
     * @return the seed; 0 if it is not under test
     */
    public long seed() {
        return seed;
    }

    /**
     * The end of the connection: the server can stop, or begin anew. It never comes for a server that is not under test.
     *
     * @return what completes then
     */
    public CompletableFuture<Void> done() {
        return done.copy();
    }

    /**
     * Why the connection has ended.
     *
     * @return the reason, null before
     */
    public GoneException error() {
        synchronized (lock) {
            return error;
        }
    }

    /**
     * Gives a message to Shakedown: it arrives when a step delivers it, if one does.
     *
     * @param to the number of the receiver
     * @param kind one word
     * @param fields what diagrams and scenarios see
     * @param payload what the receiver gets besides, or null
     * @throws GoneException if the connection has ended
     */
    public void send(int to, String kind, Map<String, ?> fields, byte[] payload) throws GoneException {
        if (!isUnderTest()) {
            throw new IllegalStateException("there is no test, so messages go over the server's own network");
        }
        tell(new Line("send").with("to", to).with("kind", kind).withAny("fields", fields).withAny("payload", payload));
    }

    /**
     * Reports something that happened inside the server: what scenarios and diagrams see.
     *
     * @param name one word
     * @param fields its fields
     */
    public void event(String name, Map<String, ?> fields) {
        if (isUnderTest()) {
            show(new Line("event").with("name", name).withAny("fields", fields));
        }
    }

    /**
     * Shows fields of the server's state that have changed: what invariants are stated over.
     *
     * @param fields the fields; null takes one away
     */
    public void state(Map<String, ?> fields) {
        if (isUnderTest()) {
            show(new Line("state").with("fields", fields));
        }
    }

    /**
     * Answers a request that a handler has taken. {@link #failed} is a better answer for one that certainly did not happen.
     *
     * @param id the number of the request
     * @param answer a value that {@link Value#of} takes
     */
    public void answer(long id, Object answer) {
        if (isUnderTest()) {
            show(new Line("answer").with("id", id).with("answer", answer));
        }
    }

    /**
     * Says that a request did not happen, and never will.
     *
     * @param id the number of the request
     * @param reason why
     */
    public void failed(long id, String reason) {
        answer(id, Map.of("failed", reason));
    }

    /**
     * Sets a timer, or sets it anew. It can be fired when its time has passed on Shakedown's clock.
     *
     * @param name one word
     * @param after the time
     * @param f is called when a step fires it, like a handler, and not while one of them is called
     */
    public void setTimer(String name, Duration after, Runnable f) {
        if (!isUnderTest()) {
            REAL.set(name, after, f);
            return;
        }
        synchronized (timersLock) {
            lastTimer++;
            timers.put(name, new SetTimer(lastTimer, f));
            show(new Line("timer").with("id", lastTimer).with("name", name).with("ms", Math.max(after.toMillis(), 0)));
        }
    }

    /**
     * Clears a timer. One that is not set stays so. A timer that was fired before is not called after this returns, unless it is
     * called already.
     *
     * @param name its name
     */
    public void clearTimer(String name) {
        if (!isUnderTest()) {
            REAL.clear(name);
            return;
        }
        synchronized (timersLock) {
            timers.remove(name);
            show(new Line("clear").with("name", name));
        }
    }

    /**
     * Waits until a step allows it, and then runs the body: the step ends when that has returned. Interrupts do not end the wait. The
     * body of a server that is not under test runs at once.
     *
     * @param name one word
     * @param parameters what scenarios and models see of it
     * @param body what is done then
     * @throws GoneException if the connection has ended; then the body was not run, or Shakedown does not know that it was
     */
    public void action(String name, Map<String, ?> parameters, Runnable body) throws GoneException {
        if (!isUnderTest()) {
            body.run();
            return;
        }
        long seq = ask(name, parameters);
        try {
            body.run();
        } finally {
            acknowledge(seq);
        }
    }

    /** Waits until a step allows an action, and gives the number under which its end is acknowledged. */
    long ask(String name, Map<String, ?> parameters) throws GoneException {
        CompletableFuture<Long> permission = new CompletableFuture<>();
        long action;
        synchronized (lock) {
            if (error != null) {
                throw error;
            }
            action = ++lastAction;
            actions.put(action, permission);
        }
        tell(new Line("action").with("id", action).with("name", name).withAny("fields", parameters));
        try {
            return permission.join();
        } catch (CompletionException e) {
            throw error();
        }
    }

    /** Says that what was given under this number is dealt with. */
    void acknowledge(long seq) throws GoneException {
        tell(new Line("done").with("seq", seq));
    }

    /** Writes a line that cannot fail but for the connection, which {@link #done} is for. */
    private void show(Line line) {
        try {
            tell(line);
        } catch (GoneException e) {
            // Whoever waits for the end of the connection knows.
        }
    }

    private void tell(Line line) throws GoneException {
        byte[] text = line.toBytes();
        try {
            wire.write(text);
        } catch (IOException e) {
            end(e.getMessage());
            throw error();
        }
    }

    /** Is called for the first failure and for every later one. */
    private void end(String reason) {
        synchronized (lock) {
            if (error != null) {
                return;
            }
            error = new GoneException(reason);
            actions.values().forEach(permission -> permission.completeExceptionally(error));
            actions.clear();
        }
        wire.close();
        // The handlers look whether this is the end before they take the next thing, whatever it is.
        queue.offer(welcome);
        done.complete(null);
    }

    /** Takes in what Shakedown gives. Permission is passed on at once: the handler may be what waits for it. */
    private void read() {
        try {
            while (error() == null) {
                take(wire.read());
            }
        } catch (IOException e) {
            end(e.getMessage());
        }
    }

    private void take(Given given) throws IOException {
        switch (given.type()) {
            case "deliver", "fire", "request" -> {
                if (!queue.offer(given)) {
                    throw new IOException("more than " + QUEUE_MAX + " things wait for this server");
                }
            }
            case "permit" -> {
                CompletableFuture<Long> permission;
                synchronized (lock) {
                    permission = actions.remove(given.id());
                }
                if (permission == null) {
                    throw new IOException("permission for the action " + given.id() + ", which does not wait");
                }
                permission.complete(given.seq());
            }
            case "error" -> throw new IOException(given.reason());
            case "end" -> end(null);
            default -> throw new IOException("there is no \"" + given.type() + "\"");
        }
    }

    /** Calls the server, one call at a time, and acknowledges each when it has returned. */
    private void handle() {
        try {
            while (true) {
                Given given = queue.take();
                if (error() != null) {
                    return;
                }
                switch (given.type()) {
                    case "deliver" -> deliver.accept(given.message());
                    case "fire" -> fire(given.name(), given.id());
                    default -> {
                        if (request != null) {
                            request.request(given.id(), Given.present(given.request()));
                        }
                    }
                }
                show(new Line("done").with("seq", given.seq()));
            }
        } catch (Throwable thrown) {
            failed.accept(thrown);
        }
    }

    /** Calls what a timer is for, unless it was cleared or set anew since Shakedown fired it. */
    private void fire(String name, long timer) {
        SetTimer set;
        synchronized (timersLock) {
            set = timers.get(name);
            if (set == null || set.id != timer) {
                return;
            }
            timers.remove(name);
        }
        set.f.run();
    }
}
