package dev.shakedown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Values of Java travel and come back. */
class ValueTest {
    enum Role {
        LEADER,
        FOLLOWER
    }

    record Entry(long term, String command) {}

    record Log(Role role, List<Entry> entries, Map<String, Integer> next, Optional<Integer> vote, boolean ready, double share) {}

    @Test
    void recordsTravelAsMapsAndComeBack() {
        Log log = new Log(Role.LEADER, List.of(new Entry(3, "x"), new Entry(4, "é")), Map.of("a", 1), Optional.of(2), true, 0.5);
        assertEquals(
                "{\"role\":\"LEADER\",\"entries\":[{\"term\":3,\"command\":\"x\"},{\"term\":4,\"command\":\"é\"}],\"next\":{\"a\":1},\"vote\":2,"
                        + "\"ready\":true,\"share\":0.5}",
                Value.of(log).toString());
        assertEquals(log, Value.of(log).as(Log.class));
        assertEquals(log, Value.ofJson(Value.of(log).toString().getBytes(java.nio.charset.StandardCharsets.UTF_8)).as(Log.class));
    }

    @Test
    void missingComponentsAreZeroAndUnknownFieldsAreIgnored() {
        assertEquals(new Entry(0, null), Value.of(Map.of("unknown", List.of(1))).as(Entry.class));
    }

    @Test
    void whatHasNoOrderIsSortedOrRefused() {
        Map<String, Integer> map = new HashMap<>();
        for (int i = 0; i < 50; i++) {
            map.put("key " + (char) ('A' + i), i);
        }
        List<String> keys = new ArrayList<>(new TreeSet<>(map.keySet()));
        assertEquals(keys, new ArrayList<Object>(((Map<?, ?>) Value.of(map).as(Map.class)).keySet()));
        assertEquals("[1,2]", Value.of(new TreeSet<>(List.of(2, 1))).toString());
        assertEquals("[2,1]", Value.of(new LinkedHashSet<>(List.of(2, 1))).toString());
        assertThrows(IllegalArgumentException.class, () -> Value.of(new HashSet<>(List.of(2, 1))));
        assertThrows(IllegalArgumentException.class, () -> Value.of(Map.of(1, 2)));
    }

    @Test
    void whatIsNoValueIsRefused() {
        Object deep = null;
        for (int i = 0; i < 129; i++) {
            deep = java.util.Collections.singletonList(deep);
        }
        Object tooDeep = deep;
        for (Object bad : new Object[] {Double.NaN, new Object(), "\ud800", java.math.BigInteger.ONE.shiftLeft(64), tooDeep}) {
            assertThrows(IllegalArgumentException.class, () -> Value.of(bad));
        }
    }

    @Test
    void numbersMustFit() {
        assertThrows(DecodeException.class, () -> Value.of(1L << 40).asInt());
        assertThrows(DecodeException.class, () -> Value.of(java.math.BigInteger.ONE.shiftLeft(63)).asLong());
        assertThrows(DecodeException.class, () -> Value.of("1").asLong());
        assertThrows(DecodeException.class, () -> Value.of(Map.of("term", "x")).as(Entry.class));
        assertEquals(1.0, Value.of(1).asDouble());
    }
}
