package dev.shakedown.live;

import dev.shakedown.DecodeException;
import dev.shakedown.Value;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** The connection: lines of JSON in both directions. */
final class LiveWire {
    /** The longest line that is read. Shakedown's payloads are never longer than what servers have sent. */
    private static final int LENGTH_MAX = 2 * Line.LENGTH_MAX;

    private final Socket socket = new Socket();
    private final InputStream in;

    LiveWire(InetSocketAddress address, int millis) throws IOException {
        try {
            socket.connect(address, millis);
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Lets no read last longer than this; 0 is for ever. */
    void setPatience(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    /** Writes a whole line, whichever threads write others. */
    synchronized void write(byte[] line) throws IOException {
        socket.getOutputStream().write(line);
    }

    /** Reads a line. One thread does so at a time. */
    Given read() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("it was closed");
            }
            if (line.size() == LENGTH_MAX) {
                throw new IOException("a line of more than " + LENGTH_MAX + " bytes");
            }
            line.write(next);
        }
        try {
            Given given = Value.ofJson(line.toByteArray()).as(Given.class);
            if (given == null || given.type() == null) {
                throw new IOException("a line without a type");
            }
            return given;
        } catch (DecodeException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // There is nothing more to close.
        }
    }
}
