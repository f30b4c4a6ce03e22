/**
 * Connects a server to Shakedown while it runs as it is, with its own threads, clients and disk. The server gives its messages to
 * Shakedown in place of its network, so steps decide when they arrive. Its timers go off, and its actions begin, when steps say
 * so.
 *
 * <pre>{@code
 * LiveNode node = LiveNode.connect();
 * MyServer server = new MyServer(node);
 * node.start(message -> server.receive(message.from(), message.payload()));
 * }</pre>
 *
 * <p>Shakedown starts the server and passes it the address in the environment variable {@code SHAKEDOWN_LIVE}. Where that is not
 * set, {@link dev.shakedown.live.LiveNode#connect()} gives a node that is not under test, which does what a server does without
 * one: its events and its state go nowhere, its timers are those of Java, and its actions begin at once. So only the transport of
 * a server needs two cases.
 *
 * <p>A handler returns when the server has dealt with what it was given. Work that a handler hands to another thread is waited for
 * only as long as Shakedown sees threads of the process run, so a handler waits for it where it can.
 *
 * <p>The protocol, and what goes into a target file, are in docs/live-library.md.
 */
package dev.shakedown.live;
