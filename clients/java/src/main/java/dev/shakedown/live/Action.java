package dev.shakedown.live;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A method that begins when a step allows it. The agent sees to that; without it, the annotation has no effect. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Action {
    /**
     * The name of the action, one word: the step {@code fire n1 NAME} allows it. Parameters in braces stand for their values, so that
     * steps choose by them: {@code Vote-{from}}.
     *
     * @return the name
     */
    String value();

    /**
     * What is seen of it: {@code NAME=PATH}, where a path begins with the place of an argument, from 0, and goes on with fields, or
     * methods without arguments. {@code "term=0.getTerm()"} is one.
     *
     * @return the parameters
     */
    String[] parameters() default {};
}
