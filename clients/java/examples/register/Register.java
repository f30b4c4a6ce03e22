package register;

import java.util.SortedMap;
import java.util.TreeMap;

/** One node of a replicated register: node 1 is the primary, the others are backups. */
final class Register {
    /** A message of the primary: hold this value, it has this version. */
    record Replicate(long version, long value) {}

    /** A message of a backup: I hold that version. */
    record Ack(long version) {}

    private final boolean looksAtVersions;
    private long version;
    private long value;
    /** At the primary: how many backups hold each version that not all of them hold. */
    private final SortedMap<Long, Integer> acks = new TreeMap<>();

    /** A register; with {@code looksAtVersions}, a backup does not let an old message overwrite a newer value. */
    Register(boolean looksAtVersions) {
        this.looksAtVersions = looksAtVersions;
    }

    long version() {
        return version;
    }

    long value() {
        return value;
    }

    /** A client writes at the primary. The result is to be sent to every backup. */
    Replicate write(long newValue) {
        version++;
        value = newValue;
        acks.put(version, 0);
        return new Replicate(version, newValue);
    }

    /** The primary has sent a value to a backup. The result is to be sent back. */
    Ack replicate(Replicate message) {
        if (!looksAtVersions || message.version() > version) {
            version = message.version();
            value = message.value();
        }
        return new Ack(message.version());
    }

    /** A backup holds a version. The result is whether all of them do now, for the first time. */
    boolean acknowledged(long acknowledged, int backups) {
        Integer count = acks.computeIfPresent(acknowledged, (key, before) -> before + 1);
        boolean isComplete = count != null && count == backups;
        if (isComplete) {
            acks.remove(acknowledged);
        }
        return isComplete;
    }
}
