package dev.shakedown.live;

import dev.shakedown.Value;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** What the agent lets a program call: at the beginning and at the end of its actions. Nobody else calls it. */
public final class ActionGate {
    private static volatile ActionGate open;

    private final LiveNode node;
    private final Instructions instructions;
    private final AtomicBoolean isReady = new AtomicBoolean();
    /** The last object that was made of each class with variables. */
    private final Map<String, Object> objects = new ConcurrentHashMap<>();
    private final Map<String, Value> known = new TreeMap<>();

    private ActionGate(LiveNode node, Instructions instructions) {
        this.node = node;
        this.instructions = instructions;
    }

    /**
     * Lets actions of this process wait.
     *
     * @param node the connection
     * @param instructions what is an action, and what is shown
     * @param isReadyLater whether a method of the program makes the server ready; otherwise it is ready now
     */
    public static void open(LiveNode node, Instructions instructions, boolean isReadyLater) {
        open = new ActionGate(node, instructions);
        if (!isReadyLater) {
            ready();
        }
    }

    /** The server is ready. */
    public static void ready() {
        ActionGate gate = open;
        if (gate != null && gate.isReady.compareAndSet(false, true)) {
            gate.show();
            gate.node.start(message -> {});
        }
    }

    /**
     * An object with variables was made.
     *
     * @param object the object
     */
    public static void made(Object object) {
        ActionGate gate = open;
        if (gate != null) {
            for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
                gate.objects.put(type.getName(), object);
            }
        }
    }

    /**
     * An action waits until a step allows it. When the connection has ended, it begins at once.
     *
     * @param method the method with its class
     * @param arguments its arguments
     * @return what {@link #exit} takes, null if no step has to allow it
     */
    public static Object enter(String method, Object[] arguments) {
        ActionGate gate = open;
        Instructions.ActionOf action = gate == null ? null : gate.instructions.action(method);
        if (action == null) {
            return null;
        }
        Map<String, Object> fields = new TreeMap<>();
        action.parameters().forEach((name, path) -> fields.put(name, fact(argument(path, arguments))));
        try {
            return gate.node.ask(action.named(fields), fields.isEmpty() ? null : fields);
        } catch (GoneException e) {
            return null;
        }
    }

    private static Object argument(Path path, Object[] arguments) {
        Object argument = arguments[Integer.parseInt(path.parts().get(0))];
        return new Path(path.parts().subList(1, path.parts().size())).from(argument);
    }

    /** A value as facts have them: an integer, a truth value or a text. */
    private static Object fact(Object value) {
        boolean isPlain = value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte
                || value instanceof Boolean;
        return isPlain ? value : String.valueOf(value);
    }

    /**
     * An action has ended: variables are read, and the step ends.
     *
     * @param permission what its beginning was given
     */
    public static void exit(Object permission) {
        ActionGate gate = open;
        if (gate == null || permission == null) {
            return;
        }
        gate.show();
        try {
            gate.node.acknowledge((Long) permission);
        } catch (GoneException e) {
            // Nothing waits for the end any more.
        }
    }

    /** Variables are read, though no action has ended: what happened follows from one of another server. */
    public static void shown() {
        ActionGate gate = open;
        if (gate != null && gate.isReady.get()) {
            gate.show();
        }
    }

    /** Shows the variables that have changed. */
    private synchronized void show() {
        Map<String, Value> changed = new TreeMap<>();
        instructions.variables().forEach((name, variable) -> {
            Value value = value(variable);
            if (!value.equals(known.put(name, value))) {
                changed.put(name, value);
            }
        });
        if (!changed.isEmpty()) {
            node.state(changed);
        }
    }

    private Value value(Instructions.VariableOf variable) {
        Object object = objects.get(variable.type());
        try {
            return encoded(variable.path().from(object));
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("a variable cannot be read: " + e.getMessage(), e);
        }
    }

    /** A value that travels: what has no encoding is shown as its text. */
    private static Value encoded(Object value) {
        try {
            return Value.of(value);
        } catch (IllegalArgumentException e) {
            return Value.of(value.toString());
        }
    }
}
