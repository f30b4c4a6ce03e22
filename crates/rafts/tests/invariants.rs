//! Every invariant of Raft and of replicated logs, on states that hold it and states that break it.
//!
//! The nodes are puppets: a line such as `n1 leader term 2 commit 1 log 1a 2b` is what `n1` shows from then
//! on; `3:` before the log says that it begins at entry 3; `durable 2` is how much of the log is durable,
//! `members 2 of 1` the entry 2 of term 1 that made the membership, `snapshot 2 from 1` that of the snapshot.
//! `n1 restarts` gives the node another life.

use std::cell::Cell;
use std::sync::Arc;

use shakedown_check::{Agreement, DecidedNeverGoesBack, LogState, Oracle, Seen};
use shakedown_cluster::{
    Cluster, Context, Contract, Crashes, InProcess, Message, Node, NodeId, Options, Random, Recording,
    RequestId, Saved, Setup, Step,
};
use shakedown_rafts::{
    CommitNeverGoesBack, CommittedByQuorum, DurableByQuorum, ElectionSafety, LeaderCompleteness, LogEntry,
    LogMatching, Membership, MembershipInLog, RaftState, Role, StateMachineSafety, TermNeverGoesBack,
    raft_invariants,
};

thread_local! {
    /// How many entries of logs oracles have looked at.
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

#[derive(Clone, Debug, Default, Hash, serde::Serialize, serde::Deserialize)]
struct Shown {
    role: String,
    term: u64,
    commit: u64,
    first: u64,
    log: Vec<(u64, u64)>,
    versioned: Option<u64>,
    /// The version in which entries were last lost or replaced, where logs tell of it.
    #[serde(default)]
    rewritten: Option<u64>,
    applied: Option<(u64, u64)>,
    durable: Option<u64>,
    members: Option<(u64, u64)>,
    snapshot: Option<(u64, u64)>,
}

impl RaftState for Shown {
    type Term = u64;

    fn term(&self) -> u64 {
        self.term
    }

    fn role(&self) -> Role {
        if self.role == "leader" { Role::Leader } else { Role::Follower }
    }

    fn commit(&self) -> u64 {
        self.commit
    }

    fn first_index(&self) -> u64 {
        self.first
    }

    fn last_index(&self) -> u64 {
        self.first + self.log.len() as u64 - 1
    }

    fn entry(&self, number: u64) -> Option<LogEntry> {
        LOOKS.set(LOOKS.get() + 1);
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.log.get(place).map(|&(term, digest)| LogEntry { term, digest })
    }

    fn log_version(&self) -> Option<u64> {
        self.versioned
    }

    fn log_rewritten(&self) -> Option<u64> {
        self.rewritten.or(self.versioned)
    }

    /// All three nodes vote.
    fn membership(&self) -> Option<Membership> {
        Some(Membership::of(NodeId::first(3).collect()))
    }

    fn applied(&self) -> Option<(u64, u64)> {
        self.applied
    }

    fn durable(&self) -> Option<u64> {
        self.durable
    }

    fn membership_entry(&self) -> Option<(u64, u64)> {
        self.members
    }

    fn snapshot_membership_entry(&self) -> Option<(u64, u64)> {
        self.snapshot
    }
}

impl LogState for Shown {
    type Entry = (u64, u64);

    fn decided(&self) -> u64 {
        self.commit
    }

    fn decided_entry(&self, number: u64) -> Option<(u64, u64)> {
        self.entry(number).map(|entry| (entry.term, entry.digest))
    }
}

struct Puppet(Shown);

#[derive(Clone, Debug)]
struct Nothing;

impl Message for Nothing {
    fn kind(&self) -> &'static str {
        "Nothing"
    }
}

impl Node for Puppet {
    type Message = Nothing;
    type Request = Shown;
    type Answer = ();
    type State = Shown;
    /// The term survives a crash.
    type Disk = Saved<u64>;

    fn boot(disk: &Saved<u64>, _ctx: &mut Context<'_, Self>) -> Self {
        let log = Vec::new();
        Puppet(Shown {
            role: "follower".to_owned(),
            term: disk.0,
            commit: 0,
            first: 1,
            log,
            versioned: None,
            rewritten: None,
            applied: None,
            durable: None,
            members: None,
            snapshot: None,
        })
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn request(&mut self, _id: RequestId, shown: Shown, ctx: &mut Context<'_, Self>) {
        ctx.write(shown.term);
        self.0 = shown;
    }

    fn observe(&self) -> Shown {
        self.0.clone()
    }
}

/// The steps that a line stands for.
fn steps(line: &str, version: u64) -> Vec<Step> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let node: NodeId = words[0].parse().expect("a line begins with a node");
    if words[1] == "restarts" {
        return vec![Step::Crash { node, keep: 0 }, Step::Restart(node)];
    }
    let number = |word: &str| {
        let at = words.iter().position(|w| *w == word).expect("the word is there");
        words[at + 1].parse::<u64>().expect("a number follows")
    };
    let mut log: Vec<&str> = words.iter().skip_while(|word| **word != "log").skip(1).copied().collect();
    let first = match log.first().and_then(|word| word.strip_suffix(':')) {
        Some(first) => {
            let first = first.parse().expect("the number of the first entry");
            log.remove(0);
            first
        }
        None => 1,
    };
    let entry = |word: &&str| {
        let (term, name) = word.split_at(word.len() - 1);
        (term.parse().expect("a term"), u64::from(name.as_bytes()[0]))
    };
    let shown = Shown {
        role: words[1].to_owned(),
        term: number("term"),
        commit: number("commit"),
        first,
        log: log.iter().map(entry).collect(),
        // Logs that tell of their changes are looked at only when they changed; here every line is a change.
        versioned: version.is_multiple_of(2).then_some(version),
        rewritten: None,
        applied: words.contains(&"applied").then(|| (number("applied"), number("state"))),
        durable: words.contains(&"durable").then(|| number("durable")),
        members: words.contains(&"members").then(|| (number("members"), number("of"))),
        snapshot: words.contains(&"snapshot").then(|| (number("snapshot"), number("from"))),
    };
    vec![Step::Request(node, serde_json::to_string(&shown).expect("plain data").into())]
}

/// What the oracles say of the script: the property that is violated first, and by which line, counted
/// from 1.
fn judge(oracles: Vec<Box<dyn Oracle<Shown>>>, script: &[&str]) -> Option<(String, usize)> {
    judge_steps(oracles, script.iter().zip(1..).map(|(line, number)| steps(line, number)).collect())
}

fn judge_steps(mut oracles: Vec<Box<dyn Oracle<Shown>>>, script: Vec<Vec<Step>>) -> Option<(String, usize)> {
    let contract = Contract { crashes: Crashes::All, ..Contract::asynchronous() };
    let setup = Setup {
        nodes: 3,
        contract,
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        steps: script.len(),
        seed: 1,
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<Puppet>::boot(&setup).expect("puppets boot");
    for (number, steps) in (1..).zip(&script) {
        for step in steps {
            let fresh = cluster.board().moments().len();
            cluster.perform(step).expect("the script can be played");
            let seen = Seen::new(&cluster, fresh);
            for oracle in &mut oracles {
                if oracle.after_step(&seen).is_err() {
                    return Some((oracle.name().to_owned(), number));
                }
            }
        }
    }
    let seen = Seen::new(&cluster, cluster.board().moments().len());
    let violated = oracles.iter_mut().find_map(|oracle| oracle.at_end(&seen).is_err().then(|| oracle.name()));
    violated.map(|name| (name.to_owned(), script.len()))
}

/// The script passes all oracles but, at its last line or right after it, this one.
fn breaks(oracle: impl Oracle<Shown> + 'static, script: &[&str]) {
    let name = oracle.name().to_owned();
    assert_eq!(judge(vec![Box::new(oracle)], script), Some((name, script.len())), "{script:#?}");
}

fn holds(script: &[&str]) {
    let mut oracles = raft_invariants();
    oracles.push(Box::new(Agreement::default()));
    oracles.push(Box::new(DecidedNeverGoesBack::default()));
    assert_eq!(judge(oracles, script), None, "{script:#?}");
}

#[test]
fn a_normal_course_of_things_breaks_nothing() {
    holds(&[
        "n1 leader term 1 commit 0 log 1a",
        "n2 follower term 1 commit 0 log 1a",
        "n1 leader term 1 commit 1 log 1a 1b",
        "n3 follower term 1 commit 0 log 1a 1b",
        "n1 leader term 1 commit 2 log 1a 1b 1c",
        // n1 is cut off with an entry that nobody has; n3 leads on, and n1's entry is replaced.
        "n3 leader term 2 commit 2 log 1a 1b 2d",
        "n2 follower term 2 commit 1 log 1a 1b 2d",
        "n3 leader term 2 commit 3 log 1a 1b 2d",
        "n1 follower term 2 commit 3 log 1a 1b 2d",
        // The log of n3 is compacted; that of n2 comes from a snapshot.
        "n3 leader term 2 commit 3 log 3: 2d",
        "n2 follower term 2 commit 3 log 4:",
        // A restart may forget what is committed, but not the term.
        "n1 restarts",
        "n1 follower term 2 commit 0 log 1a 1b 2d",
    ]);
}

#[test]
fn two_leaders_of_one_term_break_election_safety() {
    breaks(
        ElectionSafety::default(),
        &[
            "n1 leader term 2 commit 0 log",
            "n1 follower term 3 commit 0 log",
            "n2 leader term 2 commit 0 log",
        ],
    );
    holds(&["n1 leader term 2 commit 0 log", "n2 leader term 3 commit 0 log"]);
}

#[test]
fn logs_that_agree_on_a_later_entry_only_break_log_matching() {
    breaks(
        LogMatching::default(),
        &["n1 follower term 2 commit 0 log 1a 2b", "n2 follower term 2 commit 0 log 1c 2b"],
    );
    breaks(
        LogMatching::default(),
        &["n1 follower term 2 commit 0 log 1a 2b", "n2 follower term 2 commit 0 log 1a 2c"],
    );
    holds(&["n1 follower term 2 commit 0 log 1a 1b", "n2 follower term 2 commit 0 log 1a 2b"]);
}

#[test]
fn a_later_leader_without_a_committed_entry_breaks_leader_completeness() {
    breaks(
        LeaderCompleteness::default(),
        &[
            "n1 leader term 1 commit 1 log 1a",
            "n2 follower term 1 commit 0 log",
            "n2 leader term 2 commit 0 log 2b",
        ],
    );
    // It leads already when the entry is committed, and does nothing any more.
    breaks(
        LeaderCompleteness::default(),
        &[
            "n1 leader term 1 commit 0 log 1a",
            "n2 leader term 2 commit 0 log 2b",
            "n1 leader term 1 commit 1 log 1a",
        ],
    );
    // A leader of an earlier term that is left behind may lack it.
    holds(&[
        "n1 leader term 1 commit 0 log",
        "n2 leader term 2 commit 1 log 2b",
        "n1 leader term 1 commit 0 log 1c",
    ]);
}

#[test]
fn different_commits_under_one_number_break_state_machine_safety_and_agreement() {
    let script = ["n1 follower term 1 commit 1 log 1a", "n2 follower term 2 commit 1 log 2b"];
    breaks(StateMachineSafety::default(), &script);
    breaks(Agreement::default(), &script);
    // A node that rewrites what it had committed itself, without its commit index moving.
    let script = ["n1 follower term 1 commit 1 log 1a", "n1 follower term 2 commit 1 log 2b"];
    breaks(StateMachineSafety::default(), &script);
    breaks(Agreement::default(), &script);
    breaks(StateMachineSafety::default(), &["n1 follower term 1 commit 2 log 1a"]);
    // One that comes back with another entry after a restart.
    let script = ["n1 follower term 1 commit 1 log 1a", "n1 restarts", "n1 follower term 2 commit 1 log 2b"];
    breaks(StateMachineSafety::default(), &script);
    breaks(Agreement::default(), &script);
}

#[test]
fn states_that_differ_after_the_same_entries_break_state_machine_safety() {
    let line =
        |node, upto, state| format!("{node} follower term 1 commit 2 applied {upto} state {state} log 1a 1b");
    let script = [line("n1", 1, 7), line("n1", 2, 8), line("n2", 1, 7), line("n3", 2, 9)];
    breaks(StateMachineSafety::default(), &script.each_ref().map(String::as_str));
    holds(&script[..3].iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn what_goes_back_is_noticed() {
    let script = ["n1 follower term 2 commit 0 log", "n1 follower term 1 commit 0 log"];
    breaks(TermNeverGoesBack::default(), &script);
    breaks(TermNeverGoesBack::while_running(), &script);
    let script = ["n1 follower term 2 commit 0 log", "n1 restarts", "n1 follower term 1 commit 0 log"];
    breaks(TermNeverGoesBack::default(), &script);
    let script = ["n1 follower term 2 commit 0 log", "n1 restarts"];
    assert_eq!(judge(vec![Box::new(TermNeverGoesBack::default())], &script), None);
    let script = ["n1 follower term 1 commit 1 log 1a", "n1 follower term 1 commit 0 log 1a"];
    breaks(CommitNeverGoesBack::default(), &script);
    breaks(DecidedNeverGoesBack::default(), &script);
    let script = ["n1 follower term 1 commit 1 log 1a", "n1 restarts", "n1 follower term 1 commit 0 log 1a"];
    assert_eq!(judge(vec![Box::new(CommitNeverGoesBack::default())], &script), None);
}

#[test]
fn a_leader_whose_log_has_not_changed_is_not_looked_through_again() {
    let setup = Setup {
        nodes: 3,
        contract: Contract::asynchronous(),
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        steps: 100,
        seed: 1,
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<Puppet>::boot(&setup).expect("puppets boot");
    let mut oracles: Vec<Box<dyn Oracle<Shown>>> = raft_invariants();
    let mut looks_at = |step: &Step| {
        let (fresh, before) = (cluster.board().moments().len(), LOOKS.get());
        cluster.perform(step).expect("it can be done");
        let seen = Seen::new(&cluster, fresh);
        oracles.iter_mut().for_each(|oracle| oracle.after_step(&seen).expect("all is well"));
        LOOKS.get() - before
    };
    let old = steps("n1 leader term 1 commit 5 log 1a 1b 1c 1d 1e", 2).remove(0);
    let new = steps("n1 leader term 2 commit 5 log 1a 1b 1c 1d 1e", 4).remove(0);
    looks_at(&old);
    assert!(looks_at(&new) >= 5, "the leader of a later term must have every committed entry");
    assert_eq!(looks_at(&Step::Tick(NodeId::new(1))), 0);
}

#[test]
fn a_leader_that_commits_what_only_it_holds_breaks_committed_by_quorum() {
    breaks(
        CommittedByQuorum::default(),
        &[
            "n1 leader term 1 commit 0 log 1a",
            "n2 follower term 1 commit 0 log",
            "n1 leader term 1 commit 1 log 1a",
        ],
    );
    // An entry of the same number and another term does not count.
    breaks(
        CommittedByQuorum::default(),
        &[
            "n2 follower term 2 commit 0 log 1a",
            "n1 leader term 2 commit 0 log 2a",
            "n1 leader term 2 commit 1 log 2a",
        ],
    );
    let replicated = [
        "n1 leader term 1 commit 0 log 1a",
        "n3 follower term 1 commit 0 log 1a",
        "n1 leader term 1 commit 1 log 1a",
        "n1 restarts",
        "n1 leader term 2 commit 1 log 2:",
    ];
    assert_eq!(judge(vec![Box::new(CommittedByQuorum::default())], &replicated), None);
}

/// A random course of three logs that grow, lose their ends, are compacted and come back after a restart;
/// leaders and commit indices are drawn too, so that every invariant breaks now and then.
fn random_course(seed: u64) -> Vec<(NodeId, Option<Shown>)> {
    let mut random = Random::new(seed);
    let mut nodes = vec![Shown { role: "follower".to_owned(), term: 1, first: 1, ..Shown::default() }; 3];
    let mut versions = [(1, 1); 3];
    let mut course = Vec::new();
    for _ in 0..60 {
        let place = random.index(3);
        let (other, node) = (nodes[random.index(3)].clone(), &mut nodes[place]);
        let (version, rewritten) = &mut versions[place];
        match random.below(12) {
            // A copy of another log's end, as replication would have it.
            0..=4 if other.first <= node.first + node.log.len() as u64 && other.first >= node.first => {
                let kept = (other.first - node.first) as usize;
                let is_only_longer = other.log.starts_with(&node.log[kept..]);
                node.log.truncate(kept);
                node.log.extend_from_slice(&other.log);
                *version += 1;
                *rewritten = if is_only_longer { *rewritten } else { *version };
            }
            5 | 6 if node.role == "leader" => {
                // Contents differ seldom, so that most entries of one number and term are the same.
                node.log.push((node.term, u64::from(random.chance(0.15))));
                *version += 1;
            }
            7 if !node.log.is_empty() && node.log.len() as u64 + node.first > node.commit + 1 => {
                node.log.pop();
                *version += 1;
                *rewritten = *version;
            }
            8 if node.commit >= node.first && !node.log.is_empty() => {
                node.log.remove(0);
                node.first += 1;
                *version += 1;
            }
            9 => {
                node.term = other.term.max(node.term) + 1;
                node.role = "leader".to_owned();
            }
            10 => {
                (node.role, node.commit) = ("follower".to_owned(), node.first - 1);
                *version += 1;
                course.push((NodeId::from_index(place), None));
            }
            _ => node.commit = (node.commit + 1).min(node.first + node.log.len() as u64 - 1),
        }
        (node.versioned, node.rewritten) = (Some(*version), Some(*rewritten));
        course.push((NodeId::from_index(place), Some(node.clone())));
    }
    course
}

fn steps_of(course: &[(NodeId, Option<Shown>)], change: impl Fn(&mut Shown)) -> Vec<Vec<Step>> {
    let steps = |(node, shown): &(NodeId, Option<Shown>)| match shown {
        None => vec![Step::Crash { node: *node, keep: 0 }, Step::Restart(*node)],
        Some(shown) => {
            let mut shown = shown.clone();
            change(&mut shown);
            vec![Step::Request(*node, serde_json::to_string(&shown).expect("plain data").into())]
        }
    };
    course.iter().map(steps).collect()
}

/// Makes an oracle anew.
type Property = fn() -> Box<dyn Oracle<Shown>>;

#[test]
fn what_is_known_of_a_log_that_only_grew_changes_no_verdict() {
    let mut broken = std::collections::BTreeMap::<String, u32>::new();
    let (mut looks, mut looks_at_all) = (0, 0);
    for seed in 0..1_000 {
        let course = random_course(seed);
        let properties: [Property; 3] = [
            || Box::new(LogMatching::default()),
            || Box::new(LeaderCompleteness::default()),
            || Box::new(StateMachineSafety::default()),
        ];
        for property in properties {
            let before = LOOKS.get();
            let with = judge_steps(vec![property()], steps_of(&course, |_| {}));
            looks += LOOKS.get() - before;
            let before = LOOKS.get();
            let forget = |shown: &mut Shown| (shown.versioned, shown.rewritten) = (None, None);
            let without = judge_steps(vec![property()], steps_of(&course, forget));
            looks_at_all += LOOKS.get() - before;
            assert_eq!(with, without, "seed {seed}");
            *broken.entry(with.map_or_else(|| "none".to_owned(), |(name, _)| name)).or_default() += 1;
        }
    }
    assert!(broken.len() == 4 && broken.values().all(|&count| count >= 30), "{broken:?}");
    assert!(looks * 2 < looks_at_all, "{looks} entries were looked at instead of {looks_at_all}");
}

/// The same state, with ballots for terms: a round and its leader.
struct InBallots(Shown);

impl RaftState for InBallots {
    type Term = (u64, NodeId);

    fn term(&self) -> (u64, NodeId) {
        ballot(self.0.term)
    }

    fn role(&self) -> Role {
        self.0.role()
    }

    fn commit(&self) -> u64 {
        self.0.commit
    }

    fn first_index(&self) -> u64 {
        self.0.first
    }

    fn last_index(&self) -> u64 {
        self.0.last_index()
    }

    fn entry(&self, number: u64) -> Option<LogEntry<(u64, NodeId)>> {
        let LogEntry { term, digest } = self.0.entry(number)?;
        Some(LogEntry { term: ballot(term), digest })
    }
}

/// Term 12 is round 1, led by n2.
fn ballot(term: u64) -> (u64, NodeId) {
    (term / 10, NodeId::new((term % 10) as usize))
}

#[test]
fn terms_may_be_ballots_in_which_two_nodes_lead_one_round() {
    let oracles = raft_invariants::<InBallots>();
    assert_eq!(oracles.len(), raft_invariants::<Shown>().len());
    let state = |term| InBallots(Shown { term, ..Shown::default() });
    assert!(state(11).term() < state(12).term() && state(12).term() < state(21).term());
    use shakedown_rafts::Term;
    assert!(state(11).term().number() < state(12).term().number());
    assert!(state(19).term().number() < state(21).term().number());
}

fn durable_by_quorum(script: &[&str]) -> Option<(String, usize)> {
    judge(vec![Box::new(DurableByQuorum::default())], script)
}

#[test]
fn what_is_committed_must_be_durable_in_a_quorum() {
    let lines = |durable: u64| {
        vec![
            "n1 leader term 1 commit 0 durable 2 log 1a 1b".to_owned(),
            format!("n2 follower term 1 commit 0 durable {durable} log 1a 1b"),
            "n1 leader term 1 commit 2 durable 2 log 1a 1b".to_owned(),
        ]
    };
    let judged = |durable| {
        let script = lines(durable);
        durable_by_quorum(&script.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(judged(2), None);
    assert_eq!(
        judged(1),
        Some(("durable-by-quorum".to_owned(), 3)),
        "the second entry is durable on n1 only"
    );
}

#[test]
fn an_entry_that_a_follower_commits_first_must_be_durable_in_a_quorum_too() {
    let script = ["n2 follower term 1 commit 1 durable 1 log 1a"];
    assert_eq!(durable_by_quorum(&script), Some(("durable-by-quorum".to_owned(), 1)));
}

#[test]
fn a_log_that_shows_nothing_of_its_disk_and_a_compacted_one_count_as_durable() {
    let script = [
        "n1 leader term 1 commit 0 durable 0 log 1a",
        "n2 follower term 1 commit 0 log 1a",
        "n3 follower term 1 commit 0 durable 0 log 2:",
        "n1 leader term 1 commit 1 durable 0 log 1a",
    ];
    assert_eq!(durable_by_quorum(&script), None);
    // Another entry in the same place does not count.
    let script = ["n2 follower term 2 commit 0 log 2b", "n1 leader term 1 commit 1 durable 1 log 1a"];
    assert_eq!(durable_by_quorum(&script), Some(("durable-by-quorum".to_owned(), 2)));
}

#[test]
fn a_membership_is_that_of_an_entry_in_the_log_or_of_the_snapshot() {
    let judged = |line: &str| judge(vec![Box::new(MembershipInLog)], &[line]).is_some();
    assert!(!judged("n1 follower term 2 commit 0 log 1a 2b"), "nothing is shown of it");
    assert!(!judged("n1 follower term 2 commit 0 members 2 of 2 log 1a 2b"));
    assert!(judged("n1 follower term 2 commit 0 members 2 of 1 log 1a 2b"), "the entry is of another term");
    assert!(judged("n1 follower term 2 commit 0 members 3 of 2 log 1a 2b"), "there is no such entry");
    assert!(!judged("n1 follower term 2 commit 0 members 3 of 2 snapshot 3 from 2 log 5: 2b"));
    assert!(judged("n1 follower term 2 commit 0 members 3 of 2 snapshot 3 from 1 log 5: 2b"));
}
