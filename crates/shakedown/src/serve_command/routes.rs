//! The addresses of the site, below its token, and what each answers.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use shakedown_http::{Answer, Request};
use shakedown_report::html::live::{LIVE_POLICY, LIVE_SCRIPT, LIVE_STYLE, message_page};
use shakedown_report::html::policy;

use super::Place;
use super::access::Access;
use super::board::{Board, Browsable};
use super::workshop::Workshop;

/// The most pages that are fed at a time.
const STREAMS_MAX: usize = 24;
/// How long a page waits before it hears that the server is still there.
const PATIENCE: Duration = Duration::from_secs(15);
/// Changes are sent together, at most this often.
const PAUSE: Duration = Duration::from_millis(250);

const HTML: &str = "text/html; charset=utf-8";

/// The site.
pub(super) struct Site {
    access: Access,
    board: Arc<Board>,
    workshop: Arc<Workshop>,
    streams: Arc<AtomicUsize>,
}

impl Site {
    pub fn new(access: Access, board: Arc<Board>, workshop: Arc<Workshop>) -> Site {
        Site { access, board, workshop, streams: Arc::default() }
    }

    /// Answers a request.
    pub fn answer(&self, stream: &TcpStream, request: &Request) {
        let answer = match self.access.path(request) {
            Ok("/events") if request.method == "GET" => return self.feed(stream, request),
            Ok(path) => self.page(path, request),
            Err(answer) => answer,
        };
        guarded(answer).write(stream);
    }

    fn page(&self, path: &str, request: &Request) -> Answer {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        if let ["campaign", id, "finding", number, "replay"] = parts[..] {
            return match request.method.as_str() {
                "POST" => self.replay(id, number, request),
                _ => Answer::error(405, "a replay is started by POST").with("Allow", "POST"),
            };
        }
        if request.method != "GET" {
            return Answer::error(405, "only a replay takes POST").with("Allow", "GET");
        }
        match parts[..] {
            [] => see_other(self.access.below("")),
            [""] => live(self.board.page()),
            ["live.css"] => Answer::new("text/css; charset=utf-8", LIVE_STYLE),
            ["live.js"] => Answer::new("text/javascript; charset=utf-8", LIVE_SCRIPT),
            ["campaign", id, "finding", number] => self.finding(id, number),
            ["campaign", id, "execution"] => self.chosen(id, &request.query),
            ["campaign", id, "execution", number] => self.execution(id, number),
            _ => Answer::error(404, "there is no such page"),
        }
    }

    /// Sends what changes, as it changes, until the page is closed.
    fn feed(&self, mut stream: &TcpStream, request: &Request) {
        let place = Place::take(&self.streams);
        if place.is_beyond(STREAMS_MAX) {
            return guarded(Answer::error(503, "too many pages are open")).write(stream);
        }
        let after = request.header("last-event-id").or_else(|| value_of(&request.query, "after"));
        let mut after = after.and_then(|after| after.parse().ok()).unwrap_or(0);
        let head = guarded(Answer::new("text/event-stream", "")).head(None);
        let mut text = head + "retry: 1000\n\n";
        // A page that is closed takes nothing, and so ends this.
        while stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).is_ok() {
            text = match self.board.changes(after, PATIENCE) {
                Some((version, change)) => {
                    after = version;
                    format!("id: {version}\ndata: {change}\n\n")
                }
                None => ": still here\n\n".to_owned(),
            };
            std::thread::sleep(PAUSE);
        }
    }

    fn campaign(&self, id: &str) -> Result<Browsable, Answer> {
        self.board
            .campaign(id)
            .ok_or_else(|| missing("There is no such campaign", "It may have been removed.", "../../../"))
    }

    fn finding(&self, id: &str, number: &str) -> Answer {
        let campaign = match self.campaign(id) {
            Ok(campaign) => campaign,
            Err(answer) => return answer,
        };
        let Some(failure) = place_of(number).and_then(|place| campaign.findings.get(place)) else {
            return missing(
                "There is no such finding",
                "Findings that turn out to be the same are taken together.",
                "../../../",
            );
        };
        let links = ["← All campaigns=../../../".to_owned()];
        self.report("This finding cannot be shown", self.workshop.finding_page(&campaign, failure, &links))
    }

    /// Leads from the form to the execution that was chosen in it.
    fn chosen(&self, id: &str, query: &str) -> Answer {
        let number = value_of(query, "number").and_then(|number| number.parse::<u64>().ok());
        match (self.board.campaign(id), number) {
            (Some(_), Some(number)) => {
                see_other(self.access.below(&format!("campaign/{id}/execution/{number}")))
            }
            _ => missing("There is no such execution", "Executions have numbers.", "../../"),
        }
    }

    fn execution(&self, id: &str, number: &str) -> Answer {
        let campaign = match self.campaign(id) {
            Ok(campaign) => campaign,
            Err(answer) => return answer,
        };
        let title = "This execution cannot be shown";
        let (first, last) = match &campaign.browse {
            Ok(range) => *range,
            Err(reason) => return missing(title, reason, "../../../"),
        };
        let Some(number) = number.parse().ok().filter(|number| (first..=last).contains(number)) else {
            return missing(title, &format!("The campaign has executions {first} to {last}."), "../../../");
        };
        let mut links = vec!["← All campaigns=../../../".to_owned()];
        if number > first {
            links.push(format!("Execution {}=./{}", number - 1, number - 1));
        }
        if number < last {
            links.push(format!("Execution {}=./{}", number + 1, number + 1));
        }
        self.report(title, self.workshop.execution_page(&campaign, number, &links))
    }

    /// A page that was made by a process of its own.
    fn report(&self, title: &str, page: Result<Arc<str>, String>) -> Answer {
        match page {
            Ok(page) => Answer::new(HTML, page.as_bytes())
                .with("Content-Security-Policy", format!("{}; frame-ancestors 'none'", policy())),
            Err(reason) => missing(title, &reason, "../../../"),
        }
    }

    fn replay(&self, id: &str, number: &str, request: &Request) -> Answer {
        // Browsers name the origin of every POST; another program may leave it out, for it knows the token.
        let campaign = self.board.campaign(id);
        let failure = campaign
            .as_ref()
            .zip(place_of(number))
            .and_then(|(campaign, place)| campaign.findings.get(place));
        let Some(failure) = failure else { return Answer::error(404, "there is no such finding") };
        match self.workshop.replay(failure) {
            Ok(()) if request.header("accept").is_some_and(|accepts| accepts.contains("text/html")) => {
                see_other(self.access.below(""))
            }
            Ok(()) => Answer { status: 202, ..Answer::new("application/json", "{}\n") },
            Err((status, reason)) => Answer::error(status, reason),
        }
    }
}

/// The place of what is counted from 1.
fn place_of(number: &str) -> Option<usize> {
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// A value of a query.
fn value_of<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

fn live(page: String) -> Answer {
    Answer::new(HTML, page).with("Content-Security-Policy", LIVE_POLICY)
}

fn missing(title: &str, reason: &str, up: &str) -> Answer {
    Answer { status: 404, ..live(message_page(title, reason, up)) }
}

fn see_other(place: String) -> Answer {
    Answer { status: 303, ..Answer::new("text/plain; charset=utf-8", "") }.with("Location", place)
}

/// The answer with what every answer of the site has: nothing is kept, nothing is guessed, and no other site
/// gets at it.
fn guarded(answer: Answer) -> Answer {
    let has_policy = answer.headers.iter().any(|(name, _)| *name == "Content-Security-Policy");
    let answer = answer
        .with("Cache-Control", "no-store")
        .with("X-Content-Type-Options", "nosniff")
        .with("X-Frame-Options", "DENY")
        .with("Referrer-Policy", "same-origin")
        .with("Cross-Origin-Opener-Policy", "same-origin")
        .with("Cross-Origin-Resource-Policy", "same-origin");
    if has_policy {
        answer
    } else {
        answer.with("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
    }
}
