package microraft;

import dev.shakedown.Change;
import dev.shakedown.Disk;
import dev.shakedown.Env;
import dev.shakedown.Host;
import dev.shakedown.Message;
import dev.shakedown.Node;
import dev.shakedown.State;
import dev.shakedown.Value;
import io.microraft.Ordered;
import io.microraft.RaftEndpoint;
import io.microraft.impl.RaftNodeImpl;
import io.microraft.impl.state.LeaderState;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.RaftMessage;
import io.microraft.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * MicroRaft as a host of Shakedown. The library keeps to itself what it does, but lets everything be replaced that could decide
 * otherwise next time:
 *
 * <table>
 * <caption>What the adapter takes over</caption>
 * <tr><td>its thread and timers</td><td>{@link StepExecutor}: tasks run inside of a call, delayed ones in a tick</td></tr>
 * <tr><td>its clock</td><td>the ticks of the node, by {@code setClock}</td></tr>
 * <tr><td>its randomness</td><td>that of the node, by {@code setRandom}</td></tr>
 * <tr><td>its transport</td><td>messages travel as records ({@link Messages}); every node is called reachable</td></tr>
 * <tr><td>its store</td><td>{@link DiskStore}</td></tr>
 * <tr><td>its log messages</td><td>{@link LibraryErrors}: an exception that the library logs and swallows is a failure</td></tr>
 * </table>
 */
public final class MicroraftNode implements Node, Transport {
    private Env env;
    private StepExecutor executor;
    private ListMachine machine;
    private RaftNodeImpl node;
    /** What this node has heard of each leader's queries, by the leader's number. */
    private final List<Query> heard = new ArrayList<>();
    /** The query that this node, as a leader, has answered last. */
    private Query answered = Query.NONE;

    /**
     * A round of a leader that confirms that it still leads, before it answers linearizable queries.
     *
     * @param term the leader's term
     * @param number the number of the round in this term
     */
    private record Query(int term, long number) {
        static final Query NONE = new Query(0, 0);

        Query orLater(Query other) {
            boolean isLater = other.term > term || other.term == term && other.number > number;
            return isLater ? other : this;
        }
    }

    @Override
    public void boot(Env env, Disk disk) {
        this.env = env;
        IntStream.rangeClosed(1, env.nodes()).forEach(number -> heard.add(Query.NONE));
        executor = new StepExecutor(env);
        machine = new ListMachine();
        int learners = Math.min(Integer.parseInt(env.option("learners", "0")), env.nodes() - 1);
        Member member = new Member(env.id(), env.nodes(), learners, Integer.parseInt(env.option("snapshot", "1000")));
        node = (RaftNodeImpl) member.builder(new DiskStore(new StepStorage(env, disk))).setExecutor(executor).setTransport(this)
                .setStateMachine(machine).setRandom(new Random(env.random().nextLong())).setClock(executor).build();
        node.start();
        act();
    }

    /** The disk of the node, which is synchronous. */
    private record StepStorage(Env env, Disk disk) implements Storage {
        @Override
        public void put(String key, Object value) {
            env.put(key, value);
        }

        @Override
        public void delete(List<String> keys) {
            env.write(keys.stream().map(Change::delete).toArray(Change[]::new));
        }

        @Override
        public void flush() {
            env.flush();
        }

        @Override
        public SortedMap<String, Value> entries() {
            return disk.entries();
        }
    }

    /** Runs what the library has to do now. An exception that it has swallowed ends the node. */
    private void act() {
        executor.run();
        LibraryErrors.rethrow();
    }

    @Override
    public void tick(Env env) {
        act();
    }

    @Override
    public void receive(Env env, Message message) {
        RaftMessage arrived = Messages.arrived(Member.GROUP, message);
        if (arrived instanceof AppendEntriesRequest append) {
            int leader = message.from() - 1;
            heard.set(leader, heard.get(leader).orLater(new Query(append.getTerm(), append.getQuerySequenceNumber())));
        }
        node.handle(arrived);
        act();
    }

    /** {@code {"append":7}} appends to the list, {@code "read"} asks for it. A node that does not lead does not answer. */
    @Override
    public void request(Env env, long id, Value request) {
        boolean isRead = request.equals(Value.of(ListMachine.READ));
        CompletableFuture<Ordered<Object>> future =
                isRead ? Release.query(node, ListMachine.READ) : node.replicate(request.get("append").asLong());
        future.whenComplete((result, failed) -> {
            if (failed == null) {
                env.answer(id, result.getResult());
                LeaderState leader = node.state().leaderState();
                if (isRead && leader != null) {
                    answered = new Query(node.state().term(), leader.queryState().querySequenceNumber());
                }
            }
        });
        act();
    }

    @Override
    public void send(RaftEndpoint target, RaftMessage message) {
        Record record = Messages.travelling(message);
        env.send(Peer.numberOf(target), record.getClass().getSimpleName(), record);
    }

    @Override
    public boolean isReachable(RaftEndpoint endpoint) {
        return true;
    }

    @Override
    public void state(State state) {
        Member.shown(node.state()).forEach(state::set);
        state.set("heard", heard).set("answered", answered);
        state.set("items", machine.items()).set("status", node.getStatus()).set("life", env.life());
    }

    /** Serves until standard input ends. */
    public static void main(String[] args) throws IOException {
        Host.of(MicroraftNode.class, MicroraftNode::new).name("microraft").version("microraft " + Release.NUMBER)
                .kinds(Messages.KINDS).build().serve();
    }
}
