package dev.shakedown;

/** A change of one key on disk: see {@link Env#write}. */
public final class Change {
    final String key;
    final Object value;
    final boolean deletes;

    private Change(String key, Object value, boolean deletes) {
        this.key = key;
        this.value = value;
        this.deletes = deletes;
    }

    /**
     * Lets a key hold a value.
     *
     * @param key the key
     * @param value the value, one that {@link Value#of} takes
     * @return the change
     */
    public static Change put(String key, Object value) {
        return new Change(key, value, false);
    }

    /**
     * Takes a key away.
     *
     * @param key the key
     * @return the change
     */
    public static Change delete(String key) {
        return new Change(key, null, true);
    }
}
