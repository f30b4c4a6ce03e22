package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"shakedown.dev/go/live"
)

// version orders the values of the register. Two writers never have the same.
type version struct {
	Counter int `json:"counter"`
	Writer  int `json:"writer"`
}

func (v version) isNewerThan(other version) bool {
	return v.Counter > other.Counter || v.Counter == other.Counter && v.Writer > other.Writer
}

// message is what servers send each other, in its four kinds: query, reply, store and stored.
type message struct {
	Kind string `json:"kind"`
	// Operation and Phase say what it is for, at the server that asks.
	Operation uint64  `json:"operation"`
	Phase     int     `json:"phase"`
	Version   version `json:"version"`
	Value     int     `json:"value"`
	// Back: a read stores what it has found.
	Back bool `json:"back"`
}

// transport carries messages: the server's own, or Shakedown's.
type transport interface {
	send(to int, m message)
}

// resendTime is how long an operation waits for a majority before it asks again.
const resendTime = 100 * time.Millisecond

// operation is one phase of a read or a write, at the server that does it.
type operation struct {
	ask     message
	replied map[int]bool
	version version
	value   int
	// majority is closed when more than half of the servers have replied.
	majority chan struct{}
}

// server is one of n servers that hold a register together, after Attiya, Bar-Noy and Dolev. Every read and every write
// runs in a goroutine of its own and asks a majority twice.
type server struct {
	id, nodes int
	node      *live.Node // nil if nobody tests it
	transport transport
	// readsWriteBack is right: otherwise a read answers what it has found, which another read may not find again.
	readsWriteBack bool
	file           string

	mutex      sync.Mutex
	held       held
	last       uint64
	operations map[uint64]*operation
}

// held is what a server keeps on disk.
type held struct {
	Version version `json:"version"`
	Value   int     `json:"value"`
	// Chosen is the counter of the last write of this server: no two writes have the same, whatever happens in between.
	Chosen int `json:"chosen"`
}

// newServer makes a server that goes on from what is in the folder of its data.
func newServer(id, nodes int, data string, readsWriteBack bool) (*server, error) {
	s := &server{
		id: id, nodes: nodes, readsWriteBack: readsWriteBack, file: filepath.Join(data, "register.json"),
		// What was sent in an earlier life may still be answered, so numbers are not used twice.
		last: rand.Uint64() >> 12, operations: map[uint64]*operation{},
	}
	text, err := os.ReadFile(s.file)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s.held)
	}
	return s, err
}

// keep makes this what the server holds. It is on disk before anyone hears of it. It is called with the mutex.
func (s *server) keep(next held) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	// A crash leaves the old file or the new one.
	if err := os.WriteFile(s.file+".new", text, 0o600); err != nil {
		return err
	}
	if err := os.Rename(s.file+".new", s.file); err != nil {
		return err
	}
	s.held = next
	return nil
}

// hold takes a value if it is newer than that of this server.
func (s *server) hold(v version, value int) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !v.isNewerThan(s.held.Version) {
		return nil
	}
	if err := s.keep(held{v, value, s.held.Chosen}); err != nil {
		return err
	}
	s.show()
	s.node.Event("holds", live.Fields{"counter": v.Counter, "writer": v.Writer})
	return nil
}

// choose gives a version that is newer than this one, and that no other write has.
func (s *server) choose(newest version) (version, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	next := s.held
	next.Chosen = max(newest.Counter, s.held.Chosen) + 1
	return version{next.Chosen, s.id}, s.keep(next)
}

// read does a read.
func (s *server) read() int {
	version, value := s.phase(message{Kind: "query", Phase: 1})
	if s.readsWriteBack {
		s.decide("write-back", version)
		s.phase(message{Kind: "store", Phase: 2, Version: version, Value: value, Back: true})
	}
	s.node.Event("read", live.Fields{"counter": version.Counter, "value": value})
	return value
}

// write does a write.
func (s *server) write(value int) error {
	newest, _ := s.phase(message{Kind: "query", Phase: 1})
	next, err := s.choose(newest)
	if err != nil {
		return err
	}
	s.decide("write", next)
	s.phase(message{Kind: "store", Phase: 2, Version: next, Value: value})
	s.node.Event("wrote", live.Fields{"counter": next.Counter, "value": value})
	return nil
}

// decide is the point between the phases. Shakedown says when a goroutine passes it.
func (s *server) decide(name string, v version) {
	// Without a connection the process is about to be ended.
	_ = s.node.Action(name, live.Fields{"counter": v.Counter, "writer": v.Writer}, func() {})
}

// phase asks every server and waits for a majority. It gives the newest of what they hold.
func (s *server) phase(ask message) (version, int) {
	s.mutex.Lock()
	s.last++
	ask.Operation = s.last
	o := &operation{ask: ask, replied: map[int]bool{}, majority: make(chan struct{})}
	s.operations[ask.Operation] = o
	s.resendLater()
	s.mutex.Unlock()
	for to := 1; to <= s.nodes; to++ {
		s.transport.send(to, ask)
	}
	<-o.majority
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.operations, ask.Operation)
	if len(s.operations) == 0 {
		s.node.ClearTimer("resend")
	}
	return o.version, o.value
}

// resendLater is called with the mutex.
func (s *server) resendLater() {
	s.node.SetTimer("resend", resendTime, func() {
		s.mutex.Lock()
		asks := map[message][]int{}
		for _, o := range s.operations {
			for to := 1; to <= s.nodes; to++ {
				if !o.replied[to] {
					asks[o.ask] = append(asks[o.ask], to)
				}
			}
		}
		if len(s.operations) > 0 {
			s.resendLater()
			s.node.Event("asks-again", nil)
		}
		s.mutex.Unlock()
		for ask, receivers := range asks {
			for _, to := range receivers {
				s.transport.send(to, ask)
			}
		}
	})
}

// receive takes a message of another server, or of this one.
func (s *server) receive(from int, m message) error {
	switch m.Kind {
	case "query":
		s.mutex.Lock()
		reply := message{Kind: "reply", Operation: m.Operation, Phase: m.Phase, Version: s.held.Version, Value: s.held.Value}
		s.mutex.Unlock()
		s.transport.send(from, reply)
	case "store":
		if err := s.hold(m.Version, m.Value); err != nil {
			return err
		}
		s.transport.send(from, message{Kind: "stored", Operation: m.Operation, Phase: m.Phase, Version: m.Version})
	case "reply", "stored":
		s.replied(from, m)
	default:
		return fmt.Errorf("there is no message of kind %q", m.Kind)
	}
	return nil
}

func (s *server) replied(from int, m message) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	o := s.operations[m.Operation]
	if o == nil || o.replied[from] || 2*len(o.replied) > s.nodes {
		return
	}
	o.replied[from] = true
	if m.Kind == "reply" && m.Version.isNewerThan(o.version) {
		o.version, o.value = m.Version, m.Value
	}
	if 2*len(o.replied) > s.nodes {
		close(o.majority)
	}
}

// show shows the state. It is called with the mutex.
func (s *server) show() {
	s.node.State(live.Fields{
		"counter": s.held.Version.Counter, "writer": s.held.Version.Writer, "value": s.held.Value,
	})
}

// request is what a client asks: {"write":[0,7]} or {"read":0}. The register has one key.
type request struct {
	Write []int `json:"write"`
	Read  *int  `json:"read"`
}

// do does what a client asks and gives the answer.
func (s *server) do(text []byte) (any, error) {
	var r request
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	switch {
	case len(r.Write) == 2:
		return map[string]bool{"done": true}, s.write(r.Write[1])
	case r.Read != nil:
		return map[string]int{"value": s.read()}, nil
	default:
		return nil, fmt.Errorf("there is no request %s", text)
	}
}
