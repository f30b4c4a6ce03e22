package dev.shakedown.live;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Which methods of a program are actions, and which fields are variables: what annotations say, and what a file says of classes that
 * cannot be annotated.
 *
 * <pre>
 * ready    the.Server#start
 * action   Vote the.Server#requestVote term=0.getTerm() from=0.getServerId()
 * variable term the.Server#currentTerm
 * </pre>
 */
public final class Instructions {
    private final Map<String, ActionOf> actions = new ConcurrentHashMap<>();
    private final Map<String, VariableOf> variables = new ConcurrentHashMap<>();
    private final Set<String> ready = ConcurrentHashMap.newKeySet();

    /** An action: its name, and the ways from its arguments to its parameters. */
    record ActionOf(String name, Map<String, Path> parameters) {}

    /** A variable: its class, and the way from an object of it. */
    record VariableOf(String type, Path path) {}

    /**
     * Reads a file.
     *
     * @param file the file
     * @throws IOException if it cannot be read, or makes no sense
     */
    public void read(java.nio.file.Path file) throws IOException {
        int number = 0;
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            try {
                add(List.of(text.split("\\s+")));
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ":" + number + ": " + e.getMessage(), e);
            }
        }
    }

    private void add(List<String> words) {
        String word = words.get(0);
        if (word.equals("ready") && words.size() == 2) {
            addReady(method(words.get(1)));
        } else if (word.equals("action") && words.size() >= 3) {
            addAction(method(words.get(2)), words.get(1), words.subList(3, words.size()));
        } else if (word.equals("variable") && words.size() == 3) {
            int sign = words.get(2).indexOf('#');
            if (sign < 1) {
                throw new IllegalArgumentException(words.get(2) + " is not CLASS#FIELD");
            }
            addVariable(words.get(1), words.get(2).substring(0, sign), words.get(2).substring(sign + 1));
        } else {
            throw new IllegalArgumentException(
                    "lines are `ready METHOD`, `action NAME METHOD PARAMETER=PATH …` and `variable NAME FIELD`");
        }
    }

    private static String method(String text) {
        if (text.indexOf('#') < 1) {
            throw new IllegalArgumentException(text + " is not CLASS#METHOD");
        }
        return text.replace('#', '.');
    }

    /**
     * Adds a method after which the server is ready.
     *
     * @param method the method with its class: {@code the.Class.method}
     */
    public void addReady(String method) {
        ready.add(method);
    }

    /**
     * Adds an action.
     *
     * @param method the method with its class: {@code the.Class.method}
     * @param name the name of the action
     * @param parameters its parameters, as {@link Action#parameters} has them
     */
    public void addAction(String method, String name, List<String> parameters) {
        Map<String, Path> paths = new LinkedHashMap<>();
        for (String parameter : parameters) {
            int sign = parameter.indexOf('=');
            if (sign < 1 || !Character.isDigit((parameter + "=x").charAt(sign + 1))) {
                throw new IllegalArgumentException(parameter + " is not NAME=PATH, with a path that begins with the place of an argument");
            }
            paths.put(parameter.substring(0, sign), Path.of(parameter.substring(sign + 1)));
        }
        actions.put(method, new ActionOf(name, paths));
    }

    /**
     * Adds a variable.
     *
     * @param name the name of the variable
     * @param type the class that it belongs to
     * @param path the way from an object of the class to the value
     */
    public void addVariable(String name, String type, String path) {
        variables.put(name, new VariableOf(type, Path.of(path)));
    }

    /**
     * Whether a method is an action.
     *
     * @param method the method with its class: {@code the.Class.method}
     * @return true if it is
     */
    public boolean isAction(String method) {
        return actions.containsKey(method);
    }

    /**
     * Whether the server is ready after a method.
     *
     * @param method the method with its class: {@code the.Class.method}
     * @return true if it is
     */
    public boolean isReady(String method) {
        return ready.contains(method);
    }

    /**
     * The methods of a class that are spoken of.
     *
     * @param type the name of the class
     * @return the methods with their class
     */
    public List<String> methodsOf(String type) {
        return Stream.concat(actions.keySet().stream(), ready.stream())
                .filter(method -> method.substring(0, method.lastIndexOf('.')).equals(type)).sorted().toList();
    }

    /**
     * Whether a class is spoken of.
     *
     * @param type the name of the class
     * @return true if it has an action or a variable, or makes the server ready
     */
    public boolean isOf(String type) {
        return hasVariables(type) || !methodsOf(type).isEmpty();
    }

    /**
     * Whether a class has variables.
     *
     * @param type the name of the class
     * @return true if it has
     */
    public boolean hasVariables(String type) {
        return variables.values().stream().anyMatch(variable -> variable.type.equals(type));
    }

    /**
     * Whether the server is ready by what it does, and not at once.
     *
     * @return true if a method makes it ready
     */
    public boolean hasReady() {
        return !ready.isEmpty();
    }

    ActionOf action(String method) {
        return actions.get(method);
    }

    Map<String, VariableOf> variables() {
        return variables;
    }
}
