package adapter

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cometbft/cometbft/config"
	"shakedown.dev/go"
)

// tick is how much time a tick of the clock stands for.
const tick = time.Second

type settings struct {
	// How many heights are decided.
	heights int64
	// After how many ticks peers are asked which votes they have; 0 for never.
	query uint64
	// Whether a crash leaves the write-ahead log, and what the signer remembers.
	keepsLog, keepsSigner bool
	// The library's own settings.
	config *config.ConsensusConfig
}

func readSettings(env *shakedown.Env) (settings, error) {
	var failed error
	read := func(name string, otherwise uint64) uint64 {
		text, ok := env.Option(name)
		if !ok {
			return otherwise
		}
		value, err := strconv.ParseUint(text, 10, 16)
		if err != nil && failed == nil {
			failed = fmt.Errorf("option %s: %w", name, err)
		}
		return value
	}
	is := func(name string) bool {
		text, ok := env.Option(name)
		if !ok {
			return true
		}
		value, err := strconv.ParseBool(text)
		if err != nil && failed == nil {
			failed = fmt.Errorf("option %s: %w", name, err)
		}
		return value
	}
	ticks := func(name string, otherwise uint64) time.Duration { return time.Duration(read(name, otherwise)) * tick }
	c := config.DefaultConsensusConfig()
	c.TimeoutPropose = ticks("propose", 6)
	c.TimeoutPrevote = ticks("prevote", 2)
	c.TimeoutPrecommit = ticks("precommit", 2)
	c.TimeoutCommit = ticks("commit", 1)
	delta := ticks("delta", 1)
	c.TimeoutProposeDelta, c.TimeoutPrevoteDelta, c.TimeoutPrecommitDelta = delta, delta, delta
	// The gossip waits for a clock nowhere.
	c.PeerGossipSleepDuration, c.PeerQueryMaj23SleepDuration = 0, 0
	s := settings{
		heights: int64(read("heights", 2)), query: read("query", 2), config: c,
		keepsLog: is("keep_log"), keepsSigner: is("keep_signer"),
	}
	return s, failed
}
