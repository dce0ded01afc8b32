package inspect_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// TestWhoMayAsk holds each rule alone: all others are met.
func TestWhoMayAsk(t *testing.T) {
	local, remote := newGame(t, inspect.Options{Hosts: []string{"game.test"}}), newGame(t, inspect.Options{Remote: true})
	for name, c := range map[string]struct {
		of     *game
		change func(*http.Request)
		status int
	}{
		"as the page does":       {local, func(*http.Request) {}, 200},
		"no token":               {local, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"another token":          {local, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+remote.view.Token()) }, 401},
		"an empty token":         {local, func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, 401},
		"a part of the token":    {local, func(r *http.Request) { h := r.Header.Get("Authorization"); r.Header.Set("Authorization", h[:len(h)-1]) }, 401},
		"the token in the query": {local, func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + local.view.Token() }, 401},
		"the token as a subprotocol": {local, func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Sec-WebSocket-Protocol", "perigee.view.v1, perigee.token."+local.view.Token())
		}, 200},
		"a foreign origin":          {local, func(r *http.Request) { r.Header.Set("Origin", "https://evil.test") }, 403},
		"an origin of another port": {local, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:9999") }, 403},
		"the null origin":           {local, func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"its own origin":            {local, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:8080") }, 200},
		"a cross-site request":      {local, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a same-site request":       {local, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		"a rebound name":            {local, func(r *http.Request) { r.Host = "evil.test:8080" }, 421},
		"a rebound name, its origin": {local, func(r *http.Request) {
			r.Host = "evil.test:8080"
			r.Header.Set("Origin", "http://evil.test:8080")
		}, 421},
		"no host":                    {local, func(r *http.Request) { r.Host = "" }, 421},
		"localhost":                  {local, func(r *http.Request) { r.Host = "LocalHost:1" }, 200},
		"IPv6":                       {local, func(r *http.Request) { r.Host, r.RemoteAddr = "[::1]:80", "[::1]:9" }, 200},
		"a name that was permitted":  {local, func(r *http.Request) { r.Host = "game.test" }, 200},
		"a name that ends so":        {local, func(r *http.Request) { r.Host = "x.game.test" }, 421},
		"another machine":            {local, func(r *http.Request) { r.RemoteAddr = "192.0.2.1:9" }, 403},
		"another address":            {local, func(r *http.Request) { r.Host = "192.0.2.1" }, 421},
		"another machine, permitted": {remote, func(r *http.Request) { r.RemoteAddr, r.Host = "192.0.2.1:9", "192.0.2.7:80" }, 200},
		"a name, another machine":    {remote, func(r *http.Request) { r.RemoteAddr, r.Host = "192.0.2.1:9", "evil.test" }, 421},
		"another machine, no token": {remote, func(r *http.Request) {
			r.RemoteAddr, r.Host = "192.0.2.1:9", "192.0.2.7:80"
			r.Header.Del("Authorization")
		}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.of.request("GET", "/api/v1/status", "")
			c.change(r)
			if code, text := c.of.do(r); code != c.status {
				t.Errorf("%d, want %d: %s", code, c.status, text)
			}
		})
	}
}

// TestHugeBodies are refused, and not read.
func TestHugeBodies(t *testing.T) {
	g := newGame(t, inspect.Options{Edit: true, Control: true})
	huge := `{"components":{"Name":{"name":"` + strings.Repeat("x", 1<<20) + `"}}}`
	for _, c := range [][2]string{{"POST", "/api/v1/entities"}, {"POST", "/api/v1/time"}, {"PATCH", "/api/v1/entities/1"}, {"PATCH", "/api/v1/systems/heal"}, {"POST", "/api/v1/rewind"}} {
		r := g.request(c[0], c[1], "")
		body := &counter{text: huge}
		r.Body = body
		if code, text := g.do(r); code != 413 && code != 400 {
			t.Errorf("%d: %s", code, text)
		}
		if body.read > 70<<10 {
			t.Errorf("%s: %d bytes were read", c[1], body.read)
		}
	}
	deep := strings.Repeat("[", 60_000)
	g.call("POST", "/api/v1/entities", `{"components":`+deep, 400)
}

// counter is a body that counts what is read of it.
type counter struct {
	text string
	read int
}

func (c *counter) Read(b []byte) (int, error) {
	n := copy(b, c.text[c.read:])
	c.read += n
	return n, nil
}

func (c *counter) Close() error { return nil }

// TestSlowSockets opens a thousand connections that say nothing, half a request, or do not read.
// The game goes on at its pace; all of them end with the inspector.
func TestSlowSockets(t *testing.T) {
	g := newGame(t, inspect.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- g.view.Serve(l) }()
	var all []net.Conn
	const taken = 256 // by the inspector; the system has a queue of others
	for n := range 1000 {
		wait := 100 * time.Millisecond
		if n < taken {
			wait = 10 * time.Second // a busy machine takes them late
		}
		c, err := net.DialTimeout("tcp", l.Addr().String(), wait)
		if err != nil {
			break // the queue of the system is full, too
		}
		all = append(all, c)
		switch n % 3 {
		case 1:
			fmt.Fprintf(c, "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nX: ")
		case 2:
			fmt.Fprintf(c, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", g.view.Token())
		}
	}
	if len(all) < taken {
		t.Fatalf("%d connections", len(all))
	}
	before := g.loop.Counts()
	for until := time.Now().Add(5 * time.Second); g.loop.Counts().Steps < before.Steps+200; {
		if time.Now().After(until) {
			t.Fatalf("%d steps in 5 seconds", g.loop.Counts().Steps-before.Steps)
		}
		time.Sleep(time.Millisecond)
	}
	if code, text := g.do(g.request("GET", "/api/v1/status", "")); code != 200 {
		t.Errorf("%d: %s", code, text)
	}
	must(t, g.view.Close())
	must(t, <-served)
	for _, c := range all[:taken] {
		must(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
		r := bufio.NewReader(c)
		for err = nil; err == nil; {
			_, err = r.ReadByte()
		}
		if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
			t.Fatal("a connection outlives the inspector")
		}
		c.Close()
	}
	for _, c := range all[256:] {
		c.Close()
	}
	if code, _ := g.do(g.request("GET", "/api/v1/status", "")); code != 503 {
		t.Errorf("after Close: %d", code)
	}
	g.end()
}

// TestNobodyIsKeptOut by connections without the token, whether they have asked for the page and rest, were refused, stop in the
// middle of a request or say nothing: one with the token is served while all of those are there. One that has had
// the token keeps its place.
func TestNobodyIsKeptOut(t *testing.T) {
	g := newGame(t, inspect.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- g.view.Serve(l) }()
	t.Cleanup(func() {
		must(t, g.view.Close())
		must(t, <-served)
	})
	open := func() (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", l.Addr().String())
		must(t, err)
		t.Cleanup(func() { c.Close() })
		must(t, c.SetDeadline(time.Now().Add(9*time.Second))) // before the first of them are cut off for their silence
		return c, bufio.NewReader(c)
	}
	ask := func(c net.Conn, r *bufio.Reader, path, token string) {
		t.Helper()
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, token)
		a, err := http.ReadResponse(r, nil)
		must(t, err)
		_, err = io.Copy(io.Discard, a.Body)
		must(t, errors.Join(err, a.Body.Close()))
		if want := map[bool]int{true: 401, false: 200}[token == "none" && path != "/"]; a.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, a.StatusCode, want)
		}
	}
	first, of := open()
	ask(first, of, "/api/v1/status", g.view.Token())
	const many = 2 * 256
	for n := range many {
		c, r := open()
		switch n % 4 {
		case 0:
			ask(c, r, "/", "none")
		case 1:
			ask(c, r, "/api/v1/status", "none")
		case 2:
			fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
		}
	}
	c, r := open()
	ask(c, r, "/api/v1/status", g.view.Token())
	ask(first, of, "/api/v1/status", g.view.Token())
}

// FuzzRequests: whatever is asked, the answer is JSON with a status that the document names, and the
// world stays whole.
func FuzzRequests(f *testing.F) {
	for _, s := range [][3]string{
		{"GET", "/entities?query=Position", ""}, {"GET", "/entities?query=any(", ""}, {"GET", "/entities?query=%22%00%22&name=%ff", ""},
		{"GET", "/entities/18446744073709551615", ""}, {"GET", "/entities/@4294967296", ""}, {"GET", "/scripts/../../etc/passwd", ""},
		{"GET", "/scripts/%00", ""}, {"GET", "/trace?ticks=x", ""}, {"POST", "/entities", `{"components":{"Health":{"hp":1e400}}}`},
		{"POST", "/entities", `{"copy":-1}`}, {"POST", "/entities", `{"copy":4294967296}`}, {"PATCH", "/entities/@1", `{"set":{"ScriptError":{}}}`},
		{"PATCH", "/entities/@1", `{"set":{"GlobalTransform":{"x":"NaN"}}}`}, {"DELETE", "/entities/@2", ""}, {"PATCH", "/entities/@3", `{"remove":["Position","Position"]}`},
		{"PATCH", "/systems/inbox", `{"enabled":true}`}, {"PATCH", "/systems//", `{"enabled":null}`}, {"POST", "/time", `{"steps":1e3}`}, {"POST", "/time", `{"paused":true,"steps":1,"only":"inbox"}`}, {"OPTIONS", "/", ""},
		{"GET", "/entities?cursor=9223372036854775807", ""}, {"GET", "/rewind", ""}, {"POST", "/rewind", `{"keep":true}`}, {"POST", "/rewind", `{"look":4}`},
		{"POST", "/rewind", `{"run_from":5}`}, {"POST", "/rewind", `{"look":18446744073709551615}`}, {"POST", "/rewind", `{"back":true,"look":1}`},
		{"POST", "/rewind", `{"look":-1}`}, {"GET", "/rewind/changes?from=3&to=9", ""}, {"GET", "/rewind/changes?from=18446744073709551616&to=&limit=0", ""}, {"PATCH", "/entities/@1", `{"set":{"ChildOf":{}}}`}, {"POST", "/entities", `{"components":null}`},
		{"GET", "/tree?relation=%ff&of=1&cursor=2", ""}, {"GET", "/tree?of=18446744073709551616", ""}, {"GET", "/tree?cursor=2147483647", ""}, {"GET", "/relations", ""},
		{"GET", "/schedule", ""}, {"GET", "/schedule/%00", ""}, {"GET", "/schedule/heal", ""}, {"GET", "/ticks", ""}, {"GET", "/ticks/4", ""}, {"GET", "/ticks/18446744073709551616", ""},
	} {
		f.Add(s[0], s[1], s[2])
	}
	g := newGame(f, inspect.Options{Edit: true, Control: true, Keep: true})
	permitted := map[int]bool{200: true, 301: true, 307: true, 308: true, 400: true, 404: true, 405: true, 409: true, 413: true, 503: true}
	f.Fuzz(func(t *testing.T, method, path, body string) {
		r, err := http.NewRequest(method, "http://127.0.0.1/api/v1"+path, strings.NewReader(body))
		if err != nil || strings.HasPrefix(r.URL.Path, "/api/v1/events") || strings.HasPrefix(r.URL.Path, "/api/v1/trace") && r.URL.RawQuery != "ticks=x" {
			return // streams do not end by themselves
		}
		r.RemoteAddr = "127.0.0.1:5000"
		r.Header.Set("Authorization", "Bearer "+g.view.Token())
		code, text := g.do(r)
		if !permitted[code] {
			t.Errorf("%s %q %q: %d: %s", method, path, body, code, text)
		}
		if code < 300 || code >= 400 {
			if !json.Valid([]byte(text)) {
				t.Errorf("%s %q: no JSON: %s", method, path, text)
			}
		}
		g.loop.Resume()
	})
}
