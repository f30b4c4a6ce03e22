package dev.shakedown.live;

import java.io.IOException;

/** Nothing can be done any more: the connection to Shakedown has ended. */
public final class GoneException extends IOException {
    private static final long serialVersionUID = 1L;

    GoneException(String reason) {
        super("the connection to Shakedown has ended" + (reason == null ? "" : ": " + reason));
    }
}
