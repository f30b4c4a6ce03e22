package dev.shakedown.live;

import dev.shakedown.Value;

/** Takes what clients ask. */
@FunctionalInterface
public interface RequestHandler {
    /**
     * Takes a request. {@link LiveNode#answer} answers it, then or later.
     *
     * @param id the number of the request
     * @param request what is asked
     */
    void request(long id, Value request);
}
