//! Filters and properties in words, made of the building blocks of the library.

use shakedown_cluster::NodeId;
use shakedown_scenario::*;

use crate::puppet::{FACTS, KINDS, Order, one_of};

/// Names in scenarios live as long as the program; those in scripts are few.
pub fn keep(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn node(text: &str) -> NodeId {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no node"))
}

fn kind_named(text: &str) -> &'static str {
    one_of(&KINDS, text).unwrap_or_else(|| keep(text))
}

/// `votes`, or `votes/to` for one counter per receiver.
fn counter(text: &str) -> Counter<Order> {
    match text.strip_suffix("/to") {
        Some(name) => Counter::new(keep(name))
            .per(|event: &EventView<'_, Order>| event.to().map_or(0, |to| to.number() as u64)),
        None => Counter::new(keep(text)),
    }
}

/// `victims n2 n3`: a part that is made when an iteration is set up.
pub fn set_up(scenario: Scenario<Order>, text: &str) -> Scenario<Order> {
    let (name, members) = text.split_once(' ').expect("a part has a name and members");
    let (name, members) = (keep(name), members.split(' ').map(node).collect());
    scenario.set_up(move |_, memory| memory.set_part(name, members))
}

/// `h=1 rest=2`: parts with their sizes.
pub fn parts(text: &str) -> &'static [(&'static str, usize)] {
    let part = |text: &str| {
        let (name, size) = text.split_once('=').expect("a part is like rest=2");
        (keep(name), size.parse().expect("a size"))
    };
    text.split(' ').map(part).collect::<Vec<_>>().leak()
}

/// A clause that every event covers, and that counts them.
pub fn counting_clause(name: &str) -> Clause<Order> {
    let name = keep(name);
    let condition = Condition::new("always", move |_: &EventView<'_, Order>, memory| {
        memory.increment(name, 0);
        true
    });
    Clause { text: name, condition }
}

/// A condition: parts that all have to hold, with commas between them; `once` is about all that came before
/// it.
pub fn condition(text: &str) -> Condition<Order> {
    let mut all: Option<Condition<Order>> = None;
    for part in text.split(',').map(str::trim) {
        all = Some(match (all, part) {
            (Some(before), "once") => before.once(),
            (Some(before), part) => before.and(simple(part)),
            (None, part) => simple(part),
        });
    }
    all.expect("a condition has a part")
}

fn simple(text: &str) -> Condition<Order> {
    if let Some(rest) = text.strip_prefix("not ") {
        return not(simple(rest));
    }
    let words: Vec<_> = text.split_whitespace().collect();
    match words[..] {
        ["always"] => always(),
        ["sent"] => is_send(),
        ["received"] => is_receive(),
        ["tick"] => is_tick(),
        ["timeout"] => is_timeout(),
        ["timer", name] => timer(keep(name)),
        ["crashed"] => crashed(),
        ["across"] => across_partition(),
        ["within"] => within_partition(),
        ["kind", name] => kind(kind_named(name)),
        ["fact", name] => fact(one_of(&FACTS, name).expect("a fact is x, y or z")),
        ["at", name] => at(node(name)),
        ["from", name] => from(node(name)),
        ["to", name] => to(node(name)),
        ["between", one, other] => between(node(one), node(other)),
        ["to-part", name] => to_part(keep(name)),
        ["in-state", name] => in_state(keep(name)),
        ["in-set", name] => is_in_set(keep(name)),
        ["set", name, "has", size] => set_has(keep(name), size.parse().expect("a size")),
        ["recorded", name] => is_recorded(keep(name)),
        ["like", name] => like_recorded(keep(name), |one: &Order, other| one == other),
        ["count", name, "<", most] => count(counter(name)).less_than(most.parse::<u64>().expect("a number")),
        ["count", name, "=", value] => count(counter(name)).equals(value.parse::<u64>().expect("a number")),
        _ => panic!("`{text}` is no condition"),
    }
}

/// Actions, with commas between them.
pub fn action(text: &str) -> Action<Order> {
    let mut parts = text.split(',').map(|part| simple_action(part.trim()));
    let first = parts.next().expect("an action has a part");
    parts.fold(first, Action::and)
}

fn simple_action(text: &str) -> Action<Order> {
    if let Some(rest) = text.strip_prefix("once ") {
        return simple_action(rest).once();
    }
    let words: Vec<_> = text.split_whitespace().collect();
    match words[..] {
        ["nothing"] => Action::new("nothing", |_, _, _| {}),
        ["deliver"] => deliver_message(),
        ["pass"] => pass_message(),
        ["drop"] => drop_message(),
        ["double"] => duplicate_message(),
        ["store", set] => store_in(keep(set)),
        ["deliver-set", set] => deliver_set(keep(set)),
        ["release-set", set] => release_set(keep(set)),
        ["count", name] => increment(counter(name)),
        ["record", name] => record(keep(name)),
        ["tamper", then] => {
            let then = then.to_owned();
            tamper("tamper", move |order: &mut Order, _| order.then.clone_from(&then))
        }
        ["retype", name] => {
            let kind = kind_named(name);
            tamper("retype", move |order: &mut Order, _| order.kind = kind)
        }
        ["garble"] => garble(8),
        ["inject", from, to, name] => {
            let (from, to, kind) = (node(from), node(to), kind_named(name));
            inject("inject", move |_, _| Some((from, to, Order { kind, then: String::new() })))
        }
        ["ask", name, words] => request(node(name), keep(&format!("\"{words}\""))),
        ["crash", name] => crash(node(name)),
        ["restart", name] => restart(node(name)),
        ["isolate", name] => isolate(node(name)),
        ["split", ref sizes @ ..] => {
            let sizes: Vec<usize> = sizes.iter().map(|size| size.parse().expect("a size")).collect();
            split(sizes.leak())
        }
        ["heal"] => heal(),
        ["end"] => end_iteration(),
        _ => panic!("`{text}` is no action"),
    }
}

/// `CONDITION -> ACTIONS`.
pub fn filter(text: &str) -> Filter<Order> {
    let (if_, then) = text.split_once("->").expect("a filter is CONDITION -> ACTIONS");
    when(condition(if_)).then(action(then))
}

/// `STATE: CONDITION -> STATE`, `STATE: is success`, or `STATE: within N steps`.
pub fn describe_state(machine: Machine<Order>, text: &str) -> Machine<Order> {
    let (state, rest) = text.split_once(':').expect("a line of a property is STATE: …");
    let machine = machine.from_state(keep(state));
    if let Some((if_, to)) = rest.split_once("->") {
        let on = machine.on(condition(if_));
        return match to.trim() {
            SUCCESS => on.goto_success(),
            FAIL => on.goto_fail(),
            other => on.goto(keep(other)),
        };
    }
    match rest.split_whitespace().collect::<Vec<_>>()[..] {
        ["is", "success"] => machine.success(),
        ["within", most, "steps"] => machine.within(Deadline::Steps(most.parse().expect("a number"))),
        ["within", most, "ticks"] => machine.within(Deadline::Ticks(most.parse().expect("a number"))),
        _ => panic!("`{text}` is no line of a property"),
    }
}
