package dev.shakedown.agent;

import static net.bytebuddy.matcher.ElementMatchers.declaresField;
import static net.bytebuddy.matcher.ElementMatchers.declaresMethod;
import static net.bytebuddy.matcher.ElementMatchers.isAnnotatedWith;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;

import dev.shakedown.live.Action;
import dev.shakedown.live.ActionGate;
import dev.shakedown.live.Instructions;
import dev.shakedown.live.LiveNode;
import dev.shakedown.live.Ready;
import dev.shakedown.live.Show;
import dev.shakedown.live.Variable;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.util.List;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * Instruments a program when it starts, by {@code -javaagent:shakedown-agent-0.1.0.jar=FILE}: actions wait until steps allow them, and
 * variables are read when they have ended. Without a file, annotations alone say what they are. A program that Shakedown has not
 * started is left as it is.
 */
public final class Agent {
    private final Instructions instructions;

    private Agent(Instructions instructions) {
        this.instructions = instructions;
    }

    /**
     * Is called by Java before the program's own beginning.
     *
     * @param file the file with instructions; null or empty for none
     * @param instrumentation what instruments classes
     * @throws IOException if the file makes no sense, or Shakedown is not there
     */
    public static void premain(String file, Instrumentation instrumentation) throws IOException {
        LiveNode node = LiveNode.connect();
        if (node.isUnderTest()) {
            attach(node, file, instrumentation);
        }
    }

    static void attach(LiveNode node, String file, Instrumentation instrumentation) throws IOException {
        Instructions instructions = new Instructions();
        boolean hasFile = file != null && !file.isEmpty();
        if (hasFile) {
            instructions.read(Path.of(file));
        }
        new Agent(instructions).install(instrumentation);
        // Whether a class that comes later makes the server ready is not known: with annotations alone, one has to.
        ActionGate.open(node, instructions, !hasFile || instructions.hasReady());
    }

    private void install(Instrumentation instrumentation) {
        new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
                .ignore(nameStartsWith("net.bytebuddy.").or(nameStartsWith("dev.shakedown.live.")).or(nameStartsWith("java.")))
                .type(this::isOfInterest)
                .transform((builder, type, loader, module, domain) -> instrumented(builder, type))
                .installOn(instrumentation);
    }

    private boolean isOfInterest(TypeDescription type) {
        return instructions.isOf(type.getName())
                || declaresMethod(isAnnotatedWith(Action.class).or(isAnnotatedWith(Ready.class)).or(isAnnotatedWith(Show.class))).matches(type)
                || declaresField(isAnnotatedWith(Variable.class)).matches(type);
    }

    private DynamicType.Builder<?> instrumented(DynamicType.Builder<?> builder, TypeDescription type) {
        type.getDeclaredMethods().forEach(this::readAnnotations);
        type.getDeclaredFields().forEach(field -> {
            AnnotationDescription.Loadable<Variable> variable = field.getDeclaredAnnotations().ofType(Variable.class);
            if (variable != null) {
                String name = variable.load().value();
                instructions.addVariable(name.isEmpty() ? field.getName() : name, type.getName(), field.getName());
            }
        });
        List<String> declared = type.getDeclaredMethods().stream().map(Agent::key).toList();
        List<String> missing = instructions.methodsOf(type.getName()).stream().filter(key -> !declared.contains(key)).toList();
        if (!missing.isEmpty()) {
            // An action that never asks would look like one that never happens.
            System.err.println("shakedown-agent: there is no method " + String.join(", ", missing));
            Runtime.getRuntime().halt(1);
        }
        DynamicType.Builder<?> result = builder.visit(Advice.to(Around.class).on(isMethod().and(is(instructions::isAction))))
                .visit(Advice.to(AtShow.class).on(isMethod().and(is(instructions::isShow))))
                .visit(Advice.to(AtReady.class).on(isMethod().and(is(instructions::isReady))));
        return instructions.hasVariables(type.getName()) ? result.visit(Advice.to(Made.class).on(isConstructor())) : result;
    }

    private void readAnnotations(MethodDescription method) {
        AnnotationDescription.Loadable<Action> action = method.getDeclaredAnnotations().ofType(Action.class);
        if (action != null) {
            instructions.addAction(key(method), action.load().value(), List.of(action.load().parameters()));
        }
        if (method.getDeclaredAnnotations().isAnnotationPresent(Ready.class)) {
            instructions.addReady(key(method));
        }
        if (method.getDeclaredAnnotations().isAnnotationPresent(Show.class)) {
            instructions.addShow(key(method));
        }
    }

    /** What {@code @Advice.Origin} gives too. */
    private static String key(MethodDescription method) {
        return method.getDeclaringType().getTypeName() + "." + method.getName();
    }

    private static ElementMatcher.Junction<MethodDescription> is(ElementMatcher<String> test) {
        return new ElementMatcher.Junction.ForNonNullValues<>() {
            @Override
            protected boolean doMatch(MethodDescription method) {
                return test.matches(key(method));
            }
        };
    }

    /** Is written into every action. */
    static final class Around {
        private Around() {}

        @Advice.OnMethodEnter
        static Object enter(@Advice.Origin("#t.#m") String method, @Advice.AllArguments Object[] arguments) {
            return ActionGate.enter(method, arguments);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit(@Advice.Enter Object permission) {
            ActionGate.exit(permission);
        }
    }

    /** Is written into the methods after which variables are shown. */
    static final class AtShow {
        private AtShow() {}

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit() {
            ActionGate.shown();
        }
    }

    /** Is written into the methods after which the server is ready. */
    static final class AtReady {
        private AtReady() {}

        @Advice.OnMethodExit
        static void exit() {
            ActionGate.ready();
        }
    }

    /** Is written into the constructors of classes with variables. */
    static final class Made {
        private Made() {}

        @Advice.OnMethodExit
        static void exit(@Advice.This Object object) {
            ActionGate.made(object);
        }
    }
}
