//go:build raft35

package lib

import (
	"unsafe"

	"go.etcd.io/etcd/raft/v3"
	pb "go.etcd.io/etcd/raft/v3/raftpb"
	"go.etcd.io/etcd/raft/v3/tracker"
)

// Module is the module of the library.
const Module = "go.etcd.io/etcd/raft/v3"

// HasAsync: storage can be written asynchronously.
const HasAsync = false

const trackerField = "prs"

// Types of the library.
type (
	RawNode   = raft.RawNode
	Ready     = raft.Ready
	Storage   = raft.Storage
	StateType = raft.StateType
	Tracker   = tracker.ProgressTracker
	Progress  = tracker.Progress
	Entry     = pb.Entry
	Snapshot  = pb.Snapshot
	HardState = pb.HardState
	ConfState = pb.ConfState
	Message   = pb.Message

	snapshotMetadata = pb.SnapshotMetadata
)

// Errors of a storage.
var (
	ErrCompacted   = raft.ErrCompacted
	ErrUnavailable = raft.ErrUnavailable
)

// ReportSnapshotFailure reports that a snapshot did not arrive.
func ReportSnapshotFailure(raw *RawNode, id uint64) { raw.ReportSnapshot(id, raft.SnapshotFailure) }

// IsEmptyHardState and IsEmptySnapshot: there is nothing to save.
func IsEmptyHardState(hs HardState) bool { return raft.IsEmptyHardState(hs) }
func IsEmptySnapshot(s Snapshot) bool    { return raft.IsEmptySnap(s) }

// NewRawNode makes a node.
func NewRawNode(base Settings, storage Storage) (*RawNode, error) {
	return raft.NewRawNode(config(base, storage))
}

func config(base Settings, storage Storage) *raft.Config {
	return &raft.Config{
		ID: base.ID, ElectionTick: base.ElectionTick, HeartbeatTick: base.HeartbeatTick, Storage: storage,
		Applied: base.Applied, DisableProposalForwarding: base.KeepsProposals, PreVote: base.PreVote, CheckQuorum: base.CheckQuorum, Logger: base.Logger,
		MaxSizePerMsg: 0, MaxCommittedSizePerReady: noLimit, MaxInflightMsgs: inflightMax,
	}
}

// This release has no messages to an append thread.
func MessageSnapshot(Message) Snapshot   { return Snapshot{} }
func MessageHardState(Message) HardState { return HardState{} }
func Responses(Message) []Message        { return nil }

// ProposeChange proposes to add or to remove a voter.
func ProposeChange(raw *RawNode, remove bool, node uint64, context []byte) error {
	return raw.ProposeConfChange(pb.ConfChange{Type: changeType(remove), NodeID: node, Context: context})
}

func changeType(remove bool) pb.ConfChangeType {
	if remove {
		return pb.ConfChangeRemoveNode
	}
	return pb.ConfChangeAddNode
}

// DecodeChange reads the data of an entry that changes the configuration.
func DecodeChange(data []byte) (*pb.ConfChange, error) {
	c := new(pb.ConfChange)
	return c, c.Unmarshal(data)
}

// ChangeNode and its like give the parts of a change of the configuration.
func ChangeNode(c *pb.ConfChange) uint64    { return c.NodeID }
func ChangeType(c *pb.ConfChange) int       { return int(c.Type) }
func ChangeContext(c *pb.ConfChange) []byte { return c.Context }

// ApplyChange applies a change of the configuration and gives the new one.
func ApplyChange(raw *RawNode, c *pb.ConfChange) ConfState { return *raw.ApplyConfChange(*c) }

// IsPaused: the leader sends this peer no more entries until it hears of it.
func IsPaused(p *Progress) bool { return p.ProbeSent }

// StepDown makes a leader a follower. This release leaves it to its user to do away with a leader that is removed, and
// has no public way to make it step down.
func StepDown(p Private) { becomeFollower(p.node, *p.Term, 0) }

//go:linkname becomeFollower go.etcd.io/etcd/raft/v3.(*raft).becomeFollower
func becomeFollower(node unsafe.Pointer, term, lead uint64)

func encode(m interface{ Marshal() ([]byte, error) }) []byte {
	data, err := m.Marshal()
	if err != nil {
		panic(err)
	}
	return data
}
