package shakedown

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// Host makes nodes and serves them to Shakedown. N is the type of its nodes, such as *Register; which of the interfaces
// [Ticker], [Timed], [Requester], [Flusher], [Reconnector] and [Disconnector] it implements decides which calls are
// made.
type Host[N Node] struct {
	// Name and Version are what is under test: "register", "register 1.0".
	Name, Version string
	// Kinds are the kinds of messages that nodes send. It may be left out.
	Kinds []string
	// Boot starts a node: its first life, or a later one with what is left on disk. An error is reported as a panic.
	Boot func(env *Env, disk *Disk) (N, error)
}

// gcPercent lets the heap grow to five times what is in use between collections: a host's heap is small, and its time
// is what matters. The variable GOGC overrules it.
const gcPercent = 400

// Serve serves on standard input and output until the input ends. It takes both away from the rest of the program, for
// good: what else is written to standard output goes to standard error, and os.Stdin is empty. It is called once, by main.
func (h Host[N]) Serve() error {
	out, err := takeStdout()
	if err != nil {
		return fmt.Errorf("shakedown: standard output: %w", err)
	}
	in := os.Stdin
	if os.Stdin, err = os.Open(os.DevNull); err != nil {
		return fmt.Errorf("shakedown: standard input: %w", err)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	return h.ServeOn(in, out)
}

// ServeOn serves on other streams. It returns nil when the input ends where a call would begin.
func (h Host[N]) ServeOn(in io.Reader, out io.Writer) error {
	var kind N
	if any(kind) == nil {
		return errors.New("shakedown: the nodes of a host have a type of their own, such as *Register, not an interface")
	}
	if h.Boot == nil {
		return errors.New("shakedown: the host has no Boot")
	}
	wire, err := h.shakeHands(newWire(in, out), callsOf(kind))
	if err != nil || wire == nil {
		return err
	}
	s := server[N]{host: h, wire: wire, nodes: map[uint64]*slot[N]{}, names: map[string]string{}}
	for {
		frame, err := wire.read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.serve(frame)
		}
		if err != nil {
			return fmt.Errorf("shakedown: call %d: %w", s.calls+1, err)
		}
		s.calls++
	}
}

type hello struct {
	Call     string `json:"call"`
	Protocol int    `json:"protocol"`
	Encoding string `json:"encoding"`
}

type welcome struct {
	Protocol int      `json:"protocol"`
	Encoding string   `json:"encoding"`
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Calls    []string `json:"calls"`
	Kinds    []string `json:"kinds,omitempty"`
}

// shakeHands gives no wire if the input is empty.
func (h Host[N]) shakeHands(w *wire, calls []string) (*wire, error) {
	line, err := w.line()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("shakedown: handshake: %w", err)
	}
	var asked hello
	refusal := ""
	if err := json.Unmarshal(line, &asked); err != nil || asked.Call != "hello" {
		refusal = "the first line is no handshake: this program is a host of Shakedown's node protocol"
	} else if asked.Protocol != 1 {
		refusal = fmt.Sprintf("this host speaks version 1 of the protocol, not %d", asked.Protocol)
	}
	if refusal != "" {
		reply, _ := json.Marshal(map[string]string{"error": refusal})
		return nil, errors.Join(w.send(append(reply, '\n')), errors.New("shakedown: "+refusal))
	}
	reply := welcome{1, "json", h.Name, h.Version, calls, h.Kinds}
	if asked.Encoding == "msgpack" {
		reply.Encoding = "msgpack"
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return nil, err
	}
	w.isText = reply.Encoding == "json"
	return w, w.send(append(text, '\n'))
}

// slot is a running node.
type slot[N Node] struct {
	node   N
	env    Env
	state  State
	failed *Failure
}

type server[N Node] struct {
	host  Host[N]
	wire  *wire
	nodes map[uint64]*slot[N]
	names map[string]string // kinds and timers that were heard of: one copy of each
	calls uint64
	call  call
}

// serve does one call and replies to it.
func (s *server[N]) serve(frame []byte) error {
	c := &s.call
	if err := c.parse(frame, s.wire.isText); err != nil {
		return err
	}
	if string(c.name) == "crash" {
		// A node that failed at boot is not there.
		delete(s.nodes, c.node)
		return nil
	}
	if string(c.name) == "boot" {
		if s.nodes[c.node] != nil {
			return fmt.Errorf("boot: node %d is running", c.node)
		}
		return s.boot(c)
	}
	n := s.nodes[c.node]
	if n == nil {
		return fmt.Errorf("%s: there is no node %d", c.name, c.node)
	}
	whole := string(c.name) == "observe"
	if !whole {
		n.env.now = c.now
	}
	if n.failed == nil {
		var err error
		if n.failed, err = s.activate(n, c, whole); err != nil {
			return err
		}
	}
	return s.wire.reply(c.seq, &n.env, &n.state, n.failed)
}

func (s *server[N]) boot(c *call) error {
	seed, err := c.parseSeed()
	if err != nil {
		return err
	}
	disk, err := c.parseDisk()
	if err != nil {
		return err
	}
	options, err := c.parseOptions()
	if err != nil {
		return err
	}
	if c.nodes < 1 || c.id < 1 || c.id > c.nodes || c.nodes > 1<<16 {
		return fmt.Errorf("boot: node %d of %d", c.id, c.nodes)
	}
	n := &slot[N]{env: Env{
		id: int(c.id), nodes: int(c.nodes), life: c.life, now: c.now,
		options: options, random: NewRandom(seed), keys: map[string]struct{}{},
	}}
	failed := s.start(n, disk)
	if failed == nil {
		s.nodes[c.node] = n
	}
	return s.wire.reply(c.seq, &n.env, &n.state, failed)
}

func (s *server[N]) start(n *slot[N], disk *Disk) (failed *Failure) {
	defer func() {
		if r := recover(); r != nil {
			failed = failureOf(r)
		}
	}()
	node, err := s.host.Boot(&n.env, disk)
	if err != nil {
		return &Failure{"the node does not boot: " + err.Error(), "boot"}
	}
	n.node = node
	n.show(true)
	return nil
}

// activate makes one call of a node. A panic is the node's failure; an error is one of the call.
func (s *server[N]) activate(n *slot[N], c *call, whole bool) (failed *Failure, err error) {
	defer func() {
		if r := recover(); r != nil {
			failed, err = failureOf(r), nil
		}
	}()
	n.env.reset()
	if !whole {
		if err := s.dispatch(n, c); err != nil {
			return nil, err
		}
	}
	n.show(whole)
	return nil, nil
}

func (s *server[N]) dispatch(n *slot[N], c *call) error {
	env, node, heard := &n.env, any(n.node), true
	switch string(c.name) {
	case "receive":
		if c.message == nil {
			return errors.New("receive: there is no message")
		}
		if c.from < 1 || c.from > uint64(env.nodes) {
			return fmt.Errorf("receive: a message from node %d of %d", c.from, env.nodes)
		}
		n.node.Receive(env, int(c.from), Message{s.name(c.kind), Raw{c.message, s.wire.isText}})
	case "tick":
		var ticker Ticker
		if ticker, heard = node.(Ticker); heard {
			ticker.Tick(env)
		}
	case "fire":
		var timed Timed
		if timed, heard = node.(Timed); heard {
			timed.Fire(env, s.name(c.timer))
		}
	case "request":
		var requester Requester
		if requester, heard = node.(Requester); heard {
			requester.Request(env, c.id, Raw{c.request, s.wire.isText})
		}
	case "flushed":
		var flusher Flusher
		if flusher, heard = node.(Flusher); heard {
			flusher.Flushed(env)
		}
	case "reconnected":
		var reconnector Reconnector
		if reconnector, heard = node.(Reconnector); heard {
			reconnector.Reconnected(env, int(c.peer))
		}
	case "disconnected":
		var disconnector Disconnector
		if disconnector, heard = node.(Disconnector); heard {
			disconnector.Disconnected(env, int(c.peer))
		}
	default:
		return fmt.Errorf("there is no call %q", c.name)
	}
	if !heard {
		return fmt.Errorf("%s: the nodes of this host do not want to hear it", c.name)
	}
	return nil
}

func (n *slot[N]) show(whole bool) {
	n.state.begin(whole)
	n.node.State(&n.state)
	n.state.end()
}

// namesMax bounds what a hostile caller can make the host remember.
const namesMax = 1000

// name gives the one copy of a name.
func (s *server[N]) name(text []byte) string {
	if known, ok := s.names[string(text)]; ok {
		return known
	}
	name := strings.Clone(string(text))
	if len(s.names) < namesMax {
		s.names[name] = name
	}
	return name
}
