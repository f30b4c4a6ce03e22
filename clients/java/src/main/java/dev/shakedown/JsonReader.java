package dev.shakedown;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** Translates one line of JSON into MessagePack. */
final class JsonReader {
    /** So many digits fit into a long, whatever they are. */
    private static final int SAFE_DIGITS = 18;
    private static final int UNSIGNED_BITS = 64;

    private final Packer out;
    private byte[] line;
    private int at;
    private int end;

    JsonReader(Packer out) {
        this.out = out;
    }

    void read(byte[] line, int begin, int end) {
        this.line = line;
        this.at = begin;
        this.end = end;
        try {
            value(0);
            if (peek() != 0 || at < end) {
                throw new DecodeException("something follows the value");
            }
        } catch (DecodeException e) {
            throw new DecodeException("byte " + (at - begin + 1) + " of the line: " + e.getMessage(), e);
        }
    }

    /** Gives the next byte that is no space, or 0 at the end. */
    private int peek() {
        while (at < end) {
            byte c = line[at];
            if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
                return c;
            }
            at++;
        }
        return 0;
    }

    private void value(int depth) {
        int c = peek();
        switch (c) {
            case '{' -> pairs(depth);
            case '[' -> items(depth);
            case '"' -> text();
            case 't' -> word("true", 0xc3);
            case 'f' -> word("false", 0xc2);
            case 'n' -> word("null", 0xc0);
            default -> {
                if (c != '-' && !isDigit(c)) {
                    throw new DecodeException("a value is missing");
                }
                number();
            }
        }
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private void word(String word, int tag) {
        for (int i = 0; i < word.length(); i++) {
            if (at + i >= end || line[at + i] != word.charAt(i)) {
                throw new DecodeException(word + " is misspelt");
            }
        }
        at += word.length();
        out.octet(tag);
    }

    /** Begins a list or a map, whose length is known at its end. */
    private int open(int tag, int depth) {
        if (depth >= Limits.DEPTH_MAX) {
            throw new DecodeException(Limits.TOO_DEEP);
        }
        at++;
        return out.open(tag);
    }

    private void items(int depth) {
        int place = open(0xdd, depth);
        if (peek() == ']') {
            at++;
            return;
        }
        int count = 0;
        do {
            value(depth + 1);
            count++;
        } while (hasMore(']'));
        out.setLength(place, count);
    }

    private void pairs(int depth) {
        int place = open(0xdf, depth);
        if (peek() == '}') {
            at++;
            return;
        }
        int count = 0;
        do {
            if (peek() != '"') {
                throw new DecodeException("a key is missing");
            }
            text();
            if (peek() != ':') {
                throw new DecodeException("a colon is missing");
            }
            at++;
            value(depth + 1);
            count++;
        } while (hasMore('}'));
        out.setLength(place, count);
    }

    private boolean hasMore(char close) {
        int c = peek();
        if (c != ',' && c != close) {
            throw new DecodeException("a comma or " + close + " is missing");
        }
        at++;
        return c == ',';
    }

    private void text() {
        int begin = at + 1;
        boolean isPlain = true;
        for (int i = begin; i < end; i++) {
            byte c = line[i];
            if (c == '"') {
                if (!Utf8.isValid(line, begin, i - begin)) {
                    throw new DecodeException("a text is not UTF-8");
                }
                at = i + 1;
                if (isPlain) {
                    out.textOf(line, begin, i - begin);
                } else {
                    out.text(unescaped(begin, i));
                }
                return;
            } else if (c == '\\') {
                isPlain = false;
                i++;
            } else if (c >= 0 && c < ' ') {
                throw new DecodeException("a text has a control character inside");
            }
        }
        throw new DecodeException("a text has no end");
    }

    private String unescaped(int begin, int close) {
        String raw = new String(line, begin, close - begin, StandardCharsets.UTF_8);
        StringBuilder text = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c != '\\') {
                text.append(c);
                continue;
            }
            c = raw.charAt(++i);
            int plain = "\"\\/".indexOf(c);
            int control = "bfnrt".indexOf(c);
            if (plain >= 0) {
                text.append(c);
            } else if (control >= 0) {
                text.append("\b\f\n\r\t".charAt(control));
            } else if (c == 'u' && i + 4 < raw.length()) {
                text.append((char) hex(raw, i + 1));
                i += 4;
            } else {
                throw new DecodeException("a text has a bad escape");
            }
        }
        for (int i = 0; i < text.length(); i++) {
            if (Character.isHighSurrogate(text.charAt(i)) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(text.charAt(i))) {
                throw new DecodeException("a text has half of a surrogate pair");
            }
        }
        return text.toString();
    }

    private static int hex(String text, int begin) {
        int value = 0;
        for (int i = begin; i < begin + 4; i++) {
            int digit = text.charAt(i) < 0x80 ? Character.digit(text.charAt(i), 16) : -1;
            if (digit < 0) {
                throw new DecodeException("a text has a bad escape");
            }
            value = value << 4 | digit;
        }
        return value;
    }

    private void number() {
        int begin = at;
        boolean isNegative = line[at] == '-';
        if (isNegative) {
            at++;
        }
        int digits = at;
        long value = 0;
        while (at < end && isDigit(line[at])) {
            value = 10 * value + (line[at] - '0');
            at++;
        }
        int count = at - digits;
        if (count == 0 || count > 1 && line[digits] == '0') {
            throw new DecodeException("a number begins in a way that no number does");
        }
        if (at < end && (line[at] == '.' || line[at] == 'e' || line[at] == 'E')) {
            real(begin);
        } else if (count <= SAFE_DIGITS) {
            out.integer(isNegative ? -value : value);
        } else {
            large(new BigInteger(ascii(begin)));
        }
    }

    private String ascii(int begin) {
        return new String(line, begin, at - begin, StandardCharsets.ISO_8859_1);
    }

    private void large(BigInteger number) {
        if (number.bitLength() > UNSIGNED_BITS || number.signum() < 0 && number.bitLength() >= UNSIGNED_BITS) {
            throw new DecodeException(number.bitLength() > 1000 ? "a number is too large" : number + " is outside of -2^63 to 2^64-1");
        }
        if (number.signum() < 0) {
            out.integer(number.longValue());
        } else {
            out.unsigned(number.longValue());
        }
    }

    private void real(int begin) {
        if (line[at] == '.') {
            at++;
            digits();
        }
        if (at < end && (line[at] == 'e' || line[at] == 'E')) {
            at++;
            if (at < end && (line[at] == '+' || line[at] == '-')) {
                at++;
            }
            digits();
        }
        double value = Double.parseDouble(ascii(begin));
        if (Double.isInfinite(value)) {
            throw new DecodeException("a number is too large");
        }
        out.real(value);
    }

    private void digits() {
        int begin = at;
        while (at < end && isDigit(line[at])) {
            at++;
        }
        if (at == begin) {
            throw new DecodeException("a digit is missing");
        }
    }
}
