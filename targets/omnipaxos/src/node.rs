//! One server of OmniPaxos as a node that the tester drives.

use std::sync::Arc;

use omnipaxos::util::NodeId as Pid;
use omnipaxos::{ClusterConfig, OmniPaxos};
use shakedown_cluster::{Context, Fact, Node, NodeId, RequestId};

use crate::{Answer, Disk, Entry, Message, Request, Settings, Store, View, interface};

/// A server. The node `n1` has the pid 1, and so on.
pub struct OmniNode {
    paxos: OmniPaxos<Entry, Store>,
    settings: Settings,
    store: Store,
    /// The buffer that outgoing messages pass through.
    outgoing: Vec<interface::Wire>,
    /// The requests of this life that wait for their entry to be decided.
    waiting: Vec<(RequestId, u64)>,
    /// How many decided entries were told as facts.
    reported: u64,
    /// The leader that was last told as a fact.
    leader: Pid,
}

impl Node for OmniNode {
    type Message = Message;
    type Request = Request;
    type Answer = Answer;
    type State = View;
    type Disk = Disk;

    fn boot(disk: &Disk, ctx: &mut Context<'_, Self>) -> OmniNode {
        let settings = Settings::read(ctx.options()).unwrap_or_else(|error| panic!("{error}"));
        let store = Store::new(disk.clone());
        let cluster = ClusterConfig {
            configuration_id: 1,
            nodes: ctx.nodes().map(pid).collect(),
            flexible_quorum: None,
        };
        let server = interface::server_config(pid(ctx.id()), &settings);
        let paxos = cluster
            .build_for_server(server, store.clone())
            .unwrap_or_else(|error| panic!("omnipaxos refuses its configuration: {error:?}"));
        let leader = interface::leader(&paxos);
        let reported = disk.decided;
        let (outgoing, waiting) = (Vec::new(), Vec::new());
        let mut node = OmniNode { paxos, settings, store, outgoing, waiting, reported, leader };
        node.hand_on(ctx);
        node
    }

    fn receive(&mut self, _from: NodeId, message: Message, ctx: &mut Context<'_, Self>) {
        self.paxos.handle_incoming(message.0);
        self.hand_on(ctx);
    }

    fn observe(&self) -> View {
        let decided = interface::decided(&self.paxos);
        let leader = interface::leader(&self.paxos);
        let view = View::new(&self.store.disk(), self.paxos.get_promise(), leader, decided);
        let standing = self.settings.is_compared.then(|| interface::standing(&self.paxos)).flatten();
        View { standing: standing.map(Arc::new), ..view }
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        self.paxos.tick();
        self.hand_on(ctx);
    }

    fn request(&mut self, id: RequestId, request: Request, ctx: &mut Context<'_, Self>) {
        let result = match request {
            Request::Append(number) => {
                self.waiting.push((id, number));
                self.paxos.append(Entry(number)).map_err(|error| format!("{error:?}"))
            }
            Request::Lead => interface::lead(&mut self.paxos),
            Request::Trim => self.paxos.trim(None).map_err(|error| format!("{error:?}")),
        };
        match (result, request) {
            (Ok(()), Request::Append(_)) => {}
            (Ok(()), _) => ctx.answer(id, &Answer::Done),
            (Err(reason), _) => {
                self.waiting.retain(|(waiting, _)| *waiting != id);
                ctx.answer(id, &Answer::Refused(reason));
            }
        }
        self.hand_on(ctx);
    }

    fn reconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, Self>) {
        self.paxos.reconnected(pid(peer));
        self.hand_on(ctx);
    }
}

impl OmniNode {
    /// Hands on what the library did in one call. The messages leave in the order in which the library made
    /// them: it keeps its peers and its promises in vectors, so that order is the same in every process.
    fn hand_on(&mut self, ctx: &mut Context<'_, Self>) {
        for write in self.store.take_journal() {
            ctx.write(write);
        }
        interface::take_outgoing(&mut self.paxos, &mut self.outgoing);
        for message in self.outgoing.drain(..) {
            if !self.settings.heartbeats && matches!(message, interface::Wire::BLE(_)) {
                continue;
            }
            let to = NodeId::new(message.get_receiver() as usize);
            ctx.send(to, Message(message));
        }
        self.emit_leader(ctx);
        self.emit_decided(ctx);
    }

    fn emit_leader(&mut self, ctx: &mut Context<'_, Self>) {
        let leader = interface::leader(&self.paxos);
        if leader != self.leader {
            self.leader = leader;
            let ballot = self.paxos.get_promise();
            ctx.emit(Fact::new("leader").with("pid", leader).with("ballot", u64::from(ballot.n)));
        }
    }

    fn emit_decided(&mut self, ctx: &mut Context<'_, Self>) {
        let decided = interface::decided(&self.paxos);
        if decided <= self.reported {
            return;
        }
        let view = self.observe();
        for index in self.reported + 1..=decided {
            let Some(number) = shakedown_check::LogState::decided_entry(&view, index) else { continue };
            ctx.emit(Fact::new("decided").with("index", index).with("entry", number));
            self.waiting.retain(|(id, waiting)| {
                if *waiting == number {
                    ctx.answer(*id, &Answer::Decided(index));
                }
                *waiting != number
            });
        }
        self.reported = decided;
    }
}

fn pid(node: NodeId) -> Pid {
    node.number() as Pid
}
