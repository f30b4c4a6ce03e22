package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// cluster serves n servers over HTTP, as they are without a test.
func cluster(t *testing.T, n int) []string {
	t.Helper()
	addresses := make([]string, n)
	servers := make([]*httptest.Server, n)
	for i := range servers {
		servers[i] = httptest.NewUnstartedServer(nil)
		addresses[i] = servers[i].Listener.Addr().String()
	}
	for i, web := range servers {
		s, err := newServer(i+1, n, t.TempDir(), true)
		if err != nil {
			t.Fatal(err)
		}
		s.transport = &overHTTP{from: i + 1, addresses: addresses}
		web.Config.Handler = handler(s)
		web.Start()
		t.Cleanup(web.Close)
	}
	return addresses
}

func ask(t *testing.T, address, request string) string {
	t.Helper()
	response, err := http.Post("http://"+address, "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text := make([]byte, 1<<10)
	n, _ := response.Body.Read(text)
	return strings.TrimSpace(string(text[:n]))
}

func TestARegisterWithoutShakedown(t *testing.T) {
	addresses := cluster(t, 3)
	for _, step := range []struct {
		server            int
		request, expected string
	}{
		{0, `{"read":0}`, `{"value":0}`},
		{0, `{"write":[0,7]}`, `{"done":true}`},
		{1, `{"read":0}`, `{"value":7}`},
		{2, `{"write":[0,8]}`, `{"done":true}`},
		{0, `{"read":0}`, `{"value":8}`},
		{0, `{"dance":0}`, `there is no request {"dance":0}`},
	} {
		if found := ask(t, addresses[step.server], step.request); found != step.expected {
			t.Errorf("%s at %d: %s, and not %s", step.request, step.server+1, found, step.expected)
		}
	}
	if found := ask(t, addresses[0]+"/peer?from=9", `{}`); found != "there is no server 9" {
		t.Error(found)
	}
}

func TestWhatAServerHoldsIsThereInItsNextLife(t *testing.T) {
	data := t.TempDir()
	first, err := newServer(1, 3, data, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.hold(version{4, 2}, 9); err != nil {
		t.Fatal(err)
	}
	if chosen, err := first.choose(version{2, 3}); err != nil || chosen != (version{3, 1}) {
		t.Error(chosen, err)
	}
	second, err := newServer(1, 3, data, true)
	if err != nil || second.held != (held{version{4, 2}, 9, 3}) {
		t.Error(second.held, err)
	}
	if chosen, err := second.choose(version{2, 3}); err != nil || chosen != (version{4, 1}) {
		t.Error(chosen, err)
	}
}
