// Register is the replicated register of the book as a host of Shakedown.
//
// Messages may overtake each other on the network, and then a backup goes back to an older version. With the option
// versions=true it does not.
package main

import (
	"fmt"
	"log"

	"shakedown.dev/go"
)

const primary = 1

// server drives a Register.
type server struct {
	register Register
	// The clients whose writes not all backups hold yet, by version.
	clients []client
}

type client struct {
	version, id uint64
}

func boot(env *shakedown.Env, _ *shakedown.Disk) (*server, error) {
	versions, _ := env.Option("versions")
	return &server{register: Register{LooksAtVersions: versions == "true"}}, nil
}

// Request takes a write: the request is the value, the answer its version.
func (s *server) Request(env *shakedown.Env, id uint64, request shakedown.Raw) {
	value, err := shakedown.Decode[uint64](request)
	if err != nil {
		panic(err)
	}
	if env.ID() != primary {
		return
	}
	m := s.register.Write(value)
	s.clients = append(s.clients, client{m.Version, id})
	for to := 1; to <= env.Nodes(); to++ {
		if to != primary {
			env.SendText(to, "Replicate", m, fmt.Sprintf("version %d is %d", m.Version, m.Value))
		}
	}
}

// Receive takes a message of the primary at a backup, and of a backup at the primary.
func (s *server) Receive(env *shakedown.Env, from int, message shakedown.Message) {
	switch message.Kind {
	case "Replicate":
		m, err := shakedown.Decode[Replicate](message.Raw)
		if err != nil {
			panic(err)
		}
		ack := s.register.Replicate(m)
		env.SendText(from, "Ack", ack, fmt.Sprintf("version %d", ack.Version))
	case "Ack":
		m, err := shakedown.Decode[Ack](message.Raw)
		if err != nil {
			panic(err)
		}
		if s.register.Acknowledged(m.Version, env.Nodes()-1) {
			s.answer(env, m.Version)
		}
	}
}

func (s *server) answer(env *shakedown.Env, version uint64) {
	for _, c := range s.clients {
		if c.version == version {
			env.Answer(c.id, version)
		}
	}
}

// State shows the version and the value.
func (s *server) State(state *shakedown.State) {
	state.Set("version", s.register.Version)
	state.Set("value", s.register.Value)
}

func host() shakedown.Host[*server] {
	return shakedown.Host[*server]{
		Name: "register", Version: "register 1.0", Kinds: []string{"Replicate", "Ack"}, Boot: boot,
	}
}

func main() {
	if err := host().Serve(); err != nil {
		log.Fatal(err)
	}
}
