//! Which variables a step has assigned so far.

use std::rc::Rc;

/// How often each variable was assigned on the way to a place of a step.
#[derive(Clone)]
pub(super) struct Changed {
    names: Rc<Vec<String>>,
    counts: Vec<u32>,
}

impl Changed {
    pub fn new(names: Rc<Vec<String>>) -> Changed {
        let counts = vec![0; names.len()];
        Changed { names, counts }
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.iter().position(|known| known == name).is_some_and(|index| self.counts[index] > 0)
    }

    /// Notes an assignment; gives how many there are now.
    pub fn add(&mut self, name: &str) -> u32 {
        let Some(index) = self.names.iter().position(|known| known == name) else { return 0 };
        self.counts[index] += 1;
        self.counts[index]
    }

    pub fn merge(&mut self, other: &Changed) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = (*count).max(*more);
        }
    }

    /// The variables that were not assigned here; of those that another place has assigned, if one is given.
    pub fn unchanged(&self, other: Option<&Changed>) -> Vec<&str> {
        let is_other = |index: usize| other.is_none_or(|other| other.counts[index] > 0);
        let unchanged = self.names.iter().enumerate().filter(|(index, _)| self.counts[*index] == 0);
        unchanged.filter(|(index, _)| is_other(*index)).map(|(_, name)| name.as_str()).collect()
    }
}

/// Names with commas, in lines that are no longer than a width if that is possible.
pub(super) fn wrapped(names: &[&str], width: i64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            line.push_str(", ");
        }
        if line.chars().count() as i64 + name.chars().count() as i64 > width {
            if !line.is_empty() {
                lines.push(line);
            }
            line = (*name).to_string();
        } else {
            line.push_str(name);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// That a single variable keeps its value.
pub(super) fn keeps(name: &str) -> String {
    if name.chars().count() > 5 { format!("UNCHANGED {name}") } else { format!("{name}' = {name}") }
}
