package dev.shakedown.agent;

import java.util.concurrent.CompletableFuture;

/** Runs programs. It is a class of its own: what a test itself names is loaded before it can attach the agent. */
final class Programs {
    private static final Voter VOTER = new Voter();
    private static final Plain PLAIN = new Plain();

    private Programs() {}

    static void start() {
        VOTER.start();
    }

    static CompletableFuture<Boolean> vote(int term) {
        return CompletableFuture.supplyAsync(() -> VOTER.vote(new Voter.Ballot(term, "n3"), true));
    }

    static CompletableFuture<Void> fail() {
        return CompletableFuture.runAsync(() -> VOTER.fail());
    }

    static CompletableFuture<Void> plain(int times) {
        return CompletableFuture.runAsync(() -> PLAIN.run(times));
    }

    static void lead() {
        VOTER.lead();
    }
}
