/**
 * Nodes in Java for Shakedown: the host's side of its node protocol.
 *
 * <p>A {@link dev.shakedown.Node} is one process of the protocol under test. A {@link dev.shakedown.Host} makes nodes and
 * serves them to Shakedown over standard input and output. What a node does, it does through its
 * {@link dev.shakedown.Env}.
 *
 * <p>What a node does must follow from its calls: it looks at no clock, no thread, and no source of randomness but
 * {@link dev.shakedown.Env#random()}. Two things of Java change from one start of a program to the next and may decide nothing
 * either: the order in which {@code Set.of} and {@code Map.of} iterate, and {@code Object.hashCode}, and with it the order of a
 * {@code HashSet} or {@code HashMap} of objects that do not define their own. Run a host with
 * {@code -XX:-OmitStackTraceInFastThrow}: without it the virtual machine leaves out the place of an exception that it has seen
 * often.
 */
package dev.shakedown;
