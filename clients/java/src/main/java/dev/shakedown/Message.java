package dev.shakedown;

/**
 * A message that arrives.
 *
 * @param from the number of the node that sent it
 * @param kind the kind that the sender gave it
 * @param body its contents
 */
public record Message(int from, String kind, Value body) {
    /**
     * Decodes the contents.
     *
     * @param <T> a type that {@link Value#as} takes
     * @param type the type
     * @return the contents as this type
     */
    public <T> T as(Class<T> type) {
        return body.as(type);
    }
}
