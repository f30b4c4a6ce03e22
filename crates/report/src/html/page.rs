//! The page as a whole.

use data_encoding::BASE64;
use sha2::{Digest, Sha256};

use super::budget::findings;
use super::input::HtmlReport;
use super::{beside, comparison, curves, front, history};
use crate::escape::text;

/// The largest page that [`render`] makes, in bytes, whatever it is given.
pub const PAGE_SIZE_MAX: usize = 5 << 20;

const STYLE: &str = concat!(include_str!("page.css"), include_str!("tools.css"));
/// One script, in the order in which its parts need each other.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("script/page.js"),
    include_str!("script/changes.js"),
    include_str!("script/layout.js"),
    include_str!("script/overview.js"),
    include_str!("script/tools.js"),
    include_str!("script/finding.js"),
    include_str!("script/keys.js"),
    "})();\n"
);

/// The script says which theme was chosen before the page is first drawn, so that it does not flash in the
/// other one.
const THEME: &str = "try{const t=localStorage.getItem('shakedown-theme');if(t)document.documentElement.dataset.theme=t}catch(e){}";

/// What the browser is told to refuse: anything from elsewhere, and any script but ours, which it knows by
/// their digests. So foreign text could do nothing even if it got past the escaping. It is in every page; a
/// server sends it as a header, too.
pub fn policy() -> String {
    let [first, second] = [THEME, SCRIPT].map(|script| BASE64.encode(&Sha256::digest(script)));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{first}' 'sha256-{second}'; \
         base-uri 'none'; form-action 'none'"
    )
}

/// Makes one self-contained HTML file, at most [`PAGE_SIZE_MAX`] bytes long. What had to be left out is said
/// in it.
pub fn render(report: &HtmlReport) -> String {
    let mut page = String::with_capacity(64 << 10);
    put!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"generator\" content=\"Shakedown {}\">\n\
         <title>{} · Shakedown</title>\n<script>{THEME}</script>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        policy(),
        env!("CARGO_PKG_VERSION"),
        text(&report.title, 200)
    );
    page.push_str("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
    front::bar(&mut page, report);
    page.push_str("<main id=\"content\">\n");
    front::summary(&mut page, report);
    curves::plots(&mut page, &report.plots);
    comparison::section(&mut page, &report.comparisons);
    if let Some(beside) = &report.beside {
        beside::section(&mut page, beside);
    }
    let end = foot();
    let room = PAGE_SIZE_MAX.saturating_sub(page.len() + end.len());
    page.push_str(&findings(&report.findings, room));
    let room = PAGE_SIZE_MAX.saturating_sub(page.len() + end.len() + 200);
    history::section(&mut page, &report.histories, room);
    page.push_str(&end);
    debug_assert!(page.len() <= PAGE_SIZE_MAX, "every part of a page has its limit");
    page
}

fn foot() -> String {
    format!(
        "</main>\n<footer>Made by Shakedown {}. One file, no network. \
         Keys: <kbd>→</kbd> <kbd>←</kbd> or <kbd>j</kbd> <kbd>k</kbd> go through the steps of a finding, \
         <kbd>Home</kbd> <kbd>End</kbd> to its first and last, <kbd>Esc</kbd> shows all of it; <kbd>/</kbd> searches, \
         <kbd>c</kbd> causes, <kbd>f</kbd> folds idle steps, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom, <kbd>w</kbd> full width.</footer>\n\
         <div class=\"tip-box\" role=\"tooltip\" hidden></div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}
