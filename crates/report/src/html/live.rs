//! The live page: campaigns while they run, what they find as they find it, and what was found on which day.
//!
//! It is plain data ([`LivePage`]) and its markup, in parts with names: a server sends the whole page once
//! ([`LivePage::render`]) and then only the parts that have changed ([`LivePage::parts`]), so there is one
//! place where markup is made, and the page is whole without its script. Whatever comes from a target is
//! escaped here, as in reports.

mod card;
mod past;

use super::input::{CoveragePlot, ReportVerdict};
use crate::escape::text;
use crate::grouped;

/// The most campaigns that are shown, running ones first.
pub const CAMPAIGNS_MAX: usize = 60;
/// The most errors that are shown.
const ERRORS_MAX: usize = 20;

/// The style sheet: that of reports, and what is the live page's own.
pub const LIVE_STYLE: &str = concat!(include_str!("page.css"), include_str!("live/live.css"));
/// The script. It only puts changed parts into their places.
pub const LIVE_SCRIPT: &str = include_str!("live/live.js");
/// What the browser has to refuse: anything from elsewhere, scripts and styles in the page itself, and being
/// framed.
pub const LIVE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; \
                               form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A moment: milliseconds since 1970.
pub type Moment = u64;

/// Everything that the live page shows.
#[derive(Clone, Debug, Default)]
pub struct LivePage {
    /// The folder that is looked at.
    pub folder: String,
    /// The campaigns, in the order in which they are shown.
    pub campaigns: Vec<LiveCampaign>,
    /// How many campaigns there are beyond these.
    pub left_out: usize,
    /// What was found on which day, the latest first.
    pub days: Vec<LiveDay>,
    /// Everything that was ever found, the latest first.
    pub failures: Vec<LiveFailure>,
    /// Folders that cannot be read, and why.
    pub errors: Vec<String>,
    /// The fleet that is looked at, if one is.
    pub fleet: Option<LiveFleet>,
}

/// A fleet.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LiveFleet {
    /// Its workers.
    pub workers: Vec<LiveWorker>,
    /// How many batches wait for a worker, how many are with one, and how many of those were given to more
    /// than one.
    pub batches: [u64; 3],
    /// How many reports wait for their coordinators.
    pub reports: u64,
    /// Why nothing is known of it, if nothing is.
    pub error: Option<String>,
}

/// A worker of a fleet.
#[derive(Clone, PartialEq, Debug)]
pub struct LiveWorker {
    /// Its host and process.
    pub name: String,
    /// How many executions it has run.
    pub executions: u64,
    /// How many of them a second.
    pub rate: f64,
    /// The share of its life in which it worked.
    pub busy: f64,
    /// How many batches came to it that another worker had not finished.
    pub redelivered: u64,
    /// The campaign that it runs now.
    pub campaign: String,
}

/// The most workers that are shown, one in a row.
const WORKERS_MAX: usize = 100;

impl LiveFleet {
    /// The fleet as a card of the page.
    fn card(&self) -> String {
        let mut html = String::new();
        html.push_str("<section class=\"card\" aria-label=\"Fleet\"><h2>Fleet</h2>");
        if let Some(error) = &self.error {
            put!(html, "<p>{}</p></section>", text(error, 400));
            return html;
        }
        let rate: f64 = self.workers.iter().map(|worker| worker.rate).sum();
        let [waiting, under_way, redelivered] = self.batches;
        put!(
            html,
            "<p class=\"counts\"><span><b>{}</b> workers</span><span><b>{}</b> executions a second</span><span><b>{}</b> batches \
             wait, <b>{}</b> are with workers, <b>{}</b> were delivered again</span><span><b>{}</b> reports wait</span></p>",
            self.workers.len(),
            grouped(rate as u64),
            grouped(waiting),
            grouped(under_way),
            grouped(redelivered),
            grouped(self.reports),
        );
        html.push_str(
            "<table><thead><tr><th>worker</th><th>executions</th><th>a second</th><th>busy</th><th>delivered again</th>\
             <th>campaign</th></tr></thead><tbody>",
        );
        for worker in self.workers.iter().take(WORKERS_MAX) {
            put!(
                html,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.0} %</td><td>{}</td><td>{}</td></tr>",
                text(&worker.name, 100),
                grouped(worker.executions),
                grouped(worker.rate as u64),
                100.0 * worker.busy,
                grouped(worker.redelivered),
                text(&worker.campaign, 100),
            );
        }
        html.push_str("</tbody></table></section>");
        html
    }
}

/// What is known of a campaign's process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiveState {
    /// A process works on it, and has stored nothing yet.
    Starting,
    /// A process works on it.
    Running,
    /// No process works on it, and it has not come to its end.
    Stopped,
    /// No process works on it, and it has not begun.
    NotBegun,
    /// It has come to its end.
    Over,
}

impl LiveState {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            LiveState::Starting => ("running", "starting"),
            LiveState::Running => ("running", "running"),
            LiveState::Stopped => ("stopped", "stopped"),
            LiveState::NotBegun => ("stopped", "not begun"),
            LiveState::Over => ("over", "finished"),
        }
    }

    /// Whether a process works on it.
    pub fn is_running(self) -> bool {
        matches!(self, LiveState::Starting | LiveState::Running)
    }
}

/// A campaign.
#[derive(Clone, Debug)]
pub struct LiveCampaign {
    /// Its name in addresses: letters, digits and hyphens.
    pub id: String,
    /// What is tested.
    pub title: String,
    /// Strategy, seed, options and what else tells it apart.
    pub about: String,
    /// Its folder, below the one that is looked at.
    pub folder: String,
    /// What is known of its process.
    pub state: LiveState,
    /// What has come of it so far.
    pub verdict: ReportVerdict,
    /// How many executions were run.
    pub executions: u64,
    /// How many there are to be.
    pub planned: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many executions a second there were of late, if it runs.
    pub rate: Option<f64>,
    /// The same for a number of moments, the latest last.
    pub rates: Vec<f64>,
    /// How many executions a second there were on the whole.
    pub mean_rate: Option<f64>,
    /// For how many seconds it has run.
    pub seconds: f64,
    /// When it was stored last.
    pub stored: Option<Moment>,
    /// What its guides have seen.
    pub guides: Vec<LiveGuide>,
    /// Its curves.
    pub plots: Vec<CoveragePlot>,
    /// What it has found.
    pub findings: Vec<LiveFinding>,
    /// The first and the last execution that can be looked at, or why none can.
    pub browse: Result<(u64, u64), String>,
}

/// What a guide has seen.
#[derive(Clone, Debug)]
pub struct LiveGuide {
    /// The guide.
    pub name: String,
    /// How much it has seen.
    pub covered: u64,
    /// The execution that saw something new last, counted from 1; 0 if there was none.
    pub last_new: u64,
    /// When that was, if the campaign runs.
    pub since: Option<Since>,
}

/// When something was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Since {
    /// It was watched.
    Seen(Moment),
    /// It was before anyone watched: by the mean speed of the campaign, at about this moment.
    About(Moment),
}

/// A finding of a campaign.
#[derive(Clone, Debug)]
pub struct LiveFinding {
    /// Its number in the campaign, counted from 1.
    pub number: usize,
    /// The property that is violated.
    pub property: String,
    /// What was seen.
    pub reason: String,
    /// How many steps its schedule has.
    pub steps: usize,
    /// Whether it was shrunk.
    pub is_shrunk: bool,
    /// How many executions violated the same.
    pub hits: u64,
    /// In which execution it was found.
    pub execution: u64,
    /// When it was written.
    pub found: Option<Moment>,
    /// What a replay came to, if one was asked for.
    pub replay: Option<LiveReplay>,
}

/// What a replay of a finding has come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiveReplay {
    /// It is not over.
    Waiting,
    /// It is over: in a word or two, what it came to, and what else there is to know.
    Done {
        /// "still fails", "fixed", ….
        word: String,
        /// What else there is to know; may be empty.
        detail: String,
    },
}

impl LiveReplay {
    /// Whether the schedule violates nothing any more.
    pub fn is_fixed(&self) -> bool {
        matches!(self, LiveReplay::Done { word, .. } if word == "fixed")
    }
}

/// What was found on a day.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LiveDay {
    /// The day: `2026-01-31`.
    pub day: String,
    /// How many campaigns were stored last on this day.
    pub campaigns: usize,
    /// How many executions they had.
    pub executions: u64,
    /// What was found for the first time.
    pub new: usize,
    /// What had been found on an earlier day.
    pub known: usize,
    /// What had been found on an earlier day, and not by the campaigns of this day that could have.
    pub unseen: usize,
    /// What of that violates nothing any more when it is replayed.
    pub fixed: usize,
}

/// Something that was found, by whichever campaigns.
#[derive(Clone, Debug)]
pub struct LiveFailure {
    /// The property that is violated.
    pub property: String,
    /// Target and options.
    pub case: String,
    /// The day on which it was first found.
    pub first: String,
    /// The last day on which a campaign found it for itself.
    pub last: String,
    /// How many campaigns have found it.
    pub campaigns: usize,
    /// The campaign and the number of the latest finding of it.
    pub latest: (String, usize),
    /// What a replay came to, if one was asked for.
    pub replay: Option<LiveReplay>,
}

impl LivePage {
    /// The names and the markup of all parts that may change.
    pub fn parts(&self) -> Vec<(String, String)> {
        let mut parts = vec![
            ("front".to_owned(), self.front()),
            ("history-days".to_owned(), past::days(&self.days)),
            ("history-failures".to_owned(), past::failures(&self.failures)),
        ];
        for campaign in &self.campaigns {
            for (name, html) in card::parts(campaign) {
                parts.push((format!("{}-{name}", campaign.id), html));
            }
        }
        parts
    }

    /// The names of the campaigns in the order in which they are shown.
    pub fn order(&self) -> Vec<String> {
        self.campaigns.iter().map(|campaign| campaign.id.clone()).collect()
    }

    fn front(&self) -> String {
        let mut html = String::new();
        let running = self.campaigns.iter().filter(|campaign| campaign.state.is_running()).count();
        let executions: u64 = self.campaigns.iter().map(|campaign| campaign.executions).sum();
        let count = |number: usize, one: &str, several: &str| match number {
            1 => format!("<b>1</b> {one}"),
            number => format!("<b>{}</b> {several}", grouped(number as u64)),
        };
        put!(
            html,
            "<p class=\"counts\"><span class=\"{}\">{}</span><span>{}</span><span><b>{}</b> executions</span><span class=\"{}\">{}</span></p>",
            if running > 0 { "is-on" } else { "" },
            count(running, "running", "running"),
            count(self.campaigns.len() + self.left_out, "campaign", "campaigns"),
            grouped(executions),
            if self.failures.is_empty() { "" } else { "is-bad" },
            count(self.failures.len(), "failure", "different failures"),
        );
        if !self.errors.is_empty() {
            html.push_str("<ul class=\"warnings\" aria-label=\"Warnings\">");
            for error in self.errors.iter().take(ERRORS_MAX) {
                put!(html, "<li>{}</li>", text(error, 400));
            }
            html.push_str("</ul>");
        }
        if let Some(fleet) = &self.fleet {
            html.push_str(&fleet.card());
        }
        if self.campaigns.is_empty() {
            html.push_str(
                "<p class=\"card empty\">No campaign is stored here yet. <code>shakedown run TARGET --keep DIR</code>, with a \
                 DIR in this folder, appears here as soon as it runs.</p>",
            );
        }
        if self.left_out > 0 {
            put!(
                html,
                "<p class=\"limit\">{} more campaigns are not shown.</p>",
                grouped(self.left_out as u64)
            );
        }
        html
    }

    /// The whole page. `version` is the one that its parts are of.
    pub fn render(&self, version: u64) -> String {
        let parts: std::collections::BTreeMap<String, String> = self.parts().into_iter().collect();
        let part = |name: &str| parts.get(name).map(String::as_str).unwrap_or_default();
        let mut main = String::new();
        put!(
            main,
            "<h1>{}</h1>\n<div id=\"front\">{}</div>\n\
             <p class=\"spoken\" role=\"status\" id=\"news\"></p>\n\
             <section aria-labelledby=\"campaigns-title\"><h2 id=\"campaigns-title\" class=\"spoken\">Campaigns</h2>\n\
             <div id=\"campaigns\">\n",
            text(&self.folder, 200),
            part("front")
        );
        for campaign in &self.campaigns {
            let id = &campaign.id;
            put!(main, "<article class=\"card campaign\" id=\"{id}\" aria-labelledby=\"{id}-title\">");
            for name in card::PARTS {
                put!(
                    main,
                    "<div class=\"{name}\" id=\"{id}-{name}\">{}</div>",
                    part(&format!("{id}-{name}"))
                );
            }
            main.push_str("</article>\n");
        }
        put!(
            main,
            "</div></section>\n<section id=\"history\" aria-labelledby=\"history-title\"><h2 id=\"history-title\">History</h2>\n\
             <div id=\"history-days\">{}</div>\n<div id=\"history-failures\">{}</div></section>\n",
            part("history-days"),
            part("history-failures")
        );
        let nav = "<a href=\"#campaigns\">Campaigns</a><a href=\"#history\">History</a>";
        document(&self.folder, nav, &main, "", &format!(" data-version=\"{version}\""))
    }
}

/// A page with a message, such as why something cannot be shown. `up` is the relative address of the live
/// page.
pub fn message_page(title: &str, message: &str, up: &str) -> String {
    let mut main = String::new();
    put!(
        main,
        "<h1>{}</h1>\n<p class=\"reason\">{}</p>\n<p><a href=\"{}\">All campaigns</a></p>\n",
        text(title, 200),
        text(message, 2_000),
        text(up, 100)
    );
    document(title, "", &main, up, "")
}

/// A page of the server. `up` leads to where its style sheet is.
fn document(title: &str, nav: &str, main: &str, up: &str, attributes: &str) -> String {
    let mut page = String::new();
    put!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{} · Shakedown</title>\n<script src=\"{up}live.js\"></script>\n<link rel=\"stylesheet\" href=\"{up}live.css\">\n\
         <link rel=\"icon\" href=\"data:,\">\n</head>\n<body class=\"live\"{attributes}>\n\
         <a class=\"skip\" href=\"#content\">Skip to the content</a>\n",
        text(title, 200)
    );
    super::front::top(&mut page, up, nav, "<span class=\"link\" id=\"link\" role=\"status\"></span>");
    put!(
        page,
        "<main id=\"content\">\n{main}</main>\n<footer>Shakedown {}. This page is served on this machine only, to whoever has its \
         address.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign(id: &str) -> LiveCampaign {
        LiveCampaign {
            id: id.to_owned(),
            title: "<raft>".to_owned(),
            about: "random, \"seed\" 1".to_owned(),
            folder: "a&b".to_owned(),
            state: LiveState::Running,
            verdict: ReportVerdict::Fail,
            executions: 1_200,
            planned: 10_000,
            failed: 3,
            rate: Some(99.0),
            rates: vec![1.0, 5.0, 3.0],
            mean_rate: Some(80.0),
            seconds: 15.0,
            stored: Some(1),
            guides: vec![LiveGuide {
                name: "<state>".to_owned(),
                covered: 7,
                last_new: 1_100,
                since: Some(Since::About(1)),
            }],
            plots: Vec::new(),
            findings: vec![LiveFinding {
                number: 1,
                property: "<script>alert(1)</script>".to_owned(),
                reason: "'\"><img src=x>".to_owned(),
                steps: 20,
                is_shrunk: true,
                hits: 3,
                execution: 77,
                found: None,
                replay: Some(LiveReplay::Done { word: "fixed".to_owned(), detail: "<b>".to_owned() }),
            }],
            browse: Err("it <learns>".to_owned()),
        }
    }

    #[test]
    fn a_page_is_made_of_its_parts_and_foreign_text_is_text() {
        let page = LivePage {
            folder: "<here>".to_owned(),
            campaigns: vec![campaign("c1-1"), campaign("c2-1")],
            failures: vec![LiveFailure {
                property: "<script>".to_owned(),
                case: "<b>".to_owned(),
                first: "2026-01-30".to_owned(),
                last: "2026-01-31".to_owned(),
                campaigns: 2,
                latest: ("c1-1".to_owned(), 1),
                replay: Some(LiveReplay::Waiting),
            }],
            days: vec![LiveDay { day: "2026-01-31".to_owned(), known: 1, ..LiveDay::default() }],
            errors: vec!["<error>".to_owned()],
            ..LivePage::default()
        };
        let whole = page.render(5);
        for (name, html) in page.parts() {
            assert!(whole.contains(&format!("id=\"{name}\">{html}</div>")), "{name}");
        }
        for foreign in ["<script>a", "<img", "<raft>", "<state>", "<here>", "<error>", "<learns>", "a&b"] {
            assert!(!whole.contains(foreign), "{foreign}");
        }
        assert_eq!(whole.matches("<script").count(), 1, "only ours");
        assert_eq!(page.order(), ["c1-1", "c2-1"]);
        assert!(message_page("<a>", "<b>", "../").contains("&lt;b&gt;"));
    }

    #[test]
    fn nothing_stored_is_said() {
        assert!(LivePage::default().render(0).contains("No campaign is stored here yet"));
    }
}
