package dev.shakedown;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Short texts that arrive again and again: one string of each, found without making another. */
final class Names {
    /** A power of two, and a bound for what a hostile caller can make the host remember. */
    private static final int SLOTS = 1024;
    private static final int TRIES = 4;

    private final byte[][] keys = new byte[SLOTS][];
    private final String[] names = new String[SLOTS];

    /** Reads a text. */
    String read(Unpacker in) {
        int begin = in.text();
        int length = in.at - begin;
        if (length > Limits.NAME_MAX) {
            return new String(in.data, begin, length, StandardCharsets.UTF_8);
        }
        int hash = length;
        for (int i = begin; i < in.at; i++) {
            hash = 31 * hash + in.data[i];
        }
        hash ^= hash >>> 15;
        for (int tries = 0; tries < TRIES; tries++) {
            int slot = hash + tries & SLOTS - 1;
            byte[] key = keys[slot];
            if (key == null) {
                keys[slot] = Arrays.copyOfRange(in.data, begin, in.at);
                names[slot] = new String(in.data, begin, length, StandardCharsets.UTF_8);
                return names[slot];
            }
            if (Arrays.equals(key, 0, key.length, in.data, begin, in.at)) {
                return names[slot];
            }
        }
        return new String(in.data, begin, length, StandardCharsets.UTF_8);
    }
}
