//! What trace validation finds, and what it costs, on traces of the crate `raft` under random faults.
//!
//!     cargo run --release -p shakedown-experiments --bin validate -- [TRACES] [MUTATIONS] [SEED]
//!
//! Traces of random executions are validated against `specs/RaftEvents.tla`. Then each mutation (an event
//! removed, two neighbours swapped, an argument or something in a state altered) is done to so many traces,
//! at a random event. A mutation *matters* if the changed trace is no behaviour any more, as a judge says
//! that does not use the validator (`tests/src/recorded.rs`). It is refused in the *right place* if that is
//! at a changed line or at the next one; where a line was removed, at the one that stands there now. All of
//! this is done three times: with all that was observed, with roles and terms only, and with nothing but the
//! actions.

use std::time::Instant;

use shakedown_cluster::Random;
use shakedown_conform::validate::{Header, Limits, Reading, Validator, Verdict};
use shakedown_integration_tests::recorded::{Judge, MUTATIONS, Recorded, load, mutated, record, validated};
use shakedown_raft::RaftView;
use shakedown_raft::model::LibraryDialect;
use shakedown_rafts::model::{RaftMapping, RaftProjection};

/// The mapping and the projection of the library.
type Mapping = RaftMapping<RaftView, LibraryDialect>;
type Projection = RaftProjection<RaftView, LibraryDialect>;

/// What is left of the states in a trace.
const OBSERVED: [(&str, Option<&[&str]>); 3] = [
    ("all that can be seen", None),
    ("roles and terms", Some(&["role", "currentTerm"])),
    ("the actions only", Some(&[])),
];

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let mut next = |default| arguments.next().and_then(Result::ok).unwrap_or(default);
    let (count, mutations, seed) = (next(1_000), next(1_000), next(1));
    let began = Instant::now();
    let change = |campaign: &mut shakedown_campaign::Campaign<'_>| {
        campaign.plan.seed = seed;
        campaign.plan.config.options.set("library_invariants", false);
    };
    let traces =
        record(shakedown_raft::target(), count, change, || (Mapping::default(), Projection::default()));
    let recording = began.elapsed();
    let events: usize = traces.iter().map(|trace| trace.events.len()).sum();
    println!(
        "{count} executions of raft under random faults, {events} events, recorded in {:.2} s",
        recording.as_secs_f64()
    );
    validate_all(&traces);
    for (observed, kept) in OBSERVED {
        println!("\nmutations; observed: {observed}");
        println!(
            "  {:<18} {:>6} {:>7} {:>8} {:>12} {:>6}",
            "", "done", "matter", "refused", "right place", ""
        );
        let traces: Vec<Recorded> = traces.iter().map(|trace| stripped(trace, kept)).collect();
        report_mutations(&traces, mutations, seed);
    }
}

/// What is explained, and what it costs. The lines of a trace take a few milliseconds, which is less than a
/// turn on a processor that others use too; so the fastest tenth of the traces tells what it costs on a free
/// one.
fn validate_all(traces: &[Recorded]) {
    let mut explained = 0;
    let mut events = 0;
    let (mut loading, mut each) = (Vec::new(), Vec::new());
    for trace in traces {
        let began = Instant::now();
        let header = Header::of(&trace.begin[0]).expect("it can be read").expect("there is a header");
        let spec = load(&header).expect("the specification is ours");
        let mut validator = Validator::new(spec, &[], Limits::default()).expect("it can be walked");
        loading.push(began.elapsed().as_secs_f64() * 1e3);
        let began = Instant::now();
        let lines = std::iter::once(&trace.begin[1]).chain(&trace.events);
        let refused = (2..).zip(lines).find_map(|(number, line)| {
            match validator.line(number, line).expect("the trace can be read") {
                Reading::Explained => None,
                Reading::Refused(refusal) => Some(refusal),
            }
        });
        let spent = began.elapsed().as_secs_f64() * 1e6;
        match refused {
            None => {
                explained += 1;
                events += trace.events.len();
                each.push(spent / trace.events.len().max(1) as f64);
            }
            Some(refusal) => {
                println!(
                    "  refused: line {} {} {:?}",
                    refusal.line,
                    refusal.recorded,
                    refusal.obstacles.first()
                );
            }
        }
    }
    println!("explained: {explained} of {} traces, {events} events", traces.len());
    for (what, unit, times) in
        [("an event", "µs", &mut each), ("loading the specification", "ms", &mut loading)]
    {
        times.sort_by(f64::total_cmp);
        let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or(f64::NAN);
        println!(
            "{what}: {:.1} {unit} in the fastest tenth of the traces, {:.1} {unit} in the median",
            at(5),
            at(50)
        );
    }
}

/// The trace with these variables only.
fn stripped(trace: &Recorded, kept: Option<&[&str]>) -> Recorded {
    let strip = |line: &String, key: &str| -> String {
        let (Some(kept), Ok(mut json)) = (kept, serde_json::from_str::<serde_json::Value>(line)) else {
            return line.clone();
        };
        if let Some(state) = json.get_mut(key).and_then(|state| state.as_object_mut()) {
            state.retain(|name, _| kept.contains(&name.as_str()));
        }
        json.to_string()
    };
    Recorded {
        begin: [trace.begin[0].clone(), strip(&trace.begin[1], "initial")],
        events: trace.events.iter().map(|event| strip(event, "state")).collect(),
    }
}

fn report_mutations(traces: &[Recorded], mutations: u64, seed: u64) {
    let mut judge = Judge::new(&traces[0].begin[0]);
    let (mut all_matter, mut all_right) = (0_u64, 0_u64);
    for mutation in MUTATIONS {
        let mut random = Random::new(seed);
        let (mut done, mut matter, mut refused, mut right, mut differ) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
        for number in 0..mutations {
            let trace = &traces[number as usize % traces.len()];
            let Some((events, place)) = mutated(&trace.events, mutation, &mut random) else { continue };
            done += 1;
            let wrong = judge.first_wrong(&events);
            matter += u64::from(wrong.is_some());
            let verdict = validated(&trace.with(&events)).expect("the trace can be read");
            let line = match verdict {
                Verdict::Refused(refusal, _) => Some(refusal.line as usize - 3),
                _ => None,
            };
            refused += u64::from(line.is_some());
            differ += u64::from(line != wrong);
            right += u64::from(line.is_some_and(|line| line <= place));
        }
        println!(
            "  {:<18} {done:>6} {matter:>7} {refused:>8} {right:>12} {:>5.1}%{}",
            format!("{mutation:?}"),
            100.0 * right as f64 / matter.max(1) as f64,
            if differ > 0 {
                format!("  the judge and the validator differ on {differ}")
            } else {
                String::new()
            }
        );
        all_matter += matter;
        all_right += right;
    }
    println!(
        "  {:<18} {:>6} {all_matter:>7} {:>8} {all_right:>12} {:>5.1}%",
        "all",
        "",
        "",
        100.0 * all_right as f64 / all_matter.max(1) as f64
    );
}
