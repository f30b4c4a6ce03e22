package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

// Fields are what can be seen of a message, an event, an action or a state: values that encoding/json can write. Those of
// events and actions are integers, truth values and texts.
type Fields map[string]any

// Message is a message of another server.
type Message struct {
	// From is the number of its sender.
	From int
	// Kind and Fields are what the sender has shown of it; Fields are JSON.
	Kind   string
	Fields json.RawMessage
	// Payload is what the receiver needs.
	Payload []byte
}

// Handlers take what steps give to a server.
type Handlers struct {
	// Deliver takes a message. It, Request and the functions of timers are called one at a time, in the order of the
	// steps.
	Deliver func(Message)
	// Request takes what a client asks, as JSON. [Node.Answer] answers it, then or later. Without it, clients are programs
	// that the target file names.
	Request func(id uint64, request json.RawMessage)
}

// Node is a server's connection to Shakedown. Its methods may be called by any goroutine, also on nil: see the package's
// text. It has no method to close it: the connection lasts as long as the process.
type Node struct {
	handlers        Handlers
	id, nodes, life int
	seed            uint64
	wire            *wire
	queue           queue
	order           sync.Mutex // held while a timer is set and written: the last one that is written is the one that is set
	mutex           sync.Mutex // guards what follows
	timers          map[string]setTimer
	lastTimer       uint64
	actions         map[uint64]chan uint64
	lastAction      uint64
	err             error
	done            chan struct{}
}

// The variables of the environment that Shakedown sets.
const (
	addressVariable = "SHAKEDOWN_LIVE"
	tokenVariable   = "SHAKEDOWN_TOKEN"
	nodeVariable    = "SHAKEDOWN_NODE"
)

// protocol is the version of the protocol.
const protocol = 1

// registerTime is how long Shakedown may take to answer.
const registerTime = 10 * time.Second

// ErrGone is why nothing can be done any more: the connection to Shakedown has ended.
var ErrGone = errors.New("live: the connection to Shakedown has ended")

// Connect registers this server, if the variables of its environment say where. Otherwise it gives nil and no error. It is
// called once, or again when [Node.Done] was closed: a server that Shakedown has not started takes part in one execution
// after the other.
func Connect() (*Node, error) {
	address := os.Getenv(addressVariable)
	if address == "" {
		return nil, nil
	}
	id, err := strconv.Atoi(os.Getenv(nodeVariable))
	if err != nil {
		return nil, fmt.Errorf("live: %s: %w", nodeVariable, err)
	}
	return connect(address, os.Getenv(tokenVariable), id)
}

func connect(address, token string, id int) (*Node, error) {
	conn, err := net.DialTimeout("tcp", address, registerTime)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	n := &Node{
		id: id, wire: newWire(conn), timers: map[string]setTimer{},
		actions: map[uint64]chan uint64{}, done: make(chan struct{}),
	}
	if err := n.register(conn, token); err != nil {
		conn.Close()
		return nil, fmt.Errorf("live: %w", err)
	}
	n.queue.init()
	return n, nil
}

// Start says that the server is ready: from now on its handlers are called. It is called once. The execution begins when all
// servers have called it.
func (n *Node) Start(handlers Handlers) {
	if n == nil {
		return
	}
	if handlers.Deliver == nil {
		panic("live: there is no handler Deliver")
	}
	n.handlers = handlers
	n.show(ready{"ready", handlers.Request != nil})
	go n.read()
	go n.handle()
}

func (n *Node) register(conn net.Conn, token string) error {
	text, err := encode(hello{"hello", protocol, token, n.id})
	if err != nil {
		return err
	}
	if err := n.wire.write(text); err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Now().Add(registerTime)); err != nil {
		return err
	}
	answer, err := n.wire.read()
	if err != nil {
		return fmt.Errorf("no answer to the registration: %w", err)
	}
	if answer.Type == "error" {
		return fmt.Errorf("the registration was refused: %s", answer.Reason)
	}
	if answer.Type != "welcome" || answer.Protocol != protocol {
		return fmt.Errorf("the answer to the registration is %q of version %d", answer.Type, answer.Protocol)
	}
	n.nodes, n.life = answer.Nodes, answer.Life
	if n.seed, err = strconv.ParseUint(answer.Seed, 16, 64); err != nil {
		return fmt.Errorf("the seed is %q", answer.Seed)
	}
	return conn.SetReadDeadline(time.Time{})
}

// ID is the number of this server, from 1. It is 0 for nil.
func (n *Node) ID() int {
	if n == nil {
		return 0
	}
	return n.id
}

// Nodes is how many servers there are. It is 0 for nil.
func (n *Node) Nodes() int {
	if n == nil {
		return 0
	}
	return n.nodes
}

// Life is how often this server has been started, 1 for the first time. It is 0 for nil.
func (n *Node) Life() int {
	if n == nil {
		return 0
	}
	return n.life
}

// Seed follows from the seed of the execution, the server and its life. A server that seeds its random source with it
// draws the same every time. It is 0 for nil.
func (n *Node) Seed() uint64 {
	if n == nil {
		return 0
	}
	return n.seed
}

// Done is closed when the connection has ended: the server can stop, or begin anew. It is never closed for nil.
func (n *Node) Done() <-chan struct{} {
	if n == nil {
		return nil
	}
	return n.done
}

// Err is why the connection has ended, and nil before.
func (n *Node) Err() error {
	if n == nil {
		return nil
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.err
}

// Send gives a message to Shakedown: it arrives when a step delivers it, if one does. The kind is one word. Fields are what
// diagrams and scenarios see; the payload is what the receiver gets besides.
func (n *Node) Send(to int, kind string, fields Fields, payload []byte) error {
	if n == nil {
		return errors.New("live: there is no test, so messages go over the server's own network")
	}
	return n.tell(send{"send", to, kind, fields, payload})
}

// Event reports something that happened inside the server: what scenarios and diagrams see.
func (n *Node) Event(name string, fields Fields) {
	if n != nil {
		n.show(event{"event", name, fields})
	}
}

// State shows fields of the server's state that have changed: what invariants are stated over. A nil value takes a field
// away.
func (n *Node) State(fields Fields) {
	if n != nil {
		n.show(state{"state", fields})
	}
}

// Answer answers a request that a handler has taken, with what encoding/json can write. Failed is a better answer for one that
// certainly did not happen.
func (n *Node) Answer(id uint64, answer any) {
	if n != nil {
		n.show(reply{"answer", id, answer})
	}
}

// Failed says that a request did not happen, and never will.
func (n *Node) Failed(id uint64, reason string) {
	if n != nil {
		n.show(reply{"answer", id, map[string]string{"failed": reason}})
	}
}

// show writes a line that cannot fail but for the connection, which Done is for. Fields that are no JSON are a mistake of
// the program.
func (n *Node) show(line any) {
	if err := n.tell(line); err != nil && !errors.Is(err, ErrGone) {
		panic("live: " + err.Error())
	}
}

// tell writes a line. The error is ErrGone, or that the line cannot be written as it is.
func (n *Node) tell(line any) error {
	text, err := encode(line)
	if err != nil {
		return err
	}
	if err := n.wire.write(text); err != nil {
		n.end(err)
		return n.Err()
	}
	return nil
}

// end is called for the first failure and for every later one.
func (n *Node) end(err error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.err != nil {
		return
	}
	n.err = errors.Join(ErrGone, err)
	close(n.done)
	n.queue.close()
	n.wire.close()
}

// read takes in what Shakedown gives. Permission is passed on at once: the handler may be what waits for it.
func (n *Node) read() {
	for {
		given, err := n.wire.read()
		if err != nil {
			n.end(err)
			return
		}
		switch given.Type {
		case "deliver", "fire", "request":
			if !n.queue.add(given) {
				n.end(fmt.Errorf("more than %d things wait for this server", queueMax))
				return
			}
		case "permit":
			n.mutex.Lock()
			waiting := n.actions[given.ID]
			delete(n.actions, given.ID)
			n.mutex.Unlock()
			if waiting == nil {
				n.end(fmt.Errorf("permission for the action %d, which does not wait", given.ID))
				return
			}
			waiting <- given.Seq
		case "error":
			n.end(errors.New(given.Reason))
			return
		case "end":
			n.end(nil)
			return
		default:
			n.end(fmt.Errorf("there is no %q", given.Type))
			return
		}
	}
}

// handle calls the server, one call at a time, and acknowledges each when it has returned.
func (n *Node) handle() {
	for {
		given, ok := n.queue.take()
		if !ok {
			return
		}
		switch {
		case given.Type == "deliver":
			n.handlers.Deliver(Message{given.From, given.Kind, given.Fields, given.Payload})
		case given.Type == "fire":
			n.fire(given.Name, given.ID)
		case n.handlers.Request != nil:
			n.handlers.Request(given.ID, given.Request)
		}
		n.show(done{"done", given.Seq})
	}
}
