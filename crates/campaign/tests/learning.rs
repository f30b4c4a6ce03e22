//! Strategies that learn, on a cluster: what their episodes are like, and that what they have learned goes
//! on.

use shakedown_campaign::{AnyTarget, Campaign, Live, Silent, Target};
use shakedown_cluster::{NodeId, Recording, Step, StepKind};
use shakedown_explore::learning::Parameter;
use shakedown_explore::{Execution, Explorer, Sight};
use shakedown_toys::{Teller, teller};

const LEARNING: [&str; 6] = ["partitions", "bonusmax", "waypoint", "negvisits", "ucbzero", "novelty"];

/// The teller, whose clients ask those only who have counted an even number.
fn target() -> Target<Teller> {
    teller().steps(2_000).serves(|count| count % 2 == 0).waypoint(
        "Counted",
        "a node has counted to x",
        &[Parameter::Number("x")],
        |arguments, seen| seen.states().iter().any(|count| *count >= arguments[0]),
    )
}

fn campaign<'a>(target: &'a dyn AnyTarget, strategy: &str) -> Campaign<'a> {
    let mut campaign = Campaign::new(target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    (campaign.plan.executions, campaign.plan.keep_going, campaign.plan.shrink) = (120, true, None);
    campaign
}

/// Runs one execution of an explorer, and calls `look` before every step.
fn drive(explorer: &dyn Explorer, number: u64, mut look: impl FnMut(&dyn Live, &Step)) {
    let target = target();
    let mut live = target.begin(target.defaults(), number, Recording::Brief).expect("the target boots");
    let mut strategy = explorer.strategy(&Execution { number, seed: number, steps_max: 2_000 });
    live.inspect().expect("nothing is wrong yet");
    loop {
        let chosen = strategy.next(&Sight::new(live.board(), live.as_ref()));
        let Some(step) = chosen else { break };
        look(live.as_ref(), &step);
        live.perform(&step).expect("only possible steps are chosen").expect("nothing is wrong");
    }
}

#[test]
fn an_episode_keeps_to_its_limits() {
    let target = target();
    let mut seen = [0u64; StepKind::ALL.len()];
    for strategy in ["partitions:horizon=30,ticks=2", "bonusmax:horizon=30,ticks=2,order=sent"] {
        let explorer = campaign(&target, strategy).explorer().expect("it can be made");
        for number in 0..40 {
            drive(explorer.as_ref(), number, |live, step| {
                let board = live.board();
                seen[step.kind() as usize] += 1;
                match step {
                    Step::Crash { .. } => assert!(board.crash_count() < 3 && board.down_count() == 0),
                    Step::Request(node, _) => assert!(live.serves(*node), "clients ask who serves"),
                    // Who is down has no links, so nothing waits for it.
                    Step::Tick(_) => {
                        for down in board.down() {
                            let others = NodeId::first(board.size()).filter(|&other| other != down);
                            assert!(others.clone().all(|other| board.is_cut(down, other)));
                        }
                    }
                    // The relation of hearing each other parts the nodes: it is transitive.
                    Step::Deliver(..) => {
                        let hear = |a: NodeId, b: NodeId| a == b || !board.is_cut(a, b);
                        let all = || NodeId::first(board.size());
                        let triples =
                            all().flat_map(|a| all().flat_map(move |b| all().map(move |c| (a, b, c))));
                        assert!(
                            triples.into_iter().all(|(a, b, c)| !(hear(a, b) && hear(b, c)) || hear(a, c))
                        );
                    }
                    _ => {}
                }
            });
        }
    }
    for kind in [StepKind::Cut, StepKind::Heal, StepKind::Crash, StepKind::Restart, StepKind::Request] {
        assert!(seen[kind as usize] > 10, "{} {}", kind.word(), seen[kind as usize]);
    }
}

#[test]
fn a_partition_lasts_for_as_many_rounds_as_it_is_told() {
    let target = target();
    let explorer = campaign(&target, "partitions:horizon=20,ticks=3").explorer().expect("it can be made");
    let mut ticks = Vec::new();
    drive(explorer.as_ref(), 1, |_, step| ticks.push(step.kind() == StepKind::Tick));
    // Ticks come in rounds of three nodes, or of two while one is down; three rounds make an action.
    let count = ticks.iter().filter(|is_tick| **is_tick).count();
    assert!(count > 20 && count <= 20 * 3 * 3, "{count}");
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let target = target();
    for name in LEARNING {
        for generation in [1, 8] {
            let colon = format!("{name}:horizon=12,ticks=2,generation={generation}");
            let strategy =
                if name == "waypoint" { format!("{colon},waypoints=[Counted(2),Counted(4)]") } else { colon };
            let fingerprints = [1, 3].map(|jobs| {
                let mut campaign = campaign(&target, &strategy);
                (campaign.jobs, campaign.plan.check_determinism) = (jobs, jobs == 1);
                let summary = campaign.run(&Silent).expect("the campaign runs");
                assert_eq!(summary.failed, 0, "{strategy}");
                summary.fingerprint
            });
            assert_eq!(fingerprints[0], fingerprints[1], "{strategy}");
        }
    }
}

#[test]
fn a_campaign_goes_on_with_what_was_learned() {
    let target = target();
    for name in &LEARNING[1..] {
        let waypoints = if *name == "waypoint" { ",waypoints=[Counted(2),Counted(4)]" } else { "" };
        let strategy = format!("{name}:horizon=12,ticks=2{waypoints}");
        let run = |explorer: &mut dyn Explorer, first: u64, executions: u64| {
            let mut campaign = campaign(&target, &strategy);
            (campaign.plan.first, campaign.plan.executions) = (first, executions);
            campaign.run_with(explorer, &Silent).expect("the campaign runs")
        };
        let make = || campaign(&target, &strategy).explorer().expect("it can be made");
        let mut whole = make();
        run(whole.as_mut(), 0, 120);
        let mut half = make();
        run(half.as_mut(), 0, 60);
        let kept = half.save();
        let mut other = make();
        other.load(&kept).expect("it was kept whole");
        assert_eq!(other.save(), kept, "{name}");
        let rest = run(other.as_mut(), 60, 60);
        assert_eq!(other.save(), whole.save(), "{name}");
        assert_ne!(rest.fingerprint, run(make().as_mut(), 60, 60).fingerprint, "{name}: it matters");
        assert!(make().load(&kept[..kept.len() - 1]).is_err(), "{name}");
        assert!(make().load(&[]).is_err(), "{name}: something was learned");
    }
}

#[test]
fn waypoints_lead_to_what_is_seldom_come_to() {
    let target = target();
    let failed = |strategy: &str| {
        let mut campaign = campaign(&target, strategy);
        campaign.plan.executions = 1_000;
        campaign.plan.config.options.set("bound", 12);
        campaign.run(&Silent).expect("the campaign runs").failed
    };
    let random = failed("partitions:horizon=12,ticks=2");
    let waypoint =
        failed("waypoint:horizon=12,ticks=2,waypoints=[Counted(3), Counted(6), Counted(9), Counted(11)]");
    assert!(waypoint > 2 * random.max(1), "{waypoint} and {random}");
}

#[test]
fn a_way_without_waypoints_is_refused_with_the_predicates_there_are() {
    let target = target();
    for strategy in ["waypoint", "waypoint:horizon=12", "waypoint:waypoints=none"] {
        let error = campaign(&target, strategy).explorer().err().expect("it cannot be made").to_string();
        assert!(error.contains("it needs waypoints: give them as `--waypoints"), "{error}");
        assert!(error.ends_with("with predicates of the target: Counted(x)"), "{error}");
    }
    let bare = teller();
    let error = campaign(&bare, "waypoint").explorer().err().expect("it cannot be made").to_string();
    assert!(error.contains("this target offers no predicates for them: choose `bonusmax`"), "{error}");
}

#[test]
fn a_predicate_that_the_target_has_not_is_told_what_there_is() {
    let target = target();
    let error =
        campaign(&target, "waypoint:waypoints=[Bogus(1)]").explorer().err().expect("it cannot be made");
    assert!(error.to_string().contains("no predicate `Bogus`: choose one of Counted(x)"), "{error}");
}
