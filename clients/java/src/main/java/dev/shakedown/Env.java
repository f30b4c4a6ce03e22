package dev.shakedown;

import java.util.Map;

/**
 * What a node knows of its surroundings, and how it acts on them. It belongs to one life of one node.
 *
 * <p>What a node does is collected and leaves when the call returns: first what is written, then what is sent. The methods
 * throw an {@link IllegalArgumentException} when they are used wrongly (a node that does not exist, a value that cannot be
 * encoded), and such an exception is reported as one of the node.
 *
 * <p>Values are what {@link Value#of} takes.
 */
public interface Env {
    /**
     * The number of the node.
     *
     * @return the number, counted from 1
     */
    int id();

    /**
     * How many nodes the cluster has. They are numbered from 1 to this.
     *
     * @return the number of nodes
     */
    int nodes();

    /**
     * Counts the lives of the node: a node that comes back after a crash has one more.
     *
     * @return the number of this life, counted from 1
     */
    long life();

    /**
     * How many ticks the node has seen.
     *
     * @return the number of ticks, over all lives
     */
    long now();

    /**
     * The only source of randomness that a node may use.
     *
     * @return the source of this life
     */
    SeededRandom random();

    /**
     * The options of the target.
     *
     * @return the options, in the order of their names; the map cannot be changed
     */
    Map<String, String> options();

    /**
     * An option of the target.
     *
     * @param name the name of the option
     * @param otherwise what to return if it is not set
     * @return its value
     */
    default String option(String name, String otherwise) {
        return options().getOrDefault(name, otherwise);
    }

    /**
     * Sends a message to a node.
     *
     * @param to the number of the node
     * @param kind the kind of the message: one word, such as "Append"
     * @param message its contents
     */
    default void send(int to, String kind, Object message) {
        send(to, kind, message, "");
    }

    /**
     * Sends a message with a few words about it.
     *
     * @param to the number of the node
     * @param kind the kind of the message: one word, such as "Append"
     * @param message its contents
     * @param text the words, for diagrams
     */
    void send(int to, String kind, Object message, String text);

    /**
     * Sends a message to every other node, in the order of their numbers.
     *
     * @param kind the kind of the message: one word, such as "Append"
     * @param message its contents
     */
    default void broadcast(String kind, Object message) {
        for (int to = 1; to <= nodes(); to++) {
            if (to != id()) {
                send(to, kind, message);
            }
        }
    }

    /**
     * Answers a request of a client. Any node may answer; the first answer counts.
     *
     * @param id the number of the request
     * @param answer the answer
     */
    void answer(long id, Object answer);

    /**
     * Reports a fact: that something happened inside the node, such as a commit or a new role.
     *
     * @param name the name of the fact: one word
     * @param fields the names of its fields, each followed by its value: an integer, a truth value or a text
     */
    void fact(String name, Object... fields);

    /**
     * Sets a timer, or sets it anew.
     *
     * @param name the name of the timer: one word
     * @param ticks after how many ticks it goes off
     */
    void setTimer(String name, long ticks);

    /**
     * Cancels a timer.
     *
     * @param name the name of the timer
     */
    void cancelTimer(String name);

    /**
     * Lets a key on disk hold a value. This is one write.
     *
     * @param key the key
     * @param value the value
     */
    default void put(String key, Object value) {
        write(Change.put(key, value));
    }

    /**
     * Takes a key on disk away. This is one write.
     *
     * @param key the key
     */
    default void delete(String key) {
        write(Change.delete(key));
    }

    /**
     * Changes several keys on disk at once: a crash keeps all of the changes or none.
     *
     * @param changes the changes, of different keys
     */
    void write(Change... changes);

    /** Makes everything that was written so far durable. */
    void flush();
}
