package dev.shakedown.live;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A field that is read after every action, and shown as a part of the server's state. It is that of the last object of its class that
 * was made.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Variable {
    /**
     * The name of the variable.
     *
     * @return the name; that of the field if it is empty
     */
    String value() default "";
}
