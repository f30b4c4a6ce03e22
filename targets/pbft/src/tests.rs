//! Whole executions: by hand, and with a node that lies at random.

use std::collections::BTreeSet;

use shakedown_campaign::AnyTarget;
use shakedown_check::{Oracle, Seen};
use shakedown_cluster::{
    Cluster, Happening, InProcess, Message, MessageIndex, MessageInfo, Name, NodeId, Random, Recording,
    Setup, Step,
};

use crate::target::oracles;
use crate::{
    Certificate, Command, Digest, Mail, Propose, Quorum, Replica, Signature, Stop, StopData, Sync, TIMER,
    Value, View, Vote, choose, target,
};

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);
const N4: NodeId = NodeId::new(4);

struct Run {
    cluster: InProcess<Replica>,
    oracles: Vec<Box<dyn Oracle<View>>>,
    violation: Option<String>,
}

impl Run {
    fn new(nodes: usize, set: &[(&str, &str)]) -> Run {
        let mut options = target().defaults().options.clone();
        options.set("timers", "anytime");
        set.iter().for_each(|(option, value)| options.set(*option, value));
        let setup = Setup {
            nodes,
            contract: AnyTarget::contract(&target(), &options).expect("these options are right"),
            options: options.into(),
            workload: Vec::new(),
            steps: 200,
            seed: 1,
            recording: Recording::Brief,
        };
        let cluster = InProcess::boot(&setup).expect("replicas boot");
        Run { cluster, oracles: oracles(), violation: None }
    }

    fn step(&mut self, step: &Step) {
        let fresh = self.cluster.board().moments().len();
        self.cluster.perform(step).unwrap_or_else(|refusal| panic!("{step}: {refusal}"));
        assert_eq!(self.cluster.board().stopped(), None);
        for oracle in &mut self.oracles {
            if let Err(reason) = oracle.after_step(&Seen::new(&self.cluster, fresh)) {
                self.violation.get_or_insert(reason);
            }
        }
    }

    fn ask(&mut self, node: NodeId, value: u64) {
        self.step(&Step::Request(node, value.to_string().into()));
    }

    fn time_out(&mut self, nodes: &[NodeId]) {
        nodes.iter().for_each(|node| self.step(&Step::Fire(*node, Name::new(TIMER))));
    }

    fn inject(&mut self, to: NodeId, mail: &Mail) {
        let from = mail.sender().expect("it has a sender");
        let text = mail.encode().expect("it has a text form");
        self.step(&Step::Inject(from, to, text.into()));
    }

    /// Delivers what is under way, and all that comes of it, in the order of sending; what is not wanted is
    /// lost.
    fn deliver(&mut self, is_wanted: impl Fn(&MessageInfo) -> bool) {
        while let Some(&index) = self.cluster.board().deliverable().iter().min() {
            let message = self.cluster.board().message(index);
            let (id, kind) = (message.id, message.kind);
            let step = if is_wanted(message) { Step::Deliver(id, kind) } else { Step::Drop(id, kind) };
            self.step(&step);
        }
    }

    fn deliver_all(&mut self) {
        self.deliver(|_| true);
    }

    fn view(&self, node: NodeId) -> &View {
        &self.cluster.states()[node.index()]
    }

    /// Of a replica: the epochs and values of what it has decided.
    fn decided(&self, node: NodeId) -> Vec<(u64, Option<u64>)> {
        let of = |value: Value| value.command().map(|command| command.value);
        self.view(node).decided.iter().map(|it| (it.epoch, of(it.value))).collect()
    }

    fn facts(&self, name: &str) -> Vec<String> {
        let board = self.cluster.board();
        let reported = board.events().filter_map(|event| match &event.what {
            Happening::Internal(fact) if fact.name.as_str() == name => {
                Some(format!("{} {fact}", board.moments()[event.moment as usize].node))
            }
            _ => None,
        });
        reported.collect()
    }
}

fn is(message: &MessageInfo, kind: &str) -> bool {
    message.kind.as_str() == kind
}

#[test]
fn without_faults_every_replica_decides_every_request_in_epoch_0() {
    for nodes in [4, 5, 7, 10] {
        let mut run = Run::new(nodes, &[]);
        for (node, value) in [(N1, 10), (N3, 20), (N4, 30)] {
            run.ask(node, value);
        }
        run.deliver_all();
        for node in NodeId::first(nodes) {
            assert_eq!(run.decided(node), [(0, Some(10)), (0, Some(20)), (0, Some(30))]);
            assert_eq!((run.view(node).epoch, run.view(node).pending), (0, 0));
            assert!(run.cluster.board().node(node).timers.is_empty(), "nobody waits any more");
        }
        let answers: Vec<_> =
            run.cluster.board().requests().iter().map(|request| request.answer.as_deref()).collect();
        assert_eq!(answers, [Some("1"), Some("2"), Some("3")]);
        assert_eq!(run.violation, None);
    }
}

#[test]
fn a_request_costs_the_messages_of_the_paper() {
    let mut run = Run::new(4, &[]);
    run.ask(N2, 10);
    run.deliver_all();
    let count = |kind: &str| run.cluster.board().messages().iter().filter(|m| is(m, kind)).count();
    assert_eq!(["Request", "Propose", "Write", "Accept", "Stop"].map(count), [3, 3, 12, 12, 0]);
    assert_eq!(
        run.facts("decided").first().map(String::as_str),
        Some("n1 decided instance=1 epoch=0 value=10")
    );
}

#[test]
fn when_the_leader_is_silent_the_next_epoch_decides() {
    let mut run = Run::new(4, &[]);
    run.ask(N3, 10);
    run.deliver(|m| m.id.from != N1);
    assert_eq!(run.decided(N3), []);
    run.time_out(&[N2, N3, N4]);
    run.deliver(|m| m.id.from != N1);
    for node in [N2, N3, N4] {
        assert_eq!(run.decided(node), [(1, Some(10))]);
    }
    assert_eq!(run.facts("stop")[..3], ["n2 stop epoch=1", "n3 stop epoch=1", "n4 stop epoch=1"]);
    assert_eq!(run.facts("epoch").len(), 4, "the silent leader hears of the new epoch");
    assert_eq!(run.violation, None);
}

#[test]
fn two_stops_make_a_replica_join_and_three_begin_the_epoch() {
    let mut run = Run::new(4, &[]);
    run.ask(N3, 10);
    run.deliver(|m| is(m, "Request"));
    run.time_out(&[N3]);
    run.deliver_all();
    assert_eq!((run.view(N2).asked, run.view(N2).epoch), (0, 0));
    run.time_out(&[N4]);
    run.deliver_all();
    assert_eq!(run.facts("stop").len(), 4);
    assert_eq!(NodeId::first(4).map(|node| run.view(node).epoch).collect::<Vec<_>>(), [1, 1, 1, 1]);
    assert_eq!(run.decided(N1), [(1, Some(10))]);
}

/// 20 is asked for first, but n1 does not hear of it. Then n1 decides 10 as instance 1; n3 and n4 have
/// prepared it, n2, the next leader, has not.
fn decided_at_one(run: &mut Run) {
    run.ask(N2, 20);
    run.deliver(|m| m.id.to != N1);
    run.ask(N1, 10);
    // Everybody sees the proposal and writes, but only n1 and n3 see a quorum of Writes.
    run.deliver(|m| match m.kind.as_str() {
        "Write" => [N1, N3].contains(&m.id.to),
        "Accept" => m.id.to == N1,
        _ => true,
    });
    assert_eq!(run.decided(N1), [], "two Accepts are not enough");
    // What is sent again makes n4 accept too, for n1 alone.
    run.time_out(&[N1, N2, N3]);
    run.deliver(|m| match m.kind.as_str() {
        "Write" => m.id.to == N4,
        "Accept" => m.id.to == N1,
        _ => false,
    });
    assert_eq!(run.decided(N1), [(0, Some(10))]);
    assert_eq!([N2, N3, N4].map(|node| run.decided(node).len()), [0; 3]);
    assert_eq!([N2, N3, N4].map(|node| run.view(node).prepared.len()), [0, 1, 1]);
}

/// A time-out of all but n1; the votes that are sent again are lost.
fn time_out_without_n1(run: &mut Run) {
    run.time_out(&[N2, N3, N4]);
    for index in run.cluster.board().deliverable().to_vec() {
        let message = run.cluster.board().message(index);
        if is(message, "Write") || is(message, "Accept") || is(message, "Propose") {
            let step = Step::Drop(message.id, message.kind);
            run.step(&step);
        }
    }
}

/// A change of epochs without n1.
fn new_epoch_without_n1(run: &mut Run) {
    time_out_without_n1(run);
    run.deliver(|m| m.id.from != N1 && m.id.to != N1);
}

/// The next leader n2, which has not prepared 10, learns of it from n3 or n4.
#[test]
fn a_value_that_is_decided_at_one_replica_survives_the_change_of_epochs() {
    let mut run = Run::new(4, &[]);
    decided_at_one(&mut run);
    new_epoch_without_n1(&mut run);
    for node in [N2, N3, N4] {
        assert_eq!(run.decided(node), [(1, Some(10)), (1, Some(20))]);
    }
    assert_eq!(run.violation, None);
}

#[test]
fn a_new_leader_that_proposes_only_what_it_prepared_loses_a_decided_value_if_nobody_checks() {
    let mut run = Run::new(4, &[("new_view_check", "false"), ("new_view_choice", "own")]);
    decided_at_one(&mut run);
    new_epoch_without_n1(&mut run);
    assert_eq!(run.violation.as_deref(), Some("n3 decided 20 as entry 1, but 10 was decided before"));
}

#[test]
fn the_epoch_of_a_leader_that_chooses_wrong_comes_to_nothing_if_it_is_checked() {
    let mut run = Run::new(4, &[("new_view_choice", "own")]);
    decided_at_one(&mut run);
    new_epoch_without_n1(&mut run);
    assert_eq!([N2, N3, N4].map(|node| run.view(node).is_active), [true, false, false]);
    // n3 leads the next one, and has prepared 10 itself.
    new_epoch_without_n1(&mut run);
    assert_eq!(run.decided(N4), [(2, Some(10)), (2, Some(20))]);
    assert_eq!(run.violation, None);
}

/// n2 leads epoch 1 and lies to n3 and n4 about what was prepared.
fn lie_in_the_sync(check: &str) -> Run {
    let mut run = Run::new(4, &[("new_view_check", check)]);
    decided_at_one(&mut run);
    time_out_without_n1(&mut run);
    // It does not say what its replica says.
    run.deliver(|m| m.id.from != N1 && m.id.to != N1 && !is(m, "Sync") && !is(m, "Write"));
    let reported = run.cluster.node(N2).expect("it runs").sync().expect("it leads").clone();
    let lie = Sync { chosen: vec![Value::Command(Command::signed(0, 20))], ..reported.clone() };
    let hidden = |data: &StopData| StopData { prepared: Vec::new(), ..data.clone() };
    let nothing_told = Sync { stop_data: reported.stop_data.iter().map(hidden).collect(), ..lie.clone() };
    let once_each = Sync { stop_data: vec![reported.stop_data[0].clone(); 3], ..lie.clone() };
    for sync in [nothing_told, once_each, lie] {
        [N3, N4].iter().for_each(|to| run.inject(*to, &Mail::Sync(sync.clone())));
    }
    run.deliver(|m| m.id.from != N1 && m.id.to != N1);
    // The liar goes along with its lie.
    for kind in [Mail::Write, Mail::Accept] {
        let digest = Value::Command(Command::signed(0, 20)).digest();
        let vote = Vote { epoch: 1, instance: 1, digest, sender: N2, signature: Signature::default() };
        [N3, N4].iter().for_each(|to| run.inject(*to, &kind(vote)));
        run.deliver(|m| m.id.from != N1 && m.id.to != N1);
    }
    run
}

#[test]
fn a_new_leader_that_lies_about_what_was_prepared_is_not_followed() {
    let run = lie_in_the_sync("true");
    assert_eq!((run.decided(N3), run.violation), (vec![], None));
}

#[test]
fn one_lie_of_a_new_leader_loses_a_decided_value_if_nobody_checks() {
    let run = lie_in_the_sync("false");
    let lost = "decided 20 as entry 1, but 10 was decided before";
    assert!(run.violation.as_deref().is_some_and(|reason| reason.ends_with(lost)), "{:?}", run.violation);
}

/// The leader proposes 20 as instance 1 to some, and 10 to the others.
fn equivocate(to: &[NodeId]) -> Run {
    let mut run = Run::new(4, &[]);
    run.ask(N1, 10);
    run.ask(N1, 20);
    for to in to {
        let other = Propose {
            epoch: 0,
            instance: 1,
            value: Value::Command(Command::signed(1, 20)),
            sender: N1,
            signature: Signature::default(),
        };
        let id = shakedown_cluster::MessageId { from: N1, to: *to, number: 1 };
        let text = Mail::Propose(other).encode().expect("it has a text form");
        run.step(&Step::Tamper(id, Name::new("Propose"), text.into()));
    }
    run.deliver_all();
    run
}

#[test]
fn what_a_leader_tells_one_replica_alone_is_not_decided() {
    let mut run = equivocate(&[N4]);
    assert_eq!(run.decided(N2), [(0, Some(10)), (0, Some(20))]);
    assert_eq!(run.view(N4).executed, 0);
    // n4 asks for another epoch, and hears from the others what it missed.
    run.time_out(&[N4]);
    run.deliver_all();
    assert_eq!(run.decided(N4), run.decided(N2));
    assert_eq!((run.view(N4).pending, run.view(N4).epoch), (0, 0));
    assert_eq!(run.violation, None);
}

#[test]
fn if_a_leader_splits_the_others_the_next_epoch_decides() {
    let mut run = equivocate(&[N3, N4]);
    assert_eq!([N2, N3, N4].map(|node| run.view(node).executed), [0; 3]);
    run.time_out(&[N2, N3, N4]);
    run.deliver_all();
    for node in [N2, N3, N4] {
        assert_eq!(run.view(node).executed, run.view(N2).executed);
        assert_eq!(run.decided(node), run.decided(N2));
        assert_eq!(run.view(node).pending, 0);
    }
    assert_eq!(run.violation, None);
}

#[test]
fn a_command_that_no_client_gave_is_not_proposed() {
    let mut run = Run::new(4, &[]);
    let value = Value::Command(Command::forged(0, 99));
    let propose = Propose { epoch: 0, instance: 1, value, sender: N1, signature: Signature::default() };
    run.inject(N2, &Mail::Propose(propose));
    run.deliver_all();
    assert!(run.cluster.board().messages().iter().all(|m| !is(m, "Write")));
}

#[test]
fn nobody_speaks_in_the_name_of_another() {
    let mut run = Run::new(4, &[]);
    let stop = |sender| {
        let signature = Signature::default();
        Mail::Stop(Stop { epoch: 1, synced: 0, executed: 0, pending: Vec::new(), sender, signature })
    };
    for sender in [N1, N2, N3] {
        let text = stop(sender).encode().expect("it has a text form");
        run.step(&Step::Inject(N3, N4, text.into()));
    }
    run.deliver_all();
    assert_eq!(run.view(N4).asked, 0, "only one of them counts");
}

#[test]
fn a_certificate_with_a_forged_or_repeated_vote_proves_nothing() {
    let quorum = Quorum::of(4);
    let value = Value::Command(Command::signed(0, 10));
    let vote = |sender| {
        let vote =
            Vote { epoch: 0, instance: 1, digest: value.digest(), sender, signature: Signature::default() };
        vote.signed(crate::signature::Subject::Write)
    };
    let certificate = |writes: Vec<Vote>| Certificate { epoch: 0, instance: 1, value, writes };
    let right = vec![vote(N1), vote(N2), vote(N4)];
    assert!(certificate(right.clone()).is_valid(quorum));
    assert!(!certificate(right[..2].to_vec()).is_valid(quorum));
    assert!(!certificate(vec![vote(N1), vote(N2), vote(N2)]).is_valid(quorum));
    assert!(!certificate(vec![vote(N1), vote(N2), vote(NodeId::new(5))]).is_valid(quorum));
    let as_accept = vote(N4).signed(crate::signature::Subject::Accept);
    assert!(!certificate(vec![vote(N1), vote(N2), as_accept]).is_valid(quorum));
    let mut forged = right;
    forged[2].sender = N3;
    assert!(!certificate(forged.clone()).is_valid(quorum));
    forged[2].sender = N4;
    assert!(!Certificate { epoch: 1, ..certificate(forged) }.is_valid(quorum));
}

#[test]
fn the_value_of_the_highest_epoch_is_chosen_and_nothing_in_the_gaps() {
    let value = |number| Value::Command(Command::signed(number, u64::from(number)));
    let prepared =
        |epoch, instance, number| Certificate { epoch, instance, value: value(number), writes: Vec::new() };
    let reported =
        |sender, prepared| StopData { epoch: 9, prepared, sender, signature: Signature::default() };
    let all = [
        reported(N1, vec![prepared(2, 1, 12), prepared(0, 4, 40)]),
        reported(N2, vec![prepared(3, 1, 13), prepared(1, 2, 21)]),
        reported(N3, vec![prepared(1, 1, 11)]),
    ];
    assert_eq!(choose(&all), [value(13), value(21), Value::Nothing, value(40)]);
    assert_eq!(choose(&[]), []);
}

#[test]
fn the_text_of_a_message_reads_back_as_the_message_and_garbage_is_an_error() {
    let text = r#"{"Write":{"epoch":0,"instance":1,"digest":"2a","sender":"n3"}}"#;
    let vote = Mail::decode(text).expect("it is a message");
    assert!(vote.is_signed());
    assert_eq!((vote.epoch(), vote.instance(), vote.sender()), (Some(0), Some(1), Some(N3)));
    assert_eq!(vote.describe(), "epoch 0 instance 1 0000");
    let mut run = Run::new(4, &[]);
    decided_at_one(&mut run);
    new_epoch_without_n1(&mut run);
    let sync = Mail::Sync(run.cluster.node(N2).expect("it runs").sync().expect("it leads").clone());
    for mail in [vote, sync] {
        assert_eq!(Mail::decode(&mail.encode().expect("it has a text form")), Ok(mail));
    }
    for garbage in ["", "x", "{}", "[1]", r#"{"Write":{}}"#, r#"{"Dance":{}}"#, r#"{"Request":7}"#] {
        assert!(Mail::decode(garbage).is_err(), "{garbage}");
    }
    assert!(Mail::decode(&"[".repeat(100_000)).is_err());
    let digest = text.replace("2a", "zz");
    assert!(Mail::decode(&digest).is_err_and(|error| error.contains("hexadecimal")));
}

#[test]
fn numbers_at_the_end_of_their_range_are_harmless() {
    let end = u64::MAX;
    let mut run = Run::new(4, &[("new_view_check", "false")]);
    run.ask(N1, 10);
    let signature = Signature::default();
    let digest = Digest(end);
    let mails = [
        Mail::Write(Vote { epoch: end, instance: end, digest, sender: N4, signature }),
        Mail::Accept(Vote { epoch: 0, instance: end, digest, sender: N4, signature }),
        Mail::Stop(Stop { epoch: end, synced: end, executed: end, pending: vec![], sender: N4, signature }),
        // The last epoch of all is led by n4, and nobody checks.
        Mail::Sync(Sync { epoch: end, stop_data: vec![], chosen: vec![], sender: N4, signature }),
    ];
    mails.iter().for_each(|mail| run.inject(N2, mail));
    run.deliver_all();
    run.time_out(&[N2]);
    run.deliver_all();
    assert_eq!(run.view(N2).epoch, end);
}

/// Steps in any order; messages are lost by chance.
fn at_random(run: &mut Run, steps: usize, lost_percent: impl Fn(MessageIndex) -> u64, random: &mut Random) {
    for _ in 0..steps {
        let board = run.cluster.board();
        let timers: Vec<_> = board.ripe_timers().collect();
        let deliverable = board.deliverable();
        let step = if deliverable.is_empty() || random.below(40) == 0 {
            let Some((node, timer)) = random.choose(&timers) else { return };
            Step::Fire(*node, *timer)
        } else {
            let index = deliverable[random.index(deliverable.len())];
            let (id, kind) = (board.message(index).id, board.message(index).kind);
            let is_lost = random.below(100) < lost_percent(index);
            if is_lost { Step::Drop(id, kind) } else { Step::Deliver(id, kind) }
        };
        run.step(&step);
    }
}

#[test]
fn whatever_was_lost_everybody_decides_everything_when_nothing_is_lost_any_more() {
    let mut random = Random::new(1);
    for number in 0..300 {
        let mut run = Run::new(if number % 5 == 0 { 7 } else { 4 }, &[]);
        for value in [10, 20, 30] {
            run.ask(NodeId::from_index(random.index(4)), value);
        }
        at_random(&mut run, 150, |_| 5 + number % 70, &mut random);
        // From here on, time-outs are longer than a message is under way.
        for _ in 0..12 {
            run.deliver_all();
            let waiting: Vec<_> = run.cluster.board().ripe_timers().map(|(node, _)| node).collect();
            run.time_out(&waiting);
        }
        run.deliver_all();
        for view in run.cluster.states() {
            assert_eq!(view.pending, 0, "execution {number}: {view:?}");
            assert!(view.executed >= 3 && view.executed == run.view(N1).executed, "{view:?}");
        }
        let answered = run.cluster.board().requests().iter().all(|request| request.answer.is_some());
        assert!(answered, "execution {number}");
        assert_eq!(run.violation, None, "execution {number}");
    }
}

/// A lie that wants a certain command to be instance 1, told to a replica by one that knows its epoch.
fn lie(run: &Run, liar: NodeId, to: NodeId, command: Command, random: &mut Random) -> Mail {
    let replica = run.cluster.node(liar).expect("it runs");
    let epoch = run.view(to).epoch;
    let (instance, value) = (1, Value::Command(command));
    let signature = Signature::default();
    let vote = Vote { epoch, instance, digest: value.digest(), sender: liar, signature };
    match random.below(10) {
        0 => Mail::Propose(Propose { epoch, instance, value, sender: liar, signature }),
        1..4 => Mail::Write(vote),
        4..7 => Mail::Accept(vote),
        7 => Mail::Stop(Stop {
            epoch: epoch + 1,
            synced: 0,
            executed: 0,
            pending: vec![],
            sender: liar,
            signature,
        }),
        8 => Mail::StopData(StopData { epoch, prepared: vec![], sender: liar, signature }),
        _ => {
            // What it was told, if it was, with its own part changed and another choice.
            let led = (epoch..).find(|epoch| Quorum::of(4).leader(*epoch) == liar).expect("all take turns");
            let invented = Sync { epoch: led, stop_data: vec![], chosen: vec![], sender: liar, signature };
            let mut sync = replica.sync().filter(|sync| sync.epoch >= epoch).cloned().unwrap_or(invented);
            for data in sync.stop_data.iter_mut().filter(|data| data.sender == liar) {
                *data = StopData { prepared: vec![], ..data.clone() }.signed();
            }
            sync.chosen = if random.below(2) == 0 { vec![value] } else { choose(&sync.stop_data) };
            Mail::Sync(sync)
        }
    }
}

/// How many of so many executions with a liar break agreement.
fn broken_by_a_liar(executions: usize, check: &str, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut broken = 0;
    for _ in 0..executions {
        let mut run = Run::new(4, &[("new_view_check", check)]);
        let liar = NodeId::from_index(random.index(4));
        for value in [10, 20, 30] {
            run.ask(NodeId::from_index(random.index(4)), value);
        }
        let command = random.below(3);
        let command = Command::signed(command as u32, 10 * (command + 1));
        let lost_percent = random.below(40);
        let honest_steps = random.index(100);
        at_random(&mut run, honest_steps, |_| lost_percent, &mut random);
        // From here on, the liar does not often say what its replica says.
        let mut withheld = BTreeSet::new();
        for _ in 0..30 {
            let sent = run.cluster.board().messages().len();
            let is_withheld = |index| if withheld.contains(&index) { 75 } else { lost_percent };
            at_random(&mut run, 6, is_withheld, &mut random);
            let new = (0..).map(MessageIndex).zip(run.cluster.board().messages()).skip(sent);
            withheld.extend(new.filter(|(_, message)| message.id.from == liar).map(|(index, _)| index));
            for to in NodeId::first(4).filter(|to| *to != liar) {
                if random.below(2) == 0 {
                    let mail = lie(&run, liar, to, command, &mut random);
                    run.inject(to, &mail);
                }
            }
        }
        broken += usize::from(run.violation.is_some());
    }
    broken
}

#[test]
fn random_lies_break_agreement_only_if_nobody_checks_a_new_leader() {
    assert_eq!(broken_by_a_liar(2_000, "true", 1), 0);
    let broken = broken_by_a_liar(2_000, "false", 1);
    assert!(broken > 0, "the lies have to be able to do harm");
}
