package dev.shakedown;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Does the calls of one connection: holds the running nodes. */
final class Server {
    private final Supplier<? extends Node> makes;
    private final Set<String> wanted;
    private final Wire wire;
    private final Map<Long, Slot> nodes = new HashMap<>();
    private final Call call = new Call(new Names());

    Server(Supplier<? extends Node> makes, Set<String> wanted, Wire wire) {
        this.makes = makes;
        this.wanted = wanted;
        this.wire = wire;
    }

    /** A running node. */
    private static final class Slot {
        final Effects effects;
        final State state = new State();
        Node node;
        Failure failed;

        Slot(Effects effects) {
            this.effects = effects;
        }

        void show(boolean whole) {
            state.begin(whole);
            node.state(state);
            state.end();
        }
    }

    /** Does one call and replies to it. */
    void serve(byte[] frame) throws IOException {
        Call c = call;
        c.parse(frame, frame.length, wire.isText());
        if (c.name.equals("crash")) {
            // A node that failed at boot is not there.
            nodes.remove(c.node);
            return;
        }
        if (c.name.equals("boot")) {
            boot(c);
            return;
        }
        Slot slot = nodes.get(c.node);
        if (slot == null) {
            throw new ProtocolException(c.name + ": there is no node " + Long.toUnsignedString(c.node));
        }
        boolean whole = c.name.equals("observe");
        if (!whole) {
            slot.effects.setNow(c.now);
        }
        if (slot.failed == null) {
            check(slot, c);
            activate(slot, c, whole);
        }
        wire.reply(c.seq, slot.effects, slot.state, slot.failed);
    }

    private void boot(Call c) throws IOException {
        if (nodes.containsKey(c.node)) {
            throw new ProtocolException("boot: node " + Long.toUnsignedString(c.node) + " is running");
        }
        c.checkBoot();
        SeededRandom random = new SeededRandom(c.parseSeed());
        Disk disk = c.parseDisk();
        Slot slot = new Slot(new Effects((int) c.id, (int) c.nodes, c.life, c.now, c.parseOptions(), random));
        try {
            slot.node = makes.get();
            slot.node.boot(slot.effects, disk);
            slot.show(true);
            nodes.put(c.node, slot);
        } catch (Exception | StackOverflowError | AssertionError | LinkageError e) {
            slot.failed = Failure.of(e);
        }
        wire.reply(c.seq, slot.effects, slot.state, slot.failed);
    }

    /** Refuses a call that no node may get. */
    private void check(Slot slot, Call c) throws ProtocolException {
        switch (c.name) {
            case "receive" -> {
                if (c.message == null || c.kind == null) {
                    throw new ProtocolException("receive: there is no message, or it has no kind");
                }
                checkPeer("receive: a message from", c.from, slot);
            }
            case "observe" -> {}
            case "tick", "fire", "request", "flushed", "reconnected", "disconnected" -> {
                if (!wanted.contains(c.name)) {
                    throw new ProtocolException(c.name + ": the nodes of this host do not want to hear it");
                }
                if (c.name.equals("fire") && c.timer == null || c.name.equals("request") && c.request == null) {
                    throw new ProtocolException(c.name + ": there is no timer or request");
                }
                if (c.name.endsWith("connected")) {
                    checkPeer(c.name + ":", c.peer, slot);
                }
            }
            default -> throw new ProtocolException("there is no call \"" + c.name + "\"");
        }
    }

    private static void checkPeer(String what, long peer, Slot slot) throws ProtocolException {
        if (peer < 1 || peer > slot.effects.nodes()) {
            throw new ProtocolException(what + " node " + Long.toUnsignedString(peer) + " of " + slot.effects.nodes());
        }
    }

    /** Makes one call of a node. An exception is the node's failure; one that the machine cannot go on after ends the host. */
    private void activate(Slot slot, Call c, boolean whole) {
        slot.effects.reset();
        try {
            if (!whole) {
                dispatch(slot.node, slot.effects, c);
            }
            slot.show(whole);
        } catch (Exception | StackOverflowError | AssertionError | LinkageError e) {
            slot.failed = Failure.of(e);
        }
    }

    private static void dispatch(Node node, Env env, Call c) {
        switch (c.name) {
            case "receive" -> node.receive(env, new Message((int) c.from, c.kind, c.message));
            case "tick" -> node.tick(env);
            case "fire" -> node.fire(env, c.timer);
            case "request" -> node.request(env, c.id, c.request);
            case "flushed" -> node.flushed(env);
            case "reconnected" -> node.reconnected(env, (int) c.peer);
            default -> node.disconnected(env, (int) c.peer);
        }
    }
}
