//! docs/tokio.md on the account.

#[path = "../../page/mod.rs"]
mod page;

#[test]
fn the_page_shows_the_code_of_the_account() {
    assert_eq!(page::expect_code("tonic-deposits", "src/service.rs"), 1);
}

#[test]
fn its_command_finds_what_it_shows() {
    page::expect_finding(env!("CARGO_BIN_EXE_shakedown-tonic-deposits"), "tonic-deposits");
}
