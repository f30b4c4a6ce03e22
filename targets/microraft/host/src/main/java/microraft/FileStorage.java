package microraft;

import dev.shakedown.DecodeException;
import dev.shakedown.Value;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keeps values in a file, to which every change is appended: its length, and the list of a key and a value, or of a key that is gone.
 * A server that is killed loses nothing that the kernel has, so nothing is flushed beyond that.
 */
final class FileStorage implements Storage {
    private final SortedMap<String, Value> entries = new TreeMap<>();
    private final OutputStream out;

    FileStorage(Path file) throws IOException {
        byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
        int whole = replay(ByteBuffer.wrap(bytes));
        // A kill in the middle of a write leaves a part of a change, which nobody has relied on yet.
        Files.write(file, Arrays.copyOf(bytes, whole));
        out = Files.newOutputStream(file, StandardOpenOption.APPEND);
    }

    /** Does what is written again, and gives how many bytes are whole changes. */
    private int replay(ByteBuffer bytes) throws IOException {
        try {
            while (bytes.remaining() >= Integer.BYTES && bytes.getInt(bytes.position()) <= bytes.remaining() - Integer.BYTES) {
                byte[] change = new byte[bytes.getInt()];
                bytes.get(change);
                List<Value> parts = Value.ofMessagePack(change).items();
                if (parts.size() == 2) {
                    entries.put(parts.get(0).asText(), parts.get(1));
                } else {
                    entries.remove(parts.get(0).asText());
                }
            }
        } catch (DecodeException e) {
            throw new IOException("the file of the log is damaged: " + e.getMessage(), e);
        }
        return bytes.position();
    }

    private void write(Object... change) {
        byte[] bytes = Value.of(Arrays.asList(change)).toMessagePack();
        try {
            out.write(ByteBuffer.allocate(Integer.BYTES + bytes.length).putInt(bytes.length).put(bytes).array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void put(String key, Object value) {
        Value encoded = Value.of(value);
        entries.put(key, encoded);
        write(key, encoded);
    }

    @Override
    public void delete(List<String> keys) {
        keys.forEach(key -> {
            entries.remove(key);
            write(key);
        });
    }

    @Override
    public void flush() {
        // Every change was written when it was made.
    }

    @Override
    public SortedMap<String, Value> entries() {
        return new TreeMap<>(entries);
    }
}
