//! `fuzz` by name.

use super::{Parameters, Surroundings, UnknownStrategy};
use crate::Explorer;
use crate::fuzz::{Empty, HORIZON_MAX, Manner, OwnFuzz, PublishedFuzz, PublishedSettings, Shape, Swaps};

/// The most that a delivery may stand in an input.
const ECHO_MAX: usize = 16;

/// Its parameters.
pub(super) const PARAMETERS: &[(&str, &str, &str)] = &[
    ("guide", "state", "what says what is new: `state`, `trace`, a guide of the target's own, or `none`"),
    ("mode", "own", "`published`: the paper's algorithm; `own`: a corpus, rare states first"),
    ("horizon", "50", "steps of an input"),
    ("messages", "5", "the most messages that are delivered in one step"),
    ("buffers", "link", "messages wait by `link` or by `process`"),
    ("draw", "enabled", "random inputs deliver from buffers that hold something, or from `any` link"),
    ("crashes", "crashes", "crashes of a random input"),
    ("ticks", "1", "how often every clock ticks in a step"),
    ("initial", "20", "published: random inputs to begin with"),
    ("mutations", "5", "published: mutants for each new thing"),
    ("crash-swaps", "2", "published: crashes swapped in a mutant"),
    ("swaps", "20", "published: buffers swapped in a mutant"),
    ("bound-swaps", "20", "published: message bounds swapped in a mutant"),
    ("world", "fresh", "published: mutants run with a seed of their own, or with that of their `parent`"),
    (
        "empty",
        "skip",
        "published: an empty buffer delivers nothing, stands for the `next` that holds something, or waits (`wait`)",
    ),
    ("echo", "1", "published: a delivery stands so many times in the inputs of mutants"),
    (
        "reseed",
        "0",
        "published: after so many executions the queue is thrown away, and random inputs fill it",
    ),
];

/// The fuzzer that the parameters name.
pub(super) fn explorer(
    parameters: &Parameters<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<Box<dyn Explorer>, UnknownStrategy> {
    let shape = Shape {
        nodes: surroundings.nodes,
        horizon: parameters.at_most("horizon", 1, HORIZON_MAX)?.unwrap_or(50),
        messages: parameters.at_most("messages", 1, 255)?.unwrap_or(5),
        crashes: parameters.count("crashes")?.unwrap_or(surroundings.crashes).min(surroundings.crashes),
        requests: surroundings.requests,
        by_process: parameters.word("buffers", &["link", "process"])? == "process",
        blindly: parameters.word("draw", &["enabled", "any"])? == "any",
        ticks: parameters.at_most("ticks", 0, 1_000)?.unwrap_or(1),
        contract: surroundings.contract.clone(),
    };
    let guide = Some(parameters.text("guide").unwrap_or("state")).filter(|guide| *guide != "none");
    let guide = guide.map(str::to_owned);
    let count = |name, default: u64| Ok(parameters.count(name)?.map_or(default, |count| count as u64));
    Ok(match parameters.word("mode", &["own", "published"])? {
        "own" => {
            if let Some(name) = parameters.given.iter().map(|(name, _)| *name).find(|name| is_published(name))
            {
                return Err(parameters.bad(format!("`{name}` says nothing without `mode=published`")));
            }
            Box::new(OwnFuzz::new(shape, guide))
        }
        _ => {
            let swaps = Swaps {
                crashes: count("crash-swaps", 2)? as usize,
                buffers: count("swaps", 20)? as usize,
                bounds: count("bound-swaps", 20)? as usize,
            };
            let settings = PublishedSettings {
                guide,
                initial: parameters.number("initial")?.map_or(20, |number| number as u64),
                mutations: count("mutations", 5)?,
                swaps,
                fresh_worlds: parameters.word("world", &["fresh", "parent"])? == "fresh",
                manner: Manner {
                    empty: match parameters.word("empty", &["skip", "next", "wait"])? {
                        "skip" => Empty::Skip,
                        "next" => Empty::Next,
                        _ => Empty::Wait,
                    },
                    echo: parameters.at_most("echo", 1, ECHO_MAX)?.unwrap_or(1),
                },
                reseed: count("reseed", 0)?,
            };
            Box::new(PublishedFuzz::new(shape, settings))
        }
    })
}

/// Whether a parameter is of the published fuzzer only.
fn is_published(name: &str) -> bool {
    PARAMETERS.iter().any(|(known, _, about)| *known == name && about.starts_with("published: "))
}
