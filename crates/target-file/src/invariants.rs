//! Invariants: TLA+ expressions over what can be seen of the nodes.
//!
//! | name | value |
//! |---|---|
//! | `Nodes` | the numbers of the nodes, 1 to n |
//! | `state` | a function from nodes to their states, records of the fields that they show |
//! | `before` | the same before the last step |
//! | `up` | the nodes that run |
//! | `requests` | a sequence of records: `node`, `request`, `answered`, and `answer`, which is "none" until there is one |

use std::sync::Arc;

use shakedown_check::{Oracle, Seen, described_invariant};
use shakedown_remote::PlainState;

use crate::expressions::Expressions;
use crate::located::Located;
use crate::sights::{States, requests_value, up_value};

const VARIABLES: &[&str] = &["state", "before", "up", "requests"];
const ABOUT: &str = "an invariant of the target file";

/// The invariants of a target.
pub(crate) struct Invariants {
    names: Vec<String>,
    expressions: Arc<Expressions>,
}

impl Invariants {
    pub fn new(list: Vec<(String, Located)>) -> Result<Invariants, String> {
        let (mut names, mut expressions) = (Vec::new(), Expressions::new(VARIABLES));
        for (name, text) in list {
            if name.is_empty() || name.contains(char::is_whitespace) {
                let reason =
                    format!("the invariant `{name}` needs a name of one word, such as `no-two-leaders`");
                return Err(text.error(1, 1, reason));
            }
            expressions.add(format!("the invariant `{name}`"), text);
            names.push(name);
        }
        Ok(Invariants { names, expressions: Arc::new(expressions) })
    }

    /// Compiles all of them.
    pub fn check(&self, nodes: usize) -> Result<(), String> {
        self.expressions.check(nodes)
    }

    pub fn oracles(&self, nodes: usize) -> Vec<Box<dyn Oracle<PlainState>>> {
        let oracle = |(place, name): (usize, &String)| {
            let expressions = Arc::clone(&self.expressions);
            let (mut states, mut before) = (States::default(), None);
            described_invariant(name, ABOUT, move |seen: &Seen<'_, PlainState>| {
                let board = seen.board();
                let state = states.function(board, seen.states())?;
                let last = before.replace(state.clone()).unwrap_or_else(|| state.clone());
                let values = [state, last, up_value(board), requests_value(board)?];
                match expressions.holds(place, nodes, &values)? {
                    true => Ok(()),
                    false => Err(match expressions.counterexample(place, nodes, &values)? {
                        found if found.is_empty() => "the invariant of the target file is false".to_owned(),
                        found => format!("the invariant of the target file is false for {found}"),
                    }),
                }
            })
        };
        self.names.iter().enumerate().map(oracle).collect()
    }
}
