package dev.shakedown.live;

import dev.shakedown.Value;

/** What Shakedown writes. Which components have a value depends on the type. */
record Given(
        String type, String reason, int protocol, int nodes, int life, String seed, long seq, int from, String kind, Value fields,
        byte[] payload, String name, long id, Value request) {
    /** A value that may be missing. */
    static Value present(Value value) {
        return value == null ? Value.NULL : value;
    }

    LiveMessage message() {
        return new LiveMessage(from, kind, present(fields), payload == null ? new byte[0] : payload);
    }
}
