-------------------------- MODULE ReplacedForInstance --------------------------
\* What the configuration puts in the place of a definition holds in instances of
\* an extended module too: specifications of traces check a specification so. What
\* stands in its place may still name it.
EXTENDS ReplacedForInstanceBase
TraceStart == x = 5
Base == INSTANCE ReplacedForInstanceBase
OnlySmall == x < 8 /\ Base!Step
BaseSpec == Base!Spec
================================================================================
