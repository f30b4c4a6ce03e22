package dev.shakedown;

import java.io.IOException;

/** A call that cannot be read, or that the host cannot do: the host ends. */
public final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message);
    }

    ProtocolException(String message, Throwable cause) {
        super(message, cause);
    }
}
