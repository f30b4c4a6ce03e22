// Package lib is etcd's raft, by one set of names for all its releases.
//
// The releases differ in import path, in whether protocol buffers are values or pointers, and in whether storage can be
// written asynchronously. The adapter is written once, against this package. Build tags choose the release: none for
// go.etcd.io/raft/v3 3.7, raft36 for 3.6 (with go-3.6.mod), raft35 for the 3.5 line inside of etcd. Names are aliases, so
// nothing is copied or converted.
package lib

import (
	"fmt"
	"reflect"
	"unsafe"
)

// The numbers of the types of messages that the adapter has to know. They are the same in all releases.
const (
	MsgStorageAppend = 19
	MsgStorageApply  = 21
)

// The numbers of the types of entries.
const (
	EntryNormal       = 0
	EntryConfChange   = 1
	EntryConfChangeV2 = 2
)

// What a node is, and how a leader stands with a peer. These numbers are the same in all releases, too.
const (
	StateFollower     = StateType(0)
	StateCandidate    = StateType(1)
	StateLeader       = StateType(2)
	StatePreCandidate = StateType(3)

	ProgressProbe     = 0
	ProgressReplicate = 1
	ProgressSnapshot  = 2
)

// Private is what the library does not show of a node but the adapter has to see or to set: see the fields.
//
// The library draws its election timeouts from the random source of the operating system. The adapter needs to see that
// it has drawn, and to put a draw from the execution's seed in its place, so the private field is written. The rest could
// be read by Status, which copies everything, every time.
type Private struct {
	Term, Vote, Lead *uint64
	State            *StateType
	Committed        *uint64
	// Elapsed counts the ticks since the last election or sign of a leader.
	Elapsed *int
	// Timeout is the randomised election timeout.
	Timeout *int
	Tracker *Tracker
	node    unsafe.Pointer
}

// PrivateOf finds the private parts of a node. It panics if the library does not have them as expected, which a test
// would find when a release is added.
func PrivateOf(raw *RawNode) Private {
	raft := *at[unsafe.Pointer](unsafe.Pointer(raw), fields.raft)
	log := *at[unsafe.Pointer](raft, fields.log)
	return Private{
		Term:      at[uint64](raft, fields.term),
		Vote:      at[uint64](raft, fields.vote),
		Lead:      at[uint64](raft, fields.lead),
		State:     at[StateType](raft, fields.state),
		Committed: at[uint64](log, fields.committed),
		Elapsed:   at[int](raft, fields.elapsed),
		Timeout:   at[int](raft, fields.timeout),
		Tracker:   at[Tracker](raft, fields.tracker),
		node:      raft,
	}
}

func at[T any](base unsafe.Pointer, offset uintptr) *T {
	return (*T)(unsafe.Add(base, offset))
}

// fields are the places of private fields.
var fields = func() (f struct {
	raft, log, term, vote, lead, state, committed, elapsed, timeout, tracker uintptr
}) {
	raw := reflect.TypeFor[RawNode]()
	raft := field(raw, "raft", nil)
	f.raft = raft.Offset
	inner := raft.Type.Elem()
	log := field(inner, "raftLog", nil)
	f.log = log.Offset
	number, ticks := reflect.TypeFor[uint64](), reflect.TypeFor[int]()
	f.term = field(inner, "Term", number).Offset
	f.vote = field(inner, "Vote", number).Offset
	f.lead = field(inner, "lead", number).Offset
	f.state = field(inner, "state", reflect.TypeFor[StateType]()).Offset
	f.committed = field(log.Type.Elem(), "committed", number).Offset
	f.elapsed = field(inner, "electionElapsed", ticks).Offset
	f.timeout = field(inner, "randomizedElectionTimeout", ticks).Offset
	f.tracker = field(inner, trackerField, reflect.TypeFor[Tracker]()).Offset
	return f
}()

func field(t reflect.Type, name string, want reflect.Type) reflect.StructField {
	f, ok := t.FieldByName(name)
	if !ok || want != nil && f.Type != want {
		panic(fmt.Sprintf("raft: %v has no field %s of type %v in this release", t, name, want))
	}
	return f
}
