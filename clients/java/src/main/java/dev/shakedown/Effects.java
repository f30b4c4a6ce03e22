package dev.shakedown;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The surroundings of one life of one node: collects what it does in a call. */
final class Effects implements Env {
    /** The depth at which a value stands in a reply: inside of the reply, a list, and an item of it. */
    private static final int DEPTH = 3;

    private static final byte[] TO = Packer.packed("to");
    private static final byte[] KIND = Packer.packed("kind");
    private static final byte[] MESSAGE = Packer.packed("message");
    private static final byte[] TEXT = Packer.packed("text");
    private static final byte[] ID = Packer.packed("id");
    private static final byte[] ANSWER = Packer.packed("answer");
    private static final byte[] NAME = Packer.packed("name");
    private static final byte[] FIELDS = Packer.packed("fields");
    private static final byte[] SET = Packer.packed("set");
    private static final byte[] TICKS = Packer.packed("ticks");
    private static final byte[] CANCEL = Packer.packed("cancel");
    private static final byte[] PUT = Packer.packed("put");
    private static final byte[] DELETE = Packer.packed("delete");
    private static final byte[] FLUSH = Packer.packed("flush");

    private final int id;
    private final int nodes;
    private final long life;
    private final Map<String, String> options;
    private final SeededRandom random;
    private long now;

    /** The lists of the reply, in its order. */
    final Part[] parts = {new Part("sends"), new Part("answers"), new Part("facts"), new Part("timers"), new Part("disk")};

    private final Part sends = parts[0];
    private final Part answers = parts[1];
    private final Part facts = parts[2];
    private final Part timers = parts[3];
    private final Part disk = parts[4];

    Effects(int id, int nodes, long life, long now, Map<String, String> options, SeededRandom random) {
        this.id = id;
        this.nodes = nodes;
        this.life = life;
        this.now = now;
        this.options = options;
        this.random = random;
    }

    /** A list of the reply, while it grows. */
    static final class Part {
        private static final int SMALL = 64;

        final byte[] packedName;
        final Packer items = new Packer(SMALL);
        int count;

        Part(String name) {
            packedName = Packer.packed(name);
        }

        /** Begins an item: a map. If an exception cuts it short, the reply is the exception. */
        Packer item(int pairs) {
            count++;
            items.map(pairs);
            return items;
        }
    }

    void reset() {
        for (Part part : parts) {
            part.items.reset();
            part.count = 0;
        }
    }

    void setNow(long now) {
        this.now = now;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int nodes() {
        return nodes;
    }

    @Override
    public long life() {
        return life;
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public SeededRandom random() {
        return random;
    }

    @Override
    public Map<String, String> options() {
        return options;
    }

    @Override
    public void send(int to, String kind, Object message, String text) {
        if (to < 1 || to > nodes) {
            throw new IllegalArgumentException("a message is sent to node " + to + " of " + nodes);
        }
        if (sends.count >= Limits.SENDS_MAX) {
            throw new IllegalArgumentException("more than " + Limits.SENDS_MAX + " messages are sent in one call");
        }
        Limits.checkName("kind", kind);
        Packer out = sends.item(text.isEmpty() ? 3 : 4);
        out.raw(TO);
        out.integer(to);
        out.raw(KIND);
        out.text(kind);
        out.raw(MESSAGE);
        Encoder.encode(out, message, DEPTH, kind);
        if (!text.isEmpty()) {
            out.raw(TEXT);
            out.text(text);
        }
    }

    @Override
    public void answer(long id, Object answer) {
        Packer out = answers.item(2);
        out.raw(ID);
        out.unsigned(id);
        out.raw(ANSWER);
        Encoder.encode(out, answer, DEPTH, "answer");
    }

    @Override
    public void fact(String name, Object... fields) {
        Limits.checkName("fact", name);
        if (fields.length % 2 != 0) {
            throw new IllegalArgumentException("fact " + name + " has a field without a value");
        }
        Packer out = facts.item(2);
        out.raw(NAME);
        out.text(name);
        out.raw(FIELDS);
        out.map(fields.length / 2);
        for (int i = 0; i < fields.length; i += 2) {
            field(out, name, fields, i);
        }
    }

    private static void field(Packer out, String fact, Object[] fields, int at) {
        if (!(fields[at] instanceof String name)) {
            throw new IllegalArgumentException("fact " + fact + " has a field whose name is no text: " + fields[at]);
        }
        Limits.checkName("field of a fact", name);
        for (int i = 0; i < at; i += 2) {
            if (name.equals(fields[i])) {
                throw new IllegalArgumentException("fact " + fact + " has two fields " + name);
            }
        }
        Object value = fields[at + 1];
        boolean isPlain = value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte
                || value instanceof Boolean || value instanceof String || value instanceof Enum;
        if (!isPlain) {
            throw new IllegalArgumentException("field " + name + " of fact " + fact + " is no integer, truth value or text");
        }
        out.text(name);
        Encoder.encode(out, value, DEPTH);
    }

    @Override
    public void setTimer(String name, long ticks) {
        Limits.checkName("timer", name);
        Packer out = timers.item(2);
        out.raw(SET);
        out.text(name);
        out.raw(TICKS);
        out.unsigned(ticks);
    }

    @Override
    public void cancelTimer(String name) {
        Limits.checkName("timer", name);
        Packer out = timers.item(1);
        out.raw(CANCEL);
        out.text(name);
    }

    @Override
    public void write(Change... changes) {
        int deletes = 0;
        Set<String> keys = changes.length > 1 ? new HashSet<>() : null;
        for (Change change : changes) {
            if (keys != null && !keys.add(change.key)) {
                throw new IllegalArgumentException("one write changes key \"" + change.key + "\" twice");
            }
            deletes += change.deletes ? 1 : 0;
        }
        int puts = changes.length - deletes;
        Packer out = disk.item((puts > 0 ? 1 : 0) + (deletes > 0 ? 1 : 0));
        if (puts > 0) {
            out.raw(PUT);
            out.map(puts);
            for (Change change : changes) {
                if (!change.deletes) {
                    out.text(change.key);
                    Encoder.encode(out, change.value, DEPTH + 1, change.key);
                }
            }
        }
        if (deletes > 0) {
            out.raw(DELETE);
            out.list(deletes);
            for (Change change : changes) {
                if (change.deletes) {
                    out.text(change.key);
                }
            }
        }
    }

    @Override
    public void flush() {
        Packer out = disk.item(1);
        out.raw(FLUSH);
        out.bool(true);
    }
}
