//! The card of a campaign.

use super::super::curves::figure;
use super::super::input::ReportVerdict;
use super::{LiveCampaign, LiveFinding, LiveReplay, LiveState, Moment, Since};
use crate::escape::text;
use crate::{grouped, per_second};

/// The parts of a card, in the order in which they are read.
pub(super) const PARTS: [&str; 5] = ["head", "facts", "plots", "findings", "browse"];

/// The most findings and plots of a campaign that are shown.
const FINDINGS_MAX: usize = 30;
const PLOTS_MAX: usize = 3;

pub(super) fn parts(campaign: &LiveCampaign) -> [(&'static str, String); 5] {
    let parts = [head(campaign), facts(campaign), plots(campaign), findings(campaign), browse(campaign)];
    let mut parts = parts.into_iter();
    PARTS.map(|name| (name, parts.next().unwrap_or_default()))
}

fn head(campaign: &LiveCampaign) -> String {
    let mut html = String::new();
    let (class, word) = campaign.state.words();
    let id = &campaign.id;
    put!(
        html,
        "<p class=\"eyebrow\">{}</p><h3 id=\"{id}-title\">{}</h3><p class=\"about\">{}</p><p class=\"badges\">\
         <span class=\"state {class}\"><i></i>{word}</span>",
        text(&campaign.folder, 200),
        text(&campaign.title, 120),
        text(&campaign.about, 400)
    );
    let verdict = match campaign.verdict {
        ReportVerdict::Pass => Some(("pass", "pass")),
        ReportVerdict::Fail => Some(("fail", "fail")),
        ReportVerdict::Unknown | ReportVerdict::None => None,
    };
    if let Some((class, word)) = verdict {
        put!(html, "<span class=\"{class}\"><strong class=\"badge\">{word}</strong></span>");
    }
    html.push_str("</p>");
    html
}

fn facts(campaign: &LiveCampaign) -> String {
    let mut html = String::new();
    let LiveCampaign { executions, planned, .. } = *campaign;
    put!(
        html,
        "<progress max=\"{planned}\" value=\"{}\" aria-label=\"Executions\">{executions} of {planned}</progress><dl>",
        executions.min(planned)
    );
    put!(
        html,
        "<div><dt>executions</dt><dd><b>{}</b> <small>of {}</small></dd></div>",
        grouped(executions),
        grouped(planned)
    );
    put!(html, "<div><dt>a second</dt><dd>");
    let mean = campaign.mean_rate.map(per_second);
    match (campaign.rate, mean) {
        (Some(rate), Some(mean)) => {
            put!(
                html,
                "<b>{}</b> <small>mean {mean}</small>{}",
                per_second(rate),
                sparkline(&campaign.rates)
            );
        }
        (_, Some(mean)) => put!(html, "<b>{mean}</b> <small>on the whole</small>"),
        _ => html.push('–'),
    }
    html.push_str("</dd></div>");
    put!(
        html,
        "<div><dt>failed</dt><dd><b class=\"{}\">{}</b></dd></div>",
        if campaign.failed > 0 { "bad" } else { "" },
        grouped(campaign.failed)
    );
    put!(html, "<div><dt>ran for</dt><dd>{}</dd></div>", duration(campaign.seconds));
    if let Some(stored) = campaign.stored {
        put!(html, "<div><dt>stored</dt><dd>{}</dd></div>", ago(stored));
    }
    for guide in &campaign.guides {
        put!(html, "<div class=\"wide\"><dt>last new by {}</dt><dd>", text(&guide.name, 60));
        match (guide.last_new, guide.since) {
            (0, _) => html.push_str("none yet"),
            (last, since) => {
                match since {
                    Some(Since::Seen(moment)) => put!(html, "<b>{}</b> ", ago(moment)),
                    Some(Since::About(moment)) => put!(html, "about <b>{}</b> ", ago(moment)),
                    None => {}
                }
                let before = match executions.saturating_sub(last) {
                    0 => "the last one".to_owned(),
                    1 => "1 execution before the last".to_owned(),
                    several => format!("{} executions before the last", grouped(several)),
                };
                put!(
                    html,
                    "<small>execution {}, {before}; {} in all</small>",
                    grouped(last),
                    grouped(guide.covered)
                );
            }
        }
        html.push_str("</dd></div>");
    }
    html.push_str("</dl>");
    if campaign.guides.is_empty() && campaign.state != LiveState::NotBegun {
        html.push_str("<p class=\"note\">No coverage is measured, so there is no curve: add <code>--measure state</code>.</p>");
    }
    html
}

fn plots(campaign: &LiveCampaign) -> String {
    let mut html = String::new();
    for plot in campaign.plots.iter().take(PLOTS_MAX) {
        figure(&mut html, plot);
    }
    html
}

fn findings(campaign: &LiveCampaign) -> String {
    let mut html = String::new();
    let count = campaign.findings.len();
    put!(
        html,
        "<h4 data-count=\"{count}\">{}</h4>",
        match count {
            0 => "Nothing found".to_owned(),
            1 => "1 finding".to_owned(),
            count => format!("{count} findings"),
        }
    );
    if count == 0 {
        return html;
    }
    html.push_str("<ul class=\"found\">");
    for finding in campaign.findings.iter().take(FINDINGS_MAX) {
        one(&mut html, &campaign.id, finding);
    }
    html.push_str("</ul>");
    if count > FINDINGS_MAX {
        put!(html, "<p class=\"limit\">{} more findings are not shown.</p>", count - FINDINGS_MAX);
    }
    html
}

fn one(html: &mut String, id: &str, finding: &LiveFinding) {
    let LiveFinding { number, steps, hits, execution, .. } = *finding;
    put!(
        html,
        "<li><div><a href=\"campaign/{id}/finding/{number}\">{}</a> <span class=\"why\">{}</span>\
         <small>{steps} steps{}, execution {}, {} {}",
        text(&finding.property, 120),
        text(&finding.reason, 240),
        if finding.is_shrunk { "" } else { ", not shrunk" },
        grouped(execution),
        grouped(hits),
        if hits == 1 { "hit" } else { "hits" },
    );
    if let Some(found) = finding.found {
        put!(html, ", found {}", ago(found));
    }
    html.push_str("</small></div>");
    replay(html, id, number, &finding.property, finding.replay.as_ref());
    html.push_str("</li>");
}

/// The button that starts a replay, and what the last one came to.
pub(super) fn replay(
    html: &mut String,
    id: &str,
    number: usize,
    property: &str,
    replay: Option<&LiveReplay>,
) {
    html.push_str("<div class=\"replay\">");
    match replay {
        Some(LiveReplay::Done { word, detail }) => {
            let class = match word.as_str() {
                "fixed" => "pass",
                "still fails" | "fails otherwise" => "fail",
                _ => "unknown",
            };
            put!(
                html,
                "<span class=\"{class}\" title=\"{}\"><strong class=\"badge\">{}</strong></span>",
                text(detail, 400),
                text(word, 40)
            );
            if !detail.is_empty() {
                put!(html, "<small>{}</small>", text(detail, 160));
            }
        }
        Some(LiveReplay::Waiting) => html.push_str("<span class=\"waits\">replaying …</span>"),
        None => {}
    }
    let is_busy = replay == Some(&LiveReplay::Waiting);
    put!(
        html,
        "<form method=\"post\" action=\"campaign/{id}/finding/{number}/replay\"><button type=\"submit\" class=\"copy\"{} \
         aria-label=\"Replay {}\">Replay</button></form></div>",
        if is_busy { " disabled" } else { "" },
        text(property, 120)
    );
}

fn browse(campaign: &LiveCampaign) -> String {
    let mut html = String::new();
    let id = &campaign.id;
    match &campaign.browse {
        Ok((first, last)) => put!(
            html,
            "<form method=\"get\" action=\"campaign/{id}/execution\"><label for=\"{id}-number\">Step through execution</label> \
             <input id=\"{id}-number\" name=\"number\" type=\"number\" inputmode=\"numeric\" min=\"{first}\" max=\"{last}\" value=\"{first}\" \
             required> <button type=\"submit\" class=\"copy\">Show</button> <small>{} to {}</small></form>",
            grouped(*first),
            grouped(*last)
        ),
        Err(reason) => put!(html, "<p class=\"note\">{}</p>", text(reason, 300)),
    }
    html
}

/// A moment, as how long ago it was. The script counts on; without it, the moment stands there.
pub(super) fn ago(moment: Moment) -> String {
    format!("<time data-since=\"{moment}\">{}</time>", utc(moment))
}

/// A moment of a day, in UTC: `23:59:07 UTC`.
fn utc(moment: Moment) -> String {
    let seconds = moment / 1_000 % 86_400;
    format!("{:02}:{:02}:{:02} UTC", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

fn duration(seconds: f64) -> String {
    let whole = seconds as u64;
    match whole {
        0..=99 => format!("{seconds:.1} s"),
        100..=5_999 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3_600, whole / 60 % 60),
    }
}

/// The speed of late as a small curve, from zero up.
fn sparkline(rates: &[f64]) -> String {
    const WIDTH: f64 = 84.0;
    const HEIGHT: f64 = 20.0;
    let most = rates.iter().copied().filter(|rate| rate.is_finite()).fold(0.0, f64::max);
    if rates.len() < 2 || most <= 0.0 {
        return String::new();
    }
    let mut html =
        format!("<svg class=\"spark\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=\"true\"><path d=\"");
    for (place, rate) in rates.iter().enumerate() {
        let x = WIDTH * place as f64 / (rates.len() - 1) as f64;
        let y = HEIGHT - 1.5 - (HEIGHT - 3.0) * (rate / most).clamp(0.0, 1.0);
        put!(html, "{}{x:.1} {y:.1}", if place == 0 { "M" } else { "L" });
    }
    html.push_str("\"/></svg>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!(utc(1_000 * (86_400 * 3 + 7_384)), "02:03:04 UTC");
        for (seconds, words) in
            [(0.25, "0.2 s"), (99.0, "99.0 s"), (100.0, "1 min 40 s"), (7_260.0, "2 h 1 min")]
        {
            assert_eq!(duration(seconds), words);
        }
        assert!(sparkline(&[1.0]).is_empty() && sparkline(&[0.0, 0.0]).is_empty());
        assert!(sparkline(&[1.0, 2.0]).contains("d=\"M0.0 10.0L84.0 1.5\""));
    }
}
