package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// bodyMax is the largest body of a request, in bytes.
const bodyMax = 1 << 16

// overHTTP is the transport of a server that nobody tests. What cannot be sent is lost: operations ask again.
type overHTTP struct {
	from      int
	addresses []string
	client    http.Client
}

func (t *overHTTP) send(to int, m message) {
	body, err := json.Marshal(m)
	if err != nil {
		return
	}
	url := fmt.Sprintf("http://%s/peer?from=%d", t.addresses[to-1], t.from)
	go func() {
		if response, err := t.client.Post(url, "application/json", bytes.NewReader(body)); err == nil {
			response.Body.Close()
		}
	}()
}

// handler takes messages of peers at /peer, and what clients ask at /.
func handler(s *server) http.Handler {
	mux := http.NewServeMux()
	body := func(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMax))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
		return body, err == nil
	}
	mux.HandleFunc("POST /peer", func(w http.ResponseWriter, r *http.Request) {
		text, ok := body(w, r)
		if !ok {
			return
		}
		var m message
		var from int
		_, err := fmt.Sscan(r.URL.Query().Get("from"), &from)
		if err == nil && (from < 1 || from > s.nodes) {
			err = fmt.Errorf("there is no server %d", from)
		}
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err == nil {
			err = s.receive(from, m)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		text, ok := body(w, r)
		if !ok {
			return
		}
		answer, err := s.do(text)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	return mux
}

// serve serves until it fails.
func serve(s *server, addresses []string) error {
	if s.id < 1 || s.id > len(addresses) {
		return fmt.Errorf("there is no server %d among %d", s.id, len(addresses))
	}
	s.transport = &overHTTP{s.id, addresses, http.Client{Timeout: time.Second}}
	return http.ListenAndServe(addresses[s.id-1], handler(s))
}
