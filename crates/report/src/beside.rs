//! Two executions side by side, in text.

use crate::alignment::{AlignedRow, Alignment, RowKind, StepSeen};
use crate::diagram::shorten;
use crate::line;
use crate::text::{Paint, Text};

/// How many rows that are alike are shown before the first difference, and around others.
const ALIKE_SHOWN: usize = 3;
/// The columns between the two sides.
const BETWEEN: usize = 5;

/// Draws two executions beside each other, in this many columns. Rows that are alike are folded.
pub fn beside(alignment: &Alignment, titles: [&str; 2], width: usize) -> Text {
    let side = width.saturating_sub(BETWEEN + 2) / 2;
    let mut text = Text::new();
    let [left, right] = titles.map(|title| shorten(title, side));
    line!(text, "  {}{:BETWEEN$}{}", Paint.strong(format_args!("{left:side$}")), "", Paint.strong(right));
    let first = alignment.first_difference();
    let rows = &alignment.rows;
    let is_near = |place: usize| {
        let from = place.saturating_sub(ALIKE_SHOWN);
        rows[from..rows.len().min(place + ALIKE_SHOWN + 1)].iter().any(|row| row.kind != RowKind::Alike)
    };
    let mut folded = 0;
    for (place, row) in rows.iter().enumerate() {
        if !is_near(place) {
            folded += 1;
            continue;
        }
        put_folded(&mut text, std::mem::take(&mut folded));
        if first == Some(place) {
            line!(text, "  {}", Paint.bad("▼ the first difference"));
        }
        put_row(&mut text, row, side);
    }
    put_folded(&mut text, folded);
    if first.is_none() {
        line!(text, "  {}", Paint.faint("they do not differ"));
    }
    text
}

fn put_folded(text: &mut Text, folded: usize) {
    match folded {
        0 => {}
        1 => line!(text, "  {}", Paint.faint("… 1 step that is alike …")),
        _ => line!(text, "  {}", Paint.faint(format_args!("… {folded} steps that are alike …"))),
    }
}

fn put_row(text: &mut Text, row: &AlignedRow, side: usize) {
    let cell = |step: &Option<StepSeen>| {
        let shown = step.as_ref().map(|step| format!("{:>4} {}", step.number, step.step));
        format!("{:side$}", shorten(&shown.unwrap_or_default(), side))
    };
    let sign = match row.kind {
        RowKind::Alike => "  =  ",
        RowKind::OtherResult => "  ≠  ",
        RowKind::OneSided if row.right.is_none() => "  ◀  ",
        RowKind::OneSided => "  ▶  ",
    };
    let (left, right) = (cell(&row.left), cell(&row.right));
    match row.kind {
        RowKind::Alike => line!(text, "  {}{}{}", Paint.faint(left), Paint.faint(sign), Paint.faint(right)),
        RowKind::OtherResult => line!(text, "  {left}{}{right}", Paint.warn(sign)),
        RowKind::OneSided => line!(text, "  {}{}{}", Paint.bad(left), Paint.bad(sign), Paint.bad(right)),
    }
    if let Some((one, two)) = row.difference().filter(|_| row.kind == RowKind::OtherResult) {
        let [one, two] = [one, two].map(|words| shorten(&words, side.saturating_sub(5)));
        let room = side.saturating_sub(5);
        line!(
            text,
            "       {}{:BETWEEN$}     {}",
            Paint.faint(format_args!("{one:room$}")),
            "",
            Paint.faint(two)
        );
    }
}
