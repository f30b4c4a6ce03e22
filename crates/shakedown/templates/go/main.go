// A replicated register as a host of Shakedown. Put your own protocol in its place.
package main

import (
	"log"

	"shakedown.dev/go"
)

// Replicate is a message of the primary, node 1: hold this value, it has this version.
type Replicate struct {
	Version uint64 `json:"version"`
	Value   uint64 `json:"value"`
}

// Server is one node.
type Server struct {
	version, value uint64
}

func boot(env *shakedown.Env, disk *shakedown.Disk) (*Server, error) {
	return &Server{}, nil
}

// Request takes a write: the request is the value, the answer its version.
func (s *Server) Request(env *shakedown.Env, id uint64, request shakedown.Raw) {
	value, err := shakedown.Decode[uint64](request)
	if err != nil {
		panic(err)
	}
	if env.ID() == 1 {
		s.version, s.value = s.version+1, value
		env.Broadcast("Replicate", Replicate{s.version, s.value})
		env.Answer(id, s.version)
	}
}

// Receive takes a message at a backup. An old one must not overwrite a newer value: take the condition away, and
// Shakedown finds out.
func (s *Server) Receive(env *shakedown.Env, from int, message shakedown.Message) {
	m, err := shakedown.Decode[Replicate](message.Raw)
	if err != nil {
		panic(err)
	}
	if m.Version > s.version {
		s.version, s.value = m.Version, m.Value
	}
}

// State shows what the properties are about.
func (s *Server) State(state *shakedown.State) {
	state.Set("version", s.version)
	state.Set("value", s.value)
}

func main() {
	host := shakedown.Host[*Server]{
		Name: "NAME", Version: "NAME 1.0", Kinds: []string{"Replicate"}, Boot: boot,
	}
	if err := host.Serve(); err != nil {
		log.Fatal(err)
	}
}
