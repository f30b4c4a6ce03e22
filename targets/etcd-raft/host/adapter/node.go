// Package adapter runs etcd's raft as a node of Shakedown, with the vocabulary of the target raft: the same requests,
// answers, facts and state, in the same order.
package adapter

import (
	"math"
	"slices"

	"shakedown.dev/etcd-raft/lib"
	"shakedown.dev/go"
)

// Node is one process: the library's RawNode, its state machine, and the clients that wait for answers.
type Node struct {
	raw        *lib.RawNode
	private    lib.Private
	settings   settings
	store      *logStore
	machine    machine
	own, nodes int
	// Requests that are in the log, or on their way into it, by their number.
	waiting []uint64
	// Reads that wait for raft's index, or for the log to be applied up to it.
	reads []read
	// What is to be sent, and to be passed to raft itself, once all writes are durable (a buffered disk).
	held []lib.Message
	// Something that raft wants to be durable is not.
	isUnflushed bool
	// The election timeout: drawn from the execution's seed.
	timeout int
	// Term and role as they were last reported.
	reported reported
	// For how many ticks each peer has been waiting for a snapshot, by its raft id.
	snapshotTicks []int
	view          view
}

type reported struct {
	term  uint64
	state lib.StateType
}

// Boot starts a node with what is left on its disk.
func Boot(env *shakedown.Env, disk *shakedown.Disk) (*Node, error) {
	settings, err := readSettings(env)
	if err != nil {
		return nil, err
	}
	store, err := readStore(disk, env.Nodes())
	if err != nil {
		return nil, err
	}
	n := &Node{settings: settings, store: store, own: env.ID(), nodes: env.Nodes(), snapshotTicks: make([]int, env.Nodes()+1)}
	n.machine.restore(store.snapshot)
	n.raw, err = lib.NewRawNode(lib.Settings{
		ID:                uint64(env.ID()),
		ElectionTick:      settings.electionTick,
		HeartbeatTick:     settings.heartbeatTick,
		Applied:           n.machine.applied,
		PreVote:           settings.preVote,
		CheckQuorum:       settings.checkQuorum,
		Async:             settings.buffered,
		StepDownOnRemoval: settings.stepDownWhenRemoved,
		Logger:            logger{},
	}, store)
	if err != nil {
		return nil, err
	}
	n.private = lib.PrivateOf(n.raw)
	n.reported = reported{*n.private.Term, *n.private.State}
	n.settle(env)
	return n, nil
}

// Receive passes a message to raft.
func (n *Node) Receive(env *shakedown.Env, _ int, message shakedown.Message) {
	data, err := message.Bytes()
	if err != nil {
		panic(err)
	}
	m, err := lib.DecodeMessage(data)
	if err != nil {
		panic(err)
	}
	// An error reports that raft dropped the message; as everywhere on this network, no node hears of it.
	_ = n.raw.Step(m)
	n.settle(env)
}

// Tick lets raft's clock go on.
func (n *Node) Tick(env *shakedown.Env) {
	n.prepareTick()
	n.raw.Tick()
	n.giveUpSnapshots()
	n.settle(env)
}

// Request does what a client asks.
func (n *Node) Request(env *shakedown.Env, id uint64, raw shakedown.Raw) {
	r, err := decodeRequest(raw)
	if err != nil {
		panic(err)
	}
	switch {
	case r.Put != nil:
		n.propose(env, id, encodePut(nil, r.Put.key, r.Put.value))
	case r.Read != nil && n.settings.readsByIndex:
		n.readIndex(id, *r.Read)
	case r.Read != nil, r.Write != nil, r.When != nil:
		n.propose(env, id, registerOp{r.Read, r.Write, r.When}.encode())
	case r.Add != nil:
		n.changeMembership(env, id, false, uint64(*r.Add))
	case r.Remove != nil:
		n.changeMembership(env, id, true, uint64(*r.Remove))
	case r.Transfer != nil:
		n.raw.TransferLeader(uint64(*r.Transfer))
		env.Answer(id, "asked")
	case r.compact:
		n.compact(env)
		env.Answer(id, map[string]any{"compacted": n.store.first() - 1})
	default:
		panic("the request asks nothing")
	}
	n.settle(env)
}

// Flushed: everything written is durable.
func (n *Node) Flushed(env *shakedown.Env) {
	n.persisted(env)
	n.settle(env)
}

// settle does everything that raft is ready for, and leaves the node as it may be seen.
func (n *Node) settle(env *shakedown.Env) {
	n.handleReadies(env)
	n.drawTimeout(env)
	now := reported{*n.private.Term, *n.private.State}
	if now != n.reported {
		n.reported = now
		env.Emit("role", shakedown.F("role", roleName(now.state)), shakedown.F("term", now.term))
	}
}

// The library draws its election timeouts from the random source of the operating system, out of the range from
// electionTick to twice as much. Ours are from the same range, so a new draw of the library cannot be recognised by its
// value. But the library does one thing only with the timeout: in a tick, it compares it with the ticks that have
// elapsed. So between activations the field holds a mark from outside of the range, and before a tick it holds a mark
// that gives this comparison the result that our timeout would give: never, or now. If the mark is gone after an
// activation, the library has drawn, and we draw, once, as in the target raft.
const (
	neverDue = math.MaxInt
	due      = -1
)

func (n *Node) prepareTick() {
	if *n.private.Elapsed+1 >= n.timeout {
		*n.private.Timeout = due
	}
}

func (n *Node) drawTimeout(env *shakedown.Env) {
	if mark := *n.private.Timeout; mark != neverDue && mark != due {
		n.timeout = n.settings.electionTick
		if !n.settings.fixedTimeout {
			n.timeout += env.Random().Index(n.settings.electionTick)
		}
	}
	*n.private.Timeout = neverDue
}

func (n *Node) propose(env *shakedown.Env, id uint64, payload []byte) {
	n.await(env, id, n.raw.Propose(appendID(payload, id)))
}

func (n *Node) changeMembership(env *shakedown.Env, id uint64, remove bool, node uint64) {
	if node > uint64(n.nodes) {
		env.Answer(id, "dropped")
		return
	}
	n.await(env, id, lib.ProposeChange(n.raw, remove, node, appendID(nil, id)))
}

func (n *Node) await(env *shakedown.Env, id uint64, err error) {
	if err != nil {
		env.Answer(id, "dropped")
		return
	}
	n.waiting = append(n.waiting, id)
}

// answer answers the request that an entry came from, if this node was asked.
func (n *Node) answer(env *shakedown.Env, id uint64, answer any) {
	if at := slices.Index(n.waiting, id); at >= 0 {
		last := len(n.waiting) - 1
		n.waiting[at] = n.waiting[last]
		n.waiting = n.waiting[:last]
		env.Answer(id, answer)
	}
}

// giveUpSnapshots does what a transport does. The library asks to hear what became of a snapshot that it had sent, and
// no node notices a lost message: after an election timeout the snapshot is reported as failed, and raft tries again. A
// snapshot that arrives is seen by raft itself in the follower's answer.
func (n *Node) giveUpSnapshots() {
	if *n.private.State != lib.StateLeader {
		return
	}
	for id := 1; id <= n.nodes; id++ {
		progress := n.private.Tracker.Progress[uint64(id)]
		if progress == nil || progress.State != lib.ProgressSnapshot {
			n.snapshotTicks[id] = 0
			continue
		}
		if n.snapshotTicks[id]++; n.snapshotTicks[id] >= n.settings.electionTick {
			n.snapshotTicks[id] = 0
			lib.ReportSnapshotFailure(n.raw, uint64(id))
		}
	}
}

func (n *Node) compact(env *shakedown.Env) {
	index := n.machine.applied
	if index < n.store.first() {
		return
	}
	term, err := n.store.Term(index)
	if err != nil {
		panic(err)
	}
	var b batch
	n.store.compact(n.machine.snapshot(term), &b)
	b.write(env)
}
