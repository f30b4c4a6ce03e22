-------------------------- MODULE ReplacedForInstance --------------------------
\* What the configuration puts in the place of a definition holds in instances of
\* an extended module too: specifications of traces check a specification so.
EXTENDS ReplacedForInstanceBase
TraceStart == x = 5
Base == INSTANCE ReplacedForInstanceBase
BaseSpec == Base!Spec
================================================================================
