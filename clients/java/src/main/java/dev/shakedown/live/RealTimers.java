package dev.shakedown.live;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The timers of a server that nobody tests. */
final class RealTimers {
    private final Map<String, Future<?>> timers = new HashMap<>();
    private ScheduledThreadPoolExecutor thread;

    synchronized void set(String name, Duration after, Runnable f) {
        clear(name);
        if (thread == null) {
            thread = new ScheduledThreadPoolExecutor(1, work -> LiveNode.thread("timers", work));
            thread.setRemoveOnCancelPolicy(true);
        }
        timers.put(name, thread.schedule(f, Math.max(after.toNanos(), 0), TimeUnit.NANOSECONDS));
    }

    synchronized void clear(String name) {
        Future<?> old = timers.remove(name);
        if (old != null) {
            old.cancel(false);
        }
    }
}
