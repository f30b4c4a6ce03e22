package dev.shakedown.agent;

/** A program that cannot be annotated. */
class Plain {
    private final int[] counts = {0};

    /** Is called by the method that is the action. */
    private void count() {
        counts[0]++;
    }

    private void act() {
        count();
    }

    void run() {
        act();
    }
}
