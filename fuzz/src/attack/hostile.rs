//! Hostile specifications: each is small, and each asks for something that no machine should give.

use std::process::Command;

use crate::attempt::Attempt;

/// A specification with its configuration.
struct Hostile {
    name: String,
    module: Vec<u8>,
    config: Vec<u8>,
}

const CONFIG: &str = "INIT Init\nNEXT Next\n";
const LIMITS: &[&str] = &["--memory", "256", "--states", "10000", "--steps", "20000000"];

/// All of them.
pub(crate) fn attempts() -> Vec<Attempt> {
    let families =
        [files(), nested(), endless(), large(), numbers(), long(), bytes(), configs(), temporal(), printed()];
    families.into_iter().flatten().map(attempt).collect()
}

fn attempt(hostile: Hostile) -> Attempt {
    let Hostile { name, module, config } = hostile;
    Attempt::new(format!("hostile-{name}"), move |room| {
        let file = room.put("H.tla", &module);
        room.put("H.cfg", &config);
        // A module of its own that has to be read, and a pipe that nothing is ever written to.
        room.put("Other.tla", b"---- MODULE Other ----\nEXTENDS H\n====\n");
        let _ = Command::new("mkfifo").arg(room.path("pipe.json")).status();
        [&["tla", "check", &file][..], LIMITS].concat().into_iter().map(str::to_owned).collect()
    })
}

/// A module around definitions, with a variable that stays as it is.
fn module(definitions: &str) -> String {
    format!(
        "---- MODULE H ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nVARIABLE x\n{definitions}\nInit == x = 0\nNext == UNCHANGED x\n====\n"
    )
}

fn one(name: impl Into<String>, text: String) -> Hostile {
    Hostile { name: name.into(), module: text.into_bytes(), config: CONFIG.into() }
}

/// An expression that the first state needs.
fn value(name: impl Into<String>, expression: &str) -> Hostile {
    one(name, module("").replace("x = 0", &format!("x = ({expression})")))
}

fn numbered(family: &str, all: Vec<String>) -> Vec<Hostile> {
    all.iter().enumerate().map(|(number, text)| value(format!("{family}-{number}"), text)).collect()
}

/// Files that a specification names: endless ones, pipes, folders, and what is no business of a
/// specification.
fn files() -> Vec<Hostile> {
    let paths = [
        "../../../dev/zero",
        "/dev/zero",
        "/dev/random",
        "pipe.json",
        "./pipe.json",
        "/etc/passwd",
        "/proc/self/mem",
        ".",
        "/",
        "no.json",
    ];
    let unused = paths
        .iter()
        .enumerate()
        .map(|(number, path)| one(format!("named-{number}"), module(&format!("Never == \"{path}\""))));
    let read = |operator: &str, path: &str| {
        module("")
            .replace("EXTENDS Integers", "EXTENDS Json, IOUtils, CSV, Integers")
            .replace("x = 0", &format!("x = {operator}(\"{path}\")"))
    };
    let used = paths.iter().enumerate().flat_map(|(number, path)| {
        ["JsonDeserialize", "ndJsonDeserialize"]
            .map(|operator| one(format!("read-{operator}-{number}"), read(operator, path)))
    });
    unused.chain(used).collect()
}

/// Nesting.
fn nested() -> Vec<Hostile> {
    let pairs = [
        ("(", ")"),
        ("{", "}"),
        ("<<", ">>"),
        ("SUBSET ", ""),
        ("~", ""),
        ("-", ""),
        ("IF TRUE THEN ", " ELSE 0"),
        ("LET y == 0 IN ", ""),
        ("[z \\in {0} |-> ", "]"),
        ("CHOOSE z \\in {0} : z = ", ""),
    ];
    let mut all = Vec::new();
    for (number, (open, close)) in pairs.iter().enumerate() {
        for depth in [200, 5_000, 60_000] {
            let text = format!("{}0{}", open.repeat(depth), close.repeat(depth));
            all.push(value(format!("nested-{number}-{depth}"), &text));
        }
    }
    all
}

/// Recursion and modules without an end.
fn endless() -> Vec<Hostile> {
    let definitions = [
        ("operator", "RECURSIVE F(_)\nF(n) == F(n + 1)\nV == F(0)"),
        ("mutual", "RECURSIVE F(_), G(_)\nF(n) == 1 + G(n)\nG(n) == 1 + F(n)\nV == F(0)"),
        ("function", "f[n \\in Nat] == f[n + 1]\nV == f[0]"),
        ("growing", "RECURSIVE F(_)\nF(s) == F(Append(s, s))\nV == F(<<1>>)"),
        ("deep-but-finite", "RECURSIVE F(_)\nF(n) == IF n = 0 THEN 0 ELSE 1 + F(n - 1)\nV == F(3000000)"),
        ("exponential", "RECURSIVE F(_)\nF(n) == IF n < 2 THEN n ELSE F(n - 1) + F(n - 2)\nV == F(60)"),
        ("lambda", "A(F(_), n) == F(n)\nRECURSIVE B(_)\nB(n) == A(LAMBDA m : B(m + 1), n)\nV == B(0)"),
        ("choose", "V == CHOOSE n \\in Nat : n < 0"),
        ("quantifier", "V == \\A n \\in 0..2147483646 : n >= 0"),
    ];
    let mut all: Vec<_> = definitions
        .iter()
        .map(|(name, text)| one(format!("endless-{name}"), module(text).replace("x = 0", "x = V")))
        .collect();
    let extends = |of: &str| module("").replace("EXTENDS Integers", &format!("EXTENDS {of}, Integers"));
    all.push(one("extends-itself", extends("H")));
    all.push(one("extends-each-other", extends("Other")));
    all.push(one("instance-of-itself", module("I == INSTANCE H")));
    all.push(one("instance-of-each-other", module("I == INSTANCE Other")));
    for depth in [4, 10, 14, 20] {
        all.push(one(format!("instances-{depth}"), instances(depth)));
    }
    all
}

/// Modules inside each other, each of which has two instances of the one before it.
fn instances(depth: usize) -> String {
    let mut text = String::from("---- MODULE M0 ----\nV0 == 0\n====\n");
    for level in 1..=depth {
        let below = level - 1;
        text = format!(
            "---- MODULE M{level} ----\n{text}A == INSTANCE M{below}\nB == INSTANCE M{below}\nV{level} == A!V{below}\n====\n"
        );
    }
    module(&format!("{text}I == INSTANCE M{depth}"))
}

/// Values that are too large.
fn large() -> Vec<Hostile> {
    let mut all: Vec<String> = [
        "SUBSET (1..40) \\ {{}}",
        "Cardinality(SUBSET (1..62))",
        "Cardinality(SUBSET (1..70))",
        "{s \\in SUBSET (1..34) : Cardinality(s) = 1}",
        "[1..20 -> 1..20] \\ {}",
        "Cardinality([1..40 -> 1..40])",
        "{n : n \\in 1..2147483647}",
        "[n \\in 1..16000000 |-> n]",
        "[n \\in 1..4000 |-> [m \\in 1..4000 |-> n * m]]",
        "{<<a, b, c>> : a, b, c \\in 1..3000}",
        "(1..100000) \\X (1..100000)",
        "{1..n : n \\in 1..20000}",
        "UNION {1..n : n \\in 1..60000}",
        "Permutations(1..12)",
        "Cardinality(Permutations(1..30))",
        "ToString([n \\in 1..3000000 |-> n])",
        "Seq(1..3) \\cap {}",
        "STRING \\cup {}",
        "CHOOSE s \\in SUBSET (1..60) : Cardinality(s) = 60",
        "[a : 1..1000, b : 1..1000, c : 1..1000] \\ {}",
    ]
    .map(String::from)
    .into();
    for operator in ["Append(s, s)", "s \\o s", "<<s, s>>", "{s, {s}}", "[a |-> s, b |-> s]"] {
        let step = format!(
            "LET RECURSIVE F(_, _)\nF(s, n) == IF n = 0 THEN s ELSE F({operator}, n - 1)\nIN F(<<1>>, 64)"
        );
        all.push(step);
    }
    let mut all = numbered("large", all);
    for (number, text) in [
        "RandomSetOfSubsets(1000000, 500, 1..1000)",
        "RandomSubset(10000000, 1..20000000)",
        "RandomSetOfSubsets(100000000, 1, 1..10)",
    ]
    .iter()
    .enumerate()
    {
        let text =
            module("").replace("EXTENDS", "EXTENDS Randomization,").replace("x = 0", &format!("x = {text}"));
        all.push(one(format!("random-{number}"), text));
    }
    // States that grow with every step.
    for (number, next) in
        ["x' = Append(x, x)", "x' = x \\o x", "x' \\in SUBSET (1..30)", "x' = [n \\in 1..5000000 |-> x]"]
            .iter()
            .enumerate()
    {
        let text = module("").replace("x = 0", "x = <<1>>").replace("UNCHANGED x", next);
        all.push(one(format!("growing-{number}"), text));
    }
    all
}

/// Numbers at the edge, and beyond it.
fn numbers() -> Vec<Hostile> {
    let all = [
        "2147483648",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999999999",
        "2^62",
        "2^63",
        "2^1000000",
        "(-2)^2147483647",
        "1 % 0",
        "1 \\div 0",
        "9223372036854775807 + 1",
        "0 - 9223372036854775807 - 2",
        "9223372036854775807 * 9223372036854775807",
        "1..9223372036854775807",
        "\\b1111",
        "\\hFFFFFFFFFFFFFFFFFFFF",
    ];
    numbered("number", all.map(String::from).into())
}

/// Long texts.
fn long() -> Vec<Hostile> {
    let repeat = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let mut all = Vec::new();
    for count in [20_000, 100_000] {
        all.push(one(format!("definitions-{count}"), module(&repeat(count, &|n| format!("D{n} == {n}\n")))));
        all.push(one(
            format!("chain-{count}"),
            module(&format!("D0 == 0\n{}", repeat(count, &|n| format!("D{} == D{n}\n", n + 1)))),
        ));
        all.push(one(
            format!("conjuncts-{count}"),
            module(&format!("C ==\n{}", repeat(count, &|_| "  /\\ TRUE\n".to_owned()))),
        ));
        all.push(value(format!("sum-{count}"), &format!("0{}", " + 1".repeat(count))));
        all.push(value(format!("set-{count}"), &format!("{{0{}}}", repeat(count, &|n| format!(", {n}")))));
    }
    let variables = repeat(20_000, &|n| format!(", v{n}"));
    all.push(one("variables", module("").replace("VARIABLE x", &format!("VARIABLES x{variables}"))));
    all.push(one("name", module(&format!("{} == 0", "a".repeat(1_000_000)))));
    all.push(one("string", module(&format!("S == \"{}\"", "a".repeat(4_000_000)))));
    all.push(one("comments", module(&format!("{}{}", "(*".repeat(60_000), "*)".repeat(60_000)))));
    all.push(one("open-comment", module(&"(*".repeat(60_000))));
    all
}

/// Bytes that are no text, or a strange one.
fn bytes() -> Vec<Hostile> {
    let good = module("");
    let strange: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("blank", b"\n\n   \n".to_vec()),
        ("zeros", vec![0; 100_000]),
        ("not-utf8", [good.as_bytes(), &[0xff, 0xfe, 0x80]].concat()),
        (
            "overlong",
            good.replace("x = 0", "x = \"@\"")
                .bytes()
                .flat_map(|b| if b == b'@' { vec![0xc0, 0xaf] } else { vec![b] })
                .collect(),
        ),
        ("utf16", good.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("mark", ["\u{feff}", &good].concat().into_bytes()),
        ("crlf", good.replace('\n', "\r\n").into_bytes()),
        ("no-end", good.replace("====", "").into_bytes()),
        ("no-begin", good.replace("---- MODULE H ----", "").into_bytes()),
        ("other-name", good.replace("MODULE H", "MODULE Z").into_bytes()),
        ("path-name", good.replace("MODULE H", "MODULE ../../H").into_bytes()),
        ("escape-name", good.replace("Next ==", "Next\u{1b}[31m ==").into_bytes()),
        ("bidi-name", good.replace("Next ==", "Next\u{202e} ==").into_bytes()),
        ("unicode", good.replace("x = 0", "x ∈ {0} ∧ x ≤ 1").into_bytes()),
    ];
    let hostile = |(name, module): (&str, Vec<u8>)| Hostile {
        name: format!("bytes-{name}"),
        module,
        config: CONFIG.into(),
    };
    strange.into_iter().map(hostile).collect()
}

/// Configurations of a module that is in order.
fn configs() -> Vec<Hostile> {
    let many: String = (0..50_000).map(|n| format!("C{n} = {n}\n")).collect();
    let configs: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("number", b"CONSTANT N = 99999999999999999999999999\nINIT Init\nNEXT Next\n".to_vec()),
        ("unknown", b"INIT Nowhere\nNEXT Never\n".to_vec()),
        ("twice", b"INIT Init\nINIT Init\nNEXT Next\nNEXT Next\n".to_vec()),
        ("both", b"INIT Init\nNEXT Next\nSPECIFICATION Spec\n".to_vec()),
        ("itself", b"CONSTANT N <- N\nINIT Init\nNEXT Next\n".to_vec()),
        ("circle", b"CONSTANT Init <- Next Next <- Init\nINIT Init\nNEXT Next\n".to_vec()),
        ("not-utf8", b"INIT Init\nNEXT \xff\xfe\n".to_vec()),
        ("zeros", vec![0; 10_000]),
        ("escape", "INIT \u{1b}[31mInit\nNEXT \u{202e}Next\n".as_bytes().to_vec()),
        ("many", format!("CONSTANTS\n{many}INIT Init\nNEXT Next\n").into_bytes()),
        (
            "nested",
            format!("CONSTANT N = {}{}\nINIT Init\nNEXT Next\n", "{".repeat(60_000), "}".repeat(60_000))
                .into_bytes(),
        ),
        ("open", b"CONSTANT N = {a, b".to_vec()),
        ("symmetry", b"INIT Init\nNEXT Next\nSYMMETRY Init\nVIEW Nothing\n".to_vec()),
    ];
    let hostile = |(name, config): (&str, Vec<u8>)| Hostile {
        name: format!("cfg-{name}"),
        module: module("").into_bytes(),
        config,
    };
    configs.into_iter().map(hostile).collect()
}

/// Temporal formulas whose automata are large.
fn temporal() -> Vec<Hostile> {
    let formula = |name: String, formula: &str| {
        let text = module(&format!(
            "P(n) == x = n\nLive == {formula}\nSpec == x = 0 /\\ [][x' = (x + 1) % 5]_x /\\ WF_x(x' = (x + 1) % 5)"
        ));
        Hostile { name, module: text.into_bytes(), config: b"SPECIFICATION Spec\nPROPERTY Live\n".to_vec() }
    };
    let mut all = Vec::new();
    for size in [4, 8, 16] {
        let join =
            |part: &dyn Fn(usize) -> String, by: &str| (0..size).map(part).collect::<Vec<_>>().join(by);
        all.push(formula(
            format!("temporal-both-{size}"),
            &join(&|n| format!("([]<>P({n}) \\/ <>[]P({n}))"), " /\\ "),
        ));
        all.push(formula(
            format!("temporal-leads-{size}"),
            &join(&|n| format!("(P({n}) ~> P({}))", n + 1), " /\\ "),
        ));
        all.push(formula(format!("temporal-nested-{size}"), &format!("{}P(0)", "[]<>".repeat(size))));
        all.push(formula(
            format!("temporal-not-{size}"),
            &format!("~({})", join(&|n| format!("(<>P({n}) => []P({n}))"), " => ")),
        ));
    }
    all
}

/// Texts of a specification that end up on a terminal.
fn printed() -> Vec<Hostile> {
    let escape = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}";
    let print = |name: &str, expression: String| {
        one(format!("printed-{name}"), module("").replace("x = 0", &format!("{expression} /\\ x = 0")))
    };
    vec![
        print("print", format!("PrintT(\"{escape}\")")),
        print("assert", format!("Assert(FALSE, \"{escape}\")")),
        print("lines", "PrintT(\"a\\nFinished: no error\\n\")".to_owned()),
        print("many", "\\A n \\in 1..100000 : PrintT(n)".to_owned()),
        print("large", "PrintT([n \\in 1..100000 |-> n])".to_owned()),
        value("printed-state", &format!("\"{escape}\" = 1")),
    ]
}
