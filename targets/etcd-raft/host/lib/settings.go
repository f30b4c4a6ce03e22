package lib

import "math"

// Settings are the settings of a node by which releases do not differ.
type Settings struct {
	ID                          uint64
	ElectionTick, HeartbeatTick int
	Applied                     uint64
	PreVote, CheckQuorum        bool
	// KeepsProposals: a follower does not pass proposals on to the leader.
	KeepsProposals           bool
	Async, StepDownOnRemoval bool
	Logger                   Logger
}

// Logger is the library's interface of a logger.
type Logger interface {
	Debug(v ...any)
	Debugf(format string, v ...any)
	Error(v ...any)
	Errorf(format string, v ...any)
	Info(v ...any)
	Infof(format string, v ...any)
	Warning(v ...any)
	Warningf(format string, v ...any)
	Fatal(v ...any)
	Fatalf(format string, v ...any)
	Panic(v ...any)
	Panicf(format string, v ...any)
}

// As in the target raft: one entry a message, a window that is never full, and no other limits.
const (
	noLimit     = math.MaxUint64
	inflightMax = 256
)
