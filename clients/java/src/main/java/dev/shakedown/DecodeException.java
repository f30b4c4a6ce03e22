package dev.shakedown;

/** A value is not what it is decoded as, or is none at all. */
public final class DecodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DecodeException(String message) {
        super(message);
    }

    DecodeException(String message, Throwable cause) {
        super(message, cause);
    }
}
