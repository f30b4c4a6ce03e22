//! What clients did over time: a lane for each client, a bar for each operation, a dot where the order that
//! was found lets it take effect, and the operation that no order explains.

use super::history::{Timeline, TimelineBar};
use crate::escape::text;

/// The most operations that are drawn: the last ones.
const BARS_MAX: usize = 60;
const LEFT: usize = 96;
const TOP: usize = 34;
const LANE: usize = 54;
/// How far two events are from each other.
const STEP: usize = 62;
const LABEL_CHARACTERS_MAX: usize = 16;

pub(super) fn draw(page: &mut String, timeline: &Timeline) {
    let mut bars: Vec<&TimelineBar> =
        timeline.bars.iter().filter(|bar| bar.client < timeline.clients.len()).collect();
    bars.sort_by_key(|bar| {
        (bar.is_culprit, bar.ended.unwrap_or(u32::MAX).min(bar.began.saturating_add(1 << 20)))
    });
    let hidden = bars.len().saturating_sub(BARS_MAX);
    let bars = &bars[hidden..];
    let mut lanes: Vec<usize> = bars.iter().map(|bar| bar.client).collect();
    lanes.sort_unstable();
    lanes.dedup();
    let mut times: Vec<u32> = bars.iter().flat_map(|bar| [Some(bar.began), bar.ended]).flatten().collect();
    times.sort_unstable();
    times.dedup();
    let x = |time: u32| LEFT + STEP * times.partition_point(|known| *known < time) + STEP / 2;
    let (width, height) = (LEFT + STEP * (times.len() + 1), TOP + LANE * lanes.len() + 12);
    let whole = width + LEFT;
    put!(
        page,
        "<figure class=\"card timeline\">\n<figcaption>What clients did <small>time goes to the right; a dot: where the order lets \
         it take effect; dashed: no answer</small></figcaption>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline\">\
         <svg width=\"{whole}\" height=\"{height}\" role=\"img\" aria-label=\"What clients did over time\">"
    );
    for (place, lane) in lanes.iter().enumerate() {
        let y = TOP + LANE * place + LANE / 2;
        let name = text(&timeline.clients[*lane], 12);
        put!(
            page,
            "<path class=\"lane\" d=\"M{LEFT} {y}H{width}\"/><text class=\"client\" x=\"{}\" y=\"{}\">{name}</text>\
             <text class=\"client-again\" x=\"{}\" y=\"{}\">{name}</text>",
            LEFT - 12,
            y + 4,
            width + 12,
            y + 4,
        );
    }
    let lane_of = |client: usize| lanes.partition_point(|lane| *lane < client);
    for bar in bars {
        put_bar(
            page,
            bar,
            TOP + LANE * lane_of(bar.client) + LANE / 2,
            x(bar.began),
            bar.ended.map(x),
            width,
        );
    }
    put_order(page, bars, &x, |client| TOP + LANE * lane_of(client) + LANE / 2);
    if let Some(end) = bars.iter().find(|bar| bar.is_culprit).and_then(|bar| bar.ended) {
        put!(page, "<path class=\"break\" d=\"M{0} {1}V{height}\"/>", x(end), TOP - 14);
        put!(
            page,
            "<text class=\"break-name\" x=\"{}\" y=\"{}\">no order explains this answer</text>",
            x(end),
            TOP - 18
        );
    }
    page.push_str("</svg></div>\n</figure>\n");
    if hidden > 0 {
        put!(page, "<p class=\"limit\">{hidden} earlier operations are left out of the drawing.</p>\n");
    }
}

fn put_bar(page: &mut String, bar: &TimelineBar, y: usize, from: usize, to: Option<usize>, width: usize) {
    let end = to.unwrap_or(width - 6);
    let class = match (bar.is_culprit, to.is_some()) {
        (true, _) => "op culprit",
        (false, true) => "op",
        (false, false) => "op open",
    };
    put!(
        page,
        "<g class=\"{class}\"><title>{}</title><rect x=\"{from}\" y=\"{}\" width=\"{}\" height=\"16\" rx=\"5\"/>\
         <text x=\"{from}\" y=\"{}\">{}</text></g>",
        text(&bar.label, 400),
        y - 8,
        end.saturating_sub(from).max(6),
        y - 13,
        text(&bar.label, LABEL_CHARACTERS_MAX)
    );
}

/// Where operations take effect in the order that was found: as early as they can.
fn put_order(
    page: &mut String,
    bars: &[&TimelineBar],
    x: &impl Fn(u32) -> usize,
    y: impl Fn(usize) -> usize,
) {
    let mut ordered: Vec<&&TimelineBar> = bars.iter().filter(|bar| bar.place.is_some()).collect();
    ordered.sort_by_key(|bar| bar.place);
    let mut latest = 0;
    let mut points = Vec::new();
    for bar in ordered {
        let end = bar.ended.map_or(usize::MAX, |ended| x(ended).saturating_sub(4));
        latest = (latest + 7).max(x(bar.began) + 6).min(end.max(x(bar.began)));
        points.push((latest, y(bar.client)));
    }
    let way: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    put!(page, "<polyline class=\"order\" points=\"{}\"/>", way.join(" "));
    for (x, y) in points {
        put!(page, "<circle class=\"effect\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>");
    }
}
