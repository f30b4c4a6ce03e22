// Liveregister is a replicated register as a server, with its own goroutines and timers: a real one, that serves clients
// and its peers over HTTP, and one that Shakedown tests through the package live. Only the transport differs.
//
// With -write-back=false a read answers what it has found without storing it at a majority. Two reads then may see a new
// value and an old one after it.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"strings"

	"shakedown.dev/go/live"
)

func main() {
	id := flag.Int("id", 1, "the number of this server, from 1")
	peers := flag.String("peers", "", "the addresses of all servers, with commas between; not needed under test")
	data := flag.String("data", ".", "the folder for what the server keeps")
	writeBack := flag.Bool("write-back", true, "whether reads store what they have found")
	flag.Parse()
	if err := run(*id, *peers, *data, *writeBack); err != nil {
		log.Fatal(err)
	}
}

func run(id int, peers, data string, writeBack bool) error {
	node, err := live.Connect()
	if err != nil {
		return err
	}
	if node == nil {
		addresses := strings.Split(peers, ",")
		s, err := newServer(id, len(addresses), data, writeBack)
		if err != nil {
			return err
		}
		return serve(s, addresses)
	}
	s, err := newServer(node.ID(), node.Nodes(), data, writeBack)
	if err != nil {
		return err
	}
	s.node, s.transport = node, underTest{node}
	s.show()
	node.Start(live.Handlers{
		Deliver: func(m live.Message) { deliver(s, m) },
		Request: func(id uint64, request json.RawMessage) { go answer(s, id, request) },
	})
	<-node.Done()
	return node.Err()
}

// underTest is the transport of a server that Shakedown tests.
type underTest struct{ node *live.Node }

func (t underTest) send(to int, m message) {
	payload, err := json.Marshal(m)
	if err != nil {
		log.Fatal(err)
	}
	fields := live.Fields{"phase": m.Phase, "counter": m.Version.Counter, "value": m.Value, "back": m.Back}
	if err := t.node.Send(to, m.Kind, fields, payload); err != nil {
		log.Fatal(err)
	}
}

func deliver(s *server, m live.Message) {
	var got message
	err := json.Unmarshal(m.Payload, &got)
	if err == nil {
		err = s.receive(m.From, got)
	}
	if err != nil {
		log.Fatalf("a message of n%d: %v", m.From, err)
	}
}

func answer(s *server, id uint64, request []byte) {
	answer, err := s.do(request)
	if err != nil {
		s.node.Failed(id, err.Error())
		return
	}
	s.node.Answer(id, answer)
}
