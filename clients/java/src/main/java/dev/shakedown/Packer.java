package dev.shakedown;

import java.util.Arrays;

/**
 * Writes MessagePack into a buffer that grows.
 *
 * <p>Inside a host all values are MessagePack. A connection that speaks JSON is translated at its border: see
 * {@link JsonReader} and {@link JsonWriter}.
 */
final class Packer {
    byte[] data;
    int size;

    Packer(int capacity) {
        data = new byte[capacity];
    }

    /** A text that is written often, as it travels. */
    static byte[] packed(String text) {
        Packer packer = new Packer(text.length() + 5);
        packer.text(text);
        return packer.toBytes();
    }

    void reset() {
        size = 0;
    }

    byte[] toBytes() {
        return Arrays.copyOf(data, size);
    }

    /** Makes room for so many bytes more, and gives the place where they begin. */
    int reserve(int bytes) {
        int at = size;
        int end = Math.addExact(at, bytes);
        if (end > data.length) {
            data = Arrays.copyOf(data, (int) Math.max(end, Math.min(2L * data.length, Integer.MAX_VALUE - 8)));
        }
        size = end;
        return at;
    }

    void octet(int value) {
        // Java looks at the array before it evaluates an index, and the array may be replaced.
        int at = reserve(1);
        data[at] = (byte) value;
    }

    void raw(byte[] bytes) {
        raw(bytes, 0, bytes.length);
    }

    void raw(byte[] bytes, int begin, int length) {
        int at = reserve(length);
        System.arraycopy(bytes, begin, data, at, length);
    }

    /** Writes a tag and the lowest bytes of a number, the most significant first. */
    private void tagged(int tag, long value, int bytes) {
        int at = reserve(bytes + 1);
        data[at] = (byte) tag;
        for (int i = bytes; i > 0; i--) {
            data[at + i] = (byte) value;
            value >>>= 8;
        }
    }

    void nil() {
        octet(0xc0);
    }

    void bool(boolean value) {
        octet(value ? 0xc3 : 0xc2);
    }

    /** Writes an integer whose 64 bits are read without a sign. */
    void unsigned(long value) {
        if (value < 0) {
            tagged(0xcf, value, 8);
        } else if (value < 0x80) {
            octet((int) value);
        } else if (value <= 0xff) {
            tagged(0xcc, value, 1);
        } else if (value <= 0xffff) {
            tagged(0xcd, value, 2);
        } else if (value <= 0xffff_ffffL) {
            tagged(0xce, value, 4);
        } else {
            tagged(0xcf, value, 8);
        }
    }

    void integer(long value) {
        if (value >= 0) {
            unsigned(value);
        } else if (value >= -32) {
            octet((int) value);
        } else if (value >= Byte.MIN_VALUE) {
            tagged(0xd0, value, 1);
        } else if (value >= Short.MIN_VALUE) {
            tagged(0xd1, value, 2);
        } else if (value >= Integer.MIN_VALUE) {
            tagged(0xd2, value, 4);
        } else {
            tagged(0xd3, value, 8);
        }
    }

    void real(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(value + " is no value of the protocol");
        }
        tagged(0xcb, Double.doubleToRawLongBits(value), 8);
    }

    private void textHead(int bytes) {
        if (bytes < 32) {
            octet(0xa0 | bytes);
        } else if (bytes <= 0xff) {
            tagged(0xd9, bytes, 1);
        } else if (bytes <= 0xffff) {
            tagged(0xda, bytes, 2);
        } else {
            tagged(0xdb, bytes, 4);
        }
    }

    void text(String value) {
        int length = value.length();
        for (int i = 0; i < length; i++) {
            if (value.charAt(i) >= 0x80) {
                wideText(value);
                return;
            }
        }
        textHead(length);
        int at = reserve(length);
        byte[] data = this.data;
        for (int i = 0; i < length; i++) {
            data[at + i] = (byte) value.charAt(i);
        }
    }

    private void wideText(String value) {
        byte[] bytes = Utf8.encode(value);
        textHead(bytes.length);
        raw(bytes);
    }

    /** Writes a text whose bytes are known to be UTF-8. */
    void textOf(byte[] bytes, int begin, int length) {
        textHead(length);
        raw(bytes, begin, length);
    }

    void bytes(byte[] value) {
        if (value.length <= 0xff) {
            tagged(0xc4, value.length, 1);
        } else if (value.length <= 0xffff) {
            tagged(0xc5, value.length, 2);
        } else {
            tagged(0xc6, value.length, 4);
        }
        raw(value);
    }

    void list(int items) {
        if (items < 16) {
            octet(0x90 | items);
        } else if (items <= 0xffff) {
            tagged(0xdc, items, 2);
        } else {
            tagged(0xdd, items, 4);
        }
    }

    void map(int pairs) {
        if (pairs < 16) {
            octet(0x80 | pairs);
        } else if (pairs <= 0xffff) {
            tagged(0xde, pairs, 2);
        } else {
            tagged(0xdf, pairs, 4);
        }
    }

    /** Writes a head of five bytes whose length is set later, by {@link #setLength}; gives the place for that. */
    int open(int tag) {
        tagged(tag, 0, 4);
        return size - 4;
    }

    void setLength(int place, int length) {
        data[place] = (byte) (length >>> 24);
        data[place + 1] = (byte) (length >>> 16);
        data[place + 2] = (byte) (length >>> 8);
        data[place + 3] = (byte) length;
    }
}
