// Maelstrom nodes for lin-kv, txn-list-append and txn-rw-register; with the argument `flaw`, each has a flaw.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
)

type body = map[string]any

type message struct {
	Src  string `json:"src"`
	Dest string `json:"dest"`
	Body body   `json:"body"`
}

type node struct {
	mutex    sync.Mutex
	name     string
	lastID   int
	waiting  map[int]chan body
	isFlawed bool
}

func (n *node) send(dest string, b body) {
	line, err := json.Marshal(message{Src: n.name, Dest: dest, Body: b})
	if err != nil {
		panic(err)
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	fmt.Println(string(line))
}

func (n *node) reply(to message, b body) {
	b["in_reply_to"] = to.Body["msg_id"]
	n.send(to.Src, b)
}

// call sends a request and waits for its reply.
func (n *node) call(dest string, b body) body {
	answer := make(chan body, 1)
	n.mutex.Lock()
	n.lastID++
	id := n.lastID
	n.waiting[id] = answer
	n.mutex.Unlock()
	b["msg_id"] = id
	n.send(dest, b)
	return <-answer
}

// pass hands a request of a client on to a store, and its reply back.
func (n *node) pass(m message) {
	store := "lin-kv"
	if n.isFlawed {
		store = "seq-kv"
	}
	b := body{}
	for key, value := range m.Body {
		b[key] = value
	}
	answer := n.call(store, b)
	delete(answer, "in_reply_to")
	n.reply(m, answer)
}

// apply does the operations of a transaction to a database, and fills in what reads return.
func apply(db map[string]any, operations []any) []any {
	done := make([]any, 0, len(operations))
	for _, each := range operations {
		operation := each.([]any)
		kind, key, value := operation[0].(string), fmt.Sprint(operation[1]), operation[2]
		switch kind {
		case "r":
			value = db[key]
		case "append":
			list, _ := db[key].([]any)
			db[key] = append(append([]any{}, list...), value)
		case "w":
			db[key] = value
		}
		done = append(done, []any{kind, operation[1], value})
	}
	return done
}

func (n *node) read(key string) map[string]any {
	answer := n.call("lin-kv", body{"type": "read", "key": key})
	if value, ok := answer["value"].(map[string]any); ok {
		return value
	}
	return map[string]any{}
}

// transact does a transaction on the whole database at once.
func (n *node) transact(m message) {
	operations := m.Body["txn"].([]any)
	if n.isFlawed && isOfRegisters(operations) {
		n.oneByOne(m, operations)
		return
	}
	old := n.read("db")
	db := map[string]any{}
	for key, value := range old {
		db[key] = value
	}
	done := apply(db, operations)
	change := body{"type": "cas", "key": "db", "from": old, "to": db, "create_if_not_exists": true}
	if n.isFlawed {
		change = body{"type": "write", "key": "db", "value": db}
	}
	if n.call("lin-kv", change)["type"] == "error" {
		n.reply(m, body{"type": "error", "code": 30, "text": "another transaction was first"})
		return
	}
	n.reply(m, body{"type": "txn_ok", "txn": done})
}

func isOfRegisters(operations []any) bool {
	for _, each := range operations {
		if each.([]any)[0] == "append" {
			return false
		}
	}
	return true
}

// oneByOne does each operation by itself, so that others come between.
func (n *node) oneByOne(m message, operations []any) {
	done := []any{}
	for _, each := range operations {
		operation := each.([]any)
		key, value := fmt.Sprint("key-", operation[1]), operation[2]
		if operation[0] == "r" {
			value = n.call("lin-kv", body{"type": "read", "key": key})["value"]
		} else {
			n.call("lin-kv", body{"type": "write", "key": key, "value": value})
		}
		done = append(done, []any{operation[0], operation[1], value})
	}
	n.reply(m, body{"type": "txn_ok", "txn": done})
}

func (n *node) handle(m message) {
	if id, ok := m.Body["in_reply_to"].(float64); ok {
		n.mutex.Lock()
		answer := n.waiting[int(id)]
		delete(n.waiting, int(id))
		n.mutex.Unlock()
		if answer != nil {
			answer <- m.Body
		}
		return
	}
	switch m.Body["type"] {
	case "init":
		n.name = m.Body["node_id"].(string)
		n.reply(m, body{"type": "init_ok"})
	case "read", "write", "cas":
		go n.pass(m)
	case "txn":
		go n.transact(m)
	}
}

func main() {
	n := &node{waiting: map[int]chan body{}, isFlawed: slices.Contains(os.Args, "flaw")}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		n.handle(m)
	}
}
