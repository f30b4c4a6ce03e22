//! Coverage over executions: a curve for each strategy, with a band around it.
//!
//! Drawn by our own code: colours come from the page's style sheet, so that one drawing serves light, dark
//! and print, and plotting crates write colours into the drawing.

use super::COLOURS;
use super::comparison::number;
use super::input::{CoverageCurve, CoveragePlot, CoveragePoint};
use crate::escape::text;

const PLOTS_MAX: usize = 8;
const CURVES_MAX: usize = 12;
/// The most points of a curve that are drawn; others in between are left out, which nobody can see.
const POINTS_MAX: usize = 160;

const WIDTH: f64 = 540.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;

/// The section with all plots.
pub(super) fn plots(page: &mut String, plots: &[CoveragePlot]) {
    if plots.is_empty() {
        return;
    }
    page.push_str("<section id=\"coverage\" aria-labelledby=\"coverage-title\">\n<h2 id=\"coverage-title\">Coverage</h2>\n<div class=\"plots\">\n");
    for plot in plots.iter().take(PLOTS_MAX) {
        figure(page, plot);
    }
    page.push_str("</div>\n");
    if plots.len() > PLOTS_MAX {
        put!(page, "<p class=\"limit\">{} plots are left out.</p>\n", plots.len() - PLOTS_MAX);
    }
    page.push_str("</section>\n");
}

/// One plot.
pub(super) fn figure(page: &mut String, plot: &CoveragePlot) {
    let curves: Vec<(&CoverageCurve, Vec<CoveragePoint>)> =
        plot.curves.iter().take(CURVES_MAX).map(|curve| (curve, thinned(&curve.points))).collect();
    let scale = Scale::of(&curves);
    let band = if plot.band.is_empty() { String::new() } else { format!("band: {}", plot.band) };
    put!(
        page,
        "<figure class=\"card plot\">\n<figcaption>{} <small>{}</small></figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} over executions\">\n",
        text(&plot.measure, 100),
        text(&band, 120),
        text(&plot.measure, 100)
    );
    scale.axes(page);
    for (place, (_, points)) in curves.iter().enumerate() {
        if points.iter().any(|point| point.low < point.high) {
            let upper = points.iter().map(|point| (point.executions, point.high));
            let lower = points.iter().rev().map(|point| (point.executions, point.low));
            let path = scale.path(upper.chain(lower));
            put!(page, "<path class=\"band k{}\" d=\"{path}Z\"/>\n", place % COLOURS);
        }
    }
    for (place, (curve, points)) in curves.iter().enumerate() {
        let path = scale.path(points.iter().map(|point| (point.executions, point.mean)));
        let dash = if place >= COLOURS { " again" } else { "" };
        put!(
            page,
            "<path class=\"curve k{}{dash}\" d=\"{path}\"><title>{}</title></path>\n",
            place % COLOURS,
            text(&curve.label, 80)
        );
    }
    page.push_str("</svg>\n<ul class=\"legend\">");
    for (place, (curve, points)) in curves.iter().enumerate() {
        let last = points.last().map_or(String::new(), final_value);
        put!(
            page,
            "<li class=\"k{}\"><i></i>{} <small>{last}</small></li>",
            place % COLOURS,
            text(&curve.label, 80)
        );
    }
    if plot.curves.len() > CURVES_MAX {
        put!(page, "<li>and {} more</li>", plot.curves.len() - CURVES_MAX);
    }
    page.push_str("</ul>\n</figure>\n");
}

fn final_value(point: &CoveragePoint) -> String {
    if point.low < point.high {
        format!("{} ({}–{})", number(point.mean), number(point.low), number(point.high))
    } else {
        number(point.mean)
    }
}

/// At most [`POINTS_MAX`] points, first and last among them.
fn thinned(points: &[CoveragePoint]) -> Vec<CoveragePoint> {
    let is_finite =
        |point: &&CoveragePoint| [point.mean, point.low, point.high].iter().all(|v| v.is_finite());
    let points: Vec<_> = points.iter().filter(is_finite).copied().collect();
    if points.len() <= POINTS_MAX {
        return points;
    }
    let last = points.len() - 1;
    (0..POINTS_MAX).map(|place| points[place * last / (POINTS_MAX - 1)]).collect()
}

/// From numbers to places.
struct Scale {
    executions: f64,
    top: f64,
    step_x: f64,
    step_y: f64,
}

impl Scale {
    fn of(curves: &[(&CoverageCurve, Vec<CoveragePoint>)]) -> Scale {
        let points = || curves.iter().flat_map(|(_, points)| points);
        let executions = points().map(|point| point.executions as f64).fold(1.0, f64::max);
        let most = points().map(|point| point.high.max(point.mean)).fold(1e-9, f64::max);
        let (step_x, step_y) = (nice(executions / 5.0), nice(most / 4.0));
        Scale { executions, top: (most / step_y).ceil() * step_y, step_x, step_y }
    }

    fn x(&self, executions: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * executions / self.executions
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value / self.top).clamp(0.0, 1.0);
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
    }

    fn path(&self, points: impl Iterator<Item = (u64, f64)>) -> String {
        let mut path = String::new();
        for (executions, value) in points {
            let mark = if path.is_empty() { 'M' } else { 'L' };
            put!(path, "{mark}{:.1} {:.1}", self.x(executions as f64), self.y(value));
        }
        path
    }

    fn axes(&self, page: &mut String) {
        for place in 0..=ticks(self.top, self.step_y) {
            let value = f64::from(place) * self.step_y;
            let y = self.y(value);
            put!(
                page,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{}\"/><text class=\"tick-y\" x=\"{}\" y=\"{:.1}\">{}</text>\n",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
                short(value)
            );
        }
        for place in 0..=ticks(self.executions, self.step_x) {
            let value = f64::from(place) * self.step_x;
            let x = self.x(value);
            put!(
                page,
                "<text class=\"tick-x\" x=\"{x:.1}\" y=\"{}\">{}</text>\n",
                HEIGHT - BOTTOM + 18.0,
                short(value)
            );
        }
        put!(page, "<text class=\"axis\" x=\"{}\" y=\"{}\">executions</text>\n", WIDTH - RIGHT, HEIGHT - 4.0);
    }
}

fn ticks(end: f64, step: f64) -> u32 {
    ((end / step + 1e-9).floor() as u32).min(20)
}

/// The next number of the form 1, 2 or 5 times a power of ten.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let factor =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= value * 0.999).unwrap_or(10.0);
    factor * power
}

/// A number of an axis in a few characters.
fn short(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 1e9 => return format!("{v:.0e}"),
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e4 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let text = format!("{value:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        for (value, expected) in [(0.9, 1.0), (1.2, 2.0), (23.0, 50.0), (60.0, 100.0), (1.0, 1.0)] {
            assert_eq!(nice(value), expected, "{value}");
        }
        for (value, expected) in
            [(0.0, "0"), (0.25, "0.25"), (1500.0, "1500"), (20_000.0, "20k"), (2.5e6, "2.5M")]
        {
            assert_eq!(short(value), expected);
        }
    }

    #[test]
    fn a_thinned_curve_keeps_its_ends_and_drops_what_is_not_finite() {
        let point = |executions| CoveragePoint { executions, mean: 1.0, low: 1.0, high: 1.0 };
        let thin = thinned(&(0..10_000).map(point).collect::<Vec<_>>());
        assert_eq!((thin.len(), thin[0].executions, thin[POINTS_MAX - 1].executions), (POINTS_MAX, 0, 9_999));
        assert_eq!(thinned(&[CoveragePoint { mean: f64::NAN, ..point(1) }, point(2)]), [point(2)]);
    }
}
