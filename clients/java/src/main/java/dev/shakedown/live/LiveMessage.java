package dev.shakedown.live;

import dev.shakedown.Value;

/**
 * A message of another server.
 *
 * @param from the number of its sender
 * @param kind the kind that the sender has given it
 * @param fields what the sender has shown of it
 * @param payload what the receiver needs
 */
public record LiveMessage(int from, String kind, Value fields, byte[] payload) {}
