package microraft;

import dev.shakedown.Value;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.log.SnapshotEntry;
import io.microraft.model.persistence.RaftEndpointPersistentState;
import io.microraft.model.persistence.RaftTermPersistentState;
import io.microraft.persistence.RaftStore;
import io.microraft.persistence.RestoredRaftState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Takes the place of the library's store: everything is a value under a key of a {@link Storage}. What is written is durable before a
 * message leaves, as {@code flush} asks for.
 *
 * <p>Release 0.5 persists entries one by one and release 0.7 in lists; a method that only one of them has stands here without
 * {@code @Override}.
 */
final class DiskStore implements RaftStore {
    private static final String ENTRY = "entry/";
    private static final String CHUNK = "chunk/";

    private final Storage storage;
    private final TreeSet<Long> entries = new TreeSet<>();

    DiskStore(Storage storage) {
        this.storage = storage;
    }

    private record Endpoint(int number, boolean voting) {}

    private record Term(int term, Optional<Integer> vote) {}

    private static String entryKey(long index) {
        return String.format("%s%08d", ENTRY, index);
    }

    private static String chunkKey(long index, int chunk) {
        return String.format("%s%08d/%04d", CHUNK, index, chunk);
    }

    @Override
    public void persistAndFlushLocalEndpoint(RaftEndpointPersistentState state) {
        storage.put("endpoint", new Endpoint(Peer.numberOf(state.getLocalEndpoint()), state.isVoting()));
    }

    @Override
    public void persistAndFlushInitialGroupMembers(RaftGroupMembersView view) {
        storage.put("members", Models.View.of(view));
    }

    @Override
    public void persistAndFlushTerm(RaftTermPersistentState state) {
        storage.put("term", new Term(state.getTerm(), Optional.ofNullable(state.getVotedFor()).map(Peer::numberOf)));
    }

    /** Release 0.5. */
    public void persistLogEntry(LogEntry entry) {
        entries.add(entry.getIndex());
        storage.put(entryKey(entry.getIndex()), Models.Entry.of(entry));
    }

    /** Release 0.7. */
    public void persistLogEntries(List<LogEntry> list) {
        list.forEach(this::persistLogEntry);
    }

    @Override
    public void persistSnapshotChunk(SnapshotChunk chunk) {
        storage.put(chunkKey(chunk.getIndex(), chunk.getSnapshotChunkIndex()), Models.Chunk.of(chunk));
    }

    @Override
    public void truncateLogEntriesFrom(long index) {
        delete(new ArrayList<>(entries.tailSet(index, true)));
    }

    /** Release 0.7. */
    public void truncateLogEntriesUntil(long index) {
        delete(new ArrayList<>(entries.headSet(index, true)));
    }

    private void delete(List<Long> indices) {
        if (!indices.isEmpty()) {
            entries.removeAll(indices);
            storage.delete(indices.stream().map(DiskStore::entryKey).toList());
        }
    }

    @Override
    public void deleteSnapshotChunks(long index, int count) {
        IntStream.range(0, count).forEach(chunk -> storage.delete(List.of(chunkKey(index, chunk))));
    }

    @Override
    public void flush() {
        storage.flush();
    }

    /** What an earlier life has left, if it has come as far as to write all that a life begins with. */
    Optional<RestoredRaftState> restored() {
        SortedMap<String, Value> disk = storage.entries();
        if (!disk.containsKey("endpoint") || !disk.containsKey("members") || !disk.containsKey("term")) {
            return Optional.empty();
        }
        SortedMap<Long, List<SnapshotChunk>> chunks = new TreeMap<>();
        List<LogEntry> log = new ArrayList<>();
        for (Map.Entry<String, Value> one : disk.entrySet()) {
            if (one.getKey().startsWith(ENTRY)) {
                log.add(one.getValue().as(Models.Entry.class).model());
                entries.add(log.get(log.size() - 1).getIndex());
            } else if (one.getKey().startsWith(CHUNK)) {
                SnapshotChunk chunk = one.getValue().as(Models.Chunk.class).model();
                chunks.computeIfAbsent(chunk.getIndex(), index -> new ArrayList<>()).add(chunk);
            }
        }
        SnapshotEntry snapshot = snapshot(chunks);
        if (snapshot != null) {
            log.removeIf(entry -> entry.getIndex() <= snapshot.getIndex());
        }
        Endpoint endpoint = disk.get("endpoint").as(Endpoint.class);
        Term term = disk.get("term").as(Term.class);
        return Optional.of(new RestoredRaftState(
                Models.FACTORY.createRaftEndpointPersistentStateBuilder().setLocalEndpoint(new Peer(endpoint.number))
                        .setVoting(endpoint.voting).build(),
                disk.get("members").as(Models.View.class).model(),
                Models.FACTORY.createRaftTermPersistentStateBuilder().setTerm(term.term)
                        .setVotedFor(term.vote.map(Peer::new).orElse(null)).build(),
                snapshot, log));
    }

    /** The newest snapshot of which all parts are there. */
    private static SnapshotEntry snapshot(SortedMap<Long, List<SnapshotChunk>> chunks) {
        SnapshotEntry newest = null;
        for (List<SnapshotChunk> parts : chunks.values()) {
            SnapshotChunk first = parts.get(0);
            if (parts.size() == first.getSnapshotChunkCount()) {
                newest = Models.FACTORY.createSnapshotEntryBuilder().setIndex(first.getIndex()).setTerm(first.getTerm())
                        .setSnapshotChunks(parts).setGroupMembersView(first.getGroupMembersView()).build();
            }
        }
        return newest;
    }
}
