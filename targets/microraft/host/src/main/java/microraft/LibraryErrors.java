package microraft;

import dev.shakedown.Failure;
import org.slf4j.helpers.MarkerIgnoringBase;

/**
 * The logger of the library: keeps nothing but the first exception of a call that it logs as an error and swallows. A host does one call
 * at a time, so there is one for all nodes.
 */
public final class LibraryErrors extends MarkerIgnoringBase {
    private static final long serialVersionUID = 1L;
    private static Failure first;

    /** Throws what was swallowed since the last time. */
    static void rethrow() {
        Failure failure = first;
        first = null;
        if (failure != null) {
            throw failure;
        }
    }

    private static void keep(Throwable thrown) {
        if (thrown == null || first != null) {
            return;
        }
        String place = "unknown";
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (frame.getClassName().startsWith("io.microraft.")) {
                place = frame.getFileName() + ":" + frame.getLineNumber();
                break;
            }
        }
        first = new Failure(thrown.getClass().getSimpleName() + ": " + thrown.getMessage(), place);
    }

    @Override
    public void error(String message, Throwable thrown) {
        keep(thrown);
    }

    @Override
    public void error(String format, Object argument) {
        keep(argument instanceof Throwable thrown ? thrown : null);
    }

    @Override
    public void error(String format, Object one, Object two) {
        keep(two instanceof Throwable thrown ? thrown : null);
    }

    @Override
    public void error(String format, Object... arguments) {
        keep(arguments.length > 0 && arguments[arguments.length - 1] instanceof Throwable thrown ? thrown : null);
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }

    @Override
    public void error(String message) {}

    @Override
    public boolean isTraceEnabled() {
        return false;
    }

    @Override
    public void trace(String message) {}

    @Override
    public void trace(String format, Object argument) {}

    @Override
    public void trace(String format, Object one, Object two) {}

    @Override
    public void trace(String format, Object... arguments) {}

    @Override
    public void trace(String message, Throwable thrown) {}

    @Override
    public boolean isDebugEnabled() {
        return false;
    }

    @Override
    public void debug(String message) {}

    @Override
    public void debug(String format, Object argument) {}

    @Override
    public void debug(String format, Object one, Object two) {}

    @Override
    public void debug(String format, Object... arguments) {}

    @Override
    public void debug(String message, Throwable thrown) {}

    @Override
    public boolean isInfoEnabled() {
        return false;
    }

    @Override
    public void info(String message) {}

    @Override
    public void info(String format, Object argument) {}

    @Override
    public void info(String format, Object one, Object two) {}

    @Override
    public void info(String format, Object... arguments) {}

    @Override
    public void info(String message, Throwable thrown) {}

    @Override
    public boolean isWarnEnabled() {
        return false;
    }

    @Override
    public void warn(String message) {}

    @Override
    public void warn(String format, Object argument) {}

    @Override
    public void warn(String format, Object one, Object two) {}

    @Override
    public void warn(String format, Object... arguments) {}

    @Override
    public void warn(String message, Throwable thrown) {}
}
