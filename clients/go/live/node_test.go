package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// patience is how long something may take that has to come.
const patience = time.Minute

// shakedown is the other end of a node's connection.
type shakedown struct {
	t     *testing.T
	conn  net.Conn
	lines *bufio.Scanner
}

// start connects a node to a shakedown that welcomes it, or answers with this line.
func start(t *testing.T, answer string) (*Node, *shakedown, error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := make(chan *shakedown, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			t.Error(err)
			close(accepted)
			return
		}
		s := &shakedown{t, conn, bufio.NewScanner(conn)}
		s.lines.Buffer(nil, 2*lineMax)
		s.lines.Scan()
		s.give(answer)
		accepted <- s
	}()
	node, err := connect(listener.Addr().String(), "secret", 2)
	s := <-accepted
	if s == nil {
		t.FailNow()
	}
	t.Cleanup(func() { s.conn.Close() })
	s.expectText(s.lines.Text(), `{"type":"hello","protocol":1,"token":"secret","node":2}`)
	return node, s, err
}

const welcome = `{"type":"welcome","protocol":1,"node":2,"nodes":3,"life":4,"seed":"00000000000000ff"}`

func welcomed(t *testing.T) (*Node, *shakedown) {
	t.Helper()
	node, s, err := start(t, welcome)
	if err != nil {
		t.Fatal(err)
	}
	return node, s
}

func (s *shakedown) give(line string) {
	if _, err := s.conn.Write([]byte(line + "\n")); err != nil {
		s.t.Error(err)
	}
}

func (s *shakedown) expectText(found, expected string) {
	s.t.Helper()
	if found != expected {
		s.t.Errorf("%s, and not %s", found, expected)
	}
}

// expect takes the next line of the node.
func (s *shakedown) expect(expected string) {
	s.t.Helper()
	_ = s.conn.SetReadDeadline(time.Now().Add(patience))
	if !s.lines.Scan() {
		s.t.Fatalf("no line, and not %s: %v", expected, s.lines.Err())
	}
	s.expectText(s.lines.Text(), expected)
}

func (s *shakedown) ready(node *Node, handlers Handlers) {
	s.t.Helper()
	node.Start(handlers)
	if handlers.Request == nil {
		s.expect(`{"type":"ready","requests":false}`)
	} else {
		s.expect(`{"type":"ready","requests":true}`)
	}
}

func ignore(Message) {}

func TestRegistration(t *testing.T) {
	node, _ := welcomed(t)
	if node.ID() != 2 || node.Nodes() != 3 || node.Life() != 4 || node.Seed() != 255 || node.Err() != nil {
		t.Errorf("%+v", node)
	}
	for answer, reason := range map[string]string{
		`{"type":"error","reason":"its token is wrong"}`: "its token is wrong",
		`{"type":"welcome","protocol":2}`:                "of version 2",
		`{"type":"welcome","protocol":1,"seed":"x"}`:     "the seed",
		`hello`: "invalid character",
	} {
		_, _, err := start(t, answer)
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

func TestWhatAServerDoesIsWrittenInOrder(t *testing.T) {
	node, s := welcomed(t)
	if err := node.Send(1, "Vote", Fields{"term": 3}, []byte{1, 255}); err != nil {
		t.Fatal(err)
	}
	node.Event("role", Fields{"role": "leader"})
	node.State(Fields{"term": 3, "gone": nil})
	node.SetTimer("election", 150*time.Millisecond, func() {})
	node.ClearTimer("election")
	s.expect(`{"type":"send","to":1,"kind":"Vote","fields":{"term":3},"payload":"Af8="}`)
	s.expect(`{"type":"event","name":"role","fields":{"role":"leader"}}`)
	s.expect(`{"type":"state","fields":{"gone":null,"term":3}}`)
	s.expect(`{"type":"timer","id":1,"name":"election","ms":150}`)
	s.expect(`{"type":"clear","name":"election"}`)
	if err := node.Send(1, "Vote", Fields{"bad": func() {}}, nil); err == nil || errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an event that is no JSON is reported")
		}
	}()
	node.Event("bad", Fields{"bad": func() {}})
}

func TestHandlersAreCalledOneAtATimeAndAcknowledged(t *testing.T) {
	node, s := welcomed(t)
	s.ready(node, Handlers{
		Deliver: func(m Message) {
			var fields struct{ Term int }
			if err := json.Unmarshal(m.Fields, &fields); err != nil || fields.Term != 3 || string(m.Payload) != "\x01\xff" {
				t.Errorf("%+v: %v", m, err)
			}
			node.Event("got", Fields{"kind": m.Kind, "from": m.From})
		},
		Request: func(id uint64, request json.RawMessage) {
			if string(request) == `"bad"` {
				node.Failed(id, "no")
				return
			}
			node.Answer(id, request)
		},
	})
	s.give(`{"type":"deliver","seq":1,"from":3,"kind":"Vote","fields":{"term":3},"payload":"Af8=","unknown":0}`)
	s.give(`{"type":"request","seq":2,"id":7,"request":{"read":0}}`)
	s.give(`{"type":"request","seq":3,"id":8,"request":"bad"}`)
	s.expect(`{"type":"event","name":"got","fields":{"from":3,"kind":"Vote"}}`)
	s.expect(`{"type":"done","seq":1}`)
	s.expect(`{"type":"answer","id":7,"answer":{"read":0}}`)
	s.expect(`{"type":"done","seq":2}`)
	s.expect(`{"type":"answer","id":8,"answer":{"failed":"no"}}`)
	s.expect(`{"type":"done","seq":3}`)
}

func TestATimerGoesOffUnlessItWasClearedOrSetAnew(t *testing.T) {
	node, s := welcomed(t)
	s.ready(node, Handlers{Deliver: ignore})
	node.SetTimer("a", time.Second, func() { node.Event("first", nil) })
	node.SetTimer("a", time.Second, func() { node.Event("second", nil) })
	node.SetTimer("b", time.Second, func() { node.Event("third", nil) })
	node.ClearTimer("b")
	s.expect(`{"type":"timer","id":1,"name":"a","ms":1000}`)
	s.expect(`{"type":"timer","id":2,"name":"a","ms":1000}`)
	s.expect(`{"type":"timer","id":3,"name":"b","ms":1000}`)
	s.expect(`{"type":"clear","name":"b"}`)
	s.give(`{"type":"fire","seq":1,"id":1,"name":"a"}`)
	s.give(`{"type":"fire","seq":2,"id":3,"name":"b"}`)
	s.give(`{"type":"fire","seq":3,"id":2,"name":"a"}`)
	s.expect(`{"type":"done","seq":1}`)
	s.expect(`{"type":"done","seq":2}`)
	s.expect(`{"type":"event","name":"second"}`)
	s.expect(`{"type":"done","seq":3}`)
}

func TestTimersThatAreSetAtTheSameTimeAreWrittenInTheirOrder(t *testing.T) {
	node, s := welcomed(t)
	const goroutines, times = 8, 200
	for range goroutines {
		go func() {
			for range times {
				node.SetTimer("a", time.Second, func() {})
			}
		}()
	}
	for id := range goroutines * times {
		s.expect(fmt.Sprintf(`{"type":"timer","id":%d,"name":"a","ms":1000}`, id+1))
	}
}

func TestAnActionWaitsForPermissionAlsoInAHandler(t *testing.T) {
	node, s := welcomed(t)
	act := func() {
		if err := node.Action("Campaign", Fields{"term": 4}, func() { node.State(Fields{"term": 4}) }); err != nil {
			t.Error(err)
		}
	}
	s.ready(node, Handlers{Deliver: func(Message) { act() }})
	s.give(`{"type":"deliver","seq":1,"from":1,"kind":"Go"}`)
	s.expect(`{"type":"action","id":1,"name":"Campaign","fields":{"term":4}}`)
	s.give(`{"type":"permit","seq":2,"id":1}`)
	s.expect(`{"type":"state","fields":{"term":4}}`)
	s.expect(`{"type":"done","seq":2}`)
	s.expect(`{"type":"done","seq":1}`)
}

func TestEverythingEndsWithTheConnection(t *testing.T) {
	for _, given := range []string{
		"", "nonsense", `{"type":"dance"}`, `{"type":"permit","seq":1,"id":9}`, `{"type":"error","reason":"enough"}`,
		`{"type":"end"}`,
	} {
		node, s := welcomed(t)
		s.ready(node, Handlers{Deliver: ignore})
		waits := make(chan error, 1)
		go func() { waits <- node.Action("Never", nil, func() { t.Error("it was allowed") }) }()
		s.expect(`{"type":"action","id":1,"name":"Never"}`)
		if given == "" {
			s.conn.Close()
		} else {
			s.give(given)
		}
		select {
		case <-node.Done():
		case <-time.After(patience):
			t.Fatalf("%q: the connection has not ended", given)
		}
		if err := <-waits; !errors.Is(err, ErrGone) || !errors.Is(node.Err(), ErrGone) {
			t.Errorf("%q: %v, %v", given, err, node.Err())
		}
		if err := node.Send(1, "Late", nil, nil); !errors.Is(err, ErrGone) {
			t.Errorf("%q: %v", given, err)
		}
		node.Event("late", nil)
	}
}

func TestWithoutATestAServerDoesWhatItDoes(t *testing.T) {
	t.Setenv(addressVariable, "")
	node, err := Connect()
	if node != nil || err != nil {
		t.Fatal(node, err)
	}
	node.Start(Handlers{})
	node.Event("role", nil)
	node.State(nil)
	node.Answer(1, nil)
	node.Failed(1, "")
	isDone, fired := false, make(chan struct{})
	if err := node.Action("Campaign", nil, func() { isDone = true }); err != nil || !isDone {
		t.Error(err, isDone)
	}
	node.SetTimer("never", time.Hour, func() { t.Error("it was cleared") })
	node.ClearTimer("never")
	node.SetTimer("now", 0, func() { close(fired) })
	<-fired
	if node.ID() != 0 || node.Nodes() != 0 || node.Life() != 0 || node.Seed() != 0 || node.Done() != nil || node.Err() != nil {
		t.Error("nil is a server")
	}
	if node.Send(1, "Vote", nil, nil) == nil {
		t.Error("a message is sent without a test")
	}
	t.Setenv(addressVariable, "127.0.0.1:1")
	if _, err := Connect(); err == nil || !strings.Contains(err.Error(), nodeVariable) {
		t.Error(err)
	}
}
