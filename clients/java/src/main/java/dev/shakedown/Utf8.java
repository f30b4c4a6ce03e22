package dev.shakedown;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Texts as UTF-8, both ways, without the replacements that Java makes in silence. */
final class Utf8 {
    private Utf8() {}

    static byte[] encode(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return Arrays.copyOf(bytes.array(), bytes.limit());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a text has half of a surrogate pair; send bytes", e);
        }
    }

    static boolean isValid(byte[] data, int begin, int length) {
        int end = begin + length;
        int at = begin;
        while (at < end && data[at] >= 0) {
            at++;
        }
        if (at == end) {
            return true;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data, at, end - at));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** Compares texts in the order of their code points, which is that of their bytes. Java's own order is another one. */
    static int compare(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean isHalf = Character.isSurrogate(x);
                return isHalf == Character.isSurrogate(y) ? Character.compare(x, y) : isHalf ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
