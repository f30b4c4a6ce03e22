package microraft;

import dev.shakedown.Message;
import dev.shakedown.Value;
import dev.shakedown.live.GoneException;
import dev.shakedown.live.LiveMessage;
import dev.shakedown.live.LiveNode;
import io.microraft.Ordered;
import io.microraft.RaftEndpoint;
import io.microraft.exception.CannotReplicateException;
import io.microraft.exception.NotLeaderException;
import io.microraft.impl.RaftNodeImpl;
import io.microraft.model.message.RaftMessage;
import io.microraft.transport.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * MicroRaft as a server: a process with the library's own thread and a file for what it keeps. Its messages, its timers and what
 * clients ask go through Shakedown, by {@link LiveNode}: {@code LiveServer DATA LEARNERS SNAPSHOT}.
 */
public final class LiveServer implements Transport {
    private final LiveNode live;
    private final LiveExecutor executor;
    private final ListMachine machine = new ListMachine();
    private final RaftNodeImpl node;
    /** What Shakedown knows of the state. The thread of the library alone uses it. */
    private final Map<String, Value> known = new HashMap<>();

    private LiveServer(LiveNode live, Path data, int learners, int snapshot) throws IOException {
        this.live = live;
        executor = new LiveExecutor(live, this::show);
        Member member = new Member(live.id(), live.nodes(), Math.min(learners, live.nodes() - 1), snapshot);
        node = (RaftNodeImpl) member.builder(new DiskStore(new FileStorage(data.resolve("log")))).setExecutor(executor)
                .setTransport(this).setStateMachine(machine).setRandom(new Random(live.seed())).setClock(executor).build();
    }

    private void start() {
        executor.await(node::start);
        live.start(message -> executor.await(() -> deliver(message)), (id, request) -> executor.await(() -> request(id, request)));
    }

    private void deliver(LiveMessage message) {
        Message arrived = new Message(message.from(), message.kind(), Value.ofMessagePack(message.payload()));
        node.handle(Messages.arrived(Member.GROUP, arrived));
    }

    /**
     * {@code {"append":7}} appends to the list, {@code "read"} asks for it. A server that does not lead has done nothing; whoever stops
     * to lead in between does not know, and does not answer.
     */
    private void request(long id, Value request) {
        boolean isRead = request.equals(Value.of(ListMachine.READ));
        CompletableFuture<Ordered<Object>> future =
                isRead ? Release.query(node, ListMachine.READ) : node.replicate(request.get("append").asLong());
        future.whenComplete((result, failed) -> {
            if (failed == null) {
                live.event(isRead ? "read" : "appended", Map.of("items", machine.items().size()));
                live.answer(id, result.getResult());
            } else if (failed instanceof NotLeaderException || failed instanceof CannotReplicateException) {
                live.failed(id, failed.getClass().getSimpleName());
            }
        });
    }

    @Override
    public void send(RaftEndpoint target, RaftMessage message) {
        Record record = Messages.travelling(message);
        Map<String, Object> fields = new HashMap<>(Map.of("term", message.getTerm()));
        if (record instanceof Messages.Append append) {
            fields.put("prev", append.prev());
            fields.put("entries", append.entries().size());
        }
        try {
            live.send(Peer.numberOf(target), record.getClass().getSimpleName(), fields, Value.of(record).toMessagePack());
        } catch (GoneException e) {
            // The process is about to be ended.
        }
    }

    @Override
    public boolean isReachable(RaftEndpoint endpoint) {
        return true;
    }

    /** Shows what has changed. */
    private void show() {
        Map<String, Object> shown = Member.shown(node.state());
        shown.put("items", machine.items());
        Map<String, Value> changed = new LinkedHashMap<>();
        shown.forEach((name, value) -> {
            Value encoded = Value.of(value);
            if (!encoded.equals(known.put(name, encoded))) {
                changed.put(name, encoded);
            }
        });
        if (changed.containsKey("role")) {
            live.event("role", Map.of("role", changed.get("role"), "term", known.get("term")));
        }
        if (!changed.isEmpty()) {
            live.state(changed);
        }
    }

    /** Serves until Shakedown ends it. */
    public static void main(String[] args) throws IOException {
        LiveNode live = LiveNode.connect();
        if (!live.isUnderTest()) {
            throw new IOException("this server has no network of its own: Shakedown starts it, as targets/microraft/live.toml says");
        }
        new LiveServer(live, Path.of(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2])).start();
        live.done().join();
        System.exit(0);
    }
}
