//! What diagrams look like: every kind of step once, and what is left out when there is too much.

use expect_test::expect;
use shakedown_report::{DiagramStyle, Disorder, diagram, rounds_chart};

use crate::speaker::{EVERYTHING, play};

#[test]
fn every_kind_of_step_has_its_picture() {
    let style = DiagramStyle { width: 120, ..DiagramStyle::default() };
    // The first line keeps the snapshot from being unindented.
    expect![[r#"
        everything
                 n1                n2                n3                 @N: sent at step N
              1  ● request         │                 │                  "hello"; n1 answers request 1: 0
            2-3  ● tick ×2         │                 │
              4  │                 ● tick            │
              5  ○──Word @1─────────────────────────▶●                  hello; n3 heard word=hello count=1
              6  ⧉ Word            │                 │                  Word n1>n2#1 @1 is doubled
              7  ! tamper Word     │                 │                  n1>n2#1 @1 becomes lies
              8  ○──Word @1───────▶●                 │                  lies; n2 heard word=lies count=1
              9  ↺ Word @1         │                 │                  hello; n1 heard word=hello count=1
             10  ● timer bell      │                 │
             11  ● flush           │                 │
             12  ✗ lost Word       │                 │                  Word n1>n2#2 @6 is lost
             13  ✂╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌✂                  cut n1-n3
             14  │                 ✖ crash           │
             15  ●═══════════════════════════════════●                  heal n1-n3
             16  │                 ● restart         │
             17  ! inject          │                 │                  to n3: more
                 ┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ begin
                 ┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄╳┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ phase 2, propose; isolated: n2
             20  │                 │                 ● request
                 │ "panic"; n3 panics in request: assertion `left != right` failed: somebody said panic   left: "panic"  right:
                 │ "panic" (crates/report/tests/reports/speaker.rs:47:9)
    "#]].assert_eq(&format!("everything\n{}", diagram(&play(3, &EVERYTHING), style)));
}

#[test]
fn a_crash_says_what_became_of_unflushed_writes() {
    let request = "request n1 \"hello\"";
    let steps = [request, request, request, "crash n1 keep 1", "restart n1", request, "flush n1", "crash n1"];
    let style = DiagramStyle { width: 120, ..DiagramStyle::default() };
    let text = diagram(&play(3, &steps), style).to_string();
    let crashes: Vec<_> = text.lines().filter(|line| line.contains("crash")).collect();
    assert!(crashes[0].ends_with("  1 unflushed write kept; 2 unflushed writes lost"), "{text}");
    assert!(!crashes[1].contains("unflushed"), "{text}");
}

#[test]
fn what_does_not_fit_is_left_out_in_the_middle_and_a_line_says_so() {
    let style = DiagramStyle { lines_max: 5, ..DiagramStyle::default() };
    let drawn = diagram(&play(3, &EVERYTHING[..12]), style).to_string();
    assert_eq!(drawn.lines().count(), 6, "{drawn}");
    assert!(drawn.contains("lines left out"), "{drawn}");
}

#[test]
fn many_nodes_fit_and_colours_are_only_there_when_wanted() {
    let lines = ["request n1 \"hello\"", "deliver n1>n9#1 Word", "cut n2-n8"];
    let plain = diagram(&play(9, &lines), DiagramStyle::default());
    let painted = plain.coloured();
    let plain = plain.to_string();
    assert!(!plain.contains('\x1b'), "{plain}");
    assert!(painted.contains("\x1b["), "{painted}");
    assert!(plain.lines().all(|line| line.chars().count() <= 110), "{plain}");
}

/// Seven nodes, kinds with long names, and a panic at the end.
const SEVEN: [&str; 8] = [
    "request n4 \"hello\"",
    "deliver n4>n5#1 Word",
    "tick n1",
    "tick n1",
    "deliver n4>n1#1 Word",
    "drop n4>n7#1 Word",
    "cut n2-n6",
    "request n3 \"panic\"",
];

fn at_width(nodes: usize, lines: &[&str], width: usize) -> String {
    let drawn = diagram(&play(nodes, lines), DiagramStyle { width, ..DiagramStyle::default() }).to_string();
    let longest = drawn.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(width), "{longest:?} columns of {width}:\n{drawn}");
    // A line of its own keeps the snapshot from being unindented.
    format!("{width} columns\n{drawn}")
}

#[test]
fn rows_fit_60_columns_and_names_that_do_not_fit_a_lane_stand_in_the_notes() {
    expect![[r#"
        60 columns
                 n1  n2  n3  n4  n5  n6  n7   @N: sent at step N
              1  │   │   │   ●   │   │   │    request; "hello"; n4 …
              2  │   │   │   ○──▶●   │   │    Word @1; hello; n5 he…
            3-4  ●   │   │   │   │   │   │    tick ×2
              5  ●◀─Word @1──○   │   │   │    hello; n1 heard word=…
              6  │   │   │   ✗   │   │   │    Word n4>n7#1 @1 is lo…
              7  │   ✂╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌✂   │    cut n2-n6
              8  │   │   ●   │   │   │   │
                 │ request; "panic"; n3 panics in request: assertion
                 │ `left != right` failed: somebody said panic
                 │ left: "panic"  right: "panic"
                 │ (crates/report/tests/reports/speaker.rs:47:9)
    "#]]
    .assert_eq(&at_width(7, &SEVEN, 60));
}

#[test]
fn rows_fit_80_columns() {
    expect![[r#"
        80 columns
                 n1    n2    n3    n4    n5    n6    n7     @N: sent at step N
              1  │     │     │     ●     │     │     │      request; "hello"; n4 answer…
              2  │     │     │     ○────▶●     │     │      Word @1; hello; n5 heard wo…
            3-4  ●     │     │     │     │     │     │      tick ×2
              5  ●◀───────Word @1──○     │     │     │      hello; n1 heard word=hello …
              6  │     │     │     ✗     │     │     │      Word n4>n7#1 @1 is lost
              7  │     ✂╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌✂     │      cut n2-n6
              8  │     │     ●     │     │     │     │
                 │ request; "panic"; n3 panics in request: assertion `left != right`
                 │ failed: somebody said panic   left: "panic"  right: "panic"
                 │ (crates/report/tests/reports/speaker.rs:47:9)
    "#]]
    .assert_eq(&at_width(7, &SEVEN, 80));
}

#[test]
fn at_140_columns_nothing_is_cut() {
    expect![[r#"
        140 columns
                 n1          n2          n3          n4          n5          n6          n7           @N: sent at step N
              1  │           │           │           ● request   │           │           │            "hello"; n4 answers request 1: 0
              2  │           │           │           ○──Word @1─▶●           │           │            hello; n5 heard word=hello count=1
            3-4  ● tick ×2   │           │           │           │           │           │
              5  ●◀─────────────────────────Word @1──○           │           │           │            hello; n1 heard word=hello count=1
              6  │           │           │           ✗ lost Word │           │           │            Word n4>n7#1 @1 is lost
              7  │           ✂╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌✂           │            cut n2-n6
              8  │           │           ● request   │           │           │           │
                 │ "panic"; n3 panics in request: assertion `left != right` failed: somebody said panic   left: "panic"  right: "panic"
                 │ (crates/report/tests/reports/speaker.rs:47:9)
    "#]].assert_eq(&at_width(7, &SEVEN, 140));
}

#[test]
fn every_width_and_every_number_of_nodes_fits() {
    for nodes in [3, 5, 7, 11, 20] {
        let lines = [
            "request n1 \"hello\"",
            "deliver n1>n2#1 Word",
            "deliver n1>n1#1 Word",
            "crash n2",
            "request n1 \"panic\"",
        ];
        for width in [60, 61, 72, 80, 97, 110, 140, 200] {
            let drawn = at_width(nodes, &lines, width);
            // Together in the lane or in the notes, or the name here and the number there.
            assert!(
                drawn.contains("Word @1") || drawn.contains("─Word─") && drawn.contains(" @1; "),
                "{drawn}"
            );
            assert!(drawn.replace(['\n', ' ', '│'], "").contains("somebodysaidpanic"), "{drawn}");
        }
    }
}

#[test]
fn rounds_are_drawn_as_columns_and_phases_are_set_apart() {
    let lines = [
        "round 0 begin n1,n2,n3",
        "round 1 ask n1,n2,n3",
        "round 1 tell n1,n3",
        "round 2 ask n1",
        "round 2 tell none",
    ];
    expect![[r#"
        rounds
          phase  1   2
          n1     ● ●│● ·
          n2     ● ·│· ·
          n3     ● ●│· ·
          rounds of a phase: ask, tell
    "#]]
    .assert_eq(&format!("rounds\n{}", rounds_chart(&play(3, &lines)).expect("somebody is isolated")));
    assert_eq!(rounds_chart(&play(3, &lines[..2])), None, "nobody is isolated");
}

#[test]
fn disorder_is_what_is_missed_and_what_is_overtaken() {
    let lines = [
        "request n1 \"a\"",
        "request n1 \"b\"",
        "request n2 \"c\"",
        "deliver n2>n3#1 Word",
        "deliver n1>n3#2 Word",
        "deliver n1>n3#1 Word",
        "drop n1>n2#1 Word",
    ];
    // Three requests send three words each. n3 receives them as c, b, a: three pairs out of order.
    let disorder = Disorder::of(&play(3, &lines).board);
    assert_eq!(disorder, Disorder { sent: 9, missed: 6, overtaken: 3 });
}
