package dev.shakedown;

/** The limits of the protocol. */
final class Limits {
    /** Bytes of a frame. */
    static final int FRAME_MAX = 16 << 20;
    /** Lists and maps inside each other. */
    static final int DEPTH_MAX = 128;
    /** Messages in one reply. */
    static final int SENDS_MAX = 10_000;
    /** Letters of a name. */
    static final int NAME_MAX = 64;

    static final String TOO_DEEP = "lists and maps are nested deeper than " + DEPTH_MAX;

    private Limits() {}

    /** Refuses what is no name of the protocol: one word of letters, digits, _, -, . and :. */
    static void checkName(String what, String name) {
        boolean ok = !name.isEmpty() && name.length() <= NAME_MAX;
        for (int i = 0; i < name.length() && ok; i++) {
            char c = name.charAt(i);
            ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':';
        }
        if (!ok) {
            throw new IllegalArgumentException(
                    "the name \"" + name + "\" of a " + what + " is not one word of letters, digits, _, -, . and :");
        }
    }
}
