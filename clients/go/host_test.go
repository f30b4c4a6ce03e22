package shakedown_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"shakedown.dev/go"
	"shakedown.dev/go/hosttest"
)

// puppet does what its messages ask for.
type puppet struct {
	fields map[string]any
}

func bootPuppet(env *shakedown.Env, disk *shakedown.Disk) (*puppet, error) {
	if _, fails := env.Option("fails"); fails {
		return nil, fmt.Errorf("option fails is set")
	}
	if _, panics := env.Option("panics"); panics {
		panic("at boot")
	}
	p := &puppet{map[string]any{"life": env.Life(), "keys": disk.Keys()}}
	if disk.Has("term") {
		var term uint64
		if err := disk.Get("term", &term); err != nil {
			return nil, err
		}
		p.fields["term"] = term
	}
	return p, nil
}

func (p *puppet) Receive(env *shakedown.Env, from int, m shakedown.Message) {
	var nobody *puppet
	switch m.Kind {
	case "everything":
		env.Send(2, "One", map[string]int{"a": 1})
		env.SendText(3, "Two", []byte{1, 2}, "two bytes")
		env.Broadcast("Three", nil)
		env.Answer(7, "done")
		env.Emit("commit", shakedown.F("index", 7), shakedown.F("ok", true), shakedown.F("op", "put"))
		env.SetTimer("election", 5)
		env.CancelTimer("election")
		env.Write(shakedown.Put("term", 3), shakedown.Delete("old"))
		env.Flush()
		p.fields["from"] = from
	case "forget":
		delete(p.fields, "life")
	case "random":
		p.fields["random"] = env.Random().Below(1000)
	case "panic":
		panic(fmt.Errorf("broken"))
	case "nil":
		fmt.Fprint(io.Discard, nobody.fields)
	case "print":
		fmt.Println("this is not for the protocol")
		early.Print("nor is this")
		if input, err := io.ReadAll(os.Stdin); err != nil || len(input) > 0 {
			panic("a node reads the calls")
		}
	case "nobody":
		env.Send(9, "One", nil)
	case "bad name":
		env.Send(1, "one word and another", nil)
	case "bad value":
		env.Answer(1, func() {})
	case "flood":
		for range 20_000 {
			env.Send(1, "One", nil)
		}
	case "large":
		env.Send(1, "One", make([]byte, 17<<20))
	case "twice":
		env.Write(shakedown.Put("a", 1), shakedown.Delete("a"))
	}
}

func (p *puppet) State(state *shakedown.State) {
	for _, name := range []string{"life", "keys", "term", "from", "random", "now"} {
		if value, ok := p.fields[name]; ok {
			state.Set(name, value)
		}
	}
}

func (p *puppet) Tick(env *shakedown.Env) { p.fields["now"] = env.Now() }

// early has a copy of os.Stdout from before the host serves.
var early = log.New(os.Stdout, "", 0)

func puppets() shakedown.Host[*puppet] {
	return shakedown.Host[*puppet]{Name: "puppet", Version: "puppet 1", Kinds: []string{"One"}, Boot: bootPuppet}
}

func start(t *testing.T) *hosttest.Client {
	t.Helper()
	client, err := hosttest.Start(puppets())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func call(t *testing.T, c *hosttest.Client, call string, fields map[string]any) *hosttest.Reply {
	t.Helper()
	reply, err := c.Call(call, fields)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func bootCall(node uint64) map[string]any {
	return map[string]any{
		"node": node, "id": 1, "nodes": 3, "life": 1, "now": 0, "seed": "0000000000000007",
		"options": map[string]string{}, "disk": map[string]any{},
	}
}

func receive(kind string) map[string]any {
	return map[string]any{"node": 1, "now": 4, "from": 2, "kind": kind, "message": nil}
}

func stateOf(t *testing.T, reply *hosttest.Reply) map[string]any {
	t.Helper()
	state := map[string]any{}
	for name, raw := range reply.State {
		value, err := shakedown.Decode[any](raw)
		if err != nil {
			t.Fatal(err)
		}
		state[name] = value
	}
	return state
}

func TestHostNamesTheCallsThatItsNodesWant(t *testing.T) {
	c := start(t)
	if got := c.Welcome; !reflect.DeepEqual(got.Calls, []string{"tick"}) || got.Name != "puppet" || got.Encoding != "msgpack" {
		t.Errorf("%+v", got)
	}
	if err := c.Close(); err != nil {
		t.Errorf("a host ends in peace when its input ends: %v", err)
	}
}

func TestEveryEffectArrives(t *testing.T) {
	c := start(t)
	call(t, c, "boot", bootCall(1))
	reply := call(t, c, "receive", receive("everything"))
	sends := ""
	for _, send := range reply.Sends {
		value, err := shakedown.Decode[any](send.Message)
		if err != nil {
			t.Fatal(err)
		}
		sends += fmt.Sprintf("%d %s %v %q; ", send.To, send.Kind, value, send.Text)
	}
	if want := `2 One map[a:1] ""; 3 Two [1 2] "two bytes"; 2 Three <nil> ""; 3 Three <nil> ""; `; sends != want {
		t.Errorf("sends: %s", sends)
	}
	want := []hosttest.Answer{{ID: 7, Answer: "done"}}
	if !reflect.DeepEqual(reply.Answers, want) {
		t.Errorf("answers: %+v", reply.Answers)
	}
	facts := []hosttest.Fact{{Name: "commit", Fields: map[string]any{"index": int64(7), "ok": true, "op": "put"}}}
	if !reflect.DeepEqual(reply.Facts, facts) {
		t.Errorf("facts: %+v", reply.Facts)
	}
	timers := []hosttest.Timer{{Set: "election", Ticks: 5}, {Cancel: "election"}}
	if !reflect.DeepEqual(reply.Timers, timers) {
		t.Errorf("timers: %+v", reply.Timers)
	}
	if len(reply.Disk) != 2 || len(reply.Disk[0].Put) != 1 || reply.Disk[0].Delete[0] != "old" || !reply.Disk[1].Flush {
		t.Errorf("disk: %+v", reply.Disk)
	}
	// Nothing is sent twice.
	if reply = call(t, c, "tick", map[string]any{"node": 1, "now": 5}); reply.Sends != nil || reply.Disk != nil {
		t.Errorf("%+v", reply)
	}
}

func TestOnlyFieldsThatChangedAreSent(t *testing.T) {
	c := start(t)
	boot := bootCall(1)
	boot["disk"], boot["life"] = map[string]any{"term": 3, "a": 1}, 2
	state := stateOf(t, call(t, c, "boot", boot))
	if want := map[string]any{"life": int64(2), "keys": []any{"a", "term"}, "term": int64(3)}; !reflect.DeepEqual(state, want) {
		t.Errorf("boot: %v", state)
	}
	tick := map[string]any{"node": 1, "now": 5}
	if state = stateOf(t, call(t, c, "tick", tick)); !reflect.DeepEqual(state, map[string]any{"now": int64(5)}) {
		t.Errorf("tick: %v", state)
	}
	if state = stateOf(t, call(t, c, "tick", tick)); len(state) != 0 {
		t.Errorf("the same tick again: %v", state)
	}
	if state = stateOf(t, call(t, c, "receive", receive("forget"))); !reflect.DeepEqual(state, map[string]any{"life": nil}) {
		t.Errorf("a field that is not set again is taken away: %v", state)
	}
	want := map[string]any{"keys": []any{"a", "term"}, "term": int64(3), "now": int64(5)}
	if state = stateOf(t, call(t, c, "observe", map[string]any{"node": 1})); !reflect.DeepEqual(state, want) {
		t.Errorf("observe: %v", state)
	}
}

func TestRandomnessComesFromTheSeed(t *testing.T) {
	c := start(t)
	call(t, c, "boot", bootCall(1))
	state := stateOf(t, call(t, c, "receive", receive("random")))
	if state["random"] != int64(55) {
		t.Errorf("%v", state)
	}
}

func TestPanicsAreRepliesWithAMessageAndAPlace(t *testing.T) {
	cases := map[string]string{
		"panic":     "broken",
		"nil":       "nil pointer dereference",
		"nobody":    "node 9 of 3",
		"bad name":  "not one word",
		"bad value": "no value of the protocol",
		"flood":     "more than 10000 messages",
		"large":     "the limit is 16777216",
		"twice":     "twice",
	}
	for kind, want := range cases {
		c := start(t)
		call(t, c, "boot", bootCall(1))
		call(t, c, "boot", bootCall(2))
		for range 2 {
			reply := call(t, c, "receive", receive(kind))
			if reply.Panic == nil || !strings.Contains(reply.Panic.Message, want) || reply.Sends != nil {
				t.Fatalf("%s: %+v", kind, reply)
			}
			place := reply.Panic.Place
			if kind == "panic" || kind == "nil" {
				if !strings.HasPrefix(place, "host_test.go:") {
					t.Errorf("%s: %s", kind, place)
				}
			}
			if strings.Contains(place, "/") {
				t.Errorf("%s: %s", kind, place)
			}
		}
		// The host and its other nodes go on.
		if reply := call(t, c, "tick", map[string]any{"node": 2, "now": 1}); reply.Panic != nil {
			t.Errorf("%+v", reply)
		}
		call(t, c, "crash", map[string]any{"node": 1})
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestBootThatFailsIsReported(t *testing.T) {
	c := start(t)
	for option, want := range map[string]string{"fails": "does not boot: option fails is set", "panics": "at boot"} {
		boot := bootCall(1)
		boot["options"] = map[string]string{option: "yes"}
		if reply := call(t, c, "boot", boot); reply.Panic == nil || !strings.Contains(reply.Panic.Message, want) {
			t.Errorf("%+v", reply)
		}
		call(t, c, "crash", map[string]any{"node": 1})
	}
}

func framed(frames ...any) []byte {
	input := []byte(`{"call":"hello","protocol":1,"encoding":"msgpack"}` + "\n")
	for _, frame := range frames {
		packed, isRaw := frame.([]byte)
		if !isRaw {
			var err error
			if packed, err = shakedown.Marshal(frame); err != nil {
				panic(err)
			}
			packed = append(binary.BigEndian.AppendUint32(nil, uint32(len(packed))), packed...)
		}
		input = append(input, packed...)
	}
	return input
}

func with(fields map[string]any, more ...any) map[string]any {
	for i := 0; i < len(more); i += 2 {
		fields[more[i].(string)] = more[i+1]
	}
	return fields
}

func TestMalformedCallsEndTheHostWithAnError(t *testing.T) {
	boot := func() map[string]any { return with(bootCall(1), "call", "boot", "seq", 1) }
	cases := map[string][]any{
		"no map":               {[]byte{0, 0, 0, 1, 1}},
		"garbage":              {[]byte{0, 0, 0, 3, 0xc1, 1, 2}},
		"a frame that is long": {[]byte{0xff, 0xff, 0xff, 0xff}},
		"the end of a frame":   {[]byte{0, 0, 0, 9, 1}},
		"the end of a length":  {[]byte{0, 0}},
		"two values":           {[]byte{0, 0, 0, 2, 0x80, 0x80}},
		"no name":              {map[string]any{"seq": 1, "node": 1}},
		"no seq":               {map[string]any{"call": "tick", "node": 1}},
		"no node":              {map[string]any{"call": "tick", "seq": 1, "node": 1}},
		"no such call":         {boot(), map[string]any{"call": "dance", "seq": 2, "node": 1}},
		"not wanted":           {boot(), map[string]any{"call": "flushed", "seq": 2, "node": 1}},
		"boot twice":           {boot(), with(boot(), "seq", 2)},
		"bad seed":             {with(boot(), "seed", "7")},
		"bad id":               {with(boot(), "id", 4)},
		"bad options":          {with(boot(), "options", map[string]any{"a": 1})},
		"bad disk":             {with(boot(), "disk", []int{1})},
		"no message":           {boot(), map[string]any{"call": "receive", "seq": 2, "node": 1, "from": 1, "kind": "a"}},
		"bad from":             {boot(), map[string]any{"call": "receive", "seq": 2, "node": 1, "from": 4, "message": 1}},
		"number as text":       {with(boot(), "node", "1")},
	}
	for name, frames := range cases {
		if err := puppets().ServeOn(bytes.NewReader(framed(frames...)), io.Discard); err == nil {
			t.Errorf("%s: the host ends in peace", name)
		}
	}
	if err := puppets().ServeOn(bytes.NewReader(framed(boot())), io.Discard); err != nil {
		t.Errorf("the call that the others are made from: %v", err)
	}
}

func TestBadHandshakesAreRefused(t *testing.T) {
	for _, line := range []string{"GET / HTTP/1.1\n", `{"call":"hello","protocol":2}` + "\n", `{"call":"boot"}` + "\n"} {
		var out bytes.Buffer
		err := puppets().ServeOn(strings.NewReader(line), &out)
		var reply map[string]string
		if err == nil || json.Unmarshal(out.Bytes(), &reply) != nil || reply["error"] == "" {
			t.Errorf("%q: %v, %q", line, err, out.String())
		}
	}
	if err := puppets().ServeOn(strings.NewReader(""), io.Discard); err != nil {
		t.Errorf("no input at all: %v", err)
	}
	if err := puppets().ServeOn(strings.NewReader("{"), io.Discard); err == nil {
		t.Error("half a handshake")
	}
}

func TestJSONLinesAreServed(t *testing.T) {
	input := `{"call":"hello","protocol":1,"encoding":"json"}
{"call":"boot","seq":1,"node":1,"id":1,"nodes":3,"life":1,"now":0,"seed":"0000000000000007","options":{},"disk":{}}
{"call":"receive","seq":2,"node":1,"now":0,"from":2,"kind":"everything","message":null,"unknown":[{}]}
{"call":"crash","node":1}
`
	var out bytes.Buffer
	if err := puppets().ServeOn(strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"protocol":1,"encoding":"json","name":"puppet","version":"puppet 1","calls":["tick"],"kinds":["One"]}
{"seq":1,"state":{"life":1,"keys":[]}}
{"seq":2,"sends":[{"to":2,"kind":"One","message":{"a":1}},{"to":3,"kind":"Two","message":"AQI=","text":"two bytes"},{"to":2,"kind":"Three","message":null},{"to":3,"kind":"Three","message":null}],"answers":[{"id":7,"answer":"done"}],"facts":[{"name":"commit","fields":{"index":7,"ok":true,"op":"put"}}],"timers":[{"set":"election","ticks":5},{"cancel":"election"}],"disk":[{"put":{"term":3},"delete":["old"]},{"flush":true}],"state":{"from":2}}
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}

// TestMain lets the test program be a host itself: what is printed by accident needs a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("PUPPET_HOST") != "" {
		if err := puppets().Serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestStrayPrintsGoToStandardError(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := exec.Command(program)
	host.Env = append(os.Environ(), "PUPPET_HOST=1")
	host.Stdin = strings.NewReader(`{"call":"hello","protocol":1,"encoding":"json"}
{"call":"boot","seq":1,"node":1,"id":1,"nodes":1,"life":1,"now":0,"seed":"0000000000000007","options":{},"disk":{}}
{"call":"receive","seq":2,"node":1,"now":0,"from":1,"kind":"print","message":null}
`)
	var out, failed bytes.Buffer
	host.Stdout, host.Stderr = &out, &failed
	if err := host.Run(); err != nil {
		t.Fatalf("%v: %s", err, failed.String())
	}
	if lines := strings.Count(out.String(), "\n"); lines != 3 || !strings.HasSuffix(out.String(), "{\"seq\":2}\n") {
		t.Errorf("standard output: %s", out.String())
	}
	if !strings.Contains(failed.String(), "this is not for the protocol\nnor is this\n") {
		t.Errorf("standard error: %s", failed.String())
	}
}

func TestInterfaceIsNoTypeOfNodes(t *testing.T) {
	host := shakedown.Host[shakedown.Node]{Boot: func(*shakedown.Env, *shakedown.Disk) (shakedown.Node, error) { return nil, nil }}
	if err := host.ServeOn(strings.NewReader(""), io.Discard); err == nil {
		t.Error("it is served")
	}
}
