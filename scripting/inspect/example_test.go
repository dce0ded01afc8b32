package inspect_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/inspect"
	"github.com/perigee-ecs/perigee/scripting/loop"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// A host is served as a page and an API, and goes back in time: its loop makes the steps of a session.
func Example() {
	world := ecs.NewWorld()
	defer world.Close()
	host, err := scripting.New(world, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	check(err)
	defer host.Close()
	check(host.Load(fstest.MapFS{"heal.lua": {Data: []byte(`local ecs = require "ecs"
local Health = ecs.component("Health", { hp = ecs.f32(0) })
ecs.on_start(function() ecs.spawn(Health) end)
ecs.system "heal" { query = { Health }, each = function(_, h) h.hp = h.hp + 10 end }`)}}))

	session, err := record.New(host)
	check(err)
	defer session.Close()
	pace, err := loop.New(loop.Options{Hz: 60})
	check(err)
	page, err := inspect.New(host, inspect.Options{Loop: pace, Session: session, Keep: true, Control: true, Edit: true})
	check(err)
	mux := http.NewServeMux()
	mux.Handle("/", page) // or go page.Serve(listener), which has limits for slow clients
	pace.Pause()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- pace.Run(ctx, session.Step) }()

	ask := client(mux, page.Token())
	ask("POST", "/time", `{"steps": 10}`)
	for !strings.Contains(ask("GET", "/status", ""), `"tick":10`) {
	}
	ask("POST", "/rewind", `{"look": 4}`)
	fmt.Println("tick 4: ", hp.FindString(ask("GET", "/entities?query=Health", "")))
	ask("POST", "/rewind", `{"back": true}`)
	fmt.Println("tick 10:", hp.FindString(ask("GET", "/entities?query=Health", "")))
	fmt.Println(values.FindString(ask("GET", "/rewind/changes?from=4&to=10", "")))
	ask("POST", "/rewind", `{"run_from": 4}`)
	fmt.Println(regexp.MustCompile(`"newest":\d+`).FindString(ask("GET", "/rewind", "")))
	check(page.Close())
	stop()
	check(<-ended)
	// Output:
	// tick 4:  "hp":40
	// tick 10: "hp":100
	// "was":"40","is":"100"
	// "newest":4
}

var (
	hp     = regexp.MustCompile(`"hp":\d+`)
	values = regexp.MustCompile(`"was":"\d+","is":"\d+"`)
)

// client returns what asks a handler as another program would over HTTP.
func client(h http.Handler, token string) func(method, path, body string) string {
	return func(method, path, body string) string {
		r := httptest.NewRequest(method, "http://localhost/api/v1"+path, strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		text, _ := io.ReadAll(w.Body)
		return string(text)
	}
}

// check ends the example at an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
