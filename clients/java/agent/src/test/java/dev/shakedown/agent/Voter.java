package dev.shakedown.agent;

import dev.shakedown.live.Action;
import dev.shakedown.live.Ready;
import dev.shakedown.live.Show;
import dev.shakedown.live.Variable;

/** A program with annotations. */
class Voter {
    record Ballot(int term, String from) {}

    @Variable
    private int term;

    @Variable("voted-for")
    private String vote;

    @Ready
    void start() {
        term = 1;
    }

    @Action(value = "Vote", parameters = {"term=0.term()", "from=0.from", "sure=1"})
    boolean vote(Ballot ballot, boolean isSure) {
        term = ballot.term;
        vote = ballot.from;
        return isSure;
    }

    @Show
    void lead() {
        term = 10;
    }

    @Action("Fail")
    void fail() {
        term = 9;
        throw new IllegalStateException("a failure of the program");
    }
}
