package microraft;

import dev.shakedown.Value;
import io.microraft.RaftEndpoint;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.RaftModelFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/** The parts of messages and of what is stored, as records that travel, and back. */
final class Models {
    static final RaftModelFactory FACTORY = new DefaultRaftModelFactory();

    private Models() {}

    /** A log entry. An operation is a number, or the text of the operation of a new term. */
    record Entry(long index, int term, Value operation) {
        static Entry of(LogEntry entry) {
            return new Entry(entry.getIndex(), entry.getTerm(), Value.of(entry.getOperation()));
        }

        LogEntry model() {
            return FACTORY.createLogEntryBuilder().setIndex(index).setTerm(term).setOperation(operation.as(Object.class)).build();
        }
    }

    /** The members of the group, and which of them vote. */
    record View(long index, List<Integer> members, List<Integer> voting) {
        static View of(RaftGroupMembersView view) {
            return new View(view.getLogIndex(), numbers(view.getMembers()), numbers(view.getVotingMembers()));
        }

        RaftGroupMembersView model() {
            return FACTORY.createRaftGroupMembersViewBuilder().setLogIndex(index).setMembers(peers(members))
                    .setVotingMembers(peers(voting)).build();
        }
    }

    /** A part of a snapshot: items of the list. */
    record Chunk(long index, int term, List<Long> items, int chunk, int chunks, View view) {
        @SuppressWarnings("unchecked")
        static Chunk of(SnapshotChunk chunk) {
            return new Chunk(chunk.getIndex(), chunk.getTerm(), (List<Long>) chunk.getOperation(), chunk.getSnapshotChunkIndex(),
                    chunk.getSnapshotChunkCount(), View.of(chunk.getGroupMembersView()));
        }

        SnapshotChunk model() {
            return FACTORY.createSnapshotChunkBuilder().setIndex(index).setTerm(term).setOperation(items).setSnapshotChunkIndex(chunk)
                    .setSnapshotChunkCount(chunks).setGroupMembersView(view.model()).build();
        }
    }

    static List<Integer> numbers(Collection<RaftEndpoint> endpoints) {
        return endpoints.stream().map(Peer::numberOf).toList();
    }

    static Collection<RaftEndpoint> peers(List<Integer> numbers) {
        Collection<RaftEndpoint> peers = new LinkedHashSet<>();
        numbers.forEach(number -> peers.add(new Peer(number)));
        return peers;
    }

    static List<Entry> entries(List<LogEntry> entries) {
        return entries.stream().map(Entry::of).toList();
    }

    static List<LogEntry> models(List<Entry> entries) {
        List<LogEntry> models = new ArrayList<>();
        entries.forEach(entry -> models.add(entry.model()));
        return models;
    }
}
