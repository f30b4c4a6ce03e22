package shakedown_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"shakedown.dev/go"
)

// Counter counts the pings that it hears of.
type Counter struct {
	pings uint64
}

// Receive counts, and answers.
func (c *Counter) Receive(env *shakedown.Env, from int, m shakedown.Message) {
	if m.Kind == "Ping" {
		c.pings++
		env.Send(from, "Pong", struct {
			Count uint64 `json:"count"`
		}{c.pings})
	}
}

// State shows the count.
func (c *Counter) State(state *shakedown.State) {
	state.Set("pings", c.pings)
}

// Request lets a client start a ping.
func (c *Counter) Request(env *shakedown.Env, id uint64, request shakedown.Raw) {
	env.Broadcast("Ping", nil)
	env.Answer(id, "sent")
}

func bootCounter(env *shakedown.Env, disk *shakedown.Disk) (*Counter, error) {
	return &Counter{}, nil
}

// A program that is a host. Shakedown writes to its standard input; here it is a text.
func Example() {
	host := shakedown.Host[*Counter]{Name: "counter", Version: "counter 1.0", Boot: bootCounter}
	calls := strings.NewReader(`{"call":"hello","protocol":1,"encoding":"json"}
{"call":"boot","seq":1,"node":1,"id":1,"nodes":2,"life":1,"now":0,"seed":"0000000000000007","options":{},"disk":{}}
{"call":"receive","seq":2,"node":1,"now":0,"from":2,"kind":"Ping","message":null}
{"call":"request","seq":3,"node":1,"now":0,"id":1,"request":"ping"}
`)
	if err := host.ServeOn(calls, os.Stdout); err != nil { // in a program: host.Serve()
		log.Fatal(err)
	}
	// Output:
	// {"protocol":1,"encoding":"json","name":"counter","version":"counter 1.0","calls":["request"]}
	// {"seq":1,"state":{"pings":0}}
	// {"seq":2,"sends":[{"to":2,"kind":"Pong","message":{"count":1}}],"state":{"pings":1}}
	// {"seq":3,"sends":[{"to":2,"kind":"Ping","message":null}],"answers":[{"id":1,"answer":"sent"}]}
}

// One seed gives the same numbers in the libraries of all languages.
func ExampleRandom() {
	random := shakedown.NewRandom(7)
	for range 6 {
		fmt.Print(random.Below(1000), " ")
	}
	// Output: 55 172 717 427 963 465
}

// Structs travel as maps; the tag json names their fields.
func ExampleMarshal() {
	type append struct {
		Term    uint64   `json:"term"`
		Entries [][]byte `json:"entries"`
	}
	packed, err := shakedown.Marshal(append{Term: 3, Entries: [][]byte{{1, 2}}})
	if err != nil {
		log.Fatal(err)
	}
	var again append
	if err := shakedown.Unmarshal(packed, &again); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x %+v\n", packed, again)
	// Output: 82a47465726d03a7656e747269657391c4020102 {Term:3 Entries:[[1 2]]}
}
