//! What strategies that learn are given: the colour of a state, and predicates that waypoints are made of.

use std::sync::Arc;

use serde::Deserialize;
use shakedown_check::Seen;
use shakedown_explore::learning::Parameter;
use shakedown_remote::PlainState;
use shakedown_target::Target;
use shakedown_tla::Value as TlaValue;
use toml::Spanned;

use crate::expressions::Expressions;
use crate::located::Located;
use crate::plain_node::PlainNode;
use crate::sights::{States, requests_value, state_value, up_value};

/// `[waypoints]`: a family of predicates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaypointTable {
    #[serde(default)]
    about: String,
    /// The names of the numbers that it is given.
    #[serde(default)]
    parameters: Vec<String>,
    holds: Spanned<String>,
}

fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// The target with this colour: an expression over `state`, the state of one node.
pub(crate) fn with_colour<N: PlainNode>(
    target: Target<N>,
    text: Located,
    nodes: usize,
) -> Result<Target<N>, String> {
    let mut expressions = Expressions::new(&["state"]);
    let place = expressions.add("`colour`", text);
    expressions.check(nodes)?;
    Ok(target.colour(move |state: &PlainState| {
        let value = state_value(state).and_then(|state| expressions.evaluate(place, nodes, &[state]));
        // A state that shows too little has no colour of its own.
        value.map_or(0, |value| value.hash64())
    }))
}

/// The target with this family of predicates, an expression over `state`, `up`, `requests` and its
/// parameters.
pub(crate) fn with_waypoint<N: PlainNode>(
    target: Target<N>,
    file: &str,
    name: String,
    table: WaypointTable,
    nodes: usize,
) -> Result<Target<N>, String> {
    let text = Located::new(file, &table.holds);
    let parameters: Vec<&'static str> = table.parameters.into_iter().map(kept).collect();
    let is_word = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if let Some(bad) = parameters.iter().copied().chain([name.as_str()]).find(|name| !is_word(name)) {
        let reason =
            format!("the name `{bad}` of a waypoint or parameter is no word of letters, digits and `_`");
        return Err(text.error(1, 1, reason));
    }
    let variables = ["state", "up", "requests"].into_iter().chain(parameters.iter().copied()).collect();
    let mut expressions = Expressions::new(Vec::leak(variables));
    let place = expressions.add(format!("the waypoint `{name}`"), text);
    expressions.check(nodes)?;
    let expressions = Arc::new(expressions);
    let taken = Vec::leak(parameters.into_iter().map(Parameter::Number).collect());
    Ok(target.waypoint(
        kept(name),
        kept(table.about),
        taken,
        move |arguments, seen: &Seen<'_, PlainState>| {
            let board = seen.board();
            let values = States::default().function(board, seen.states()).and_then(|state| {
                let numbers =
                    arguments.iter().map(|number| TlaValue::Int(i64::try_from(*number).unwrap_or(i64::MAX)));
                Ok([state, up_value(board), requests_value(board)?]
                    .into_iter()
                    .chain(numbers)
                    .collect::<Vec<_>>())
            });
            // A predicate that cannot be evaluated does not hold.
            values.and_then(|values| expressions.holds(place, board.size(), &values)).unwrap_or(false)
        },
    ))
}
