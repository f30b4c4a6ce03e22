package org.slf4j.impl;

import microraft.LibraryErrors;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.spi.LoggerFactoryBinder;

/** Gives {@link LibraryErrors} to every logger: slf4j 1.7 looks for a class of this name. */
public final class StaticLoggerBinder implements LoggerFactoryBinder {
    private static final StaticLoggerBinder SINGLETON = new StaticLoggerBinder();

    private final Logger logger = new LibraryErrors();

    /** slf4j calls this. */
    public static StaticLoggerBinder getSingleton() {
        return SINGLETON;
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> logger;
    }

    @Override
    public String getLoggerFactoryClassStr() {
        return LibraryErrors.class.getName();
    }
}
