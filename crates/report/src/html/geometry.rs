//! Where things stand in a space-time diagram: one lane per node, time going down, in pixels.

use shakedown_cluster::{NodeId, Step};

use super::space_time::{Row, SpaceTime};

/// Left of the lanes stand the numbers of the steps: the room beside them, and that for a digit.
const MARGIN: i32 = 38;
const DIGIT: i32 = 8;
/// The width of the strip that stands left of everything else, if there is one.
pub(super) const STRIP: i32 = 112;
/// From the last lane to what is beside it: the room for a label.
const LABEL: i32 = 84;
/// Between the bars that stand for links that are cut.
const BAR: i32 = 7;
/// The most bars side by side.
const BARS_MAX: usize = 6;
/// The width of what is written to the right of the lanes.
const NOTES: i32 = 356;
/// Above the first step: where the cluster boots.
const HEAD: i32 = 12;
/// Below the last step: where the verdict stands.
const FOOT: i32 = 44;

/// A point on the page.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    /// The point that is so many pixels from here on the way to another.
    pub fn towards(self, other: Point, pixels: f64) -> Point {
        let length = self.distance(other).max(1e-9);
        let share = pixels / length;
        Point { x: self.x + (other.x - self.x) * share, y: self.y + (other.y - self.y) * share }
    }

    /// How far the two are apart.
    pub fn distance(self, other: Point) -> f64 {
        (other.x - self.x).hypot(other.y - self.y)
    }
}

/// See the module's text.
pub(super) struct Geometry {
    nodes: usize,
    /// Where the first lane is.
    first_lane: i32,
    /// How many steps before the first row are left out.
    left_out: usize,
    /// The middle and the height of each row.
    middles: Vec<i32>,
    heights: Vec<i32>,
    /// The column of the bar of each cut link, in the order of [`SpaceTime::cut`].
    bars: Vec<usize>,
}

impl Geometry {
    pub fn of(picture: &SpaceTime<'_>, has_strip: bool) -> Geometry {
        let heights: Vec<i32> = picture.rows.iter().map(height).collect();
        let mut top = HEAD;
        let mut middle = |height: &i32| {
            top += height;
            top - height / 2
        };
        let middles = heights.iter().map(&mut middle).collect();
        let digits = (picture.left_out + picture.rows.len()).to_string().len().max(2);
        let strip = if has_strip { STRIP } else { 0 };
        let first_lane = strip + MARGIN + DIGIT * digits as i32;
        Geometry {
            nodes: picture.nodes,
            first_lane,
            left_out: picture.left_out,
            middles,
            heights,
            bars: bars(picture),
        }
    }

    /// How far lanes are apart.
    pub fn lane_width(&self) -> i32 {
        match self.nodes {
            0..=2 => 196,
            3 => 138,
            4 => 116,
            5 => 100,
            6..=8 => 88,
            _ => 72,
        }
    }

    pub fn lane(&self, node: NodeId) -> i32 {
        self.first_lane + self.lane_width() * node.index() as i32
    }

    /// Where the numbers of the steps end.
    pub fn numbers(&self) -> i32 {
        self.first_lane - 28
    }

    /// The middle of the row of this step. What happened before the first row is at the top.
    pub fn row(&self, number: usize) -> i32 {
        match number.checked_sub(self.left_out + 1) {
            Some(place) => self.middles.get(place).copied().unwrap_or_else(|| self.lanes_end()),
            None => 0,
        }
    }

    /// Top and height of the row of this step.
    pub fn extent(&self, number: usize) -> (i32, i32) {
        let height = number.checked_sub(self.left_out + 1).and_then(|place| self.heights.get(place));
        let height = height.copied().unwrap_or(0);
        (self.row(number) - height / 2, height)
    }

    pub fn at(&self, node: NodeId, number: usize) -> Point {
        Point { x: f64::from(self.lane(node)), y: f64::from(self.row(number)) }
    }

    /// Where the lanes end.
    pub fn lanes_end(&self) -> i32 {
        HEAD + self.heights.iter().sum::<i32>() + 8
    }

    /// From the first lane to the last one, with some room on both sides.
    pub fn lanes(&self) -> (i32, i32) {
        (self.first_lane - 22, self.lane(NodeId::from_index(self.nodes.max(1) - 1)) + 22)
    }

    /// The middle of the bar of a cut link, if there is room for one.
    pub fn bar(&self, cut: usize) -> Option<i32> {
        let column = *self.bars.get(cut)?;
        (column < BARS_MAX).then(|| self.lanes().1 + LABEL - 20 + BAR * column as i32)
    }

    /// Where what is written beside the rows begins.
    pub fn notes(&self) -> i32 {
        let columns = self.bars.iter().map(|bar| bar + 1).max().unwrap_or(0).min(BARS_MAX);
        self.lanes().1 + LABEL - 22 + if columns == 0 { 0 } else { BAR * columns as i32 + 9 }
    }

    pub fn width(&self) -> i32 {
        self.notes() + NOTES
    }

    pub fn height(&self) -> i32 {
        self.lanes_end() + FOOT
    }
}

/// Ticks that bring about nothing come in long runs, so they take little room.
fn height(row: &Row<'_>) -> i32 {
    match row.step {
        Step::Tick(_) if row.is_quiet => 18,
        Step::Round { .. } => 38,
        _ => 34,
    }
}

/// Puts the bars of links that are cut at the same time side by side.
fn bars(picture: &SpaceTime<'_>) -> Vec<usize> {
    let mut free_from: Vec<usize> = Vec::new();
    let mut place = |from: usize, to: usize| {
        let column = free_from.iter().position(|&end| end < from).unwrap_or(free_from.len());
        match free_from.get_mut(column) {
            Some(end) => *end = to,
            None => free_from.push(to),
        }
        column
    };
    picture.cut.iter().map(|(_, _, when)| place(*when.start(), *when.end())).collect()
}
