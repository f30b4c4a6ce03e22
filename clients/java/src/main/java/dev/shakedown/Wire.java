package dev.shakedown;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads calls and writes replies, one system call each where that is possible.
 *
 * <p>The streams are the plain ones of Java, whose native code copies up to 8 KiB through its stack and allocates memory for
 * more: so no read asks for more, and only a large reply writes more.
 */
final class Wire {
    private static final int READ_MAX = 8 << 10;
    private static final byte[] SEQ = Packer.packed("seq");
    private static final byte[] STATE = Packer.packed("state");
    private static final byte[] PANIC = Packer.packed("panic");
    private static final byte[] MESSAGE = Packer.packed("message");
    private static final byte[] PLACE = Packer.packed("place");
    /** Buffers that have grown beyond this are given back after a large reply. */
    private static final int KEPT_MAX = 1 << 20;
    private static final int HEADER = 4;

    private final InputStream in;
    private final OutputStream out;
    private byte[] buffer = new byte[READ_MAX];
    private int at;
    private int filled;
    private Packer packed = new Packer(READ_MAX);
    private Packer text = new Packer(READ_MAX);
    private JsonWriter jsonWriter = new JsonWriter(text);
    private boolean isText = true;

    Wire(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    void setText(boolean isText) {
        this.isText = isText;
    }

    boolean isText() {
        return isText;
    }

    /** Reads a call as MessagePack into an array of its own. Gives null when the input ends before it begins. */
    byte[] read() throws IOException {
        if (isText) {
            if (!readLine()) {
                return null;
            }
            Packer call = new Packer(lineEnd - lineBegin + READ_MAX / 64);
            try {
                new JsonReader(call).read(buffer, lineBegin, lineEnd);
            } catch (DecodeException e) {
                throw new ProtocolException(e.getMessage(), e);
            }
            return call.toBytes();
        }
        if (!fill(HEADER, "a frame")) {
            return null;
        }
        int length = (buffer[at] & 0xff) << 24 | (buffer[at + 1] & 0xff) << 16 | (buffer[at + 2] & 0xff) << 8 | buffer[at + 3] & 0xff;
        if (length < 0 || length > Limits.FRAME_MAX) {
            throw new ProtocolException("a frame of " + Integer.toUnsignedString(length) + " bytes; the limit is " + Limits.FRAME_MAX);
        }
        at += HEADER;
        if (length > 0 && !fill(length, "a frame")) {
            throw new ProtocolException("the input ends inside of a frame");
        }
        byte[] frame = Arrays.copyOfRange(buffer, at, at + length);
        at += length;
        return frame;
    }

    private int lineBegin;
    private int lineEnd;

    /** Reads a line; it stays in the buffer until the next read. Gives false when the input ends before it begins. */
    boolean readLine() throws IOException {
        int looked = at;
        while (true) {
            for (; looked < filled; looked++) {
                if (buffer[looked] == '\n') {
                    lineBegin = at;
                    lineEnd = looked;
                    at = looked + 1;
                    return true;
                }
            }
            if (filled - at > Limits.FRAME_MAX) {
                throw new ProtocolException("a line of more than " + Limits.FRAME_MAX + " bytes");
            }
            int before = filled - at;
            if (!more()) {
                if (before == 0) {
                    return false;
                }
                throw new ProtocolException("the input ends inside of a line", new EOFException());
            }
            looked = at + before;
        }
    }

    byte[] line() {
        return Arrays.copyOfRange(buffer, lineBegin, lineEnd);
    }

    /** Waits until so many bytes are there. Gives false when the input ends and there are none. */
    private boolean fill(int bytes, String what) throws IOException {
        while (filled - at < bytes) {
            if (!more()) {
                if (filled == at && bytes == HEADER) {
                    return false;
                }
                throw new ProtocolException("the input ends inside of " + what, new EOFException());
            }
        }
        return true;
    }

    /** Reads what there is. The buffer grows with what arrives: a length is only a promise. */
    private boolean more() throws IOException {
        if (at == filled) {
            at = filled = 0;
            if (buffer.length > KEPT_MAX) {
                buffer = new byte[READ_MAX];
            }
        } else if (filled == buffer.length) {
            byte[] larger = filled - at > buffer.length / 2 ? new byte[2 * buffer.length] : buffer;
            System.arraycopy(buffer, at, larger, 0, filled - at);
            buffer = larger;
            filled -= at;
            at = 0;
        }
        int count = in.read(buffer, filled, Math.min(buffer.length - filled, READ_MAX));
        if (count < 0) {
            return false;
        }
        filled += count;
        return true;
    }

    void send(byte[] frame) throws IOException {
        out.write(frame);
        out.flush();
    }

    /** Writes what a node did. */
    void reply(long seq, Effects effects, State state, Failure failed) throws IOException {
        packed.reset();
        packed.reserve(HEADER);
        Failure reported = failed;
        if (reported == null) {
            reply(seq, effects, state);
            int size = packed.size - HEADER;
            if (size > Limits.FRAME_MAX) {
                reported = new Failure("the reply has " + size + " bytes; the limit is " + Limits.FRAME_MAX, "reply");
            }
        }
        if (reported != null) {
            failure(seq, reported);
        }
        if (isText) {
            text.reset();
            jsonWriter.write(new Unpacker(packed.data, HEADER, packed.size));
            text.octet('\n');
            out.write(text.data, 0, text.size);
        } else {
            packed.setLength(0, packed.size - HEADER);
            out.write(packed.data, 0, packed.size);
        }
        out.flush();
        if (packed.data.length > KEPT_MAX || text.data.length > KEPT_MAX) {
            packed = new Packer(READ_MAX);
            text = new Packer(READ_MAX);
            jsonWriter = new JsonWriter(text);
        }
    }

    private void reply(long seq, Effects effects, State state) {
        boolean hasState = state.changed > 0 || state.isWhole();
        int pairs = hasState ? 2 : 1;
        for (Effects.Part part : effects.parts) {
            pairs += part.count > 0 ? 1 : 0;
        }
        packed.map(pairs);
        packed.raw(SEQ);
        packed.unsigned(seq);
        for (Effects.Part part : effects.parts) {
            if (part.count > 0) {
                packed.raw(part.packedName);
                packed.list(part.count);
                packed.raw(part.items.data, 0, part.items.size);
            }
        }
        if (hasState) {
            packed.raw(STATE);
            packed.map(state.changed);
            packed.raw(state.patch.data, 0, state.patch.size);
        }
    }

    private void failure(long seq, Failure failed) {
        packed.reset();
        packed.reserve(HEADER);
        packed.map(2);
        packed.raw(SEQ);
        packed.unsigned(seq);
        packed.raw(PANIC);
        packed.map(2);
        packed.raw(MESSAGE);
        packed.text(whole(failed.getMessage()));
        packed.raw(PLACE);
        packed.text(whole(failed.place()));
    }

    /** A text without halves of surrogate pairs. */
    private static String whole(String text) {
        byte[] bytes = String.valueOf(text).getBytes(StandardCharsets.UTF_8);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
