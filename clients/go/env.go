package shakedown

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Env is what a node knows of its surroundings, and how it acts on them. It belongs to one life of one node.
//
// What a node does is collected and leaves when the call returns: first what is written, then what is sent. The methods
// panic when they are used wrongly (a node that does not exist, a value that cannot be encoded), and such a panic is
// reported as one of the node.
type Env struct {
	id, nodes int
	life, now uint64
	options   map[string]string
	random    *Random

	sends, answers, facts, timers, disk part
	keys                                map[string]struct{}
}

// part is a list of the reply, while it grows.
type part struct {
	items []byte
	count int
}

func (p *part) reset() { p.items, p.count = p.items[:0], 0 }

// ID is the number of the node, counted from 1.
func (e *Env) ID() int { return e.id }

// Nodes is how many nodes the cluster has: they are numbered from 1 to this.
func (e *Env) Nodes() int { return e.nodes }

// Life counts the lives of the node, from 1: a node that comes back after a crash has one more.
func (e *Env) Life() uint64 { return e.life }

// Now is how many ticks the node has seen, over all its lives.
func (e *Env) Now() uint64 { return e.now }

// Random is the only source of randomness that a node may use.
func (e *Env) Random() *Random { return e.random }

// Option gives an option of the target, and whether it is set.
func (e *Env) Option(name string) (string, bool) {
	value, ok := e.options[name]
	return value, ok
}

// Options are the options of the target. They are not to be changed.
func (e *Env) Options() map[string]string { return e.options }

// Send sends a message to a node. Its kind is one word, such as "Append".
func (e *Env) Send(to int, kind string, message any) {
	e.SendText(to, kind, message, "")
}

// SendText sends a message with a few words about it for diagrams.
func (e *Env) SendText(to int, kind string, message any, text string) {
	if to < 1 || to > e.nodes {
		panic(fmt.Sprintf("shakedown: a message is sent to node %d of %d", to, e.nodes))
	}
	if e.sends.count >= sendsMax {
		panic(fmt.Sprintf("shakedown: more than %d messages are sent in one call", sendsMax))
	}
	checkName("kind", kind)
	b := appendMap(e.sends.items, 3+count(text != ""))
	b = appendUint(appendText(b, "to"), uint64(to))
	b = appendText(appendText(b, "kind"), kind)
	b = mustAppend(appendText(b, "message"), message, "message "+kind)
	if text != "" {
		b = mustAppend(appendText(b, "text"), text, "text of message "+kind)
	}
	e.sends = part{b, e.sends.count + 1}
}

// Broadcast sends a message to every other node, in the order of their numbers.
func (e *Env) Broadcast(kind string, message any) {
	for to := 1; to <= e.nodes; to++ {
		if to != e.id {
			e.Send(to, kind, message)
		}
	}
}

// Answer answers a request of a client. Any node may answer; the first answer counts.
func (e *Env) Answer(id uint64, answer any) {
	b := appendMap(e.answers.items, 2)
	b = appendUint(appendText(b, "id"), id)
	b = mustAppend(appendText(b, "answer"), answer, "answer")
	e.answers = part{b, e.answers.count + 1}
}

// Field is a field of a fact.
type Field struct {
	// Name is one word.
	Name string
	// Value is an integer, a truth value or a text.
	Value any
}

// F is short for a [Field].
func F(name string, value any) Field { return Field{name, value} }

// Emit reports a fact: that something happened inside the node, such as a commit or a new role.
func (e *Env) Emit(name string, fields ...Field) {
	checkName("fact", name)
	b := appendMap(e.facts.items, 2)
	b = appendText(appendText(b, "name"), name)
	b = appendMap(appendText(b, "fields"), len(fields))
	for i, f := range fields {
		checkName("field of a fact", f.Name)
		if slices.ContainsFunc(fields[:i], func(other Field) bool { return other.Name == f.Name }) {
			panic(fmt.Sprintf("shakedown: fact %s has two fields %s", name, f.Name))
		}
		b = appendText(b, f.Name)
		begin := len(b)
		b = mustAppend(b, f.Value, "field "+f.Name)
		r := reader{data: b, at: begin}
		if h, err := r.head(); err != nil || h.form != formBool && h.form != formInt && h.form != formUint && h.form != formText {
			panic(fmt.Sprintf("shakedown: field %s of fact %s is no integer, truth value or text", f.Name, name))
		}
	}
	e.facts = part{b, e.facts.count + 1}
}

// SetTimer sets a timer, or sets it anew: it goes off after this number of ticks.
func (e *Env) SetTimer(name string, ticks uint64) {
	checkName("timer", name)
	b := appendMap(e.timers.items, 2)
	b = appendText(appendText(b, "set"), name)
	b = appendUint(appendText(b, "ticks"), ticks)
	e.timers = part{b, e.timers.count + 1}
}

// CancelTimer cancels a timer.
func (e *Env) CancelTimer(name string) {
	checkName("timer", name)
	b := appendMap(e.timers.items, 1)
	b = appendText(appendText(b, "cancel"), name)
	e.timers = part{b, e.timers.count + 1}
}

// Change is a change of one key on disk.
type Change struct {
	key     string
	value   any
	deletes bool
}

// Put lets a key hold a value.
func Put(key string, value any) Change { return Change{key: key, value: value} }

// Delete takes a key away.
func Delete(key string) Change { return Change{key: key, deletes: true} }

// Write changes the disk. One write is atomic: a crash keeps all of its changes or none. It panics if a key is changed
// twice.
func (e *Env) Write(changes ...Change) {
	deletes := 0
	clear(e.keys)
	for i := range changes {
		if _, twice := e.keys[changes[i].key]; twice {
			panic(fmt.Sprintf("shakedown: one write changes key %q twice", changes[i].key))
		}
		if len(changes) > 1 {
			e.keys[changes[i].key] = struct{}{}
		}
		deletes += count(changes[i].deletes)
	}
	puts := len(changes) - deletes
	b := appendMap(e.disk.items, count(puts > 0)+count(deletes > 0))
	if puts > 0 {
		b = appendMap(appendText(b, "put"), puts)
		for i := range changes {
			if c := &changes[i]; !c.deletes {
				b = mustAppend(mustAppend(b, c.key, "key"), c.value, c.key)
			}
		}
	}
	if deletes > 0 {
		b = appendList(appendText(b, "delete"), deletes)
		for i := range changes {
			if c := &changes[i]; c.deletes {
				b = mustAppend(b, c.key, "key")
			}
		}
	}
	e.disk = part{b, e.disk.count + 1}
}

// Flush makes everything that was written so far durable.
func (e *Env) Flush() {
	b := appendMap(e.disk.items, 1)
	b = appendBool(appendText(b, "flush"), true)
	e.disk = part{b, e.disk.count + 1}
}

func (e *Env) reset() {
	e.sends.reset()
	e.answers.reset()
	e.facts.reset()
	e.timers.reset()
	e.disk.reset()
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func mustAppend(b []byte, value any, what string) []byte {
	b, err := appendAny(b, value, 3)
	if err != nil {
		panic("shakedown: " + what + ": " + err.Error())
	}
	return b
}

const nameMax = 64

// checkName panics if this is no name of the protocol: one word of letters, digits, _, -, . and :.
func checkName(what, name string) {
	ok := len(name) > 0 && len(name) <= nameMax
	for i := 0; i < len(name) && ok; i++ {
		c := name[i]
		ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '_' || c == '-' || c == '.' || c == ':'
	}
	if !ok {
		panic(fmt.Sprintf("shakedown: the name %q of a %s is not one word of letters, digits, _, -, . and :", name, what))
	}
}

func validText(text string) bool { return utf8.ValidString(text) }
