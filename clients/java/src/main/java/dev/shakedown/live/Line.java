package dev.shakedown.live;

import dev.shakedown.Value;
import java.nio.charset.StandardCharsets;

/** A line that this server writes. */
final class Line {
    /** The longest line, in bytes. */
    static final int LENGTH_MAX = 16 << 20;

    private final StringBuilder text = new StringBuilder();

    Line(String type) {
        text.append("{\"type\":\"").append(type).append('"');
    }

    /** Adds a field: a value that {@link Value#of} takes. */
    Line with(String name, Object value) {
        text.append(",\"").append(name).append("\":").append(Value.of(value));
        return this;
    }

    /** Adds a field, unless it has no value. */
    Line withAny(String name, Object value) {
        return value == null ? this : with(name, value);
    }

    /** The line with its end. */
    byte[] toBytes() {
        byte[] bytes = (text + "}\n").getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LENGTH_MAX) {
            throw new IllegalArgumentException("a line of " + bytes.length + " bytes: at most " + LENGTH_MAX + " are written");
        }
        return bytes;
    }
}
