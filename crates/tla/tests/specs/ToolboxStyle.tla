---------------------------- MODULE ToolboxStyle ----------------------------
\* A model as the Toolbox writes it: a module that extends the specification and defines what the configuration names.
EXTENDS ToolboxStyleSpec, TLC
CONSTANTS m1, m2
const_170 == {m1, m2}
const_171 == 3
symm_172 == Permutations(const_170)
def_ov_173(n) == n + 1
constr_174 == Len(q) <= const_171
inv_175 == Len(q) <= const_171 + 1
=============================================================================
