package dev.shakedown.agent;

/** A program that cannot be annotated. */
class Plain {
    private final int[] counts = {0};

    /** Is called by the method that is the action. */
    private void count() {
        counts[0]++;
    }

    private void act(int times) {
        for (int i = 0; i < times; i++) {
            count();
        }
    }

    void run(int times) {
        act(times);
    }
}
