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
func EntryIndex(e Entry) uint64 { return e.Index }
func EntryTerm(e Entry) uint64  { return e.Term }
func EntryType(e Entry) int     { return int(e.Type) }
func EntryData(e Entry) []byte  { return e.Data }
func EntrySize(e Entry) uint64  { return uint64(e.Size()) }

// EncodeEntry and DecodeEntry translate an entry to protocol buffers and back.
func EncodeEntry(e Entry) []byte { return encode(&e) }
func DecodeEntry(data []byte) (e Entry, err error) {
	err = e.Unmarshal(data)
	return e, err
}

// NewHardState makes a hard state; EncodeHardState and DecodeHardState translate it.
func NewHardState(term, vote, commit uint64) HardState {
	return pb.HardState{Term: term, Vote: vote, Commit: commit}
}
func EncodeHardState(hs HardState) []byte { return encode(&hs) }
func DecodeHardState(data []byte) (hs HardState, err error) {
	err = hs.Unmarshal(data)
	return hs, err
}

// NewConfState makes a configuration of voters; Voters gives them.
func NewConfState(voters []uint64) ConfState { return pb.ConfState{Voters: voters} }
func Voters(cs ConfState) []uint64           { return cs.Voters }

// NewSnapshot makes a snapshot. The functions after it give its parts and translate it.
func NewSnapshot(index, term uint64, cs ConfState, data []byte) Snapshot {
	return pb.Snapshot{Data: data, Metadata: pb.SnapshotMetadata{ConfState: cs, Index: index, Term: term}}
}
func SnapshotIndex(s Snapshot) uint64        { return s.Metadata.Index }
func SnapshotTerm(s Snapshot) uint64         { return s.Metadata.Term }
func SnapshotConfState(s Snapshot) ConfState { return s.Metadata.ConfState }
func SnapshotData(s Snapshot) []byte         { return s.Data }
func EncodeSnapshot(s Snapshot) []byte       { return encode(&s) }
func DecodeSnapshot(data []byte) (s Snapshot, err error) {
	err = s.Unmarshal(data)
	return s, err
}

// MessageType and its like give the parts of a message; EncodeMessage and DecodeMessage translate it.
func MessageType(m Message) int        { return int(m.Type) }
func MessageTo(m Message) uint64       { return m.To }
func MessageEntries(m Message) []Entry { return m.Entries }
func EncodeMessage(m Message) []byte   { return encode(&m) }
func DecodeMessage(data []byte) (m Message, err error) {
	err = m.Unmarshal(data)
	return m, err
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
