package microraft;

import io.microraft.RaftConfig;
import io.microraft.RaftEndpoint;
import io.microraft.RaftNode;
import io.microraft.RaftNode.RaftNodeBuilder;
import io.microraft.impl.log.RaftLog;
import io.microraft.impl.state.RaftState;
import io.microraft.persistence.RestoredRaftState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A member of the group, as the host and the server make it.
 *
 * @param id the number of the member
 * @param members how many members there are
 * @param learners how many of them, the last ones, do not vote
 * @param snapshot after how many commits a snapshot is taken
 */
record Member(int id, int members, int learners, int snapshot) {
    static final String GROUP = "group";

    /** A member that goes on from what the store has, if it has anything. */
    RaftNodeBuilder builder(DiskStore store) {
        RaftConfig config = RaftConfig.newBuilder().setLeaderElectionTimeoutMillis(1000).setLeaderHeartbeatPeriodSecs(1)
                .setLeaderHeartbeatTimeoutSecs(2).setCommitCountToTakeSnapshot(snapshot).build();
        RaftNodeBuilder builder = RaftNode.newBuilder().setGroupId(GROUP).setConfig(config).setStore(store)
                .setModelFactory(Models.FACTORY).setRaftNodeReportListener(report -> {});
        Optional<RestoredRaftState> restored = store.restored();
        if (restored.isPresent()) {
            return builder.setRestoredState(restored.get());
        }
        List<RaftEndpoint> peers = new ArrayList<>();
        IntStream.rangeClosed(1, members).forEach(number -> peers.add(new Peer(number)));
        return builder.setLocalEndpoint(new Peer(id)).setInitialGroupMembers(peers, peers.subList(0, members - learners));
    }

    /** What a member shows of its state. */
    static Map<String, Object> shown(RaftState raft) {
        RaftLog log = raft.log();
        List<Models.Entry> entries = new ArrayList<>();
        for (long index = log.snapshotIndex() + 1; index <= log.lastLogOrSnapshotIndex(); index++) {
            entries.add(Models.Entry.of(log.getLogEntry(index)));
        }
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("role", raft.role());
        shown.put("term", raft.term());
        shown.put("vote", raft.votedEndpoint() == null ? 0 : Peer.numberOf(raft.votedEndpoint()));
        shown.put("leader", raft.leader() == null ? 0 : Peer.numberOf(raft.leader()));
        shown.put("commit", raft.commitIndex());
        shown.put("applied", raft.lastApplied());
        shown.put("snapshot", log.snapshotIndex());
        shown.put("log", entries);
        shown.put("voters", raft.votingMembers().size());
        return shown;
    }
}
