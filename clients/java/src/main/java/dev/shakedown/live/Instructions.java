package dev.shakedown.live;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which methods of a program are actions, and which fields are variables: what annotations say, and what a file says of classes that
 * cannot be annotated.
 *
 * <pre>
 * ready    the.Server#start
 * action   Vote-{from} the.Server#requestVote term=0.getTerm() from=0.getServerId()
 * show     the.Server#becomeLeader
 * variable term the.Server#currentTerm
 * </pre>
 */
public final class Instructions {
    /** A parameter in the name of an action. */
    private static final Pattern PARAMETER = Pattern.compile("\\{([^{}]*)}");

    private final Map<String, ActionOf> actions = new ConcurrentHashMap<>();
    private final Map<String, VariableOf> variables = new ConcurrentHashMap<>();
    private final Set<String> ready = ConcurrentHashMap.newKeySet();
    private final Set<String> shows = ConcurrentHashMap.newKeySet();

    /** An action: its name, in which parameters may stand in braces, and the ways from its arguments to its parameters. */
    record ActionOf(String name, Map<String, Path> parameters) {
        /** The name with these values of the parameters. */
        String named(Map<String, Object> values) {
            String named = name;
            for (Map.Entry<String, Object> value : values.entrySet()) {
                named = named.replace("{" + value.getKey() + "}", String.valueOf(value.getValue()));
            }
            return named;
        }
    }

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
        } else if (word.equals("show") && words.size() == 2) {
            addShow(method(words.get(1)));
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
                    "lines are `ready METHOD`, `show METHOD`, `action NAME METHOD PARAMETER=PATH …` and `variable NAME FIELD`");
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
     * Adds a method after which variables are shown, though it is no action.
     *
     * @param method the method with its class: {@code the.Class.method}
     */
    public void addShow(String method) {
        shows.add(method);
    }

    /**
     * Adds an action.
     *
     * @param method the method with its class: {@code the.Class.method}
     * @param name the name of the action, with parameters in braces if steps are to choose by them: {@code Vote-{from}}
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
        Matcher inName = PARAMETER.matcher(name);
        while (inName.find()) {
            if (!paths.containsKey(inName.group(1))) {
                throw new IllegalArgumentException(name + " names a parameter that the action does not have");
            }
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
     * Whether variables are shown after a method.
     *
     * @param method the method with its class: {@code the.Class.method}
     * @return true if they are, and it is no action
     */
    public boolean isShow(String method) {
        return shows.contains(method);
    }

    /**
     * The methods of a class that are spoken of.
     *
     * @param type the name of the class
     * @return the methods with their class
     */
    public List<String> methodsOf(String type) {
        return Stream.of(actions.keySet(), ready, shows).flatMap(Set::stream)
                .filter(method -> method.substring(0, method.lastIndexOf('.')).equals(type)).sorted().toList();
    }

    /**
     * Whether a class is spoken of.
     *
     * @param type the name of the class
     * @return true if it has an action, a variable or a method after which variables are shown, or makes the server ready
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
