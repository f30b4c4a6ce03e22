//! The plot of Tukey's test: the mean of each strategy with an interval, such that two strategies differ
//! significantly where their intervals do not overlap (figure 8 of the paper on ModelFuzz).

use super::comparison::number;
use super::input::MeanInterval;
use crate::escape::text;

const MEANS_MAX: usize = 40;
/// The largest power of ten that is drawn.
const POWER_MAX: f64 = 300.0;
const WIDTH: f64 = 540.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 10.0;
const ROW: f64 = 26.0;
const BOTTOM: f64 = 40.0;

/// The plot, over powers of ten; nothing if there is nothing to be drawn.
pub(super) fn plot(page: &mut String, means: &[MeanInterval]) {
    let is_drawn = |mean: &&MeanInterval| mean.low.abs() <= POWER_MAX && mean.high.abs() <= POWER_MAX;
    let means: Vec<_> = means.iter().filter(is_drawn).take(MEANS_MAX).collect();
    if means.is_empty() {
        return;
    }
    let low = means.iter().map(|mean| mean.low).fold(f64::INFINITY, f64::min).floor();
    let high = means.iter().map(|mean| mean.high).fold(f64::NEG_INFINITY, f64::max).ceil().max(low + 1.0);
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / (high - low);
    let bottom = TOP + ROW * means.len() as f64;
    put!(
        page,
        "<figure class=\"card plot\">\n<figcaption>executions until a finding <small>mean over all findings (geometric), with intervals of \
         Tukey's test: strategies whose intervals do not overlap differ</small></figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-label=\"means and intervals of Tukey's test\">\n",
        bottom + BOTTOM
    );
    let mut power = low;
    while power <= high {
        let at = x(power);
        put!(
            page,
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom:.1}\"/><text class=\"tick-x\" x=\"{at:.1}\" y=\"{:.1}\">{}</text>\n",
            bottom + 18.0,
            number(10f64.powf(power))
        );
        // A scale of many powers of ten has a line for some of them.
        power += ((high - low) / 8.0).ceil();
    }
    for (place, mean) in means.iter().enumerate() {
        let y = TOP + ROW * (place as f64 + 0.5);
        let (from, at, to) = (x(mean.low), x((mean.low + mean.high) / 2.0), x(mean.high));
        put!(
            page,
            "<text class=\"tick-y\" x=\"{}\" y=\"{:.1}\">{}</text><path class=\"curve k0\" d=\"M{from:.1} {:.1}V{:.1}M{from:.1} {y:.1}H{to:.1}M{to:.1} {:.1}V{:.1}\"/>\
             <circle class=\"mean\" cx=\"{at:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{} ({}–{})</title></circle>\n",
            LEFT - 10.0,
            y + 4.0,
            text(&mean.strategy, 24),
            y - 5.0,
            y + 5.0,
            y - 5.0,
            y + 5.0,
            number(10f64.powf((mean.low + mean.high) / 2.0)),
            number(10f64.powf(mean.low)),
            number(10f64.powf(mean.high)),
        );
    }
    page.push_str("</svg>\n</figure>\n");
}
