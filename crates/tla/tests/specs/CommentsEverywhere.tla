Text before the module is not read, even ==== and (* this.

------------------------- MODULE CommentsEverywhere -------------------------
(***************************************************************************)
(* A boxed comment (* with one nested *) in it, and a \* as well.          *)
(***************************************************************************)
EXTENDS (* inside a list *) Naturals   \* to the end of the line
-----------------------------------------------------------------------------
VARIABLE (* x *) x
Init (* here *) == (* there *) x = 0   (* and a string: "not a \* string" *)
----
Next == /\ x < 3   \* /\ FALSE
     (* /\ FALSE *)
        /\ x' = x (* + 10 *) + 1
Text == "(* no comment *) \\* none either"
ASSUME Text # "" (*
   over
   lines *)
=============================================================================
Text after it is not read either: VARIABLE y
