package adapter

import (
	"strings"
	"testing"

	"shakedown.dev/etcd-raft/lib"
)

// etcd-io/raft issue 148: a late rejection takes a peer's next index back to where its log is known to match. The 3.5
// line has it; 3.6.0 and later do not.
func TestNextIndexFallsToTheMatchedOneInTheOldLineOnly(t *testing.T) {
	below := 0
	for seed := uint64(1); seed <= 10; seed++ {
		c, _ := run(t, seed, 1500, map[string]string{})
		below += count(c.isBelow)
	}
	if isOld := strings.Contains(lib.Module, "etcd/raft"); isOld != (below > 0) {
		t.Errorf("%s: %d of 10 executions", lib.Module, below)
	}
}

// etcd-io/raft issue 108: a leader panics with "need non-empty snapshot". It takes a user that does not save term and
// vote: then two nodes lead one term, and one of them takes acknowledgements of entries that it does not have. Where
// they are saved, no execution of these tests panics.
func TestLeaderPanicsWhereHardStatesAreNotSaved(t *testing.T) {
	if !lib.HasAsync {
		t.Skip("this release passes over an entry that a leader does not have")
	}
	const seed, steps = 132, 1500
	c := newCluster(t, seed, 3, map[string]string{"save_hard_state": "false"})
	for range steps {
		if c.step(); c.panicked != nil {
			break
		}
	}
	if c.panicked == nil || c.panicked.Message != "need non-empty snapshot" || !strings.HasPrefix(c.panicked.Place, "raft.go:") {
		t.Fatalf("%+v", c.panicked)
	}
	if len(c.violations) == 0 || !strings.Contains(c.violations[0], "lead term") {
		t.Errorf("before it, two nodes led one term: %v", c.violations)
	}
}
