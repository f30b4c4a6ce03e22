package dev.shakedown;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The vectors that all libraries share. */
final class Vectors {
    private Vectors() {}

    static Value read(String name) throws IOException {
        return Value.ofJson(Files.readAllBytes(Path.of("..", "vectors", name)));
    }

    /** What a value in the notation of msgpack.json is in Java. */
    static Object typed(Value value) {
        Map<?, ?> one = value.as(Map.class);
        String kind = (String) one.keySet().iterator().next();
        Value content = value.get(kind);
        return switch (kind) {
            case "null" -> null;
            case "bool" -> content.asBoolean();
            case "int" -> integer(new BigInteger(content.asText()));
            case "float" -> Double.parseDouble(content.asText());
            case "text" -> content.asText();
            case "bytes" -> HexFormat.of().parseHex(content.asText());
            case "list" -> {
                List<Object> list = new ArrayList<>();
                content.items().forEach(item -> list.add(typed(item)));
                yield list;
            }
            case "map" -> {
                Map<String, Object> map = new LinkedHashMap<>();
                content.items().forEach(pair -> map.put(pair.items().get(0).asText(), typed(pair.items().get(1))));
                yield map;
            }
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private static Object integer(BigInteger number) {
        return number.bitLength() < 64 ? (Object) number.longValueExact() : (Object) number;
    }

    /** Brings a value into a form that can be compared: arrays of bytes become texts. */
    static Object comparable(Object value) {
        if (value instanceof byte[] bytes) {
            return "bytes " + HexFormat.of().formatHex(bytes);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Vectors::comparable).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>();
            map.forEach((key, item) -> copy.put(key, comparable(item)));
            return copy;
        }
        return value;
    }
}
