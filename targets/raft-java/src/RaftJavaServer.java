import com.github.wenweihu86.raft.Peer;
import com.github.wenweihu86.raft.RaftNode;
import com.github.wenweihu86.raft.RaftOptions;
import com.github.wenweihu86.raft.StateMachine;
import com.github.wenweihu86.raft.proto.RaftMessage;
import com.github.wenweihu86.raft.service.impl.RaftClientServiceImpl;
import com.github.wenweihu86.raft.service.impl.RaftConsensusServiceImpl;
import com.github.wenweihu86.rpc.server.RPCServer;
import com.github.wenweihu86.rpc.server.RPCServerOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server of raft-java as it is published, with a state machine that keeps every entry in memory, and beside it a desk for clients.
 * What clients at the desk were told is done is kept in a file, because it has to hold after a kill too.
 *
 * <pre>RaftJavaServer ID PORT DESK-PORT DATA ACKNOWLEDGED ID=ADDRESS,…</pre>
 *
 * The properties {@code raft.election} and {@code raft.heartbeat} are its times in milliseconds. {@code raft.answer} is how long it
 * waits for answers of other servers, and {@code raft.workers} how many of their requests it handles at once.
 */
public final class RaftJavaServer {
  /** Everything that was applied, in order. There are no snapshots: logs stay far below the size that one is taken at. */
  private static final class Entries implements StateMachine {
    private final List<String> applied = new CopyOnWriteArrayList<>();

    @Override
    public void writeSnapshot(String folder) {
      throw new IllegalStateException("no snapshot was expected");
    }

    @Override
    public void readSnapshot(String folder) {}

    @Override
    public void apply(byte[] entry) {
      applied.add(new String(entry, StandardCharsets.UTF_8));
    }
  }

  private final Entries entries = new Entries();
  private final Path acknowledged;
  private RaftNode node;

  private RaftJavaServer(Path acknowledged) {
    this.acknowledged = acknowledged;
  }

  public static void main(String[] arguments) throws Exception {
    final RaftJavaServer all = new RaftJavaServer(Path.of(arguments[4]));
    all.start(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), arguments[3], arguments[5]);
    final int desk = Integer.parseInt(arguments[2]);
    try (ServerSocket socket = new ServerSocket(desk, 64, InetAddress.getByName("127.0.0.1"))) {
      System.err.println("the desk is open");
      while (true) {
        final Socket connection = socket.accept();
        final Thread thread = new Thread(() -> all.serve(connection));
        thread.setDaemon(true);
        thread.start();
      }
    }
  }

  private static RaftMessage.Server server(int id, String address) {
    final String[] parts = address.split(":");
    final RaftMessage.EndPoint point =
        RaftMessage.EndPoint.newBuilder()
            .setHost(parts[0])
            .setPort(Integer.parseInt(parts[1]))
            .build();
    return RaftMessage.Server.newBuilder().setServerId(id).setEndPoint(point).build();
  }

  private void start(int id, int port, String data, String peers) {
    final RaftOptions options = new RaftOptions();
    options.setDataDir(data);
    options.setElectionTimeoutMilliseconds(Integer.getInteger("raft.election", 600));
    options.setHeartbeatPeriodMilliseconds(Integer.getInteger("raft.heartbeat", 100));
    final List<RaftMessage.Server> servers = new ArrayList<>();
    for (String peer : peers.split(",")) {
      final String[] parts = peer.split("=");
      servers.add(server(Integer.parseInt(parts[0]), parts[1]));
    }
    node = new RaftNode(options, servers, servers.get(id - 1), entries);
    final RPCServerOptions ways = new RPCServerOptions();
    ways.setWorkThreadNum(Integer.getInteger("raft.workers", ways.getWorkThreadNum()));
    final RPCServer rpc = new RPCServer(port, ways);
    rpc.registerService(new RaftConsensusServiceImpl(node));
    rpc.registerService(new RaftClientServiceImpl(node));
    rpc.start();
    node.init();
    for (Peer peer : node.getPeerMap().values()) {
      final int answer = Integer.getInteger("raft.answer", peer.getRpcClient().getRPCClientOptions().getReadTimeoutMillis());
      peer.getRpcClient().getRPCClientOptions().setReadTimeoutMillis(answer);
    }
  }

  private boolean isLeader() {
    return node.getState() == RaftNode.NodeState.STATE_LEADER;
  }

  private String append(String value) throws IOException {
    if (!isLeader()) {
      return "not the leader";
    }
    final boolean isDone =
        node.replicate(
            value.getBytes(StandardCharsets.UTF_8), RaftMessage.EntryType.ENTRY_TYPE_DATA);
    if (!isDone) {
      return "not done in time";
    }
    Files.writeString(
        acknowledged, value + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    return "done";
  }

  private String told() throws IOException {
    return Files.exists(acknowledged)
        ? String.join(",", Files.readAllLines(acknowledged, StandardCharsets.UTF_8))
        : "";
  }

  private void serve(Socket connection) {
    try (connection;
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
        PrintWriter writer =
            new PrintWriter(connection.getOutputStream(), true, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        final String answer =
            line.equals("status")
                ? isLeader() + " " + String.join(",", entries.applied) + " " + told()
                : append(line);
        writer.println(answer);
      }
    } catch (IOException | RuntimeException error) {
      error.printStackTrace();
    }
  }
}
