//! Sets and broadcasts: what was acknowledged is in every node's final read, once, and nothing else is.

use std::collections::BTreeSet;

use serde_json::Value;
use shakedown_cluster::Board;

use super::{Became, asked, final_answers};

/// Given the type of the request that adds, its field, and the field of reads.
pub(super) fn final_reads(board: &Board, add: &str, element: &str, list: &str) -> Result<(), String> {
    let (mut known, mut possible) = (BTreeSet::new(), BTreeSet::new());
    for request in board.requests() {
        let asked = asked(request);
        if asked["type"] != add {
            continue;
        }
        let value = asked[element].to_string();
        match Became::of(request) {
            Became::Done(_) => {
                known.insert(value.clone());
                possible.insert(value);
            }
            Became::Unknown => {
                possible.insert(value);
            }
            Became::Refused(_) => {}
        }
    }
    for (node, answer) in final_answers(board)? {
        let Some(values) = answer[list].as_array() else {
            return Err(format!("{node} answered a read with {answer}, which has no list `{list}`"));
        };
        let mut read = BTreeSet::new();
        if let Some(value) = values.iter().find(|value| !read.insert(value.to_string())) {
            return Err(format!("{node} shows {value} twice"));
        }
        if let Some(lost) = known.difference(&read).next() {
            let shown: Vec<_> = values.iter().map(Value::to_string).collect();
            return Err(format!(
                "{node} has lost {lost}, which was acknowledged: it shows [{}]",
                shown.join(", ")
            ));
        }
        if let Some(made_up) = read.difference(&possible).next() {
            return Err(format!("{node} shows {made_up}, which no client added"));
        }
    }
    Ok(())
}
