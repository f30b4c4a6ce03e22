package dev.shakedown;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decodes values into types of Java: see {@link Value#as}. */
final class Decoder {
    /** A sender's length reserves no more than this: what is decoded from a byte may be much larger than a byte. */
    private static final int RESERVED_MAX = 64;

    private final Unpacker in;
    private final boolean fromText;

    Decoder(Unpacker in, boolean fromText) {
        this.in = in;
        this.fromText = fromText;
    }

    Object decode(Class<?> type, Type genericType, int depth) {
        if (depth > Limits.DEPTH_MAX) {
            throw new DecodeException(Limits.TOO_DEEP);
        }
        if (type == Value.class) {
            int begin = in.at;
            in.skip(0);
            return new Value(in.data, begin, in.at, fromText);
        }
        if (type == Object.class) {
            return anything(depth);
        }
        int begin = in.at;
        in.head();
        if (type == Optional.class) {
            return optional(begin, genericType, depth);
        }
        if (in.form == Unpacker.Form.NULL) {
            if (type.isPrimitive()) {
                throw wrong(type);
            }
            return null;
        }
        if (type.isRecord()) {
            return record(type, depth);
        }
        if (type == List.class) {
            return list(argument(genericType, 0), depth);
        }
        if (type == Map.class) {
            return map(argument(genericType, 1), depth);
        }
        return scalar(type);
    }

    private DecodeException wrong(Class<?> type) {
        return new DecodeException(in.form.words + " where a " + type.getSimpleName() + " belongs");
    }

    private static Type argument(Type type, int index) {
        return type instanceof ParameterizedType generic ? generic.getActualTypeArguments()[index] : Object.class;
    }

    private static Class<?> classOf(Type type) {
        if (type instanceof Class<?> plain) {
            return plain;
        }
        if (type instanceof ParameterizedType generic) {
            return (Class<?>) generic.getRawType();
        }
        throw new DecodeException(type + " cannot be decoded");
    }

    private Optional<?> optional(int begin, Type genericType, int depth) {
        if (in.form == Unpacker.Form.NULL) {
            return Optional.empty();
        }
        in.at = begin;
        Type type = argument(genericType, 0);
        return Optional.of(decode(classOf(type), type, depth + 1));
    }

    private Object record(Class<?> type, int depth) {
        if (in.form != Unpacker.Form.MAP) {
            throw wrong(type);
        }
        Shape shape = Shape.of(type);
        Object[] values = new Object[shape.components.length];
        for (long pairs = in.bits; pairs > 0; pairs--) {
            int begin = in.text();
            int known = shape.find(in.data, begin, in.at);
            if (known < 0) {
                in.skip(depth + 1);
                continue;
            }
            Shape.Component component = shape.components[known];
            try {
                values[known] = decode(component.type, component.genericType, depth + 1);
            } catch (DecodeException e) {
                throw new DecodeException(new String(component.name, StandardCharsets.UTF_8) + ": " + e.getMessage(), e);
            }
        }
        return shape.make(values);
    }

    private List<Object> list(Type itemType, int depth) {
        if (in.form != Unpacker.Form.LIST) {
            throw wrong(List.class);
        }
        long count = in.bits;
        Class<?> type = classOf(itemType);
        List<Object> items = new ArrayList<>((int) Math.min(count, RESERVED_MAX));
        for (long i = 0; i < count; i++) {
            items.add(decode(type, itemType, depth + 1));
        }
        return items;
    }

    private Map<String, Object> map(Type valueType, int depth) {
        if (in.form != Unpacker.Form.MAP) {
            throw wrong(Map.class);
        }
        long count = in.bits;
        Class<?> type = classOf(valueType);
        // It iterates in the order of arrival, and not in one of a hash.
        Map<String, Object> map = new LinkedHashMap<>();
        for (long i = 0; i < count; i++) {
            String key = in.string();
            map.put(key, decode(type, valueType, depth + 1));
        }
        return map;
    }

    private Object scalar(Class<?> type) {
        if (type == long.class || type == Long.class) {
            return integer(Long.MIN_VALUE, Long.MAX_VALUE, type);
        }
        if (type == int.class || type == Integer.class) {
            return (int) integer(Integer.MIN_VALUE, Integer.MAX_VALUE, type);
        }
        if (type == String.class) {
            return text(type);
        }
        if (type == boolean.class || type == Boolean.class) {
            return truth();
        }
        if (type == double.class || type == Double.class) {
            return real();
        }
        if (type == byte[].class) {
            return bytes();
        }
        if (type == BigInteger.class) {
            return big();
        }
        if (type.isEnum()) {
            return constant(type);
        }
        throw new DecodeException("a " + type.getName() + " cannot be decoded");
    }

    long integer(long least, long most, Class<?> type) {
        boolean isLarge = in.form == Unpacker.Form.INTEGER && in.bits < 0;
        if (in.form != Unpacker.Form.INTEGER && in.form != Unpacker.Form.NEGATIVE || isLarge || in.bits < least || in.bits > most) {
            throw wrong(type);
        }
        return in.bits;
    }

    boolean truth() {
        if (in.form != Unpacker.Form.BOOL) {
            throw wrong(boolean.class);
        }
        return in.bits == 1;
    }

    double real() {
        return switch (in.form) {
            case FLOAT -> Double.longBitsToDouble(in.bits);
            case INTEGER, NEGATIVE -> big().doubleValue();
            default -> throw wrong(double.class);
        };
    }

    private BigInteger big() {
        if (in.form == Unpacker.Form.INTEGER && in.bits < 0) {
            return new BigInteger(Long.toUnsignedString(in.bits));
        }
        return BigInteger.valueOf(integer(Long.MIN_VALUE, Long.MAX_VALUE, BigInteger.class));
    }

    String text(Class<?> type) {
        if (in.form != Unpacker.Form.TEXT) {
            throw wrong(type);
        }
        int length = (int) in.bits;
        return new String(in.data, in.take(length), length, StandardCharsets.UTF_8);
    }

    byte[] bytes() {
        if (in.form == Unpacker.Form.TEXT && fromText) {
            try {
                return Base64.getDecoder().decode(text(byte[].class));
            } catch (IllegalArgumentException e) {
                throw new DecodeException("a text that is no base64 where bytes belong", e);
            }
        }
        if (in.form != Unpacker.Form.BYTES) {
            throw wrong(byte[].class);
        }
        int length = (int) in.bits;
        int begin = in.take(length);
        return Arrays.copyOfRange(in.data, begin, begin + length);
    }

    private Object constant(Class<?> type) {
        String name = text(type);
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(name)) {
                return constant;
            }
        }
        throw new DecodeException("\"" + name + "\" where a " + type.getSimpleName() + " belongs");
    }

    /** Decodes a value of which no type is known. */
    private Object anything(int depth) {
        in.head();
        return switch (in.form) {
            case NULL -> null;
            case BOOL -> in.bits == 1;
            case NEGATIVE -> in.bits;
            case INTEGER -> in.bits < 0 ? (Object) big() : (Object) in.bits;
            case FLOAT -> Double.longBitsToDouble(in.bits);
            case TEXT -> text(String.class);
            case BYTES -> bytes();
            case LIST -> list(Object.class, depth);
            case MAP -> map(Object.class, depth);
        };
    }
}
