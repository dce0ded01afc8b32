package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/inspect"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/loop"
	"github.com/perigee-ecs/perigee/scripting/record"
)

const gameScript = `local ecs = require "ecs"
local Position = ecs.native("Position")
local Health = ecs.component("Health", { hp = ecs.f32(100), state = ecs.enum("well", "hurt") })
local Name = ecs.native("Name")
local Frozen = ecs.tag("Frozen")
ecs.on_start(function()
  for i = 1, 300 do ecs.spawn(Position { x = i, y = 2 }, Health { hp = i }) end
  ecs.spawn(Name { name = "the Queen" }, Frozen)
end)
ecs.system "heal" {
  query = { Health },
  each = function(_, h, ctx) h.hp = h.hp + ctx.dt end,
}
ecs.system "talk" {
  query = { Name },
  each = function(_, n) if n.name == "nobody" then n.name = n.name .. "!" end end,
}
`

const faultyScript = `local ecs = require "ecs"
ecs.system "faulty" {
  run = function(ctx) if ctx.tick == 2 then error("<b>no</b> such thing") end end,
}
`

// game is a host that steps on a goroutine of its own, with an inspector.
type game struct {
	t    testing.TB
	host *scripting.Host
	s    *record.Session
	loop *loop.Loop
	view *inspect.Inspector
	end  func() // stops the steps and closes all

	between func() // is what answers, where nothing steps
}

// Name is what the game calls an entity.
type Name struct{ Name string }

// newGame starts a game.
func newGame(t testing.TB, o inspect.Options) *game {
	t.Helper()
	w := ecs.NewWorld()
	stock, err := kit.Install(w, kit.Options{})
	must(t, err)
	ecs.Register[Name](w)
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(*scripting.Error) {}, OnReload: func(scripting.Reload) {}})
	must(t, err)
	must(t, stock.Expose(host.Expose))
	folder := fstest.MapFS{"game.lua": {Data: []byte(gameScript)}, "odd/faulty.lua": {Data: []byte(faultyScript)}}
	must(t, host.Load(folder))
	s, err := record.New(host)
	must(t, err)
	pace, err := loop.New(loop.Options{Hz: 500})
	must(t, err)
	o.Loop, o.Logger, o.Session = pace, slog.New(slog.DiscardHandler), s
	view, err := inspect.New(host, o)
	must(t, err)
	for range 3 {
		must(t, s.Step(0.01))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var steps sync.WaitGroup
	steps.Go(func() {
		if err := pace.Run(ctx, s.Step); err != nil {
			t.Error(err)
		}
	})
	g := &game{t: t, host: host, s: s, loop: pace, view: view, end: sync.OnceFunc(func() {
		must(t, view.Close())
		cancel()
		steps.Wait()
		must(t, errors.Join(s.Close(), host.Close(), w.Check(), w.Close()))
	})}
	t.Cleanup(g.end)
	return g
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inside has a function called between two steps, on the goroutine that makes them.
func (g *game) inside(do func(w *ecs.World)) {
	g.t.Helper()
	done := make(chan bool)
	if !g.loop.Do(func() { defer close(done); do(g.host.World()) }) {
		g.t.Fatal("the loop has ended")
	}
	<-done
}

// request makes a request as the page does.
func (g *game) request(method, path, body string) *http.Request {
	r := httptest.NewRequestWithContext(g.t.Context(), method, path, strings.NewReader(body))
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:5000"
	r.Header.Set("Authorization", "Bearer "+g.view.Token())
	return r
}

// do sends a request and returns the status and the text.
func (g *game) do(r *http.Request) (int, string) {
	w := httptest.NewRecorder()
	var asked sync.WaitGroup
	done := make(chan struct{})
	asked.Go(func() {
		defer close(done)
		g.view.ServeHTTP(w, r)
	})
	for g.between != nil {
		select {
		case <-done:
			return w.Code, w.Body.String()
		default:
			g.between()
		}
	}
	asked.Wait()
	return w.Code, w.Body.String()
}

// get returns the JSON of an answer.
func (g *game) get(path string) map[string]any { return g.call("GET", path, "", 200) }

// call makes a request whose answer has a status.
func (g *game) call(method, path, body string, status int) (v map[string]any) {
	g.t.Helper()
	code, text := g.do(g.request(method, path, body))
	if code != status {
		g.t.Errorf("%s %s: %d: %s", method, path, code, text)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		g.t.Errorf("%s %s: %v: %s", method, path, err, text)
	}
	return v
}

// at follows a path through JSON: names, and indexes as numbers.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// find returns the element of a list whose field has a value.
func find(list any, field string, value any) any {
	l, _ := list.([]any)
	for _, v := range l {
		if at(v, field) == value {
			return v
		}
	}
	return nil
}

func (g *game) want(got, want any) {
	g.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		g.t.Errorf("%v, want %v", got, want)
	}
}

// TestStatusAndTime reads and controls the pace.
func TestStatusAndTime(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Name: "mygame"})
	s := g.get("/api/v1/status")
	g.want(at(s, "name"), "mygame")
	g.want(at(s, "entities"), 301)
	g.want(at(s, "faults"), 1)
	g.want(at(s, "scripts"), 2)
	g.want(at(g.call("POST", "/api/v1/time", `{"paused":true,"scale":0.5}`, 200), "paused"), true)
	g.want(g.get("/api/v1/time"), map[string]any{"paused": true, "scale": 0.5})
	for range 3 { // steps that were due before the pause are made first
		g.get("/api/v1/status")
	}
	before := at(g.get("/api/v1/status"), "tick").(float64)
	g.call("POST", "/api/v1/time", `{"steps":3}`, 200)
	for range 1000 { // steps are made by another goroutine
		if at(g.get("/api/v1/status"), "tick").(float64) == before+3 {
			break
		}
	}
	g.want(at(g.get("/api/v1/status"), "tick"), before+3)
	for _, bad := range []string{`{"steps":-1}`, `{"steps":101}`, `{"scale":-1}`, `{"scale":1e9}`, `{"speed":1}`, `{} {}`, `[`, ``, `{"paused":1}`} {
		g.call("POST", "/api/v1/time", bad, 400)
	}
	g.want(g.get("/api/v1/time"), map[string]any{"paused": true, "scale": 0.5})
}

// TestOneSystemIsStepped: in one tick of a paused game one system alone runs, and in the next all of them.
func TestOneSystemIsStepped(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	const only = `{"steps":1,"only":"heal"}`
	g.call("POST", "/api/v1/time", `{"paused":false}`, 200)
	g.call("POST", "/api/v1/time", only, 409)
	g.call("POST", "/api/v1/time", `{"paused":true}`, 200)
	for range 3 { // steps that were due before the pause are made first
		g.get("/api/v1/status")
	}
	for _, bad := range []string{`{"only":"heal"}`, `{"steps":2,"only":"heal"}`, `{"steps":1,"paused":false,"only":"heal"}`, `{"steps":1,"only":3}`} {
		g.call("POST", "/api/v1/time", bad, 400)
	}
	g.call("POST", "/api/v1/time", `{"steps":1,"only":"nobody"}`, 404)
	runs := func() (heal, move, tick float64) {
		list := at(g.get("/api/v1/systems"), "systems")
		return at(find(list, "name", "heal"), "runs").(float64), at(find(list, "name", "kit.move"), "runs").(float64), at(g.get("/api/v1/status"), "tick").(float64)
	}
	heal, move, tick := runs()
	step := func(body string, heals, moves float64) {
		t.Helper()
		g.call("POST", "/api/v1/time", body, 200)
		tick++
		for range 1000 { // the step is made by another goroutine
			if at(g.get("/api/v1/status"), "tick") == tick {
				break
			}
		}
		h, m, n := runs()
		if h != heal+heals || m != move+moves || n != tick {
			t.Errorf("%s: heal ran %v times, kit.move %v times, tick %v; want %v, %v, %v", body, h-heal, m-move, n, heals, moves, tick)
		}
		heal, move = h, m
	}
	step(only, 1, 0)
	step(`{"steps":1,"only":"kit.move"}`, 0, 1)
	step(`{"steps":1}`, 1, 1)

	shown := newGame(t, inspect.Options{Control: true})
	shown.call("POST", "/api/v1/time", `{"paused":true}`, 200)
	shown.call("POST", "/api/v1/time", only, 403)
}

// TestTheStepOfOneSystemIsTheNext: whatever steps are still to be made when it is asked for, there is one tick with that
// system alone, and none after it.
func TestTheStepOfOneSystemIsTheNext(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	all := uint64(0) // the last tick of all systems; on the goroutine of the host
	g.inside(func(w *ecs.World) {
		must(t, w.Schedule().Add(ecs.System{Name: "all", Run: func(tick *ecs.Tick) error { _, all = w.Time(); return nil }}))
	})
	alone := func() (ticks uint64) {
		for range 5 { // steps that are still to be made
			g.inside(func(w *ecs.World) { _, now := w.Time(); ticks = now - all })
		}
		return ticks
	}
	for k := range 10 {
		g.call("POST", "/api/v1/time", `{"paused":false,"scale":20}`, 200)
		for from := g.now(); g.now() < from+5; {
		}
		g.call("POST", "/api/v1/time", `{"paused":true,"steps":1,"only":"heal"}`, 200)
		if ticks := alone(); ticks != 1 {
			t.Fatalf("run %d: %d ticks without all systems", k, ticks)
		}
	}
	g.call("POST", "/api/v1/time", `{"steps":1}`, 200)
	if ticks := alone(); ticks != 0 {
		t.Fatalf("%d ticks without all systems", ticks)
	}
	for range 3 {
		g.call("POST", "/api/v1/time", `{"steps":100}`, 200)
	}
	g.call("POST", "/api/v1/time", `{"steps":1,"only":"heal"}`, 200)
	if ticks := alone(); ticks != 1 {
		t.Errorf("after steps that were asked for: %d ticks without all systems", ticks)
	}
}

// TestATimeThatIsRefusedIsNotHalfDone: nothing of a request is done unless all of it is.
func TestATimeThatIsRefusedIsNotHalfDone(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	g.call("POST", "/api/v1/time", `{"paused":true}`, 200)
	g.call("POST", "/api/v1/time", `{"scale":50,"only":"nope","steps":1}`, 404)
	g.want(g.get("/api/v1/time"), map[string]any{"paused": true, "scale": 1})
	g.call("PATCH", "/api/v1/systems/heal", `{"enabled":false}`, 200)
	g.call("POST", "/api/v1/time", `{"paused":false}`, 200)
	text := fmt.Sprint(g.call("POST", "/api/v1/time", `{"paused":true,"scale":3,"steps":1,"only":"heal"}`, 409))
	if !strings.Contains(text, "switched off") {
		t.Error(text)
	}
	g.want(g.get("/api/v1/time"), map[string]any{"paused": false, "scale": 1})
	shown := newGame(t, inspect.Options{Control: true})
	shown.call("POST", "/api/v1/time", `{"paused":true,"scale":2,"steps":1,"only":"heal"}`, 403)
	shown.want(shown.get("/api/v1/time"), map[string]any{"paused": false, "scale": 1})
}

// TestEntitiesAreFound by query, name, page and handle.
func TestEntitiesAreFound(t *testing.T) {
	g := newGame(t, inspect.Options{})
	page := g.get("/api/v1/entities?query=Position,Health.hp+>+290&limit=3")
	g.want(len(at(page, "entities").([]any)), 3)
	one := at(page, "entities", 0)
	if hp := at(one, "components", "Health", "hp").(float64); hp <= 290 {
		t.Errorf("hp %v", hp)
	}
	seen := map[any]bool{}
	for cursor, pages := "0", 0; cursor != "<nil>"; pages++ {
		page = g.get("/api/v1/entities?query=Position&limit=70&cursor=" + cursor)
		for _, e := range at(page, "entities").([]any) {
			seen[at(e, "id")] = true
		}
		if cursor = fmt.Sprint(at(page, "next")); pages > 5 {
			t.Fatal("the pages do not end")
		}
	}
	g.want(len(seen), 300)
	queen := at(g.get("/api/v1/entities?name=queen"), "entities")
	g.want(len(queen.([]any)), 1)
	id := at(queen, 0, "id")
	g.want(at(queen, 0, "components", "Frozen"), map[string]any{})
	g.want(at(g.get(fmt.Sprintf("/api/v1/entities/%.0f", id)), "components", "Name", "name"), "the Queen")
	g.want(at(g.get(fmt.Sprintf("/api/v1/entities/@%.0f", at(queen, 0, "slot"))), "id"), id)
	for path, status := range map[string]int{
		"/api/v1/entities?query=Positoin": 400, "/api/v1/entities?query=(((": 400, "/api/v1/entities?limit=0": 400, "/api/v1/entities?limit=x": 400,
		"/api/v1/entities?cursor=-1": 400, "/api/v1/entities/1": 404, "/api/v1/entities/x": 400, "/api/v1/entities/@x": 400, "/api/v1/entities/@9999999": 404,
		"/api/v1/entities?query=" + strings.Repeat("a", 5000): 400,
	} {
		g.call("GET", path, "", status)
	}
	g.want(len(at(g.get("/api/v1/entities?cursor=99999"), "entities").([]any)), 0)
}

// TestManyComparisonsLookAtFewerRows: what a page costs is bounded whatever the query is, and the pages have all entities.
func TestManyComparisonsLookAtFewerRows(t *testing.T) {
	g := newGame(t, inspect.Options{})
	g.inside(func(w *ecs.World) {
		position := ecs.Register[kit.Position](w)
		for range 3000 {
			w.Spawn(position.With(kit.Position{X: 1}))
		}
	})
	const terms = 60
	query := url.QueryEscape(strings.Repeat("Position.x > -1,", terms-1) + "Position.x > -1")
	all, pages := 0, 0
	for cursor := "0"; cursor != "<nil>"; pages++ {
		page := g.get("/api/v1/entities?limit=200&query=" + query + "&cursor=" + cursor)
		if looked := at(page, "looked").(float64); looked*terms > 20_000 {
			t.Fatalf("a page has looked at %v rows", looked)
		}
		none := g.get("/api/v1/entities?limit=1&query=" + url.QueryEscape(strings.Repeat("Position.x > -1,", terms-1)+"Position.x > 1e9") + "&cursor=" + cursor)
		if looked := at(none, "looked").(float64); looked*terms > 20_000 || looked == 0 {
			t.Fatalf("a page of none has looked at %v rows", looked)
		}
		all += len(at(page, "entities").([]any))
		if cursor = fmt.Sprint(at(page, "next")); pages > 100 {
			t.Fatal("the pages do not end")
		}
	}
	g.want(all, 3300)
}

// TestQueryStrings that are broken, or have what the route does not know, are refused: they would let everything through.
func TestQueryStrings(t *testing.T) {
	g := newGame(t, inspect.Options{Edit: true, Control: true})
	for _, bad := range []string{
		"/entities?query=%zz", "/entities?query=Position;limit=3", "/entities?Query=Position", "/entities?q=Position", "/entities?query=Position&query=Name",
		"/status?x", "/trace?tick=3", "/tree?page=1", "/journal?name=x", "/rewind/changes?from=1&to=2&x=1", "/systems?%zz",
		"/events?%zz", "/events?tick=1", "/openapi.json?x=1", "/view?%zz", "/images/1?;",
	} {
		g.call("GET", "/api/v1"+bad, "", 400)
	}
	g.call("GET", "/metrics?%zz", "", 400)
	g.call("POST", "/api/v1/time?paused=true", `{}`, 400)
	for _, good := range []string{"/status?", "/status", "/entities?query=&name=&limit=&cursor=", "/tree?relation=&of=&cursor=", "/journal?entity=1&limit=2"} {
		if code, text := g.do(g.request("GET", "/api/v1"+good, "")); code == 400 {
			t.Errorf("%s: %s", good, text)
		}
	}
}

// TestMethods that a route has not get 405, with those that it has; HEAD of the stream of events ends.
func TestMethods(t *testing.T) {
	g := newGame(t, inspect.Options{Edit: true})
	for _, c := range [][3]string{{"PUT", "/status", "GET, HEAD"}, {"TRACE", "/entities/5", "GET, HEAD, PATCH, DELETE"}, {"DELETE", "/time", "GET, HEAD, POST"}, {"PUT", "/console", "POST"}} {
		text := fmt.Sprint(g.call(c[0], "/api/v1"+c[1], "", 405))
		if !strings.Contains(text, "it has "+c[2]+" ") && !strings.Contains(text, "it has "+c[2]+"]") {
			t.Errorf("%v: %s", c, text)
		}
	}
	g.call("PUT", "/api/v1/nothing", "", 404)
	if code, _ := g.do(g.request("HEAD", "/api/v1/events", "")); code != 200 {
		t.Errorf("HEAD: %d", code)
	}
}

// TestEdits change the world with the checks that scripts have, and only when they are permitted.
func TestEdits(t *testing.T) {
	shows := newGame(t, inspect.Options{Control: true})
	for _, c := range [][2]string{{"POST", "/api/v1/entities"}, {"PATCH", "/api/v1/entities/1"}, {"DELETE", "/api/v1/entities/1"}, {"PATCH", "/api/v1/systems/heal"}} {
		shows.call(c[0], c[1], "{}", 403)
	}
	newGame(t, inspect.Options{Edit: true}).call("POST", "/api/v1/time", `{"paused":true}`, 403)

	g := newGame(t, inspect.Options{Edit: true})
	e := g.call("POST", "/api/v1/entities", `{"components":{"Health":{"hp":7},"Frozen":{}}}`, 200)
	path := fmt.Sprintf("/api/v1/entities/%.0f", at(e, "id"))
	e = g.call("PATCH", path, `{"set":{"Health":{"hp":3,"state":"hurt"},"Position":{"x":4}}}`, 200)
	g.want(at(e, "components", "Health", "hp"), 3)
	g.want(at(e, "components", "Position", "x"), 4)
	e = g.call("PATCH", path, `{"remove":["Frozen","Position"]}`, 200)
	g.want(at(e, "components", "Frozen"), nil)
	for _, bad := range []string{`{"set":{"Health":{"hp":"x"}}}`, `{"set":{"Health":{"state":"dead"}}}`, `{}`, `{"set":{},"remove":[]}`, `{"set":3}`} {
		g.call("PATCH", path, bad, 400)
	}
	g.call("PATCH", path, `{"remove":["Nothing"]}`, 400)
	copied := g.call("POST", "/api/v1/entities", fmt.Sprintf(`{"copy":%.0f}`, at(e, "id")), 200)
	g.want(at(copied, "components", "Health", "state"), "hurt")
	g.call("DELETE", path, "", 200)
	g.call("GET", path, "", 404)
	g.call("POST", "/api/v1/entities", `{"components":{"Health":{"hp":1e999}}}`, 400)

	g.call("PATCH", "/api/v1/systems/heal", `{"enabled":false}`, 200)
	g.want(at(find(at(g.get("/api/v1/systems"), "systems"), "name", "heal"), "enabled"), false)
	g.call("PATCH", "/api/v1/systems/none", `{"enabled":false}`, 404)
	g.call("PATCH", "/api/v1/systems/heal", `{}`, 400)
}

// TestSystemsScriptsAndWorld say what there is.
func TestSystemsScriptsAndWorld(t *testing.T) {
	g := newGame(t, inspect.Options{})
	systems := at(g.get("/api/v1/systems"), "systems")
	heal := find(systems, "name", "heal")
	g.want(at(heal, "script"), "game.lua")
	g.want(at(heal, "kernel", "compiled"), true)
	g.want(at(heal, "writes"), "[Health]")
	g.want(at(heal, "phase"), "logic")
	talk := find(systems, "name", "talk")
	if reason := at(talk, "kernel", "reason"); reason == nil || at(talk, "kernel", "line") == nil {
		t.Errorf("no reason: %v", talk)
	}
	if find(systems, "name", "kit.move") == nil {
		t.Error("systems of Go are missing")
	}
	g.want(at(find(at(g.get("/api/v1/scripts"), "scripts"), "path", "odd/faulty.lua"), "faults"), 1)
	faulty := g.get("/api/v1/scripts/odd/faulty.lua")
	g.want(at(faulty, "text"), faultyScript)
	g.want(at(faulty, "notes", 0, "line"), 3)
	g.want(at(faulty, "notes", 0, "kind"), "fault")
	g.call("GET", "/api/v1/scripts/none.lua", "", 404)
	faults := g.get("/api/v1/faults")
	g.want(at(faults, "recent", 0, "script"), "odd/faulty.lua")
	world := g.get("/api/v1/world")
	g.want(at(find(at(world, "pools"), "component", "Name"), "entities"), 1)
	components := at(g.get("/api/v1/components"), "components")
	g.want(at(find(components, "name", "Health"), "fields", 1, "names"), "[well hurt]")
	g.want(at(find(components, "name", "Health"), "entities"), 300)
}

// TestRefusedReloadsAreShown, also of a file that was never loaded.
func TestRefusedReloadsAreShown(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer host.Close()
	folder := fstest.MapFS{"a.lua": {Data: []byte("local x = 1")}}
	must(t, host.Load(folder))
	view, err := inspect.New(host, inspect.Options{})
	must(t, err)
	defer view.Close()
	folder["b.lua"] = &fstest.MapFile{Data: []byte("local = 2")}
	host.Stage([]string{"b.lua"}, nil)
	must(t, host.Step(0.1))
	g := &game{t: t, view: view}
	get := func(path string) (v map[string]any) {
		done := make(chan struct{})
		go func() { defer close(done); v = g.get(path) }()
		for {
			select {
			case <-done:
				return v
			default:
				view.Answer()
			}
		}
	}
	g.want(at(get("/api/v1/status"), "last_reload", "refused"), true)
	g.want(at(find(at(get("/api/v1/scripts"), "scripts"), "path", "b.lua"), "refused"), true)
	g.want(at(get("/api/v1/scripts/b.lua"), "notes", 0, "kind"), "refused")
	g.want(at(g.call("GET", "/api/v1/time", "", 409), "error", "status"), 409)
}

// TestTrace is one that Perfetto opens: complete events, in order, of each tick.
func TestTrace(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	events := at(g.get("/api/v1/trace?ticks=5"), "traceEvents").([]any)
	ticks, heals, last := 0, 0, -1.0
	for _, e := range events {
		switch at(e, "name") {
		case "tick":
			ticks++
		case "heal":
			heals++
			g.want(at(e, "args", "rows"), 300)
		}
		if ts := at(e, "ts").(float64); at(e, "ph") != "X" || ts < last || at(e, "dur").(float64) < 0 {
			t.Errorf("%v", e)
		} else {
			last = ts
		}
	}
	g.want([]int{ticks, heals}, []int{5, 5})
	g.call("POST", "/api/v1/time", `{"paused":true}`, 200)
	g.call("GET", "/api/v1/trace", "", 409)
}

// TestEvents come while the game runs and while it is paused.
func TestEvents(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	server := httptest.NewServer(g.view)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/v1/events", nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+g.view.Token())
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	pulses := json.NewDecoder(dataOf(answer.Body))
	next := func() (v map[string]any) { must(t, pulses.Decode(&v)); return v }
	next()
	p := next()
	if at(p, "ticks").(float64) == 0 || at(find(at(p, "times"), "name", "heal"), "rows").(float64) == 0 || at(p, "answering") != true {
		t.Errorf("%v", p)
	}
	g.want(at(p, "warnings"), 0)
	sets := at(g.get("/api/v1/world"), "archetypes").([]any)
	if counts, _ := at(sets[0], "history").([]any); len(counts) == 0 || counts[0] != 300.0 {
		t.Errorf("of %v there were %v", at(sets[0], "components"), counts)
	}
	g.loop.Pause()
	for n := 0; ; n++ {
		if p = next(); at(p, "paused") == true && at(p, "ticks") == 0.0 {
			break
		}
		if n > 10 {
			t.Fatalf("not paused: %v", p)
		}
	}
}

// dataOf passes on what stands after "data: ".
func dataOf(events io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		var rest string
		b := make([]byte, 64<<10)
		for {
			n, err := events.Read(b)
			rest += string(b[:n])
			for {
				line, more, ok := strings.Cut(rest, "\n")
				if !ok {
					break
				}
				rest = more
				if data, ok := strings.CutPrefix(line, "data: "); ok {
					_, _ = io.WriteString(in, data+"\n")
				}
			}
			if err != nil {
				in.CloseWithError(err)
				return
			}
		}
	}()
	return out
}
