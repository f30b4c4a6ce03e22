package adapter

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"shakedown.dev/etcd-raft/lib"
	"shakedown.dev/go"
	"shakedown.dev/go/hosttest"
)

// cluster is a small Shakedown: a seeded loop that delivers, drops, doubles, ticks, asks, crashes and restarts.
type cluster struct {
	t        *testing.T
	client   *hosttest.Client
	random   *shakedown.Random
	options  map[string]string
	nodes    []*process
	messages []message
	buffered bool
	requests uint64
	numbers  uint64
	// What was seen.
	transcript strings.Builder
	commits    map[uint64]string
	leaders    map[uint64]int
	snapshots  int
	answers    map[uint64]any
	restarts   int
	// What must not be seen.
	panicked   *hosttest.Panic
	violations []string
	isBelow    bool
}

type message struct {
	from, to int
	kind     string
	contents shakedown.Raw
}

type process struct {
	id        int
	number    uint64
	life, now uint64
	runs      bool
	term      uint64
	role      string
	log       []string
	first     uint64
	// What is durable, and what is not.
	disk    map[string]shakedown.Raw
	pending []hosttest.Write
}

func newCluster(t *testing.T, seed uint64, nodes int, options map[string]string) *cluster {
	client, err := hosttest.Start(shakedown.Host[*Node]{Name: "etcd-raft", Kinds: Kinds(), Boot: Boot})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{
		t: t, client: client, random: shakedown.NewRandom(seed), options: options,
		buffered: options["disk"] == "buffered", commits: map[uint64]string{}, leaders: map[uint64]int{},
		answers: map[uint64]any{},
	}
	for id := 1; id <= nodes; id++ {
		c.nodes = append(c.nodes, &process{id: id, disk: map[string]shakedown.Raw{}})
		c.boot(c.nodes[id-1])
	}
	return c
}

func (c *cluster) boot(p *process) {
	c.numbers++
	p.number, p.runs, p.log = c.numbers, true, nil
	p.life++
	c.call(p, "boot", map[string]any{
		"id": p.id, "life": p.life,
		"seed": fmt.Sprintf("%016x", c.random.Uint64()), "options": c.options, "disk": p.disk,
	})
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (c *cluster) call(p *process, call string, fields map[string]any) {
	if fields == nil {
		fields = map[string]any{}
	}
	fields["node"], fields["now"] = p.number, p.now
	if call == "boot" {
		fields["nodes"] = nodesOf(c)
	}
	reply, err := c.client.Call(call, fields)
	if err != nil {
		c.t.Fatal(err)
	}
	if call == "crash" {
		return
	}
	fmt.Fprintf(&c.transcript, "%s n%d:", call, p.id)
	c.take(p, reply)
	fmt.Fprintln(&c.transcript)
}

// nodesOf is the size of the cluster, also while it is made.
func nodesOf(c *cluster) int { return max(len(c.nodes), 3) }

// take follows a reply, and checks what must hold.
func (c *cluster) take(p *process, reply *hosttest.Reply) {
	if reply.Panic != nil {
		c.panicked = reply.Panic
		return
	}
	for _, write := range reply.Disk {
		p.pending = append(p.pending, write)
		if write.Flush || !c.buffered {
			c.flush(p)
		}
	}
	for _, send := range reply.Sends {
		data, err := send.Message.Bytes()
		if err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprintf(&c.transcript, " %s>n%d %x", send.Kind, send.To, data)
		c.snapshots += count(send.Kind == "Snapshot")
		c.messages = append(c.messages, message{p.id, send.To, send.Kind, send.Message})
	}
	for _, answer := range reply.Answers {
		c.answers[answer.ID] = answer.Answer
	}
	fmt.Fprintf(&c.transcript, " %v", reply.Answers)
	for _, fact := range reply.Facts {
		c.takeFact(p, fact)
	}
	c.takeState(p, reply.State)
}

func (c *cluster) takeFact(p *process, fact hosttest.Fact) {
	text := fmt.Sprint(fact.Fields)
	fmt.Fprintf(&c.transcript, " %s %s", fact.Name, text)
	number := func(field string) uint64 { return uint64(fact.Fields[field].(int64)) }
	switch {
	case fact.Name == "commit":
		index := number("index")
		if known, ok := c.commits[index]; ok && known != text {
			c.violate("n%d applies %s, another node applied %s", p.id, text, known)
		}
		c.commits[index] = text
	case fact.Fields["role"] == "leader":
		if other := c.leaders[number("term")]; other != 0 && other != p.id {
			c.violate("n%d and n%d lead term %d", p.id, other, number("term"))
		}
		c.leaders[number("term")] = p.id
	}
}

func (c *cluster) violate(format string, v ...any) {
	c.violations = append(c.violations, fmt.Sprintf(format, v...))
}

// takeState applies the patch, and compares the result with the whole state.
func (c *cluster) takeState(p *process, state map[string]shakedown.Raw) {
	for _, name := range slices.Sorted(maps.Keys(state)) {
		raw := state[name]
		c.isBelow = c.isBelow || name == "below" && !raw.IsNil()
		if name != "log" {
			value, err := shakedown.Decode[any](raw)
			if err != nil {
				c.t.Fatal(err)
			}
			fmt.Fprintf(&c.transcript, " %s=%v", name, value)
			continue
		}
		patch, err := shakedown.Decode[logPatch](raw)
		if err != nil {
			c.t.Fatal(err)
		}
		p.patch(patch)
	}
}

func (p *process) patch(patch logPatch) {
	kept := []string{}
	for i, entry := range p.log {
		if index := p.first + uint64(i); index >= patch.First && index < patch.From {
			kept = append(kept, entry)
		}
	}
	for _, entry := range patch.Entries {
		kept = append(kept, string(entry))
	}
	p.first, p.log = patch.First, kept
}

func (c *cluster) flush(p *process) {
	for _, write := range p.pending {
		maps.Copy(p.disk, write.Put)
		for _, key := range write.Delete {
			delete(p.disk, key)
		}
	}
	p.pending = nil
}

// step does one random thing. The weights let clusters elect and commit, and still crash often.
func (c *cluster) step() {
	p := c.nodes[c.random.Index(len(c.nodes))]
	choice := c.random.Below(100)
	switch {
	case !p.runs:
		if choice < 20 {
			c.restarts++
			c.boot(p)
		}
	case choice < 18:
		p.now++
		c.call(p, "tick", nil)
	case choice < 24:
		c.request(p)
	case choice < 25:
		c.call(p, "crash", nil)
		p.runs, p.pending = false, nil
	case choice < 40:
		if len(p.pending) > 0 {
			c.flush(p)
			c.call(p, "flushed", nil)
		}
	case len(c.messages) == 0:
	case choice < 46:
		at := c.random.Index(len(c.messages))
		c.messages = slices.Delete(c.messages, at, at+1)
	case choice < 49:
		c.messages = append(c.messages, c.messages[c.random.Index(len(c.messages))])
	default:
		c.deliver(c.random.Index(len(c.messages)))
	}
}

func (c *cluster) deliver(at int) {
	m := c.messages[at]
	c.messages = slices.Delete(c.messages, at, at+1)
	if p := c.nodes[m.to-1]; p.runs {
		c.call(p, "receive", map[string]any{"from": m.from, "kind": m.kind, "message": m.contents})
	}
}

func (c *cluster) request(p *process) {
	id, key, node := c.requests+1, c.random.Below(4), fmt.Sprintf("n%d", 1+c.random.Index(len(c.nodes)))
	var request any
	switch c.random.Below(10) {
	case 0, 1, 2:
		request = "compact"
	case 3:
		request = map[string]any{"transfer": node}
	case 4:
		request = map[string]any{"read": key}
	case 5:
		request = map[string]any{"write": []uint64{key, id}}
	case 6:
		request = map[string]any{"when": map[string]any{"key": key, "is": 0, "write": []uint64{key, id}}}
	case 7:
		if c.options["membership"] == "true" {
			verb := []string{"add", "remove"}[c.random.Index(2)]
			request = map[string]any{verb: node}
			break
		}
		fallthrough
	default:
		request = map[string]any{"put": []uint64{key, id}}
	}
	c.ask(p, request)
}

// ask makes a request and gives its number.
func (c *cluster) ask(p *process, request any) uint64 {
	c.requests++
	c.call(p, "request", map[string]any{"id": c.requests, "request": request})
	return c.requests
}

// checkObserved compares what the patches led to with the whole state.
func (c *cluster) checkObserved() {
	for _, p := range c.nodes {
		if !p.runs {
			continue
		}
		reply, err := c.client.Call("observe", map[string]any{"node": p.number})
		if err != nil || reply.Panic != nil {
			c.t.Fatal(err, reply)
		}
		patch, err := shakedown.Decode[logPatch](reply.State["log"])
		if err != nil {
			c.t.Fatal(err)
		}
		whole := process{}
		whole.patch(patch)
		if whole.first != p.first || !slices.Equal(whole.log, p.log) {
			c.t.Fatalf("n%d: the patches led to %d entries from %d on, there are %d from %d on",
				p.id, len(p.log), p.first, len(whole.log), whole.first)
		}
	}
}

// run runs one execution and gives the digest of all that was seen.
func run(t *testing.T, seed uint64, steps int, options map[string]string) (*cluster, uint64) {
	c := newCluster(t, seed, 3, options)
	for range steps {
		if c.step(); c.panicked != nil {
			t.Fatalf("seed %d: a node panicked at %s: %s", seed, c.panicked.Place, c.panicked.Message)
		}
	}
	if len(c.violations) > 0 {
		t.Fatalf("seed %d: %s", seed, c.violations[0])
	}
	c.checkObserved()
	if err := c.client.Close(); err != nil {
		t.Fatal(err)
	}
	digest := fnv.New64a()
	digest.Write([]byte(c.transcript.String()))
	return c, digest.Sum64()
}

func optionsOf(t *testing.T) []map[string]string {
	all := []map[string]string{
		{},
		{"pre_vote": "true", "check_quorum": "true"},
		{"membership": "true"},
		{"reads": "index"},
		{"fixed_timeout": "true", "spec": "RaftCrate"},
		{"disk": "buffered"},
		{"disk": "buffered", "membership": "true", "pre_vote": "true"},
	}
	if lib.HasAsync {
		return all
	}
	return slices.DeleteFunc(all, func(options map[string]string) bool { return options["disk"] == "buffered" })
}

func TestClusterElectsCommitsSnapshotsAndSurvivesCrashes(t *testing.T) {
	for _, options := range optionsOf(t) {
		t.Run(fmt.Sprint(options), func(t *testing.T) {
			commits, snapshots, restarts, answered, leaders := 0, 0, 0, 0, 0
			for seed := uint64(1); seed <= 20; seed++ {
				c, _ := run(t, seed, 1500, options)
				commits += len(c.commits)
				snapshots += c.snapshots
				restarts += c.restarts
				answered += len(c.answers)
				leaders += len(c.leaders)
			}
			t.Logf("%d commits, %d leaders, %d snapshots sent, %d restarts, %d answers",
				commits, leaders, snapshots, restarts, answered)
			if commits < 300 || leaders < 60 || snapshots < 20 || restarts < 60 || answered < 300 {
				t.Fatal("too little happened")
			}
		})
	}
}

func TestSameSeedGivesTheSameTranscript(t *testing.T) {
	for _, options := range optionsOf(t) {
		digests := map[uint64]bool{}
		for seed := uint64(1); seed <= 5; seed++ {
			_, first := run(t, seed, 1000, options)
			_, second := run(t, seed, 1000, options)
			if first != second {
				t.Fatalf("seed %d with %v: two transcripts", seed, options)
			}
			digests[first] = true
		}
		if len(digests) != 5 {
			t.Fatalf("%v: five seeds gave %d transcripts", options, len(digests))
		}
	}
}
