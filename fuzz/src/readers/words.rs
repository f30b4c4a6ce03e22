//! Tokens that mean something, by form.

/// Of TLA+.
#[rustfmt::skip]
pub(super) const SPEC: &[&str] = &[
    "(", ")", "{", "}", "[", "]", "<<", ">>", "/\\", "\\/", "~", "=", "#", "==", "\\in", "\\notin", "\\cup", "\\", "'",
    "UNCHANGED", "ENABLED", "CHOOSE", "x", "LET", "IN", "IF", "THEN", "ELSE", "CASE", "OTHER", "EXCEPT", "!", "@",
    "DOMAIN", "SUBSET", "UNION", "\\A", "\\E", ":", "|->", "->", "..", "1", "0", "-1", "2147483647",
    "99999999999999999999", "TRUE", "\"s\"", "RECURSIVE", "LAMBDA", "INSTANCE", "EXTENDS", "Nat", "Int", "BOOLEAN",
    "STRING", "[]", "<>", "~>", "WF_x", "\\X", "%", "\\div", "^", "+", "-", "*", ",", "_", "----", "====", "MODULE",
    "CONSTANT", "VARIABLE", "ASSUME", "\n", "INIT", "NEXT", "SPECIFICATION", "INVARIANT", "PROPERTY", "SYMMETRY", "VIEW",
    "<-", "CHECK_DEADLOCK", "(*", "*)", "\\*", "SUBSET (1..40)", "[1..9 -> 1..9]", "CHOOSE y \\in Nat : FALSE",
    "Seq(Nat)", "1..2147483647", "Append(x, x)", "\"../../../dev/zero\"", "JsonDeserialize(\"/dev/zero\")",
    "RandomSetOfSubsets(1000000, 2, 1..1000)", "SetToSeqs(1..12)", "ToString(x)", "é", "\u{0}",
];

/// Of PlusCal, in both syntaxes.
#[rustfmt::skip]
pub(super) const PLUSCAL: &[&str] = &[
    "--algorithm", "--fair", "algorithm", "begin", "end", "variables", "variable", "define", "macro", "procedure", "process",
    "fair", "fair+", "if", "then", "else", "elsif", "either", "or", "while", "do", "with", "await", "when", "print", "assert",
    "skip", "goto", "Done", "call", "return", ":=", "||", ";", ",", ":", ":+", ":-", "=", "\\in", "(", ")", "{", "}", "[", "]",
    "<<", ">>", ".", "x", "self", "pc", "stack", "TRUE", "0", "\"s\"", "\"", "\\A", "\\E", "(*", "*)", "\\*", "\n", "\t", "_",
    "BEGIN TRANSLATION", "END TRANSLATION", "(chksum(pcal) = \"0\" /\\ chksum(tla) = \"0\")", "PlusCal options (label, wf)",
    "labelRoot", "lineWidth", "version 1.5", "defaultInitValue", "if (x) if (x) if (x)", "{{{{{{", "é", "∈", "\u{0}",
];

/// Of configurations.
#[rustfmt::skip]
pub(super) const CFG: &[&str] = &[
    "CONSTANT", "CONSTANTS", "INIT", "NEXT", "SPECIFICATION", "INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES",
    "CONSTRAINT", "ACTION_CONSTRAINT", "SYMMETRY", "VIEW", "ALIAS", "POSTCONDITION", "CHECK_DEADLOCK", "TRUE", "FALSE",
    "=", "<-", "<- [M]", "{", "}", "{a, b, c}", ",", "\"s\"", "1", "-1", "9223372036854775808",
    "99999999999999999999999999", "{{{}}}", "Init", "Next", "Spec", "N", "Limit", "Symmetric", "Nope", "\\*", "(*", "*)",
    "\n", "é", "\u{0}",
];

/// Of what can be said of a campaign on the command line.
#[rustfmt::skip]
pub(super) const STRATEGY: &[&str] = &[
    "random", "pctcp", "pos", "closure", "lossy", "crashing", "fuzz", "partitions", "bonusmax", "waypoint", "negvisits",
    "ucbzero", "novelty", ":", ",", "=", "\n", "depth=", "messages=", "rounds=", "period=", "isolations=any", "level=b",
    "level=c", "by=crash", "harness=", "warm-up=", "recovery=", "loss=", "interval=", "down=", "mode=published", "model",
    "guide=state", "guide=", "inputs=", "tick=", "deliver=", "crash=", "drop=", "fault=quorum-third", "0", "1", "0.5",
    "-1", "NaN", "inf", "1e308", "18446744073709551615", "18446744073709551616", "state", "trace", "leader", "é",
    "\u{0}", "\u{1b}[31m",
];

/// Words of histories.
#[rustfmt::skip]
pub(super) const HISTORY: &[&str] = &[
    "{", "}", "[", "]", "(", ")", ":type", ":ok", ":fail", ":info", ":invoke", ":f", ":txn", ":value", ":process", ":time",
    ":index", ":append", ":r", "x", "y", "nil", "true", "0", "1", "2", "-1", "2147483648", "99999999999999999999N", "1.5",
    "\"text\"", "\"", "\\", ";", "#_", "#{", "#jepsen.history.Op", ":nemesis", ",", "\n", "[:append x 1]", "[:r x [1 2]]",
    ":read", ":write", ":cas", ":add", "[1 2]", "INFO  jepsen.util - 0\t", ":timed-out", "\"process\": 0", "\"type\": \"ok\"", "\"value\": []", "null", "\u{1b}[31m", "\u{202e}", "[[[[[[[[",
];

/// Words of files that describe targets.
pub(super) const TARGET_FILE: &[&str] = &[
    "version = 1\n",
    "[target]\n",
    "[contract]\n",
    "[[request]]\n",
    "[invariants]\n",
    "[options.x]\n",
    "name = \"x\"\n",
    "command = [\"x\"]\n",
    "nodes = ",
    "steps = ",
    "weight = ",
    "json = '$below(",
    "$number",
    "'",
    "\"",
    "\"\"\"",
    "=",
    "[",
    "]",
    "{",
    "}",
    "99999999999999999999",
    "-1",
    "1e400",
    "nan",
    "base = \"reliable\"\n",
    "\\A a \\in Nodes : ",
    "state[a]",
    "requests",
    "up",
    "CHOOSE",
    "reply_seconds = ",
    "memory_mib = ",
    "\n",
];
