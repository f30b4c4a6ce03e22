//! What docs/first-protocol.md promises: the planted bug is found, shrunk, told and replayed.

use register::target;
use shakedown::Test;

#[test]
fn the_planted_bug_is_found_and_shrinks_to_four_steps() {
    let finding = Test::new(target()).executions(1_000).expect_violation("version-never-goes-back");
    expect_test::expect![[r#"
        request n1 {"write":10}
        request n1 {"write":20}
        deliver n1>n2#2 Replicate
        deliver n1>n2#1 Replicate
    "#]].assert_eq(&finding.failure.schedule.steps.iter().map(|step| format!("{step}\n")).collect::<String>());
}
