package dev.shakedown.live;

import java.io.IOException;
import java.util.Map;

/** Connections of tests, which cannot set variables of their own environment. */
public final class TestNodes {
    private TestNodes() {}

    public static LiveNode connect(int port) throws IOException {
        return LiveNode.connect(Map.of(LiveNode.ADDRESS, "127.0.0.1:" + port, LiveNode.TOKEN, "secret", LiveNode.NODE, "1"));
    }
}
