package microraft;

import io.microraft.RaftEndpoint;

/**
 * A member of the group. Its hash is that of its number, so that the hash maps of the library iterate in the same order in every
 * process.
 *
 * @param number the number of the node
 */
record Peer(int number) implements RaftEndpoint {
    @Override
    public Object getId() {
        return number;
    }

    static int numberOf(RaftEndpoint endpoint) {
        return ((Peer) endpoint).number;
    }
}
