//! Async nodes in a cluster, step by step: calls, time, disks, crashes, lost sessions.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakedown_async::{Async, AsyncNode, Env, Settings, TaskOrder};
use shakedown_cluster::{
    Cluster, Contract, DiskModel, InProcess, Message, NodeId, Options, Recording, RequestId, Saved, Setup,
    Step, Stop, Timers,
};

/// What a client makes the node do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Ask {
    /// Calls n2, without end or for 20 ms at most.
    Call,
    CallFor20,
    /// Notes how long it has slept.
    Sleep(u64),
    /// Counts periods of 10 ms.
    Count,
    /// Writes, waits for the disk, answers.
    Save(u64),
    /// Wakes itself without end.
    Spin,
    /// Three tasks note their numbers.
    Race,
    /// Leaves a task behind that notes its drop, spawns another one, sends and writes then.
    Haunt,
    /// A task that panics when it is dropped.
    Trap,
    /// Sends n2 a message that nobody replies to.
    Post,
}

#[derive(Clone, Debug, Hash)]
struct Ping(u64);

impl Message for Ping {
    fn kind(&self) -> &'static str {
        "Ping"
    }
}

struct Server {
    env: Env<Server>,
    notes: Rc<RefCell<Vec<String>>>,
}

thread_local! {
    /// Notes of tasks that outlived their node, if there were any.
    static AFTERLIFE: Cell<u32> = const { Cell::new(0) };
}

impl AsyncNode for Server {
    type Message = Ping;
    type Reply = u64;
    type Request = Ask;
    type Answer = String;
    type State = Vec<String>;
    type Disk = Saved<u64>;

    async fn boot(disk: Saved<u64>, env: Env<Server>) -> Server {
        if env.options().text("slow_boot") == Some("true") {
            env.sleep(Duration::from_millis(20)).await;
        }
        Server { notes: Rc::new(RefCell::new(vec![format!("life {} disk {}", env.life(), disk.0)])), env }
    }

    fn starting(_disk: &Saved<u64>) -> Option<Vec<String>> {
        Some(vec!["starting".to_owned()])
    }

    async fn serve(self: Rc<Self>, _from: NodeId, Ping(number): Ping) -> u64 {
        if number == 0 { std::future::pending().await } else { number + 1 }
    }

    async fn receive(self: Rc<Self>, from: NodeId, message: Ping) {
        self.note(format!("{from} sent {message:?}"));
    }

    async fn request(self: Rc<Self>, _id: RequestId, ask: Ask) -> Option<String> {
        let (env, n2) = (&self.env, NodeId::new(2));
        let ms = Duration::from_millis;
        match ask {
            Ask::Call => self.note(format!("{:?}", env.call(n2, Ping(7)).await)),
            Ask::CallFor20 => self.note(format!("{:?}", env.timeout(ms(20), env.call(n2, Ping(7))).await)),
            Ask::Sleep(for_ms) => {
                let before = env.now();
                env.sleep(ms(for_ms)).await;
                self.note(format!("slept {} ms", (env.now() - before).as_millis()));
            }
            Ask::Count => {
                let mut interval = env.interval(ms(10));
                let this = Rc::clone(&self);
                env.spawn(async move {
                    loop {
                        let now = interval.tick().await;
                        this.note(format!("at {} ms", now.since_begin().as_millis()));
                    }
                });
            }
            Ask::Save(value) => {
                env.write(Saved(value).0);
                env.flush().await;
                return Some(format!("saved {value}"));
            }
            Ask::Spin => loop {
                env.spawn(async {}).await;
            },
            Ask::Race => {
                for number in 1..=3 {
                    let this = Rc::clone(&self);
                    env.spawn(async move { this.note(format!("task {number}")) });
                }
            }
            Ask::Haunt => {
                let ghost = Ghost(env.clone());
                env.spawn(async move {
                    let _ghost = ghost;
                    std::future::pending::<()>().await;
                });
            }
            Ask::Trap => {
                env.spawn(async move {
                    let _trap = Trap;
                    std::future::pending::<()>().await;
                });
            }
            Ask::Post => env.send(n2, Ping(9)),
        }
        None
    }

    fn observe(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }

    fn settings(options: &Options) -> Settings {
        let order = options.get("order").unwrap_or_default();
        Settings { order, polls_max: 1_000, ..Settings::default() }
    }
}

impl Server {
    fn note(&self, text: String) {
        self.notes.borrow_mut().push(text);
    }
}

/// Does all that it can when it is dropped.
struct Ghost(Env<Server>);

impl Drop for Ghost {
    fn drop(&mut self) {
        let env = self.0.clone();
        env.spawn(async { AFTERLIFE.set(AFTERLIFE.get() + 1) });
        env.send(NodeId::new(2), Ping(1));
        env.write(99);
        env.flush_now();
    }
}

struct Trap;

impl Drop for Trap {
    fn drop(&mut self) {
        panic!("the trap snaps");
    }
}

fn boot(contract: Contract, options: &[(&str, &str)]) -> InProcess<Async<Server>> {
    let mut given = Options::default();
    options.iter().for_each(|(name, value)| given.set(*name, value));
    let (options, workload) = (Arc::new(given), Vec::new());
    let setup =
        Setup { nodes: 2, contract, options, workload, steps: 100, seed: 1, recording: Recording::Full };
    InProcess::boot(&setup).expect("both boot")
}

fn play(cluster: &mut InProcess<Async<Server>>, steps: &[&str]) {
    for step in steps {
        let read: Step = step.parse().expect(step);
        cluster.perform(&read).unwrap_or_else(|refusal| panic!("{step}: {refusal}"));
    }
}

fn notes(cluster: &InProcess<Async<Server>>) -> Vec<String> {
    cluster.states()[0][1..].to_vec()
}

fn buffered() -> Contract {
    Contract { disk: DiskModel::Buffered, ..Contract::asynchronous() }
}

#[test]
fn a_call_and_its_reply_are_two_messages() {
    let mut cluster = boot(Contract::asynchronous(), &[]);
    play(&mut cluster, &[r#"request n1 "call""#, "deliver n1>n2#1 Ping", "deliver n2>n1#1 Ping.reply"]);
    assert_eq!(notes(&cluster), ["Ok(8)"]);
}

#[test]
fn a_second_reply_is_dropped() {
    let mut cluster = boot(Contract::asynchronous(), &[]);
    let steps = [
        r#"request n1 "call""#,
        "duplicate n1>n2#1 Ping",
        "deliver n1>n2#1 Ping",
        "deliver n1>n2#2 Ping",
        "deliver n2>n1#1 Ping.reply",
        "deliver n2>n1#2 Ping.reply",
    ];
    play(&mut cluster, &steps);
    assert_eq!(notes(&cluster), ["Ok(8)"]);
}

#[test]
fn a_reply_to_an_earlier_life_is_dropped() {
    let mut cluster =
        boot(Contract { crashes: shakedown_cluster::Crashes::All, ..Contract::asynchronous() }, &[]);
    // Both calls have the same number in their lives.
    let steps = [
        r#"request n1 "call""#,
        "deliver n1>n2#1 Ping",
        "crash n1",
        "restart n1",
        r#"request n1 "call""#,
        "deliver n2>n1#1 Ping.reply",
    ];
    play(&mut cluster, &steps);
    assert_eq!(notes(&cluster), [] as [&str; 0]);
    play(&mut cluster, &["deliver n1>n2#2 Ping", "deliver n2>n1#2 Ping.reply"]);
    assert_eq!(notes(&cluster), ["Ok(8)"]);
}

#[test]
fn a_lost_session_fails_the_call_at_once_and_calls_made_meanwhile() {
    let all = Contract { crashes: shakedown_cluster::Crashes::All, ..Contract::sessions() };
    for (lose, regain) in [("cut n1-n2", "heal n1-n2"), ("crash n2", "restart n2")] {
        let mut cluster = boot(all.clone(), &[]);
        play(&mut cluster, &[r#"request n1 "call""#, lose]);
        let failed = "Err(CallFailed { peer: n2 })";
        assert_eq!(notes(&cluster), [failed], "{lose}");
        play(&mut cluster, &[r#"request n1 "call""#]);
        assert_eq!(notes(&cluster), [failed, failed], "{lose}");
        play(
            &mut cluster,
            &[regain, r#"request n1 "call""#, "deliver n1>n2#2 Ping", "deliver n2>n1#1 Ping.reply"],
        );
        assert_eq!(notes(&cluster), [failed, failed, "Ok(8)"], "{regain}");
    }
}

#[test]
fn a_node_that_boots_knows_which_sessions_are_lost() {
    let all = Contract { crashes: shakedown_cluster::Crashes::All, ..Contract::sessions() };
    let mut cluster = boot(all, &[]);
    play(&mut cluster, &["crash n2", "crash n1", "restart n1", r#"request n1 "call""#]);
    assert_eq!(notes(&cluster), ["Err(CallFailed { peer: n2 })"]);
}

#[test]
fn a_call_that_timed_out_takes_no_reply() {
    let mut cluster = boot(Contract::asynchronous(), &[]);
    play(&mut cluster, &[r#"request n1 "call-for20""#, "deliver n1>n2#1 Ping", "tick n1"]);
    assert_eq!(notes(&cluster), [] as [&str; 0]);
    play(&mut cluster, &["tick n1", "deliver n2>n1#1 Ping.reply"]);
    assert_eq!(notes(&cluster), ["Err(Elapsed)"]);
}

#[test]
fn ticks_move_the_clock_and_sleeps_end_in_order() {
    let mut cluster = boot(Contract::asynchronous(), &[]);
    play(&mut cluster, &[r#"request n1 {"sleep":17}"#, r#"request n1 {"sleep":12}"#, "tick n1"]);
    assert_eq!(notes(&cluster), [] as [&str; 0]);
    play(&mut cluster, &["tick n1"]);
    assert_eq!(notes(&cluster), ["slept 12 ms", "slept 17 ms"]);
    assert!(cluster.board().node(NodeId::new(1)).timers.is_empty(), "they are no timers of the tester");
}

#[test]
fn an_interval_keeps_its_pace() {
    let mut cluster = boot(Contract::asynchronous(), &[]);
    play(&mut cluster, &[r#"request n1 "count""#, "tick n1", "tick n1", "tick n1"]);
    assert_eq!(notes(&cluster), ["at 10 ms", "at 20 ms", "at 30 ms"]);
}

#[test]
fn where_timers_go_off_at_any_time_every_sleep_is_a_timer() {
    let mut cluster = boot(Contract { timers: Timers::Anytime, ..Contract::asynchronous() }, &[]);
    play(&mut cluster, &[r#"request n1 {"sleep":500}"#, r#"request n1 {"sleep":900}"#]);
    let timers = |cluster: &InProcess<Async<Server>>| -> Vec<_> {
        cluster
            .board()
            .node(NodeId::new(1))
            .timers
            .iter()
            .map(|(name, due)| format!("{name} {due}"))
            .collect()
    };
    assert_eq!(timers(&cluster), ["sleep.1 50", "sleep.2 90"]);
    // The clock jumps, so what would have ended before ends too.
    play(&mut cluster, &["fire n1 sleep.2"]);
    assert_eq!(notes(&cluster), ["slept 500 ms", "slept 900 ms"]);
    assert_eq!(timers(&cluster), [] as [&str; 0]);
    play(&mut cluster, &[r#"request n1 {"sleep":10}"#, "fire n1 sleep.1"]);
    assert_eq!(notes(&cluster)[2..], ["slept 10 ms"]);
}

#[test]
fn a_flush_waits_for_a_step_where_the_disk_is_buffered() {
    let answer = |cluster: &InProcess<Async<Server>>| {
        cluster.board().requests()[0].answer.as_ref().map(ToString::to_string)
    };
    let mut cluster = boot(buffered(), &[]);
    play(&mut cluster, &[r#"request n1 {"save":5}"#]);
    assert_eq!(answer(&cluster), None);
    play(&mut cluster, &["flush n1"]);
    assert_eq!(answer(&cluster).as_deref(), Some(r#""saved 5""#));

    let mut cluster = boot(Contract::asynchronous(), &[]);
    play(&mut cluster, &[r#"request n1 {"save":5}"#]);
    assert_eq!(answer(&cluster).as_deref(), Some(r#""saved 5""#), "a synchronous disk needs no step");
}

#[test]
fn a_crash_drops_every_task_and_nothing_of_the_life_runs_again() {
    AFTERLIFE.set(0);
    let all = Contract { crashes: shakedown_cluster::Crashes::All, ..Contract::asynchronous() };
    let mut cluster = boot(all, &[]);
    let steps = [
        r#"request n1 "haunt""#,
        r#"request n1 {"sleep":10}"#,
        "crash n1",
        "restart n1",
        "tick n1",
        "tick n1",
    ];
    play(&mut cluster, &steps);
    assert_eq!(cluster.states()[0], ["life 2 disk 0"], "neither the write nor the sleep came through");
    assert_eq!(cluster.board().messages().len(), 0);
    assert_eq!(AFTERLIFE.get(), 0);
}

#[test]
fn a_panic_of_a_dropped_task_is_a_finding_and_the_others_are_dropped_too() {
    let mut cluster =
        boot(Contract { crashes: shakedown_cluster::Crashes::All, ..Contract::asynchronous() }, &[]);
    play(&mut cluster, &[r#"request n1 "trap""#, r#"request n1 "trap""#, "crash n1"]);
    let Some(Stop::Panicked(node, panic)) = cluster.board().stopped() else { panic!("it goes on") };
    assert_eq!((node.number(), panic.message.as_str()), (1, "the trap snaps"));
}

#[test]
fn a_node_that_never_goes_quiet_is_a_finding() {
    let mut cluster = boot(Contract::asynchronous(), &[]);
    play(&mut cluster, &[r#"request n1 "spin""#]);
    let Some(Stop::Panicked(_, panic)) = cluster.board().stopped() else { panic!("it goes on") };
    assert!(panic.message.starts_with("it never goes quiet: after 1000 polls"), "{}", panic.message);
}

#[test]
fn tasks_run_in_order_or_in_one_that_the_seed_draws() {
    let order = |order: TaskOrder, seed: u64| {
        let options = Arc::new({
            let mut options = Options::default();
            options.set("order", order);
            options
        });
        let (contract, workload) = (Contract::asynchronous(), Vec::new());
        let setup =
            Setup { nodes: 2, contract, options, workload, steps: 100, seed, recording: Recording::Brief };
        let mut cluster = InProcess::boot(&setup).expect("both boot");
        play(&mut cluster, &[r#"request n1 "race""#]);
        notes(&cluster)
    };
    assert_eq!(order(TaskOrder::Fifo, 1), ["task 1", "task 2", "task 3"]);
    let drawn: std::collections::BTreeSet<_> = (1..=60).map(|seed| order(TaskOrder::Drawn, seed)).collect();
    assert_eq!(drawn.len(), 6, "every order is drawn by some seed");
    assert!((1..=10).all(|seed| order(TaskOrder::Drawn, seed) == order(TaskOrder::Drawn, seed)));
}

#[test]
fn what_arrives_before_a_node_has_booted_waits_for_it() {
    let mut cluster = boot(Contract::asynchronous(), &[("slow_boot", "true")]);
    assert_eq!(cluster.states()[1], ["starting"]);
    play(&mut cluster, &["tick n1", "tick n1", r#"request n1 "call""#, r#"request n1 "post""#]);
    play(&mut cluster, &["deliver n1>n2#1 Ping", "deliver n1>n2#2 Ping", "tick n2", "tick n2"]);
    assert_eq!(cluster.states()[1], ["life 1 disk 0", "n1 sent Ping(9)"]);
    play(&mut cluster, &["deliver n2>n1#1 Ping.reply"]);
    assert_eq!(notes(&cluster), ["Ok(8)"]);
}
