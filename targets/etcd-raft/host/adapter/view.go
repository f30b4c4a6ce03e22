package adapter

import (
	"math"

	"shakedown.dev/etcd-raft/lib"
	"shakedown.dev/go"
)

// view is what was last made of the parts of the state that seldom change.
type view struct {
	version        uint64
	values, voters shakedown.Raw
}

// logPatch shows the log: from an index on it is exactly these entries; entries before the first one are compacted away.
type logPatch struct {
	First   uint64   `json:"first"`
	From    uint64   `json:"from"`
	Entries [][]byte `json:"entries"`
}

// State shows the node as the target raft does.
func (n *Node) State(state *shakedown.State) {
	p := &n.private
	state.Set("term", *p.Term)
	state.Set("vote", *p.Vote)
	state.Set("role", roleName(*p.State))
	state.Set("leader", *p.Lead)
	state.Set("commit", *p.Committed)
	state.Set("applied", n.machine.applied)
	if n.view.version != n.machine.version {
		n.view = view{n.machine.version, rawOf(n.machine.values.shown()), rawOf(n.machine.voters())}
	}
	state.Set("values", n.view.values)
	state.Set("voters", n.view.voters)
	n.showLog(state)
	state.Set("below", n.progressBelowMatch())
	if n.settings.isCompared {
		state.Set("standing", n.standing())
	}
}

// showLog shows what changed of the log since it was last shown.
func (n *Node) showLog(state *shakedown.State) {
	s := n.store
	from := s.changed
	if state.Whole() {
		from = s.first()
	}
	if from == 0 {
		return
	}
	from = max(from, s.first())
	patch := logPatch{First: s.first(), From: from, Entries: [][]byte{}}
	for _, entry := range s.entries[from-s.first():] {
		patch.Entries = append(patch.Entries, lib.EncodeEntry(entry))
	}
	state.Change("log", patch)
	s.changed = 0
}

// progressBelowMatch shows, on a leader, the first peer whose next index is not above its matched index, with both.
func (n *Node) progressBelowMatch() any {
	if !n.settings.libraryInvariants || *n.private.State != lib.StateLeader {
		return nil
	}
	for id := 1; id <= n.nodes; id++ {
		p := n.private.Tracker.Progress[uint64(id)]
		if id != n.own && p != nil && p.Next <= p.Match {
			return []uint64{uint64(id), p.Match, p.Next}
		}
	}
	return nil
}

// standing is what a specification knows of a node besides.
type standing struct {
	Snapshot       [2]uint64   `json:"snapshot"`
	SnapshotValues [][2]uint64 `json:"snapshot_values"`
	Entries        [][2]any    `json:"entries"`
	Votes          [2]int      `json:"votes"`
	Peers          []peer      `json:"peers"`
	Waited         []int       `json:"waited"`
}

// peer is how a leader stands with a server.
type peer struct {
	State   string `json:"state"`
	Paused  bool   `json:"paused"`
	Pending uint64 `json:"pending"`
	Heard   bool   `json:"heard"`
	Next    uint64 `json:"next"`
	Matched uint64 `json:"matched"`
}

func (n *Node) standing() standing {
	granted, refused, _ := n.private.Tracker.TallyVotes()
	shown := standing{
		Snapshot:       [2]uint64{lib.SnapshotIndex(n.store.snapshot), lib.SnapshotTerm(n.store.snapshot)},
		SnapshotValues: valuesOf(n.store.snapshot).shown(),
		Entries:        make([][2]any, len(n.store.entries)),
		Votes:          [2]int{granted, refused},
		Peers:          []peer{},
		Waited:         n.snapshotTicks[1:],
	}
	for i, entry := range n.store.entries {
		shown.Entries[i] = [2]any{lib.EntryTerm(entry), valueOf(entry)}
	}
	for id := 1; id <= n.nodes && *n.private.State == lib.StateLeader; id++ {
		shown.Peers = append(shown.Peers, n.peer(id))
	}
	return shown
}

// peer: how a node stands with itself is shown as nothing that anything depends on.
func (n *Node) peer(id int) peer {
	p := n.private.Tracker.Progress[uint64(id)]
	if p == nil || id == n.own {
		return peer{State: "probe", Next: 1}
	}
	state := [...]string{"probe", "replicate", "snapshot"}[p.State]
	return peer{state, lib.IsPaused(p), p.PendingSnapshot, p.RecentActive, p.Next, p.Match}
}

// valueOf is a number for an entry: the request that it came from, 0 for the entry that a new leader begins with.
func valueOf(entry lib.Entry) uint64 {
	if lib.EntryType(entry) != lib.EntryNormal {
		return 0
	}
	payload, _, _ := splitID(lib.EntryData(entry))
	number := uint64(0)
	if put, ok := decodePut(payload); ok {
		number = put.value
	} else if op, ok := decodeRegisterOp(payload); ok {
		number = op.number()
	}
	return min(number, math.MaxInt64)
}

func roleName(state lib.StateType) string {
	switch state {
	case lib.StateLeader:
		return "leader"
	case lib.StateCandidate:
		return "candidate"
	case lib.StatePreCandidate:
		return "pre-candidate"
	}
	return "follower"
}

func rawOf(value any) shakedown.Raw {
	raw, err := shakedown.NewRaw(value)
	if err != nil {
		panic(err)
	}
	return raw
}
