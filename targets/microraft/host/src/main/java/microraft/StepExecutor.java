package microraft;

import dev.shakedown.Env;
import io.microraft.executor.RaftNodeExecutor;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * Takes the place of the library's executor thread and of its clock. A task runs before the call ends that it was submitted in; a
 * task with a delay runs in the tick in which its time has come. A tick is a quarter of a second.
 */
final class StepExecutor extends Clock implements RaftNodeExecutor {
    static final long TICK_MILLIS = 250;

    private final Env env;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Delayed> delayed = new PriorityQueue<>();
    private long count;

    StepExecutor(Env env) {
        this.env = env;
    }

    /** Tasks of the same time run in the order in which they were scheduled. */
    private record Delayed(long time, long number, Runnable task) implements Comparable<Delayed> {
        @Override
        public int compareTo(Delayed other) {
            return time == other.time ? Long.compare(number, other.number) : Long.compare(time, other.time);
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void submit(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        delayed.add(new Delayed(millis() + unit.toMillis(delay), count++, task));
    }

    /** Runs what is due, and what that submits. */
    void run() {
        runSubmitted();
        // What is scheduled for now while this runs waits for the next tick: a task that schedules itself would never end.
        long last = count;
        while (!delayed.isEmpty() && delayed.peek().time <= millis() && delayed.peek().number < last) {
            delayed.poll().task.run();
            runSubmitted();
        }
    }

    private void runSubmitted() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public long millis() {
        return env.now() * TICK_MILLIS;
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
