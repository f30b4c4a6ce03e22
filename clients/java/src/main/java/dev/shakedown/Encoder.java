package dev.shakedown;

import java.lang.reflect.Array;
import java.math.BigInteger;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/** Encodes the values of Java: see {@link Value#of}. */
final class Encoder {
    private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
    private static final int UNSIGNED_BITS = 64;

    private Encoder() {}

    /** Encodes a part of a reply; what it is stands in the message of an exception. */
    static void encode(Packer out, Object value, int depth, String what) {
        try {
            encode(out, value, depth);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(what + ": " + e.getMessage(), e);
        }
    }

    static void encode(Packer out, Object value, int depth) {
        if (value == null) {
            out.nil();
        } else if (value instanceof Long number) {
            out.integer(number);
        } else if (value instanceof Integer number) {
            out.integer(number);
        } else if (value instanceof String text) {
            out.text(text);
        } else if (value instanceof Boolean truth) {
            out.bool(truth);
        } else if (value instanceof Record record) {
            record(out, record, deeper(depth));
        } else if (value instanceof Value raw) {
            raw.writeTo(out);
        } else if (value instanceof List<?> list) {
            items(out, list, deeper(depth));
        } else {
            uncommon(out, value, depth);
        }
    }

    private static int deeper(int depth) {
        if (depth >= Limits.DEPTH_MAX) {
            throw new IllegalArgumentException(Limits.TOO_DEEP);
        }
        return depth + 1;
    }

    private static void uncommon(Packer out, Object value, int depth) {
        if (value instanceof byte[] bytes) {
            out.bytes(bytes);
        } else if (value instanceof Enum<?> constant) {
            out.text(constant.name());
        } else if (value instanceof Map<?, ?> map) {
            pairs(out, map, deeper(depth));
        } else if (value instanceof Collection<?> collection) {
            if (collection instanceof Set && !(collection instanceof SortedSet) && !(collection instanceof LinkedHashSet)) {
                throw new IllegalArgumentException(
                        "the order of a " + value.getClass().getSimpleName() + " is not determined; send a sorted set or a list");
            }
            items(out, collection, deeper(depth));
        } else if (value instanceof Optional<?> optional) {
            encode(out, optional.orElse(null), deeper(depth));
        } else if (value instanceof Encodable other) {
            encode(out, other.encodable(), deeper(depth));
        } else if (value instanceof Double || value instanceof Float) {
            out.real(((Number) value).doubleValue());
        } else if (value instanceof Short || value instanceof Byte) {
            out.integer(((Number) value).longValue());
        } else if (value instanceof BigInteger number) {
            big(out, number);
        } else if (value.getClass().isArray()) {
            array(out, value, deeper(depth));
        } else {
            throw new IllegalArgumentException("a " + value.getClass().getName() + " is no value of the protocol");
        }
    }

    private static void big(Packer out, BigInteger number) {
        if (number.compareTo(LEAST) < 0 || number.signum() > 0 && number.bitLength() > UNSIGNED_BITS) {
            throw new IllegalArgumentException(number + " is outside of -2^63 to 2^64-1");
        }
        if (number.signum() < 0) {
            out.integer(number.longValue());
        } else {
            out.unsigned(number.longValue());
        }
    }

    private static void items(Packer out, Collection<?> items, int depth) {
        out.list(items.size());
        for (Object item : items) {
            encode(out, item, depth);
        }
    }

    private static void array(Packer out, Object array, int depth) {
        int length = Array.getLength(array);
        out.list(length);
        for (int i = 0; i < length; i++) {
            encode(out, Array.get(array, i), depth);
        }
    }

    /** Maps are encoded in the order of their keys, so that no order of a hash can be seen. */
    private static void pairs(Packer out, Map<?, ?> map, int depth) {
        List<Map.Entry<String, Object>> entries = new ArrayList<>(map.size());
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            Object key = entry.getKey() instanceof Enum<?> constant ? constant.name() : entry.getKey();
            if (!(key instanceof String text)) {
                throw new IllegalArgumentException("a key of a map is no text: " + key);
            }
            entries.add(new AbstractMap.SimpleImmutableEntry<>(text, entry.getValue()));
        }
        entries.sort((a, b) -> Utf8.compare(a.getKey(), b.getKey()));
        out.map(entries.size());
        for (Map.Entry<String, Object> entry : entries) {
            out.text(entry.getKey());
            encode(out, entry.getValue(), depth);
        }
    }

    private static void record(Packer out, Record record, int depth) {
        Shape shape = Shape.of(record.getClass());
        out.map(shape.components.length);
        for (Shape.Component component : shape.components) {
            out.raw(component.packedName);
            encode(out, component.read(record), depth);
        }
    }
}
