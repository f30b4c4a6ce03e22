package microraft;

import dev.shakedown.Value;
import java.util.List;
import java.util.SortedMap;

/** Where a member keeps what has to be there in its next life: values under keys. */
interface Storage {
    void put(String key, Object value);

    void delete(List<String> keys);

    /** Everything that was written before is durable afterwards. */
    void flush();

    /** What an earlier life has left. */
    SortedMap<String, Value> entries();
}
