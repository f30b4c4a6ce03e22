package dev.shakedown;

/**
 * One process of the protocol under test.
 *
 * <p>A class overrides the calls that it wants to hear; Shakedown makes no others. An exception that leaves a method is a
 * finding: the node failed.
 */
public interface Node {
    /**
     * The node starts: its first life, or a later one with what is left on disk.
     *
     * @param env the surroundings of this life
     * @param disk what survived of earlier lives
     */
    default void boot(Env env, Disk disk) {}

    /**
     * A message of another node arrives.
     *
     * @param env the surroundings of the node
     * @param message the message, with its sender and its kind
     */
    void receive(Env env, Message message);

    /**
     * The clock goes on by one.
     *
     * @param env the surroundings of the node
     */
    default void tick(Env env) {}

    /**
     * A timer goes off.
     *
     * @param env the surroundings of the node
     * @param timer the name that it was set by
     */
    default void fire(Env env, String timer) {}

    /**
     * A client asks something.
     *
     * @param env the surroundings of the node
     * @param id the number of the request: {@link Env#answer} wants it, now or later
     * @param request what the client asks
     */
    default void request(Env env, long id, Value request) {}

    /**
     * Everything written so far is durable. Only buffered disks make this call.
     *
     * @param env the surroundings of the node
     */
    default void flushed(Env env) {}

    /**
     * The connection to a peer is back.
     *
     * @param env the surroundings of the node
     * @param peer the number of the other node
     */
    default void reconnected(Env env, int peer) {}

    /**
     * The connection to a peer is lost.
     *
     * @param env the surroundings of the node
     * @param peer the number of the other node
     */
    default void disconnected(Env env, int peer) {}

    /**
     * Shows the node's state, and changes nothing. Invariants are stated over it, so it shows what matters and nothing that
     * grows without bound.
     *
     * @param state collects the fields
     */
    void state(State state);
}
