//go:build raft36

package lib

import (
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

// Module is the module of the library.
const Module = "go.etcd.io/raft/v3"

// HasAsync: storage can be written asynchronously.
const HasAsync = true

const trackerField = "trk"

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
		AsyncStorageWrites: base.Async, StepDownOnRemoval: base.StepDownOnRemoval,
	}
}

// MessageSnapshot is the snapshot that a message to the append thread carries; it may be empty.
func MessageSnapshot(m Message) Snapshot {
	if m.Snapshot == nil {
		return Snapshot{}
	}
	return *m.Snapshot
}

// MessageHardState is the hard state that a message to the append thread carries; it may be empty.
func MessageHardState(m Message) HardState { return NewHardState(m.Term, m.Vote, m.Commit) }
func Responses(m Message) []Message        { return m.Responses }

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
func IsPaused(p *Progress) bool { return p.MsgAppFlowPaused }

// StepDown is done by the library's option StepDownOnRemoval.
func StepDown(Private) {}

func encode(m interface{ Marshal() ([]byte, error) }) []byte {
	data, err := m.Marshal()
	if err != nil {
		panic(err)
	}
	return data
}
