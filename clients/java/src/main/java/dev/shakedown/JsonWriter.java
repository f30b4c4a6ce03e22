package dev.shakedown;

import java.util.Arrays;
import java.util.Base64;

/** Translates a value in MessagePack, which this library has written or checked, into JSON. */
final class JsonWriter {
    private static final String DIGITS = "0123456789abcdef";
    /** The longest integer has twenty digits. */
    private static final int INTEGER_MAX = 20;

    private final Packer out;
    private final byte[] digits = new byte[INTEGER_MAX];

    JsonWriter(Packer out) {
        this.out = out;
    }

    void write(Unpacker in) {
        in.head();
        switch (in.form) {
            case NULL -> ascii("null");
            case BOOL -> ascii(in.bits == 1 ? "true" : "false");
            case INTEGER -> integer(in.bits);
            case NEGATIVE -> {
                out.octet('-');
                integer(-in.bits);
            }
            // Java writes a point or an exponent in every case, so that it reads back as what it is.
            case FLOAT -> ascii(Double.toString(Double.longBitsToDouble(in.bits)));
            case TEXT -> text(in);
            case BYTES -> bytes(in);
            case LIST -> list(in);
            case MAP -> map(in);
        }
    }

    private void ascii(String text) {
        int at = out.reserve(text.length());
        for (int i = 0; i < text.length(); i++) {
            out.data[at + i] = (byte) text.charAt(i);
        }
    }

    /** Writes an integer whose 64 bits are read without a sign. */
    private void integer(long value) {
        if (value < 0) {
            ascii(Long.toUnsignedString(value));
            return;
        }
        int begin = INTEGER_MAX;
        do {
            digits[--begin] = (byte) ('0' + value % 10);
            value /= 10;
        } while (value != 0);
        out.raw(digits, begin, INTEGER_MAX - begin);
    }

    private void list(Unpacker in) {
        long count = in.bits;
        out.octet('[');
        for (long i = 0; i < count; i++) {
            if (i > 0) {
                out.octet(',');
            }
            write(in);
        }
        out.octet(']');
    }

    private void map(Unpacker in) {
        long count = in.bits;
        out.octet('{');
        for (long i = 0; i < count; i++) {
            if (i > 0) {
                out.octet(',');
            }
            in.head();
            text(in);
            out.octet(':');
            write(in);
        }
        out.octet('}');
    }

    private void bytes(Unpacker in) {
        int length = (int) in.bits;
        int begin = in.take(length);
        out.octet('"');
        out.raw(Base64.getEncoder().encode(Arrays.copyOfRange(in.data, begin, begin + length)));
        out.octet('"');
    }

    private void text(Unpacker in) {
        int length = (int) in.bits;
        int begin = in.take(length);
        out.octet('"');
        int plain = begin;
        for (int i = begin; i < begin + length; i++) {
            byte c = in.data[i];
            if (c >= ' ' && c != '"' && c != '\\' || c < 0) {
                continue;
            }
            out.raw(in.data, plain, i - plain);
            plain = i + 1;
            escape(c);
        }
        out.raw(in.data, plain, begin + length - plain);
        out.octet('"');
    }

    private void escape(byte c) {
        out.octet('\\');
        if (c == '"' || c == '\\') {
            out.octet(c);
        } else if (c == '\n') {
            out.octet('n');
        } else {
            ascii("u00");
            out.octet(DIGITS.charAt(c >> 4));
            out.octet(DIGITS.charAt(c & 15));
        }
    }
}
