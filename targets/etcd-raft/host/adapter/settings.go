package adapter

import (
	"fmt"
	"strconv"

	"shakedown.dev/etcd-raft/lib"
	"shakedown.dev/go"
)

// electionTickMax is the longest election timeout that can be asked for, in ticks.
const electionTickMax = 1_000_000

// settings are the options of the target, as a node reads them.
type settings struct {
	electionTick, heartbeatTick int
	preVote, checkQuorum        bool
	// buffered: writes are durable when the disk is flushed, and storage is written asynchronously.
	buffered            bool
	stepDownWhenRemoved bool
	// libraryInvariants: the library's own bookkeeping is shown.
	libraryInvariants bool
	// fixedTimeout: every election timeout is electionTick.
	fixedTimeout bool
	// forgetsHardState: term, vote and commit index are not saved, as in the test harness of etcd-io/raft issue 108.
	forgetsHardState bool
	// readsByIndex: reads are answered by raft's ReadIndex, and not through the log.
	readsByIndex bool
	// isCompared: the node is compared with a specification, and shows all of its state.
	isCompared bool
}

// readSettings reads options. An option that is missing has the target's default.
func readSettings(env *shakedown.Env) (settings, error) {
	o := optionReader{env: env}
	s := settings{
		electionTick:        o.number("election_tick", 4),
		heartbeatTick:       o.number("heartbeat_tick", 1),
		preVote:             o.truth("pre_vote", false),
		checkQuorum:         o.truth("check_quorum", false),
		stepDownWhenRemoved: o.truth("step_down_when_removed", true),
		libraryInvariants:   o.truth("library_invariants", true),
		fixedTimeout:        o.truth("fixed_timeout", false),
		forgetsHardState:    !o.truth("save_hard_state", true),
	}
	switch disk, _ := env.Option("disk"); disk {
	case "", "synchronous":
	case "buffered":
		s.buffered = true
	default:
		o.fail("disk", disk, "it is synchronous or buffered")
	}
	switch reads, _ := env.Option("reads"); reads {
	case "", "log":
	case "index":
		s.readsByIndex = true
	default:
		o.fail("reads", reads, "it is log or index")
	}
	spec, _ := env.Option("spec")
	s.isCompared = spec != "" && spec != "none" && spec != "Raft"
	if s.heartbeatTick < 1 {
		o.fail("heartbeat_tick", strconv.Itoa(s.heartbeatTick), "it is at least 1")
	}
	if s.electionTick <= s.heartbeatTick || s.electionTick > electionTickMax {
		o.fail("election_tick", strconv.Itoa(s.electionTick), "it is above heartbeat_tick and at most 1000000")
	}
	if s.buffered && !lib.HasAsync {
		o.fail("disk", "buffered", "this release of the library has no asynchronous storage writes")
	}
	return s, o.err
}

// optionReader keeps the first error.
type optionReader struct {
	env *shakedown.Env
	err error
}

func (o *optionReader) fail(name, value, reason string) {
	if o.err == nil {
		o.err = fmt.Errorf("option %s=%s: %s", name, value, reason)
	}
}

func (o *optionReader) number(name string, missing int) int {
	text, ok := o.env.Option(name)
	if !ok {
		return missing
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		o.fail(name, text, "it is a number")
	}
	return number
}

func (o *optionReader) truth(name string, missing bool) bool {
	text, ok := o.env.Option(name)
	if !ok {
		return missing
	}
	if text != "true" && text != "false" {
		o.fail(name, text, "it is true or false")
	}
	return text == "true"
}
