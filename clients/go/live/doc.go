// Package live connects a server to Shakedown while it runs as it is, with its own goroutines, clients and disk. The server
// gives its messages to Shakedown in place of its network, so steps decide when they arrive. Its timers go off, and its
// actions begin, when steps say so.
//
//	node, err := live.Connect()
//	if err != nil {
//		log.Fatal(err)
//	}
//	server := newServer(node)
//	node.Start(live.Handlers{Deliver: func(m live.Message) { server.receive(m.From, m.Payload) }})
//
// Shakedown starts the server and passes it the address in the environment variable SHAKEDOWN_LIVE. Where that is not set,
// [Connect] gives nil. A nil [Node] does what a server does without a test: its events and its state go nowhere, its timers
// are those of package time, and its actions begin at once. So only the transport of a server needs two cases.
//
// A handler returns when the server has dealt with what it was given. Work that a handler hands to another goroutine is
// waited for only as long as Shakedown sees threads of the process run, so a handler waits for it where it can.
//
// The protocol, and what goes into a target file, are in docs/live-library.md.
package live
