package dev.shakedown;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes calls of a host inside a test, as Shakedown does, in one thread. */
public final class HostClient {
    private static final int HEADER = 4;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Server server;
    private long seq;

    /**
     * A client of a host that has shaken hands.
     *
     * @param host the host
     */
    public HostClient(Host host) {
        Wire wire = new Wire(InputStream.nullInputStream(), out);
        wire.setText(false);
        server = host.server(wire);
    }

    /**
     * Boots a node with an empty disk.
     *
     * @param node the number of the running node, which later calls name
     * @param id the number of the node in its cluster
     * @param nodes how many nodes the cluster has
     * @param options the options of the target
     * @return the reply
     * @throws ProtocolException if the host cannot do the call
     */
    public Value boot(long node, int id, int nodes, Map<String, String> options) throws ProtocolException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", node);
        fields.put("id", id);
        fields.put("nodes", nodes);
        fields.put("life", 1);
        fields.put("now", 0);
        fields.put("seed", String.format("%016x", node));
        fields.put("options", options);
        fields.put("disk", Map.of());
        return call("boot", fields);
    }

    /**
     * Makes a call.
     *
     * @param name the name of the call
     * @param fields its fields, without {@code call} and {@code seq}
     * @return the reply, {@link Value#NULL} if the call has none
     * @throws ProtocolException if the host cannot do the call
     */
    public Value call(String name, Map<String, ?> fields) throws ProtocolException {
        Map<String, Object> call = new LinkedHashMap<>(fields);
        call.put("call", name);
        call.put("seq", ++seq);
        out.reset();
        try {
            server.serve(Value.of(call).toMessagePack());
        } catch (ProtocolException e) {
            throw e;
        } catch (IOException e) {
            throw new IllegalStateException("memory cannot be written", e);
        }
        byte[] reply = out.toByteArray();
        return reply.length == 0 ? Value.NULL : Value.ofMessagePack(Arrays.copyOfRange(reply, HEADER, reply.length));
    }
}
