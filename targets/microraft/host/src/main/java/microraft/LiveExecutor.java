package microraft;

import dev.shakedown.live.LiveNode;
import io.microraft.executor.RaftNodeExecutor;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The thread of a server, as the library has one, and its timers, which go off when steps say so. The clock shows the time at which the
 * last timer was due. It runs faster than Shakedown's: a tick of 10 ms is a quarter of a second, as in the host.
 */
final class LiveExecutor extends Clock implements RaftNodeExecutor {
    private static final long FASTER = 25;

    private final LiveNode live;
    private final Runnable whenIdle;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> new Thread(work, "raft"));
    private final Set<String> timers = new HashSet<>();
    private int waiting;
    private long now;

    /** What is done by the thread when it has nothing else to do. */
    LiveExecutor(LiveNode live, Runnable whenIdle) {
        this.live = live;
        this.whenIdle = whenIdle;
    }

    @Override
    public synchronized void execute(Runnable task) {
        waiting++;
        thread.execute(() -> run(task));
    }

    @Override
    public void submit(Runnable task) {
        execute(task);
    }

    /** What a task throws ends the process: the library has swallowed what it can go on after. */
    private void run(Runnable task) {
        try {
            task.run();
            LibraryErrors.rethrow();
            if (isLast()) {
                whenIdle.run();
            }
        } catch (Throwable thrown) {
            thrown.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        hasRun();
    }

    private synchronized boolean isLast() {
        return waiting == 1;
    }

    private synchronized void hasRun() {
        waiting--;
        notifyAll();
    }

    /** Lets the thread do this and everything that it leads to. */
    void await(Runnable task) {
        execute(task);
        synchronized (this) {
            while (waiting > 0) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("nobody interrupts the thread of handlers", e);
                }
            }
        }
    }

    @Override
    public synchronized void schedule(Runnable task, long delay, TimeUnit unit) {
        long millis = unit.toMillis(delay);
        long due = now + millis;
        String name = freeName(task.getClass().isSynthetic() ? "task" : task.getClass().getSimpleName());
        timers.add(name);
        live.setTimer(name, Duration.ofMillis(millis / FASTER), () -> {
            synchronized (this) {
                timers.remove(name);
                now = Math.max(now, due);
            }
            await(task);
        });
    }

    /** A name that no timer has which is set: two timers of one name would be one. */
    private String freeName(String kind) {
        String name = kind;
        for (int number = 2; timers.contains(name); number++) {
            name = kind + "-" + number;
        }
        return name;
    }

    @Override
    public synchronized long millis() {
        return now;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
