package adapter

import (
	"fmt"
	"slices"
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

// etcd-io/etcd issue 20418, mended in 3.7.0 (etcd-io/raft pull request 397): a leader that was replaced answers a read with
// an old value. A request for an index that arrives twice, and the late answer to a heartbeat of its first copy, confirm
// also the reads that came between.
func TestReadOfAReplacedLeaderIsStaleBefore37(t *testing.T) {
	c := newCluster(t, 1, 3, map[string]string{"reads": "index", "fixed_timeout": "true"})
	n1, n2, n3 := c.nodes[0], c.nodes[1], c.nodes[2]
	all := func(message) bool { return true }
	elect(c, n1)
	c.ask(n1, map[string]any{"put": []int{0, 1}})
	c.deliverWhere(all)

	// A follower reads. Its request, and what n2 answers to the heartbeat, are doubled and late.
	first := c.ask(n3, map[string]any{"read": 0})
	lateRequest := c.pick("ReadIndex", 3, 1)
	c.deliverWhere(func(m message) bool { return m.kind == "ReadIndex" || m.kind == "Heartbeat" })
	lateAnswer := c.pick("HeartbeatResponse", 2, 1)
	c.deliverWhere(all)
	if fmt.Sprint(c.answers[first]) != "map[value:1]" {
		t.Fatalf("the first read is answered %v", c.answers[first])
	}

	// n1 is cut off. The others go on, and a client knows of it.
	elect(c, n2)
	write := c.ask(n2, map[string]any{"put": []int{0, 2}})
	c.deliverWhere(func(m message) bool { return m.from != 1 && m.to != 1 })
	if c.answers[write] == nil {
		t.Fatal("the second write is not answered")
	}
	c.messages = nil

	second := c.ask(n1, map[string]any{"read": 0})
	c.messages = []message{lateRequest}
	c.deliverWhere(func(m message) bool { return m.kind == "ReadIndex" })
	c.messages = []message{lateAnswer}
	c.deliverWhere(func(m message) bool { return m.kind == "HeartbeatResponse" })
	want := "map[value:1]"
	if hasUniqueReads {
		want = "<nil>"
	}
	if got := fmt.Sprint(c.answers[second]); got != want {
		t.Errorf("the read after the second write is answered %s, not %s", got, want)
	}
}

// elect lets a node campaign, and the others vote for it. The leader of before hears nothing of it.
func elect(c *cluster, p *process) {
	for range 4 {
		p.now++
		c.call(p, "tick", nil)
	}
	old := 0
	for _, leader := range c.leaders {
		old = leader
	}
	c.deliverWhere(func(m message) bool { return m.from != old && m.to != old })
	c.messages = nil
}

// deliverWhere delivers messages that fit, oldest first, until there is none.
func (c *cluster) deliverWhere(fits func(message) bool) {
	for at := slices.IndexFunc(c.messages, fits); at >= 0; at = slices.IndexFunc(c.messages, fits) {
		c.deliver(at)
	}
	if c.panicked != nil {
		c.t.Fatal(c.panicked.Message)
	}
}

// pick gives a copy of a message that is under way.
func (c *cluster) pick(kind string, from, to int) message {
	at := slices.IndexFunc(c.messages, func(m message) bool { return m.kind == kind && m.from == from && m.to == to })
	if at < 0 {
		c.t.Fatalf("no %s from n%d to n%d is under way", kind, from, to)
	}
	return c.messages[at]
}
