//go:build !raft36 && !raft35

package lib

import (
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
	"google.golang.org/protobuf/proto"
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
	Entry     = *pb.Entry
	Snapshot  = *pb.Snapshot
	HardState = *pb.HardState
	ConfState = *pb.ConfState
	Message   = *pb.Message
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

// EntryIndex and its like give the parts of an entry.
func EntryIndex(e Entry) uint64 { return e.GetIndex() }
func EntryTerm(e Entry) uint64  { return e.GetTerm() }
func EntryType(e Entry) int     { return int(e.GetType()) }
func EntryData(e Entry) []byte  { return e.GetData() }
func EntrySize(e Entry) uint64  { return uint64(proto.Size(e)) }

// EncodeEntry and DecodeEntry translate an entry to protocol buffers and back.
func EncodeEntry(e Entry) []byte { return encode(e) }
func DecodeEntry(data []byte) (Entry, error) {
	e := new(pb.Entry)
	return e, proto.Unmarshal(data, e)
}

// NewHardState makes a hard state; EncodeHardState and DecodeHardState translate it.
func NewHardState(term, vote, commit uint64) HardState {
	return &pb.HardState{Term: &term, Vote: &vote, Commit: &commit}
}
func EncodeHardState(hs HardState) []byte { return encode(hs) }
func DecodeHardState(data []byte) (HardState, error) {
	hs := new(pb.HardState)
	return hs, proto.Unmarshal(data, hs)
}

// NewConfState makes a configuration of voters; Voters gives them.
func NewConfState(voters []uint64) ConfState {
	return pb.EnsureConfState(&pb.ConfState{Voters: voters})
}
func Voters(cs ConfState) []uint64 { return cs.GetVoters() }

// NewSnapshot makes a snapshot. The functions after it give its parts and translate it.
func NewSnapshot(index, term uint64, cs ConfState, data []byte) Snapshot {
	return &pb.Snapshot{Data: data, Metadata: &pb.SnapshotMetadata{ConfState: cs, Index: &index, Term: &term}}
}
func SnapshotIndex(s Snapshot) uint64        { return s.GetMetadata().GetIndex() }
func SnapshotTerm(s Snapshot) uint64         { return s.GetMetadata().GetTerm() }
func SnapshotConfState(s Snapshot) ConfState { return s.GetMetadata().GetConfState() }
func SnapshotData(s Snapshot) []byte         { return s.GetData() }
func EncodeSnapshot(s Snapshot) []byte       { return encode(s) }
func DecodeSnapshot(data []byte) (Snapshot, error) {
	s := new(pb.Snapshot)
	err := proto.Unmarshal(data, s)
	return pb.EnsureSnapshot(s), err
}

// MessageType and its like give the parts of a message; EncodeMessage and DecodeMessage translate it.
func MessageType(m Message) int          { return int(m.GetType()) }
func MessageTo(m Message) uint64         { return m.GetTo() }
func MessageEntries(m Message) []Entry   { return m.GetEntries() }
func MessageSnapshot(m Message) Snapshot { return m.GetSnapshot() }
func Responses(m Message) []Message      { return m.GetResponses() }
func EncodeMessage(m Message) []byte     { return encode(m) }
func DecodeMessage(data []byte) (Message, error) {
	m := new(pb.Message)
	return m, proto.Unmarshal(data, m)
}

// MessageHardState is the hard state that a message to the append thread carries; it may be empty.
func MessageHardState(m Message) HardState {
	if m.Term == nil {
		return nil
	}
	return NewHardState(m.GetTerm(), m.GetVote(), m.GetCommit())
}

// ProposeChange proposes to add or to remove a voter.
func ProposeChange(raw *RawNode, remove bool, node uint64, context []byte) error {
	return raw.ProposeConfChange(&pb.ConfChange{Type: changeType(remove).Enum(), NodeId: &node, Context: context})
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
	return c, proto.Unmarshal(data, c)
}

// ChangeNode and its like give the parts of a change of the configuration.
func ChangeNode(c *pb.ConfChange) uint64    { return c.GetNodeId() }
func ChangeType(c *pb.ConfChange) int       { return int(c.GetType()) }
func ChangeContext(c *pb.ConfChange) []byte { return c.GetContext() }

// ApplyChange applies a change of the configuration and gives the new one.
func ApplyChange(raw *RawNode, c *pb.ConfChange) ConfState { return raw.ApplyConfChange(c) }

// IsPaused: the leader sends this peer no more entries until it hears of it.
func IsPaused(p *Progress) bool { return p.MsgAppFlowPaused }

// StepDown is done by the library's option StepDownOnRemoval.
func StepDown(Private) {}

func encode(m proto.Message) []byte {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return data
}
