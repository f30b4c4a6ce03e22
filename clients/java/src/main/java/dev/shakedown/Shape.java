package dev.shakedown;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** How a record travels: a map of its components, in their order. */
final class Shape {
    private static final ClassValue<Shape> KNOWN = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return new Shape(type);
        }
    };

    final Component[] components;
    private final MethodHandle constructor;

    static Shape of(Class<?> record) {
        return KNOWN.get(record);
    }

    private Shape(Class<?> record) {
        RecordComponent[] parts = record.getRecordComponents();
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            components = new Component[parts.length];
            for (int i = 0; i < parts.length; i++) {
                Method accessor = parts[i].getAccessor();
                accessor.setAccessible(true);
                MethodHandle handle = lookup.unreflect(accessor).asType(MethodType.methodType(Object.class, Object.class));
                components[i] = new Component(parts[i].getName(), parts[i].getType(), parts[i].getGenericType(), handle);
            }
            Class<?>[] types = Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
            Constructor<?> canonical = record.getDeclaredConstructor(types);
            canonical.setAccessible(true);
            constructor = lookup.unreflectConstructor(canonical)
                    .asSpreader(Object[].class, types.length)
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalArgumentException(
                    record.getName() + " cannot be read or made; if it is in a module, open its package to dev.shakedown", e);
        }
    }

    /** The place of a component among the others, -1 if there is none of this name. */
    int find(byte[] data, int begin, int end) {
        for (int i = 0; i < components.length; i++) {
            byte[] name = components[i].name;
            if (Arrays.equals(name, 0, name.length, data, begin, end)) {
                return i;
            }
        }
        return -1;
    }

    Object make(Object[] values) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] == null) {
                values[i] = components[i].zero;
            }
        }
        try {
            return (Object) constructor.invokeExact(values);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new DecodeException(e.toString(), e);
        }
    }

    /** A component of a record. */
    static final class Component {
        final byte[] name;
        final byte[] packedName;
        final Class<?> type;
        final Type genericType;
        /** What stands for a missing value: 0 or false where the type has no null. */
        final Object zero;
        private final MethodHandle accessor;

        Component(String name, Class<?> type, Type genericType, MethodHandle accessor) {
            this.name = name.getBytes(StandardCharsets.UTF_8);
            this.packedName = Packer.packed(name);
            this.type = type;
            this.genericType = genericType;
            this.zero = type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null;
            this.accessor = accessor;
        }

        Object read(Object record) {
            try {
                return (Object) accessor.invokeExact(record);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalArgumentException(e.toString(), e);
            }
        }
    }
}
