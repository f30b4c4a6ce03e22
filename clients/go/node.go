package shakedown

import (
	"fmt"
	"maps"
	"slices"
)

// Node is one process of the protocol under test.
type Node interface {
	// Receive takes a message of another node.
	Receive(env *Env, from int, message Message)
	// State shows the node's state. Invariants are stated over it, so it shows what matters and nothing that grows
	// without bound. It changes nothing.
	State(state *State)
}

// Message is a message that arrives.
type Message struct {
	// Kind is the kind that the sender gave it.
	Kind string
	// Raw is its contents.
	Raw
}

// Ticker is a [Node] whose clock ticks.
type Ticker interface {
	// Tick: the clock goes on by one.
	Tick(env *Env)
}

// Timed is a [Node] that sets timers.
type Timed interface {
	// Fire: a timer goes off.
	Fire(env *Env, timer string)
}

// Requester is a [Node] that serves clients.
type Requester interface {
	// Request: a client asks something. The number is what [Env.Answer] wants, now or later.
	Request(env *Env, id uint64, request Raw)
}

// Flusher is a [Node] whose disk is buffered.
type Flusher interface {
	// Flushed: everything written so far is durable.
	Flushed(env *Env)
}

// Reconnector is a [Node] that hears when a connection is back.
type Reconnector interface {
	Reconnected(env *Env, peer int)
}

// Disconnector is a [Node] that hears when a connection is lost.
type Disconnector interface {
	Disconnected(env *Env, peer int)
}

// Disk is what survived of earlier lives: values under keys. It is valid while Boot runs.
type Disk struct {
	values map[string]Raw
}

// Keys are the keys, in order.
func (d *Disk) Keys() []string { return slices.Sorted(maps.Keys(d.values)) }

// Has reports whether there is a value under the key.
func (d *Disk) Has(key string) bool {
	_, ok := d.values[key]
	return ok
}

// Get decodes the value under a key into what target points to. Without such a key it changes nothing and gives no
// error.
func (d *Disk) Get(key string, target any) error {
	raw, ok := d.values[key]
	if !ok {
		return nil
	}
	if err := raw.Decode(target); err != nil {
		return fmt.Errorf("disk: %s: %w", key, err)
	}
	return nil
}

// Raw is the value under a key, null if there is none.
func (d *Disk) Raw(key string) Raw { return d.values[key] }

// callsOf names the calls that nodes of a type want to hear.
func callsOf(node any) []string {
	calls := []string{}
	add := func(call string, wanted bool) {
		if wanted {
			calls = append(calls, call)
		}
	}
	_, is := node.(Ticker)
	add("tick", is)
	_, is = node.(Timed)
	add("fire", is)
	_, is = node.(Requester)
	add("request", is)
	_, is = node.(Flusher)
	add("flushed", is)
	_, is = node.(Reconnector)
	add("reconnected", is)
	_, is = node.(Disconnector)
	add("disconnected", is)
	return calls
}
