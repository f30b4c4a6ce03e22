import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.util.TimeDuration;

/**
 * A server of Apache Ratis as it is published, with a state machine that keeps every entry, and beside it a desk for clients: each
 * connection to it is a client of Ratis' own, which asks this server first and reaches all servers by their own ports, without proxies.
 *
 * <p>Releases differ in a few calls; those are made by name, so that one source serves all of them.
 *
 * <pre>RatisServer ID RPC RAFT-PORT DESK-PORT DATA ID=ADDRESS=PORT,…</pre>
 */
public final class RatisServer {
  private static final RaftGroupId GROUP =
      RaftGroupId.valueOf(UUID.fromString("02511d47-d67c-49a3-9011-abb3109a44c1"));

  /** Everything that was applied, in order. */
  private static final class Entries extends BaseStateMachine {
    private final List<String> applied = new CopyOnWriteArrayList<>();

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
      final var entry = transaction.getLogEntry();
      applied.add(entry.getStateMachineLogEntry().getLogData().toStringUtf8());
      updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
      return CompletableFuture.completedFuture(Message.valueOf("done"));
    }
  }

  private final String id;
  private final String rpc;
  private final String[] peers;
  private final Entries entries = new Entries();
  private final List<String> acknowledged = new CopyOnWriteArrayList<>();
  private final List<Patient> clients = new CopyOnWriteArrayList<>();
  private RaftServer server;
  private long firstAsked;

  private RatisServer(String id, String rpc, String peers) {
    this.id = id;
    this.rpc = rpc;
    this.peers = peers.split(",");
  }

  public static void main(String[] arguments) throws Exception {
    final RatisServer all = new RatisServer(arguments[0], arguments[1], arguments[5]);
    all.start(arguments[2], arguments[4]);
    final int desk = Integer.parseInt(arguments[3]);
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

  private RaftProperties properties() {
    final RaftProperties properties = new RaftProperties();
    properties.set("raft.rpc.type", rpc);
    properties.set("raft.server.rpc.timeout.min", "500ms");
    properties.set("raft.server.rpc.timeout.max", "1000ms");
    properties.set("raft.grpc.server.host", "127.0.0.1");
    properties.set("raft.netty.server.host", "127.0.0.1");
    return properties;
  }

  private void start(String port, String data) throws Exception {
    final RaftProperties properties = properties();
    properties.set("raft.grpc.server.port", port);
    properties.set("raft.netty.server.port", port);
    properties.set("raft.server.storage.dir", data);
    server =
        RaftServer.newBuilder()
            .setServerId(RaftPeerId.valueOf("n" + id))
            .setStateMachine(entries)
            .setProperties(properties)
            .setGroup(group(false))
            .build();
    server.start();
  }

  /** The group, with the addresses that servers know (those of proxies), or with those that clients use. */
  private RaftGroup group(boolean direct) throws ReflectiveOperationException {
    final List<RaftPeer> all = new ArrayList<>();
    for (String peer : peers) {
      final String[] parts = peer.split("=");
      all.add(peer("n" + parts[0], direct ? "127.0.0.1:" + parts[2] : parts[1]));
    }
    return RaftGroup.valueOf(GROUP, all);
  }

  private static RaftPeer peer(String id, String address) throws ReflectiveOperationException {
    try {
      return RaftPeer.class
          .getConstructor(RaftPeerId.class, String.class)
          .newInstance(RaftPeerId.valueOf(id), address);
    } catch (NoSuchMethodException later) {
      final Object builder = RaftPeer.class.getMethod("newBuilder").invoke(null);
      final Class<?> type = builder.getClass();
      type.getMethod("setId", String.class).invoke(builder, id);
      type.getMethod("setAddress", String.class).invoke(builder, address);
      return (RaftPeer) type.getMethod("build").invoke(builder);
    }
  }

  private boolean isLeader() throws ReflectiveOperationException {
    Object role;
    try {
      role = call(server, "getImpl");
    } catch (NoSuchMethodException later) {
      role = call(call(server, "getDivision"), "getInfo");
    }
    final Method method = role.getClass().getMethod("isLeader");
    method.setAccessible(true);
    return (Boolean) method.invoke(role);
  }

  private static Object call(Object object, String name) throws ReflectiveOperationException {
    for (Method method : object.getClass().getMethods()) {
      final Class<?>[] types = method.getParameterTypes();
      final boolean ofGroup = types.length == 1 && types[0] == RaftGroupId.class;
      if (method.getName().equals(name) && (types.length == 0 || ofGroup)) {
        method.setAccessible(true);
        return ofGroup ? method.invoke(object, GROUP) : method.invoke(object);
      }
    }
    throw new NoSuchMethodException(name);
  }

  /** Retries for ever, as the client does by itself, but with a pause; and knows when the attempt that is under way began. */
  private static final class Patient implements RetryPolicy {
    /** When, by the clock of the machine; 0 if nothing is asked. */
    private volatile long began;

    @Override
    public Action handleAttemptFailure(Event event) {
      began = System.nanoTime();
      return new Action() {
        @Override
        public boolean shouldRetry() {
          return true;
        }

        @Override
        public TimeDuration getSleepTime() {
          return TimeDuration.valueOf(100, TimeUnit.MILLISECONDS);
        }
      };
    }
  }

  /** How many attempts are under way that began before somebody first asked for this. */
  private synchronized long waiting() {
    if (firstAsked == 0) {
      firstAsked = System.nanoTime();
    }
    return clients.stream().filter(one -> one.began != 0 && one.began < firstAsked).count();
  }

  private RaftClientReply send(RaftClient client, String value)
      throws ReflectiveOperationException {
    Object sender = client;
    Method method;
    try {
      method = RaftClient.class.getMethod("send", Message.class);
    } catch (NoSuchMethodException later) {
      sender = RaftClient.class.getMethod("io").invoke(client);
      method = Class.forName("org.apache.ratis.client.api.BlockingApi").getMethod("send", Message.class);
    }
    return (RaftClientReply) method.invoke(sender, Message.valueOf(value));
  }

  private void serve(Socket connection) {
    try (connection;
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
        PrintWriter writer =
            new PrintWriter(connection.getOutputStream(), true, StandardCharsets.UTF_8)) {
      RaftClient client = null;
      final Patient patient = new Patient();
      clients.add(patient);
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.equals("status")) {
          writer.println(isLeader() + " " + String.join(",", entries.applied) + " "
              + String.join(",", acknowledged) + " " + waiting());
          continue;
        }
        if (client == null) {
          client =
              RaftClient.newBuilder()
                  .setProperties(properties())
                  .setRaftGroup(group(true))
                  .setLeaderId(RaftPeerId.valueOf("n" + id))
                  .setRetryPolicy(patient)
                  .build();
        }
        patient.began = System.nanoTime();
        final RaftClientReply reply = send(client, line);
        patient.began = 0;
        if (reply.isSuccess()) {
          acknowledged.add(line);
        }
        writer.println(reply.isSuccess() ? "done" : "not done: " + reply);
      }
    } catch (IOException | ReflectiveOperationException | RuntimeException error) {
      error.printStackTrace();
    }
  }
}
