package adapter

import (
	"fmt"
	"reflect"
	"testing"

	"shakedown.dev/go"
	"shakedown.dev/go/hosttest"
)

// cluster delivers every message in the order of sending, and lets a timer go off when there is none.
type cluster struct {
	t        *testing.T
	client   *hosttest.Client
	random   *shakedown.Random
	nodes    []*process
	numbers  uint64
	messages []flight
	kinds    map[string]int
	facts    []string
	commits  map[int64][]uint64
}

type flight struct {
	from, to int
	send     hosttest.Send
}

type process struct {
	id     int
	number uint64
	life   uint64
	timers []string
	disk   map[string]shakedown.Raw
}

func newCluster(t *testing.T, seed uint64) *cluster {
	client, err := hosttest.Start(shakedown.Host[*Node]{Name: "cometbft", Kinds: Kinds(), Boot: Boot})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{
		t: t, client: client, random: shakedown.NewRandom(seed), kinds: map[string]int{}, commits: map[int64][]uint64{},
	}
	for id := 1; id <= 4; id++ {
		c.nodes = append(c.nodes, &process{id: id, disk: map[string]shakedown.Raw{}})
	}
	for _, p := range c.nodes {
		c.boot(p)
	}
	return c
}

func (c *cluster) boot(p *process) {
	c.numbers++
	p.number, p.timers = c.numbers, nil
	p.life++
	c.call(p, "boot", map[string]any{
		"id": p.id, "nodes": len(c.nodes), "life": p.life, "seed": fmt.Sprintf("%016x", c.random.Uint64()),
		"options": map[string]string{"heights": "3"}, "disk": p.disk,
	})
}

func (c *cluster) restart(p *process) {
	if _, err := c.client.Call("crash", map[string]any{"node": p.number}); err != nil {
		c.t.Fatal(err)
	}
	c.boot(p)
}

func (c *cluster) call(p *process, call string, fields map[string]any) {
	c.t.Helper()
	fields["node"], fields["now"] = p.number, uint64(0)
	reply, err := c.client.Call(call, fields)
	if err != nil {
		c.t.Fatal(err)
	}
	if reply.Panic != nil {
		c.t.Fatalf("n%d: %s: %s (%s)", p.id, call, reply.Panic.Message, reply.Panic.Place)
	}
	for _, write := range reply.Disk {
		for _, key := range write.Delete {
			delete(p.disk, key)
		}
		for key, value := range write.Put {
			p.disk[key] = value
		}
	}
	for _, timer := range reply.Timers {
		if timer.Set != "" {
			p.timers = append(p.timers, timer.Set)
			continue
		}
		for i, set := range p.timers {
			if set == timer.Cancel {
				p.timers = append(p.timers[:i:i], p.timers[i+1:]...)
				break
			}
		}
	}
	for _, send := range reply.Sends {
		c.kinds[send.Kind]++
		c.messages = append(c.messages, flight{p.id, send.To, send})
	}
	for _, fact := range reply.Facts {
		c.facts = append(c.facts, fmt.Sprint("n", p.id, " ", fact.Name, " ", fact.Fields))
		if fact.Name == "commit" {
			height := fact.Fields["height"].(int64)
			c.commits[height] = append(c.commits[height], uint64(fact.Fields["value"].(int64)))
		}
	}
}

func (c *cluster) deliver() {
	m := c.messages[0]
	c.messages = c.messages[1:]
	c.call(c.nodes[m.to-1], "receive", map[string]any{"from": m.from, "kind": m.send.Kind, "message": m.send.Message})
}

// fire lets the first timer go off, if there is one.
func (c *cluster) fire() bool {
	for _, p := range c.nodes {
		if len(p.timers) > 0 {
			timer := p.timers[0]
			p.timers = p.timers[1:]
			c.call(p, "fire", map[string]any{"timer": timer})
			return true
		}
	}
	return false
}

// run lets the cluster go on until it has nothing to do.
func (c *cluster) run() {
	for len(c.messages) > 0 || c.fire() {
		if len(c.messages) > 0 {
			c.deliver()
		}
	}
}

func TestFourValidatorsDecideThreeHeights(t *testing.T) {
	c := newCluster(t, 1)
	c.run()
	for height := int64(1); height <= 3; height++ {
		values := c.commits[height]
		if len(values) != 4 || values[0] != values[1] || values[0] != values[2] || values[0] != values[3] {
			t.Errorf("height %d: decided %v", height, values)
		}
	}
}

func TestTheSameSeedDoesTheSame(t *testing.T) {
	a, b := newCluster(t, 7), newCluster(t, 7)
	a.run()
	b.run()
	if !reflect.DeepEqual(a.facts, b.facts) || !reflect.DeepEqual(a.kinds, b.kinds) {
		t.Error("two runs differ")
	}
}

func TestAValidatorThatRestartsKeepsItsDecisionsAndItsVotes(t *testing.T) {
	c := newCluster(t, 1)
	votes := map[string]string{}
	for range 4 {
		for range 100 {
			if len(c.messages) > 0 {
				c.deliver()
			} else if !c.fire() {
				break
			}
		}
		for _, p := range c.nodes {
			c.restart(p)
		}
	}
	c.run()
	for height := int64(1); height <= 3; height++ {
		if values := c.commits[height]; len(values) != 4 {
			t.Errorf("height %d: decided %v", height, values)
		}
	}
	for _, fact := range c.facts {
		var node, kind string
		var height, round int
		var value string
		n, _ := fmt.Sscanf(fact, "%s %s map[height:%d round:%d value:%s", &node, &kind, &height, &round, &value)
		if n == 5 && kind != "commit" {
			key := fmt.Sprint(node, kind, height, round)
			if old, known := votes[key]; known && old != value {
				t.Errorf("%s: %s and %s", key, old, value)
			}
			votes[key] = value
		}
	}
	if len(votes) < 24 {
		t.Errorf("%d votes were read", len(votes))
	}
}
