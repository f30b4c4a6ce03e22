package dev.shakedown;

/** A type that travels as another value. */
public interface Encodable {
    /**
     * Gives the value that travels.
     *
     * @return a value that {@link Value#of} takes
     */
    Object encodable();
}
