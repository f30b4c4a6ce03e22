//! Reads facts: text files of cases, with a blank line between them and one `key value …` a line. A line that
//! no test asks for is an error.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

/// One case: its lines, in order.
pub struct Case {
    lines: Vec<(String, String)>,
    /// The keys that the test has asked for.
    asked: RefCell<BTreeSet<String>>,
}

impl Drop for Case {
    fn drop(&mut self) {
        let is_known = |key: &str| ["case", "source"].contains(&key) || self.asked.borrow().contains(key);
        let unknown = self.lines.iter().find(|(key, _)| !is_known(key));
        if !std::thread::panicking() {
            assert_eq!(unknown, None, "no test asks for this line of {:?}", self.lines.first());
        }
    }
}

/// The cases of a file below `tests`. The caller gives their number, so that none is lost unseen.
pub fn cases(file: &str, count: usize) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases: Vec<Case> =
        text.split("\n\n").map(Case::parse).filter(|case| !case.lines.is_empty()).collect();
    assert_eq!(cases.len(), count, "cases in {file}");
    cases
}

impl Case {
    pub fn parse(block: &str) -> Case {
        let lines = block.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let parts = lines.map(|line| line.split_once(' ').expect("a key, a space, a value"));
        let lines = parts.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Case { lines, asked: RefCell::default() }
    }

    pub fn name(&self) -> &str {
        self.text("case")
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.asked.borrow_mut().insert(key.to_owned());
        self.lines.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub fn text(&self, key: &str) -> &str {
        self.get(key).unwrap_or_else(|| panic!("no {key} in {:?}", self.lines.first()))
    }

    #[track_caller]
    pub fn words(&self, key: &str) -> impl Iterator<Item = &str> {
        self.text(key).split(' ')
    }

    #[track_caller]
    pub fn numbers(&self, key: &str) -> Vec<f64> {
        self.words(key).map(|word| word.parse().unwrap()).collect()
    }

    #[track_caller]
    pub fn number(&self, key: &str) -> f64 {
        self.text(key).parse().unwrap()
    }

    /// All lines of a key, in order.
    pub fn all(&self, key: &str) -> Vec<&str> {
        self.asked.borrow_mut().insert(key.to_owned());
        self.lines.iter().filter(|(name, _)| name == key).map(|(_, value)| value.as_str()).collect()
    }

    /// All lines of a key, as numbers.
    pub fn lists(&self, key: &str) -> Vec<Vec<f64>> {
        let numbers = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect();
        self.all(key).into_iter().map(numbers).collect()
    }
}
