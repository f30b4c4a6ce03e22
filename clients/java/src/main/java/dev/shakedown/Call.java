package dev.shakedown;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A call as it was read. */
final class Call {
    private static final int SEED_DIGITS = 16;
    /** No cluster has more nodes. */
    private static final int NODES_MAX = 1 << 16;

    private final Names names;

    String name;
    long seq;
    long node;
    long now;
    long id;
    long nodes;
    long life;
    long from;
    long peer;
    String kind;
    String timer;
    String seed;
    Value message;
    Value request;
    private byte[] frame;
    private int options;
    private int disk;
    private boolean isText;

    Call(Names names) {
        this.names = names;
    }

    /** Reads a call. Fields that it does not know are ignored. */
    void parse(byte[] frame, int size, boolean isText) throws ProtocolException {
        reset(frame, isText);
        Unpacker in = new Unpacker(frame, 0, size);
        boolean hasSeq = false;
        boolean hasNode = false;
        String key = "";
        try {
            for (int pairs = in.pairs(); pairs > 0; pairs--) {
                key = "";
                key = names.read(in);
                hasSeq |= key.equals("seq");
                hasNode |= key.equals("node");
                field(key, in);
            }
        } catch (DecodeException e) {
            throw new ProtocolException((key.isEmpty() ? "" : key + ": ") + e.getMessage(), e);
        }
        if (in.left() > 0) {
            throw new ProtocolException(in.left() + " bytes follow the call");
        }
        if (name == null) {
            throw new ProtocolException("the field call is missing");
        }
        if (!hasNode || !hasSeq && !name.equals("crash")) {
            throw new ProtocolException(name + ": the field node or seq is missing");
        }
    }

    private void reset(byte[] frame, boolean isText) {
        this.frame = frame;
        this.isText = isText;
        name = kind = timer = seed = null;
        seq = node = now = id = nodes = life = from = peer = 0;
        message = request = null;
        options = disk = -1;
    }

    private void field(String key, Unpacker in) {
        switch (key) {
            case "call" -> name = names.read(in);
            case "seq" -> seq = in.unsigned();
            case "node" -> node = in.unsigned();
            case "now" -> now = in.unsigned();
            case "id" -> id = in.unsigned();
            case "nodes" -> nodes = in.unsigned();
            case "life" -> life = in.unsigned();
            case "from" -> from = in.unsigned();
            case "peer" -> peer = in.unsigned();
            case "kind" -> kind = names.read(in);
            case "timer" -> timer = names.read(in);
            case "seed" -> seed = in.string();
            case "message" -> message = value(in);
            case "request" -> request = value(in);
            case "options" -> options = place(in);
            case "disk" -> disk = place(in);
            default -> in.skip(1);
        }
    }

    private Value value(Unpacker in) {
        int begin = in.at;
        in.skip(0);
        return new Value(in.data, begin, in.at, isText);
    }

    private static int place(Unpacker in) {
        int begin = in.at;
        in.skip(0);
        return begin;
    }

    /** Checks that this boots a node that can be. */
    void checkBoot() throws ProtocolException {
        boolean fits = Long.compareUnsigned(nodes, NODES_MAX) <= 0 && Long.compareUnsigned(id, nodes) <= 0;
        if (!fits || id == 0) {
            throw new ProtocolException("boot: node " + Long.toUnsignedString(id) + " of " + Long.toUnsignedString(nodes));
        }
    }

    long parseSeed() throws ProtocolException {
        boolean fits = seed != null && seed.length() == SEED_DIGITS;
        for (int i = 0; i < SEED_DIGITS && fits; i++) {
            fits = seed.charAt(i) < 0x80 && Character.digit(seed.charAt(i), 16) >= 0;
        }
        if (!fits) {
            throw new ProtocolException("seed: \"" + seed + "\" is not " + SEED_DIGITS + " hexadecimal digits");
        }
        return Long.parseUnsignedLong(seed, 16);
    }

    Map<String, String> parseOptions() throws ProtocolException {
        SortedMap<String, String> map = new TreeMap<>();
        if (options >= 0) {
            Unpacker in = new Unpacker(frame, options, frame.length);
            try {
                for (int pairs = in.pairs(); pairs > 0; pairs--) {
                    String key = in.string();
                    map.put(key, in.string());
                }
            } catch (DecodeException e) {
                throw new ProtocolException("options: " + e.getMessage(), e);
            }
        }
        return Collections.unmodifiableSortedMap(map);
    }

    Disk parseDisk() throws ProtocolException {
        SortedMap<String, Value> map = new TreeMap<>(Utf8::compare);
        if (disk >= 0) {
            Unpacker in = new Unpacker(frame, disk, frame.length);
            try {
                for (int pairs = in.pairs(); pairs > 0; pairs--) {
                    String key = in.string();
                    map.put(key, value(in));
                }
            } catch (DecodeException e) {
                throw new ProtocolException("disk: " + e.getMessage(), e);
            }
        }
        return new Disk(map);
    }
}
