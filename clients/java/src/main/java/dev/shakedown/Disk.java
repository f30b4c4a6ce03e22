package dev.shakedown;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What survived of earlier lives: values under keys. */
public final class Disk {
    private final SortedMap<String, Value> values;

    Disk(SortedMap<String, Value> values) {
        this.values = values;
    }

    /**
     * The keys.
     *
     * @return the keys, in order
     */
    public SortedSet<String> keys() {
        return Collections.unmodifiableSortedSet(new TreeSet<>(values.keySet()));
    }

    /**
     * All keys with their values.
     *
     * @return the values, in the order of their keys
     */
    public SortedMap<String, Value> entries() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(values));
    }

    /**
     * Whether there is a value under the key.
     *
     * @param key the key
     * @return true if there is one
     */
    public boolean has(String key) {
        return values.containsKey(key);
    }

    /**
     * The value under a key.
     *
     * @param key the key
     * @return the value, {@link Value#NULL} if there is none
     */
    public Value get(String key) {
        return values.getOrDefault(key, Value.NULL);
    }
}
