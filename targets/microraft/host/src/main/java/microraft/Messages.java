package microraft;

import dev.shakedown.Message;
import io.microraft.RaftEndpoint;
import io.microraft.model.message.AppendEntriesFailureResponse;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.AppendEntriesSuccessResponse;
import io.microraft.model.message.InstallSnapshotRequest;
import io.microraft.model.message.InstallSnapshotResponse;
import io.microraft.model.message.PreVoteRequest;
import io.microraft.model.message.PreVoteResponse;
import io.microraft.model.message.RaftMessage;
import io.microraft.model.message.TriggerLeaderElectionRequest;
import io.microraft.model.message.VoteRequest;
import io.microraft.model.message.VoteResponse;
import java.util.List;
import java.util.Optional;

/** The messages of the library as records that travel, and back. */
final class Messages {
    static final String[] KINDS = {
        "Append", "Appended", "Rejected", "Snapshot", "SnapshotReply", "PreVote", "PreVoted", "TakeOver", "Vote", "Voted"
    };

    private Messages() {}

    record Append(int term, int prevTerm, long prev, long commit, List<Models.Entry> entries, long query, long flow) {}

    record Appended(int term, long last, long query, long flow) {}

    record Rejected(int term, long next, long query, long flow) {}

    record Snapshot(int term, boolean leader, int snapshotTerm, long index, int chunks, Optional<Models.Chunk> chunk,
            List<Integer> holders, Models.View view, long query, long flow) {}

    record SnapshotReply(int term, long index, int chunk, long query, long flow) {}

    record PreVote(int term, int lastTerm, long last) {}

    record PreVoted(int term, boolean granted) {}

    record TakeOver(int term, int lastTerm, long last) {}

    record Vote(int term, int lastTerm, long last, boolean sticky) {}

    record Voted(int term, boolean granted) {}

    /** What travels. Its kind is the name of its class. */
    static Record travelling(RaftMessage message) {
        int term = message.getTerm();
        if (message instanceof AppendEntriesRequest m) {
            return new Append(term, m.getPreviousLogTerm(), m.getPreviousLogIndex(), m.getCommitIndex(), Models.entries(m.getLogEntries()),
                    m.getQuerySequenceNumber(), m.getFlowControlSequenceNumber());
        } else if (message instanceof AppendEntriesSuccessResponse m) {
            return new Appended(term, m.getLastLogIndex(), m.getQuerySequenceNumber(), m.getFlowControlSequenceNumber());
        } else if (message instanceof AppendEntriesFailureResponse m) {
            return new Rejected(term, m.getExpectedNextIndex(), m.getQuerySequenceNumber(), m.getFlowControlSequenceNumber());
        } else if (message instanceof InstallSnapshotRequest m) {
            return new Snapshot(term, m.isSenderLeader(), m.getSnapshotTerm(), m.getSnapshotIndex(), m.getTotalSnapshotChunkCount(),
                    Optional.ofNullable(m.getSnapshotChunk()).map(Models.Chunk::of), Models.numbers(m.getSnapshottedMembers()),
                    Models.View.of(m.getGroupMembersView()), m.getQuerySequenceNumber(), m.getFlowControlSequenceNumber());
        } else if (message instanceof InstallSnapshotResponse m) {
            return new SnapshotReply(term, m.getSnapshotIndex(), m.getRequestedSnapshotChunkIndex(), m.getQuerySequenceNumber(),
                    m.getFlowControlSequenceNumber());
        } else if (message instanceof PreVoteRequest m) {
            return new PreVote(term, m.getLastLogTerm(), m.getLastLogIndex());
        } else if (message instanceof PreVoteResponse m) {
            return new PreVoted(term, m.isGranted());
        } else if (message instanceof TriggerLeaderElectionRequest m) {
            return new TakeOver(term, m.getLastLogTerm(), m.getLastLogIndex());
        } else if (message instanceof VoteRequest m) {
            return new Vote(term, m.getLastLogTerm(), m.getLastLogIndex(), m.isSticky());
        } else if (message instanceof VoteResponse m) {
            return new Voted(term, m.isGranted());
        }
        throw new IllegalArgumentException("a message of " + message.getClass());
    }

    /** What arrived, as the library wants it. */
    static RaftMessage arrived(Object group, Message message) {
        RaftEndpoint sender = new Peer(message.from());
        return switch (message.kind()) {
            case "Append", "Appended", "Rejected" -> replication(group, sender, message);
            case "Snapshot", "SnapshotReply" -> snapshot(group, sender, message);
            default -> election(group, sender, message);
        };
    }

    private static RaftMessage replication(Object group, RaftEndpoint sender, Message message) {
        switch (message.kind()) {
            case "Append" -> {
                Append m = message.as(Append.class);
                return Models.FACTORY.createAppendEntriesRequestBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                        .setPreviousLogTerm(m.prevTerm).setPreviousLogIndex(m.prev).setCommitIndex(m.commit)
                        .setLogEntries(Models.models(m.entries)).setQuerySequenceNumber(m.query).setFlowControlSequenceNumber(m.flow).build();
            }
            case "Appended" -> {
                Appended m = message.as(Appended.class);
                return Models.FACTORY.createAppendEntriesSuccessResponseBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                        .setLastLogIndex(m.last).setQuerySequenceNumber(m.query).setFlowControlSequenceNumber(m.flow).build();
            }
            default -> {
                Rejected m = message.as(Rejected.class);
                return Models.FACTORY.createAppendEntriesFailureResponseBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                        .setExpectedNextIndex(m.next).setQuerySequenceNumber(m.query).setFlowControlSequenceNumber(m.flow).build();
            }
        }
    }

    private static RaftMessage snapshot(Object group, RaftEndpoint sender, Message message) {
        if (message.kind().equals("SnapshotReply")) {
            SnapshotReply m = message.as(SnapshotReply.class);
            return Models.FACTORY.createInstallSnapshotResponseBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                    .setSnapshotIndex(m.index).setRequestedSnapshotChunkIndex(m.chunk).setQuerySequenceNumber(m.query)
                    .setFlowControlSequenceNumber(m.flow).build();
        }
        Snapshot m = message.as(Snapshot.class);
        return Models.FACTORY.createInstallSnapshotRequestBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                .setSenderLeader(m.leader).setSnapshotTerm(m.snapshotTerm).setSnapshotIndex(m.index).setTotalSnapshotChunkCount(m.chunks)
                .setSnapshotChunk(m.chunk.map(Models.Chunk::model).orElse(null)).setSnapshottedMembers(Models.peers(m.holders))
                .setGroupMembersView(m.view.model()).setQuerySequenceNumber(m.query).setFlowControlSequenceNumber(m.flow).build();
    }

    private static RaftMessage election(Object group, RaftEndpoint sender, Message message) {
        switch (message.kind()) {
            case "PreVote" -> {
                PreVote m = message.as(PreVote.class);
                return Models.FACTORY.createPreVoteRequestBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                        .setLastLogTerm(m.lastTerm).setLastLogIndex(m.last).build();
            }
            case "PreVoted" -> {
                PreVoted m = message.as(PreVoted.class);
                return Models.FACTORY.createPreVoteResponseBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                        .setGranted(m.granted).build();
            }
            case "TakeOver" -> {
                TakeOver m = message.as(TakeOver.class);
                return Models.FACTORY.createTriggerLeaderElectionRequestBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                        .setLastLogTerm(m.lastTerm).setLastLogIndex(m.last).build();
            }
            case "Vote" -> {
                Vote m = message.as(Vote.class);
                return Models.FACTORY.createVoteRequestBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                        .setLastLogTerm(m.lastTerm).setLastLogIndex(m.last).setSticky(m.sticky).build();
            }
            case "Voted" -> {
                Voted m = message.as(Voted.class);
                return Models.FACTORY.createVoteResponseBuilder().setGroupId(group).setSender(sender).setTerm(m.term)
                        .setGranted(m.granted).build();
            }
            default -> throw new IllegalArgumentException("a message of kind " + message.kind());
        }
    }
}
