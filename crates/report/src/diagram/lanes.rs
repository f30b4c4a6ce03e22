//! The lanes of a diagram: how wide they are, and what is drawn in them. A name that a lane has no room for
//! is handed back, so that it can stand in the notes: names are not cut.

use shakedown_cluster::{MessageId, Name, NodeId, NodeSet};

use super::row::{Row, Sign};

/// The widest lane, in characters. Wider ones would only push the notes away.
const WIDTH_MAX: usize = 30;
/// The narrowest lane in which an arrow can be told from a line.
const WIDTH_MIN: usize = 2;
/// What lanes take together, if there is room and no name needs more.
const COMFORTABLE: usize = 60;

/// See the module's text.
pub(super) struct Lanes {
    /// How wide each lane is.
    pub width: usize,
    /// Whether each node is up, as far as the drawing has come.
    up: Vec<bool>,
}

impl Lanes {
    /// Lanes for these rows in at most `room` characters.
    pub fn new(nodes: usize, rows: &[Row], room: usize) -> Lanes {
        let needed = rows.iter().map(|row| needed(&row.sign)).max().unwrap_or(0);
        let wanted = (COMFORTABLE / nodes).clamp(6, 18).max(needed).min(WIDTH_MAX);
        Lanes { width: wanted.min(room / nodes).max(WIDTH_MIN), up: vec![true; nodes] }
    }

    /// How many characters all of them take.
    pub fn total(&self) -> usize {
        self.up.len() * self.width
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        NodeId::first(self.up.len())
    }

    fn column(&self, node: NodeId) -> usize {
        node.index() * self.width
    }

    /// The names of the nodes. One that would touch the name before it is left out.
    pub fn names(&self) -> String {
        let mut row: Vec<char> = Vec::new();
        for node in self.nodes() {
            if row.is_empty() || row.len() < self.column(node) {
                row.resize(self.column(node), ' ');
                row.extend(node.to_string().chars());
            }
        }
        row.resize(self.total().max(row.len()), ' ');
        row.into_iter().collect()
    }

    /// The lanes of the nodes that are up.
    pub fn empty(&self) -> Vec<char> {
        let mut row = vec![' '; self.total()];
        for node in self.nodes() {
            row[self.column(node)] = if self.up[node.index()] { '│' } else { ' ' };
        }
        row
    }

    pub fn set_up(&mut self, node: NodeId, is_up: bool) {
        self.up[node.index()] = is_up;
    }

    /// Draws a sign, and gives back the name that there was no room for.
    pub fn draw(&self, sign: &Sign) -> (Vec<char>, Option<String>) {
        let mut row = self.empty();
        let unwritten = match sign {
            Sign::Mark { node, sign, label } => {
                (!self.mark(&mut row, *node, *sign, label)).then(|| label.clone())
            }
            Sign::Arrow { id, kind, sent } => self.arrow(&mut row, *id, *kind, *sent),
            Sign::Link { a, b, is_cut } => {
                let (a, b) = (self.column(*a.min(b)), self.column(*a.max(b)));
                let (end, dash) = if *is_cut { ('✂', '╌') } else { ('●', '═') };
                row[a + 1..b].fill(dash);
                (row[a], row[b]) = (end, end);
                None
            }
            Sign::Round { kernel } => {
                row = self.across(*kernel);
                None
            }
        };
        (row, unwritten)
    }

    /// A line across the lanes, and who is isolated.
    fn across(&self, kernel: NodeSet) -> Vec<char> {
        let mut row = vec!['┄'; self.total()];
        for node in self.nodes() {
            row[self.column(node)] = if kernel.contains(node) { '┼' } else { '╳' };
        }
        row
    }

    /// Whether there was room for the label.
    fn mark(&self, row: &mut [char], node: NodeId, sign: char, label: &str) -> bool {
        let column = self.column(node);
        row[column] = sign;
        let label: Vec<char> = label.chars().collect();
        let fits = label.len() + 3 <= self.width;
        if fits {
            row[column + 2..column + 2 + label.len()].copy_from_slice(&label);
        }
        fits
    }

    /// An arrow with the kind of its message and the step at which it was sent. What does not fit is given
    /// back.
    fn arrow(&self, row: &mut [char], id: MessageId, kind: Name, sent: usize) -> Option<String> {
        let (name, since) = (kind.to_string(), format!("@{sent}"));
        let whole = format!("{name} {since}");
        if id.from == id.to {
            return if self.mark(row, id.to, '↺', &whole) {
                None
            } else if self.mark(row, id.to, '↺', &name) {
                Some(since)
            } else {
                Some(whole)
            };
        }
        let (from, to) = (self.column(id.from), self.column(id.to));
        let (left, right) = (from.min(to), from.max(to));
        row[left + 1..right].fill('─');
        row[from] = if self.up[id.from.index()] { '○' } else { '╶' };
        row[to] = '●';
        if from < to {
            row[to - 1] = '▶'
        } else {
            row[to + 1] = '◀'
        }
        let room = (right - left).saturating_sub(5);
        let fits = |label: &str| label.chars().count() <= room;
        let (label, rest) = match () {
            () if fits(&whole) => (whole, None),
            () if fits(&name) => (name, Some(since)),
            () => (String::new(), Some(whole)),
        };
        let label: Vec<char> = label.chars().collect();
        // Near the sender, so that long arrows can be read from where they begin.
        let start = if from < to { left + 3 } else { (right - 2).saturating_sub(label.len()) };
        row[start.min(right)..][..label.len()].copy_from_slice(&label);
        rest
    }
}

/// How wide lanes must be for what is written in them.
fn needed(sign: &Sign) -> usize {
    match sign {
        Sign::Mark { label, .. } => label.chars().count() + 3,
        Sign::Arrow { id, kind, sent } => {
            let label = kind.as_str().chars().count() + 2 + sent.to_string().len();
            match id.from.index().abs_diff(id.to.index()) {
                0 => label + 3,
                lanes => (label + 5).div_ceil(lanes),
            }
        }
        Sign::Link { .. } | Sign::Round { .. } => 0,
    }
}
