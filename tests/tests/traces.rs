//! Traces of the crate `raft` under random faults are behaviours of the model, and traces that were tampered
//! with are not.

use shakedown_cluster::Random;
use shakedown_conform::validate::Verdict;
use shakedown_integration_tests::recorded::{Judge, MUTATIONS, Recorded, mutated, record, validated};
use shakedown_raft::RaftView;
use shakedown_raft::model::LibraryDialect;
use shakedown_rafts::model::{RaftMapping, RaftProjection};

/// The mapping and the projection of the library.
type Mapping = RaftMapping<RaftView, LibraryDialect>;
type Projection = RaftProjection<RaftView, LibraryDialect>;

fn traces(executions: u64) -> Vec<Recorded> {
    let change = |campaign: &mut shakedown_campaign::Campaign<'_>| {
        campaign.plan.config.options.set("library_invariants", false);
    };
    record(shakedown_raft::target(), executions, change, || (Mapping::default(), Projection::default()))
}

#[test]
fn traces_of_raft_under_random_faults_are_behaviours_of_the_model() {
    let mut events = 0;
    for (number, trace) in traces(100).iter().enumerate() {
        match validated(&trace.with(&trace.events)).expect("the trace can be read") {
            Verdict::Explained(summary) => {
                assert_eq!((summary.events, summary.candidates), (trace.events.len() as u64, 1));
                events += summary.events;
            }
            other => panic!("trace {number}: {other:#?}"),
        }
    }
    assert!(events > 2_000, "{events}");
}

#[test]
fn traces_that_were_tampered_with_are_refused_where_it_was_done() {
    let traces = traces(40);
    let mut judge = Judge::new(&traces[0].begin[0]);
    let mut random = Random::new(1);
    let (mut matter, mut right) = (0, 0);
    for trace in &traces {
        assert_eq!(judge.first_wrong(&trace.events), None);
        for mutation in MUTATIONS {
            let Some((events, place)) = mutated(&trace.events, mutation, &mut random) else { continue };
            let wrong = judge.first_wrong(&events);
            match (wrong, validated(&trace.with(&events)).expect("the trace can be read")) {
                (None, Verdict::Explained(_)) => {}
                (Some(wrong), Verdict::Refused(refusal, _)) => {
                    // The header and the initial state are the first two lines.
                    let refused = refusal.line as usize - 3;
                    assert_eq!(refused, wrong, "{mutation:?}");
                    matter += 1;
                    right += usize::from(refused <= place);
                }
                (wrong, verdict) => panic!("{mutation:?}: {wrong:?} but {verdict:?}"),
            }
        }
    }
    assert!(matter > 80 && right * 100 >= matter * 95, "{right} of {matter}");
}
