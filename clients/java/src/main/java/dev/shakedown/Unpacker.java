package dev.shakedown;

import java.nio.charset.StandardCharsets;

/**
 * Reads MessagePack from a part of an array.
 *
 * <p>{@link #head} reads the beginning of a value and leaves it in {@link #form} and {@link #bits}, so that nothing is
 * allocated.
 */
final class Unpacker {
    final byte[] data;
    final int end;
    int at;

    /** What the value is whose head was read last. */
    Form form;
    /** All of a number or truth value; the length of what follows otherwise, in bytes, items or pairs. */
    long bits;

    Unpacker(byte[] data, int begin, int end) {
        this.data = data;
        this.at = begin;
        this.end = end;
    }

    /** What a value is. */
    enum Form {
        NULL("null"),
        BOOL("a truth value"),
        NEGATIVE("a negative integer"),
        INTEGER("an integer"),
        FLOAT("a floating point number"),
        TEXT("a text"),
        BYTES("bytes"),
        LIST("a list"),
        MAP("a map");

        final String words;

        Form(String words) {
            this.words = words;
        }
    }

    int left() {
        return end - at;
    }

    private static DecodeException early() {
        return new DecodeException("the value ends early");
    }

    /** Goes over so many bytes, and gives the place where they begin. */
    int take(long bytes) {
        if (bytes < 0 || bytes > left()) {
            throw early();
        }
        int begin = at;
        at += (int) bytes;
        return begin;
    }

    private long number(int bytes) {
        int begin = take(bytes);
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value = value << 8 | data[begin + i] & 0xff;
        }
        return value;
    }

    /** Reads the beginning of a value. What it gives as a length is there, as far as bytes can show it. */
    void head() {
        if (at >= end) {
            throw early();
        }
        int tag = data[at++] & 0xff;
        if (tag < 0x80) {
            set(Form.INTEGER, tag);
        } else if (tag < 0x90) {
            sized(Form.MAP, tag & 0x0f);
        } else if (tag < 0xa0) {
            sized(Form.LIST, tag & 0x0f);
        } else if (tag < 0xc0) {
            sized(Form.TEXT, tag & 0x1f);
        } else if (tag >= 0xe0) {
            set(Form.NEGATIVE, (byte) tag);
        } else {
            longHead(tag);
        }
    }

    private void longHead(int tag) {
        switch (tag) {
            case 0xc0 -> set(Form.NULL, 0);
            case 0xc2, 0xc3 -> set(Form.BOOL, tag & 1);
            case 0xc4, 0xc5, 0xc6 -> sized(Form.BYTES, number(1 << tag - 0xc4));
            case 0xca -> set(Form.FLOAT, Double.doubleToRawLongBits(Float.intBitsToFloat((int) number(4))));
            case 0xcb -> set(Form.FLOAT, number(8));
            case 0xcc, 0xcd, 0xce, 0xcf -> set(Form.INTEGER, number(1 << tag - 0xcc));
            case 0xd0, 0xd1, 0xd2, 0xd3 -> signed(1 << tag - 0xd0);
            case 0xd9, 0xda, 0xdb -> sized(Form.TEXT, number(1 << tag - 0xd9));
            case 0xdc, 0xdd -> sized(Form.LIST, number(2 << tag - 0xdc));
            case 0xde, 0xdf -> sized(Form.MAP, number(2 << tag - 0xde));
            default -> throw new DecodeException(String.format("no value of the protocol begins with byte %#02x", tag));
        }
    }

    private void signed(int bytes) {
        int unused = 64 - 8 * bytes;
        long value = number(bytes) << unused >> unused;
        set(value < 0 ? Form.NEGATIVE : Form.INTEGER, value);
    }

    private void set(Form form, long bits) {
        this.form = form;
        this.bits = bits;
    }

    /** Refuses a length that cannot be there: an item has a byte at least, a pair has two. */
    private void sized(Form form, long length) {
        long least = form == Form.MAP ? 2 * length : length;
        if (length > Limits.FRAME_MAX || least > left()) {
            throw early();
        }
        set(form, length);
    }

    private DecodeException wrong(String expected) {
        return new DecodeException(form.words + " where " + expected + " belongs");
    }

    /** Reads over a text. Its bytes end where the reader is then. */
    int text() {
        head();
        if (form != Form.TEXT) {
            throw wrong("a text");
        }
        return validText();
    }

    private int validText() {
        int begin = take(bits);
        if (!Utf8.isValid(data, begin, (int) bits)) {
            throw new DecodeException("a text is not UTF-8");
        }
        return begin;
    }

    String string() {
        int begin = text();
        return new String(data, begin, at - begin, StandardCharsets.UTF_8);
    }

    /** Reads an integer that is not negative, as 64 bits without a sign. */
    long unsigned() {
        head();
        if (form != Form.INTEGER) {
            throw wrong("a number");
        }
        return bits;
    }

    /** Reads the beginning of a map. */
    int pairs() {
        head();
        if (form != Form.MAP) {
            throw wrong("a map");
        }
        return (int) bits;
    }

    /** Reads over a value and checks all of it. */
    void skip(int depth) {
        head();
        switch (form) {
            case TEXT -> validText();
            case BYTES -> take(bits);
            case LIST -> skipAll(bits, false, depth);
            case MAP -> skipAll(bits, true, depth);
            default -> {}
        }
    }

    private void skipAll(long count, boolean hasKeys, int depth) {
        if (depth >= Limits.DEPTH_MAX) {
            throw new DecodeException(Limits.TOO_DEEP);
        }
        for (long i = 0; i < count; i++) {
            if (hasKeys) {
                text();
            }
            skip(depth + 1);
        }
    }
}
