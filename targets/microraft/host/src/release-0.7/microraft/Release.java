package microraft;

import io.microraft.Ordered;
import io.microraft.QueryPolicy;
import io.microraft.RaftNode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What is called otherwise in release 0.7. */
final class Release {
    static final String NUMBER = "0.7";

    private Release() {}

    static CompletableFuture<Ordered<Object>> query(RaftNode node, Object operation) {
        return node.query(operation, QueryPolicy.LINEARIZABLE, Optional.empty(), Optional.empty());
    }
}
