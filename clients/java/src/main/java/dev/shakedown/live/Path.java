package dev.shakedown.live;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.List;

/** A way from an object to a value: fields, and methods without arguments, with dots between. */
record Path(List<String> parts) {
    private static final String CALL = "()";

    static Path of(String text) {
        return new Path(text.isEmpty() ? List.of() : List.of(text.split("\\.")));
    }

    /** The value that is at the end; null if something on the way is. */
    Object from(Object object) {
        Object value = object;
        for (String part : parts) {
            if (value == null) {
                return null;
            }
            value = step(value, part);
        }
        return value;
    }

    private static Object step(Object object, String part) {
        Class<?> type = object.getClass();
        try {
            if (part.endsWith(CALL)) {
                Method method = method(type, part.substring(0, part.length() - CALL.length()));
                method.setAccessible(true);
                return method.invoke(object);
            }
            Field field = field(type, part);
            if (field == null) {
                throw new IllegalArgumentException("there is no field");
            }
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException | InaccessibleObjectException | IllegalArgumentException e) {
            throw new IllegalArgumentException(part + " of " + type.getName() + ": " + e.getMessage(), e);
        }
    }

    private static Field field(Class<?> type, String name) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    return field;
                }
            }
        }
        return null;
    }

    private static Method method(Class<?> type, String name) throws NoSuchMethodException {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Method method : at.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == 0) {
                    return method;
                }
            }
        }
        return type.getMethod(name);
    }
}
