package live

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"sync"
)

// lineMax is the longest line, in bytes.
const lineMax = 16 << 20

// queueMax is how many things may wait for the handler.
const queueMax = 10_000

// What this server says.
type (
	hello struct {
		Type     string `json:"type"`
		Protocol int    `json:"protocol"`
		Token    string `json:"token"`
		Node     int    `json:"node"`
	}
	ready struct {
		Type     string `json:"type"`
		Requests bool   `json:"requests"`
	}
	send struct {
		Type    string `json:"type"`
		To      int    `json:"to"`
		Kind    string `json:"kind"`
		Fields  Fields `json:"fields,omitempty"`
		Payload []byte `json:"payload,omitempty"`
	}
	event struct {
		Type   string `json:"type"`
		Name   string `json:"name"`
		Fields Fields `json:"fields,omitempty"`
	}
	state struct {
		Type   string `json:"type"`
		Fields Fields `json:"fields"`
	}
	timer struct {
		Type string `json:"type"`
		ID   uint64 `json:"id"`
		Name string `json:"name"`
		MS   int64  `json:"ms"`
	}
	clear struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	action struct {
		Type   string `json:"type"`
		ID     uint64 `json:"id"`
		Name   string `json:"name"`
		Fields Fields `json:"fields,omitempty"`
	}
	reply struct {
		Type   string `json:"type"`
		ID     uint64 `json:"id"`
		Answer any    `json:"answer"`
	}
	done struct {
		Type string `json:"type"`
		Seq  uint64 `json:"seq"`
	}
)

// given is what Shakedown says.
type given struct {
	Type     string          `json:"type"`
	Reason   string          `json:"reason"`
	Protocol int             `json:"protocol"`
	Nodes    int             `json:"nodes"`
	Life     int             `json:"life"`
	Seed     string          `json:"seed"`
	Seq      uint64          `json:"seq"`
	From     int             `json:"from"`
	Kind     string          `json:"kind"`
	Fields   json.RawMessage `json:"fields"`
	Payload  []byte          `json:"payload"`
	Name     string          `json:"name"`
	ID       uint64          `json:"id"`
	Request  json.RawMessage `json:"request"`
}

// wire is the connection: lines of JSON in both directions.
type wire struct {
	conn  net.Conn
	lines *bufio.Scanner
	mutex sync.Mutex
}

func newWire(conn net.Conn) *wire {
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, 2*lineMax)
	return &wire{conn: conn, lines: lines}
}

// encode gives a line with its end.
func encode(line any) ([]byte, error) {
	text, err := json.Marshal(line)
	if err != nil {
		return nil, err
	}
	if len(text) > lineMax {
		return nil, fmt.Errorf("a line of %d bytes: at most %d are written", len(text), lineMax)
	}
	return append(text, '\n'), nil
}

func (w *wire) write(text []byte) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	_, err := w.conn.Write(text)
	return err
}

// read is called by one goroutine at a time.
func (w *wire) read() (given, error) {
	if !w.lines.Scan() {
		err := w.lines.Err()
		if err == nil {
			err = net.ErrClosed
		}
		return given{}, err
	}
	var g given
	err := json.Unmarshal(w.lines.Bytes(), &g)
	return g, err
}

func (w *wire) close() { w.conn.Close() }

// queue is what waits for the handler.
type queue struct {
	mutex    sync.Mutex
	changed  *sync.Cond
	waiting  []given
	isClosed bool
}

func (q *queue) init() { q.changed = sync.NewCond(&q.mutex) }

// add gives false if there is no room.
func (q *queue) add(g given) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(q.waiting) >= queueMax {
		return false
	}
	q.waiting = append(q.waiting, g)
	q.changed.Signal()
	return true
}

func (q *queue) take() (given, bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for len(q.waiting) == 0 && !q.isClosed {
		q.changed.Wait()
	}
	if q.isClosed {
		return given{}, false
	}
	first := q.waiting[0]
	q.waiting = q.waiting[1:]
	return first, true
}

func (q *queue) close() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.isClosed = true
	q.changed.Broadcast()
}
