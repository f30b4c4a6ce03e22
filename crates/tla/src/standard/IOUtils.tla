---- MODULE IOUtils ----
LOCAL INSTANCE TLC
IOEnvGet(name) == IOEnv[name]
====
