package dev.shakedown.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a file says of a program, and the ways to its values. */
class InstructionsTest {
    @TempDir
    private java.nio.file.Path folder;

    private Instructions read(String text) throws IOException {
        java.nio.file.Path file = folder.resolve("instructions");
        Files.writeString(file, text);
        Instructions instructions = new Instructions();
        instructions.read(file);
        return instructions;
    }

    @Test
    void aFileNamesMethodsAndFields() throws IOException {
        Instructions read = read("# nothing\n\nready a.B#start\naction Vote a.C#vote term=0.getTerm()\nvariable term a.B#log.term\n");
        assertTrue(read.isReady("a.B.start") && read.hasReady() && read.isAction("a.C.vote") && read.hasVariables("a.B"));
        assertTrue(read.isOf("a.B") && read.isOf("a.C"));
        assertFalse(read.isOf("a") || read.isOf("a.B.start") || read.isAction("a.B.start") || read.hasVariables("a.C"));
        assertEquals(List.of("a.C.vote"), read.methodsOf("a.C"));
        assertEquals(List.of("0", "getTerm()"), read.action("a.C.vote").parameters().get("term").parts());
        assertEquals(List.of("log", "term"), read.variables().get("term").path().parts());
    }

    @Test
    void aNameTakesParametersSoThatStepsChooseByThem() throws IOException {
        Instructions read = read("action Vote-{from}-{term} a.C#vote term=0 from=1 sure=2\nshow a.C#lead\n");
        assertEquals("Vote-n3-7", read.action("a.C.vote").named(Map.of("term", 7, "from", "n3", "sure", true)));
        assertTrue(read.isShow("a.C.lead") && read.isOf("a.C") && !read.isShow("a.C.vote"));
        assertEquals(List.of("a.C.lead", "a.C.vote"), read.methodsOf("a.C"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "dance", "ready", "ready a.B", "action Vote", "action Vote a.B.vote", "action Vote a.B#vote term", "action Vote a.B#vote =0",
        "action Vote a.B#vote term=", "action Vote-{to} a.B#vote term=0", "show", "show a.B",
        "action Vote a.B#vote term=x", "variable term", "variable term a.B.term", "variable a b c",
    })
    void aLineThatMakesNoSenseIsNamed(String line) {
        IOException refused = assertThrows(IOException.class, () -> read("# one\n" + line + "\n"));
        assertTrue(refused.getMessage().contains("instructions:2: "), refused.getMessage());
    }

    private static class Parent {
        private final int[] inherited = {4};

        List<Integer> list() {
            return List.of(inherited[0]);
        }
    }

    private static final class Child extends Parent {
        private final Child next;

        Child(Child next) {
            this.next = next;
        }
    }

    @Test
    void aWayGoesOverFieldsAndMethodsAlsoInherited() {
        Child child = new Child(new Child(null));
        assertEquals(List.of(4), Path.of("next.list()").from(child));
        assertNull(Path.of("next.next.next.list()").from(child));
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> Path.of("next.missing").from(child));
        assertTrue(refused.getMessage().contains("missing of "), refused.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Path.of("missing()").from(child));
    }
}
