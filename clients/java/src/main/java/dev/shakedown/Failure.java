package dev.shakedown;

/**
 * An exception with its own words and its own place. A node throws it when the place of an exception is not where the failure
 * comes from, for example in a logger that a library calls when it gives up.
 */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** How many characters of an exception's message are reported. */
    private static final int MESSAGE_MAX = 4096;
    /** The package of this class, whose frames are no place of a node. */
    private static final String OWN = Failure.class.getPackageName() + ".";

    private final String place;

    /**
     * A failure.
     *
     * @param message what went wrong
     * @param place where: a file without its folders, a colon, a line
     */
    public Failure(String message, String place) {
        super(message);
        this.place = place;
    }

    /**
     * Where it went wrong.
     *
     * @return a file without its folders, a colon, a line
     */
    public String place() {
        return place;
    }

    /** Describes what a node has thrown. */
    static Failure of(Throwable thrown) {
        if (thrown instanceof Failure failure) {
            return failure;
        }
        String message = thrown.getClass().getSimpleName();
        if (thrown.getMessage() != null) {
            message += ": " + thrown.getMessage();
        }
        if (message.length() > MESSAGE_MAX) {
            message = message.substring(0, MESSAGE_MAX) + "...";
        }
        return new Failure(message, placeOf(thrown));
    }

    /** The innermost frame that is neither Java's nor this library's. */
    private static String placeOf(Throwable thrown) {
        for (StackTraceElement frame : thrown.getStackTrace()) {
            String name = frame.getClassName();
            boolean isOwn = name.startsWith(OWN) && name.indexOf('.', OWN.length()) < 0;
            boolean isJava = name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("sun.");
            if (!isOwn && !isJava && frame.getFileName() != null) {
                return frame.getFileName() + ":" + frame.getLineNumber();
            }
        }
        return "unknown";
    }
}
