package dev.shakedown;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Collects the fields of a node's state. Only those that changed since the last call are sent. */
public final class State {
    private static final int SMALL = 128;

    private boolean whole;
    /** What was sent last, in the order in which fields appeared. */
    private final List<Shown> fields = new ArrayList<>();
    /** Where the next field is expected: nodes set their fields in the same order every time. */
    private int expected;
    private final Packer scratch = new Packer(SMALL);
    /** The part of the reply that is being written: pairs, and how many. */
    final Packer patch = new Packer(SMALL);
    int changed;

    State() {}

    /** A field as it was sent last. */
    private static final class Shown {
        final String name;
        final byte[] packedName;
        byte[] encoded = new byte[0];
        int length = -1;
        boolean isSet;
        /** It shows changes and is never taken away. */
        boolean isDelta;

        Shown(String name) {
            this.name = name;
            this.packedName = Packer.packed(name);
        }

        boolean is(Packer value) {
            return length == value.size && Arrays.equals(encoded, 0, length, value.data, 0, length);
        }

        void keep(Packer value) {
            if (encoded.length < value.size) {
                encoded = new byte[value.size + value.size / 2];
            }
            length = value.size;
            System.arraycopy(value.data, 0, encoded, 0, length);
        }
    }

    /**
     * Whether the whole state is wanted: at boot, and when it is observed. Only nodes that use {@link #change} have to look
     * at it.
     *
     * @return true if it is
     */
    public boolean isWhole() {
        return whole;
    }

    /**
     * Shows a field. The library sends it if it is not as it was. A field that is not set again is taken away.
     *
     * @param name the name of the field
     * @param value its value, one that {@link Value#of} takes
     * @return this
     */
    public State set(String name, Object value) {
        scratch.reset();
        Encoder.encode(scratch, value, 1, "state field " + name);
        return show(name);
    }

    /**
     * Shows a field: see {@link #set(String, Object)}.
     *
     * @param name the name of the field
     * @param value its value
     * @return this
     */
    public State set(String name, long value) {
        scratch.reset();
        scratch.integer(value);
        return show(name);
    }

    /**
     * Shows a field: see {@link #set(String, Object)}.
     *
     * @param name the name of the field
     * @param value its value
     * @return this
     */
    public State set(String name, boolean value) {
        scratch.reset();
        scratch.bool(value);
        return show(name);
    }

    private State show(String name) {
        Shown field = field(name);
        field.isSet = true;
        field.isDelta = false;
        if (whole || !field.is(scratch)) {
            field.keep(scratch);
            add(field);
        }
        return this;
    }

    /**
     * Sends a field whatever was sent before. It is for a field that shows what changed instead of what is, such as the new end
     * of a long log, for which the target's own code knows how to read it. It is never taken away.
     *
     * @param name the name of the field
     * @param value its value, one that {@link Value#of} takes
     * @return this
     */
    public State change(String name, Object value) {
        scratch.reset();
        Encoder.encode(scratch, value, 1, "state field " + name);
        Shown field = field(name);
        field.isSet = true;
        field.isDelta = true;
        add(field);
        return this;
    }

    private void add(Shown field) {
        patch.raw(field.packedName);
        patch.raw(scratch.data, 0, scratch.size);
        changed++;
    }

    private Shown field(String name) {
        if (expected < fields.size() && fields.get(expected).name.equals(name)) {
            return fields.get(expected++);
        }
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name.equals(name)) {
                expected = i + 1;
                return fields.get(i);
            }
        }
        Shown field = new Shown(name);
        fields.add(field);
        expected = fields.size();
        return field;
    }

    /** Prepares for a call of {@link Node#state}. */
    void begin(boolean whole) {
        this.whole = whole;
        patch.reset();
        changed = 0;
        expected = 0;
        for (int i = 0; i < fields.size(); i++) {
            fields.get(i).isSet = false;
        }
    }

    /** Takes away what was not set. */
    void end() {
        for (int i = 0; i < fields.size(); i++) {
            Shown field = fields.get(i);
            if (field.isSet || field.isDelta) {
                continue;
            }
            fields.remove(i--);
            if (!whole) {
                scratch.reset();
                scratch.nil();
                add(field);
            }
        }
    }
}
