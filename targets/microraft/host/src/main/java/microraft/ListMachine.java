package microraft;

import io.microraft.statemachine.StateMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The replicated state machine: a list that commands append a number to. */
final class ListMachine implements StateMachine {
    /** The operation of a new term, which appends nothing. */
    static final String NEW_TERM = "new term";
    /** The operation of a query. */
    static final String READ = "read";

    private final List<Long> items = new ArrayList<>();

    List<Long> items() {
        return items;
    }

    /** A query gives the list, and a command how many items it has afterwards. */
    @Override
    public Object runOperation(long commitIndex, Object operation) {
        if (operation.equals(READ)) {
            return new ArrayList<>(items);
        }
        if (operation instanceof Long item) {
            items.add(item);
        }
        return (long) items.size();
    }

    @Override
    public void takeSnapshot(long commitIndex, Consumer<Object> chunks) {
        chunks.accept(new ArrayList<>(items));
    }

    @Override
    public void installSnapshot(long commitIndex, List<Object> chunks) {
        items.clear();
        for (Object chunk : chunks) {
            for (Object item : (List<?>) chunk) {
                items.add((Long) item);
            }
        }
    }

    @Override
    public Object getNewTermOperation() {
        return NEW_TERM;
    }
}
