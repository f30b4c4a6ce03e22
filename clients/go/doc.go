// Package shakedown lets a program in Go be tested by Shakedown: it is the host's side of the node protocol.
//
// A node is a type with two methods. [Node.Receive] takes a message; [Node.State] shows what invariants are stated
// over. A node that wants to hear of more also has one of the methods of [Ticker], [Timed], [Requester], [Flusher],
// [Reconnector] and [Disconnector]. What a node does, it does through its [Env]: it sends messages, answers clients,
// sets timers and writes to its disk. A [Host] makes nodes and serves them on standard input and output:
//
//	func main() {
//		host := shakedown.Host[*Register]{Name: "register", Version: "register 1.0", Boot: boot}
//		if err := host.Serve(); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// What a node does must follow from its calls alone. It looks at no clock (use [Env.Now] and timers), at no random
// source but [Env.Random], starts no goroutine that outlives a call, and lets no order of a Go map show. Then every
// execution can be repeated, bit for bit.
//
// A panic of a node is a finding: the host reports it and goes on. While a host serves, what is written to standard output
// goes to standard error, so a stray [fmt.Println] does no harm.
//
// Messages, requests, answers, facts and states are Go values: see [Marshal] for what they may be.
package shakedown
