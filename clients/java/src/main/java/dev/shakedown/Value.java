package dev.shakedown;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A value of the protocol that has arrived and is not decoded yet. It is well-formed: that was checked when it arrived. It never
 * changes, and may be kept.
 */
public final class Value {
    /** The value null. */
    public static final Value NULL = new Value(new byte[] {(byte) 0xc0}, 0, 1, false);

    private final byte[] data;
    private final int begin;
    private final int end;
    /** It came as JSON, where bytes are a text in base64. */
    private final boolean fromText;

    Value(byte[] data, int begin, int end, boolean fromText) {
        this.data = data;
        this.begin = begin;
        this.end = end;
        this.fromText = fromText;
    }

    /**
     * Encodes a value.
     *
     * <p>A value is null, a {@code Boolean}, an integer ({@code Byte} to {@code Long}, a {@code BigInteger} from -2<sup>63</sup> to
     * 2<sup>64</sup>-1), a {@code Double} or {@code Float} that is a number, a {@code String}, bytes ({@code byte[]}), an enum
     * constant (it travels as its name), a collection or array of values, a map from texts or enum constants to values, a record (a
     * map of its components), an {@code Optional}, an {@link Encodable}, or another {@code Value}. Maps travel in the order of their
     * keys. A set must have an order: a {@code SortedSet} or a {@code LinkedHashSet}.
     *
     * @param value the value
     * @return its encoding, which costs nothing to send again
     * @throws IllegalArgumentException if it is none of these
     */
    public static Value of(Object value) {
        Packer out = new Packer(64);
        Encoder.encode(out, value, 0);
        return new Value(out.toBytes(), 0, out.size, false);
    }

    /**
     * Reads MessagePack.
     *
     * @param data one value, and nothing else
     * @return the value
     * @throws DecodeException if it is not
     */
    public static Value ofMessagePack(byte[] data) {
        Unpacker in = new Unpacker(data.clone(), 0, data.length);
        in.skip(0);
        if (in.left() > 0) {
            throw new DecodeException("something follows the value");
        }
        return new Value(in.data, 0, data.length, false);
    }

    /**
     * Reads JSON. Bytes in it are texts in base64, and are decoded as bytes where they are wanted.
     *
     * @param text one value, in UTF-8, and nothing else
     * @return the value
     * @throws DecodeException if it is not
     */
    public static Value ofJson(byte[] text) {
        Packer out = new Packer(text.length + 64);
        new JsonReader(out).read(text, 0, text.length);
        return new Value(out.toBytes(), 0, out.size, true);
    }

    /**
     * Gives the value as MessagePack.
     *
     * @return its bytes
     */
    public byte[] toMessagePack() {
        return Arrays.copyOfRange(data, begin, end);
    }

    private Unpacker open() {
        return new Unpacker(data, begin, end);
    }

    private Decoder head() {
        Unpacker in = open();
        in.head();
        return new Decoder(in, fromText);
    }

    /**
     * Whether the value is null.
     *
     * @return true if it is null
     */
    public boolean isNull() {
        return data[begin] == (byte) 0xc0;
    }

    /**
     * Decodes an integer.
     *
     * @return the integer
     * @throws DecodeException if it is none, or none that fits
     */
    public long asLong() {
        return head().integer(Long.MIN_VALUE, Long.MAX_VALUE, long.class);
    }

    /**
     * Decodes an integer.
     *
     * @return the integer
     * @throws DecodeException if it is none, or none that fits
     */
    public int asInt() {
        return (int) head().integer(Integer.MIN_VALUE, Integer.MAX_VALUE, int.class);
    }

    /**
     * Decodes a truth value.
     *
     * @return the truth value
     * @throws DecodeException if it is none
     */
    public boolean asBoolean() {
        return head().truth();
    }

    /**
     * Decodes a number.
     *
     * @return the number
     * @throws DecodeException if it is none
     */
    public double asDouble() {
        return head().real();
    }

    /**
     * Decodes a text.
     *
     * @return the text
     * @throws DecodeException if it is none
     */
    public String asText() {
        return head().text(String.class);
    }

    /**
     * Decodes bytes.
     *
     * @return the bytes
     * @throws DecodeException if it has none
     */
    public byte[] asBytes() {
        return head().bytes();
    }

    /**
     * Decodes the value as a type: a record, an enum, a {@code String}, {@code byte[]}, a number, a {@code Boolean}, a {@code List}, a
     * {@code Map}, a {@code Value}, or {@code Object} for whatever it is. Components of a record may be lists, maps and
     * {@code Optional}s of such types. Fields that a record does not have are ignored; components without a field are null, 0 or
     * false.
     *
     * @param <T> the type
     * @param type the type
     * @return what was decoded
     * @throws DecodeException if the value is no such thing
     */
    @SuppressWarnings("unchecked")
    public <T> T as(Class<T> type) {
        // A cast by the class itself fails for primitive types, whose values arrive in their boxes.
        return (T) new Decoder(open(), fromText).decode(type, type, 0);
    }

    /**
     * Decodes a list of items of one type.
     *
     * @param <T> the type of an item, one that {@link #as} takes
     * @param type the type of an item
     * @return the items
     * @throws DecodeException if the value is no such list
     */
    public <T> List<T> asList(Class<T> type) {
        List<T> items = new ArrayList<>();
        for (Value item : items()) {
            items.add(item.as(type));
        }
        return items;
    }

    /**
     * The items of a list.
     *
     * @return the items
     * @throws DecodeException if the value is no list
     */
    public List<Value> items() {
        Unpacker in = open();
        in.head();
        if (in.form != Unpacker.Form.LIST) {
            throw new DecodeException(in.form.words + " where a list belongs");
        }
        List<Value> items = new ArrayList<>();
        for (long left = in.bits; left > 0; left--) {
            int from = in.at;
            in.skip(0);
            items.add(new Value(data, from, in.at, fromText));
        }
        return items;
    }

    /**
     * A field of a map.
     *
     * @param key the key of the field
     * @return its value, {@link #NULL} if there is no such field
     * @throws DecodeException if the value is no map
     */
    public Value get(String key) {
        Unpacker in = open();
        for (int pairs = in.pairs(); pairs > 0; pairs--) {
            boolean isIt = in.string().equals(key);
            int from = in.at;
            in.skip(0);
            if (isIt) {
                return new Value(data, from, in.at, fromText);
            }
        }
        return NULL;
    }

    void writeTo(Packer out) {
        out.raw(data, begin, end - begin);
    }

    /** Shows the value as JSON. */
    @Override
    public String toString() {
        Packer out = new Packer(64);
        new JsonWriter(out).write(open());
        return new String(out.data, 0, out.size, StandardCharsets.UTF_8);
    }

    /** Whether both are the same bytes. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Value value
                && Arrays.equals(data, begin, end, value.data, value.begin, value.end);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = begin; i < end; i++) {
            hash = 31 * hash + data[i];
        }
        return hash;
    }
}
