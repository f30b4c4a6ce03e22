---------------------------- MODULE SlidingPuzzle ----------------------------
(***************************************************************************)
(* A board of Rows x Cols with one tile missing, into which a tile next to *)
(* it may slide. Half of all arrangements can be reached: of the board of  *)
(* 3 x 3, 9! / 2 = 181 440.                                                *)
(*                                                                         *)
(* A benchmark: one function as the state, many states, little to compute. *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS Rows, Cols

VARIABLE board        \* place -> tile; 0 is the hole

Place == 1..Rows * Cols
Row(p) == (p - 1) \div Cols
Col(p) == (p - 1) % Cols

Adjacent(p, q) == \/ Row(p) = Row(q) /\ (Col(p) + 1 = Col(q) \/ Col(q) + 1 = Col(p))
                  \/ Col(p) = Col(q) /\ (Row(p) + 1 = Row(q) \/ Row(q) + 1 = Row(p))

Hole == CHOOSE p \in Place : board[p] = 0

Home == [p \in Place |-> p - 1]

Init == board = Home

Slide(p) == LET h == Hole
            IN  /\ Adjacent(p, h)
                /\ board' = [board EXCEPT ![h] = board[p], ![p] = 0]

Next == \E p \in Place : Slide(p)
Spec == Init /\ [][Next]_board

EveryTileOnce == \A t \in 0..Rows * Cols - 1 : \E p \in Place : board[p] = t

\* Not an invariant: its counterexample solves the puzzle of a board turned about, as far from home as can be.
NotTurned == board # [p \in Place |-> IF p = Rows * Cols THEN 0 ELSE Rows * Cols - p]
=============================================================================
