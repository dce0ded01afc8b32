package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/inspect"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/loop"
	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripts"
)

// TestMain is the program itself where a test starts this binary again.
func TestMain(m *testing.M) {
	if os.Getenv("PERIGEE_MCP_ITSELF") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// demo serves the demo game, which is paused, and returns its address.
func demo(t testing.TB, o inspect.Options) string {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Seed: 1})
	must(t, err)
	stock, err := kit.Install(w, kit.Options{})
	must(t, err)
	_, err = kit.InstallView(w)
	must(t, err)
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(*scripting.Error) {}, OnReload: func(scripting.Reload) {}})
	must(t, err)
	must(t, stock.Expose(host.Expose))
	must(t, host.Load(scripts.Demo()))
	session, err := record.New(host)
	must(t, err)
	pace, err := loop.New(loop.Options{Hz: 60})
	must(t, err)
	pace.Pause()
	o.Loop, o.Session, o.Logger, o.Name = pace, session, slog.New(slog.DiscardHandler), "demo"
	view, err := inspect.New(host, o)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var steps sync.WaitGroup
	steps.Go(func() { must(t, pace.Run(ctx, session.Step)) })
	web := httptest.NewServer(view)
	t.Cleanup(func() {
		web.Close()
		must(t, view.Close())
		cancel()
		steps.Wait()
		must(t, errors.Join(session.Close(), host.Close(), w.Close()))
	})
	return web.URL + "/#" + view.Token()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// assistant is a client of the SDK.
type assistant struct {
	testing.TB
	*mcp.ClientSession
}

// connect makes an assistant in memory.
func connect(t testing.TB, address string, may rights) *assistant {
	t.Helper()
	g, err := newGame(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(t.Context(), g, may)
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	served, err := s.Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := over(t, there)
	t.Cleanup(func() { _ = a.Close(); _ = served.Wait() })
	return a
}

// over makes an assistant over a transport.
func over(t testing.TB, way mcp.Transport) *assistant {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), way, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &assistant{t, session}
}

// try calls a tool, and returns the JSON of its answer, or its error.
func (a *assistant) try(name string, args any) (map[string]any, string) {
	a.Helper()
	r, err := a.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, err.Error()
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if len(text) > mostAnswer+slack+1000 {
		a.Errorf("%s %.200v: an answer of %d bytes", name, args, len(text))
	}
	if r.IsError {
		return nil, text
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		a.Fatalf("%s: %v: %s", name, err, text)
	}
	return v, ""
}

// call calls a tool that succeeds.
func (a *assistant) call(name string, args any) map[string]any {
	a.Helper()
	v, wrong := a.try(name, args)
	if wrong != "" {
		a.Fatalf("%s %.300v: %s", name, args, wrong)
	}
	return v
}

// refuses calls a tool that fails with a text.
func (a *assistant) refuses(name string, args any, want string) {
	a.Helper()
	v, wrong := a.try(name, args)
	if !strings.Contains(wrong, want) || wrong == "" {
		a.Errorf("%s %.200v: %q %.200v, want %q", name, args, wrong, v, want)
	}
}

// object is JSON.
type object = map[string]any

var (
	lookTools    = []string{"check_scripts", "get_entity", "get_world", "list_components", "list_faults", "list_scripts", "list_systems", "profile", "query_entities", "read_script", "status", "why"}
	controlTools = []string{"compare_ticks", "rewind", "set_time", "step"}
	editTools    = []string{"change_entity", "despawn_entity", "enable_system", "run_lua", "spawn_entity", "stage_scripts", "undo_lua"}
)

// TestToolsByRights lists the tools: only those that may be called, each with schemas and hints. The others say
// what to do. The game has the last word.
func TestToolsByRights(t *testing.T) {
	all := demo(t, inspect.Options{Control: true, Edit: true})
	bare := demo(t, inspect.Options{})
	for _, c := range []struct {
		address string
		may     rights
		tools   []string
	}{
		{all, rights{}, lookTools},
		{all, rights{control: true}, slices.Concat(lookTools, controlTools)},
		{all, rights{edit: true}, slices.Concat(lookTools, controlTools, editTools)},
		{bare, rights{edit: true}, lookTools},
	} {
		a := connect(t, c.address, c.may)
		list, err := a.ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.InputSchema == nil || tool.OutputSchema == nil || len(tool.Description) < 20 || tool.Annotations.ReadOnlyHint != slices.Contains(lookTools, tool.Name) {
				t.Errorf("%s is not described", tool.Name)
			}
		}
		slices.Sort(names)
		slices.Sort(c.tools)
		if !slices.Equal(names, c.tools) {
			t.Errorf("%+v: the tools\n%q, want\n%q", c.may, names, c.tools)
		}
		for _, name := range slices.Concat(controlTools, editTools) {
			if !slices.Contains(c.tools, name) {
				a.refuses(name, object{}, "start it with --")
			}
		}
		if !strings.Contains(a.InitializeResult().Instructions, "status") {
			t.Error("no instructions")
		}
	}
}

// TestLooking calls each tool that looks.
func TestLooking(t *testing.T) {
	a := connect(t, demo(t, inspect.Options{Control: true}), rights{control: true})
	if v := a.call("step", object{"ticks": 25}); v["ticks"] != 25.0 || v["tick"] != 25.0 || v["new_faults"] != 0.0 {
		t.Errorf("25 steps: %v", v)
	}
	if v := a.call("status", nil); v["tick"] != 25.0 || v["name"] != "demo" || v["paused"] != true {
		t.Errorf("status: %v", v)
	}
	components := pages(a, "list_components", "components", object{"limit": 7})
	if len(components) < 10 || components["Position"] == nil {
		t.Errorf("components: %v", components)
	}
	if v := a.call("list_components", object{"name": "posit"}); v["total"] != 1.0 {
		t.Errorf("components by name: %v", v)
	}
	if len(pages(a, "list_systems", "systems", object{"limit": 3})) < 5 || len(pages(a, "list_scripts", "scripts", object{"limit": 1})) < 2 {
		t.Error("too few systems or scripts")
	}
	seen, next := 0, 0.0
	for {
		v := a.call("query_entities", object{"query": "Position", "limit": 200, "cursor": int(next), "components": []string{"Position"}})
		for _, e := range v["entities"].([]any) {
			if c := e.(object)["components"].(object); len(c) != 1 || c["Position"] == nil {
				t.Fatalf("an entity: %v", e)
			}
			seen++
		}
		if next, _ = v["next"].(float64); next == 0 {
			if seen != int(v["rows"].(float64)) || seen < 100 {
				t.Errorf("%d entities on all pages of %v", seen, v["rows"])
			}
			break
		}
	}
	first := a.call("query_entities", object{"query": "Position", "limit": 1})["entities"].([]any)[0].(object)
	one := a.call("get_entity", object{"entity": first["id"]})
	if fmt.Sprint(one["components"]) != fmt.Sprint(first["components"]) {
		t.Errorf("%v alone is %v", first, one)
	}
	if v := a.call("list_faults", nil); v["total_faults"] != 0.0 {
		t.Errorf("faults: %v", v)
	}
	if v := a.call("get_world", object{"limit": 2}); len(v["archetypes"].([]any)) != 2 || v["next"] != 2.0 || v["arena_bytes"] == nil {
		t.Errorf("the world: %.300v", v)
	}
	if v := a.call("profile", object{"ticks": 12, "limit": 3}); v["ticks"] != 12.0 || len(v["systems"].([]any)) != 3 || v["tick_us"].(float64) <= 0 {
		t.Errorf("a profile: %v", v)
	}
	if v := a.call("status", nil); v["tick"] != 37.0 {
		t.Errorf("after the profile: %v", v["tick"])
	}
}

// pages asks for all pages of a list, and returns the items by name.
func pages(a *assistant, tool, list string, args object) object {
	a.Helper()
	all := object{}
	for n := 0; n < 100; n++ {
		v := a.call(tool, args)
		for _, item := range v[list].([]any) {
			name := fmt.Sprint(item.(object)["name"], item.(object)["path"])
			all[strings.ReplaceAll(name, "<nil>", "")] = item
		}
		if v["next"] == nil {
			if len(all) != int(v["total"].(float64)) {
				a.Errorf("%s: %d items of %v", tool, len(all), v["total"])
			}
			return all
		}
		args["cursor"] = int(v["next"].(float64))
	}
	a.Fatalf("%s has no end", tool)
	return nil
}

// TestScriptsAreReadWhole reads a script in parts, and as a resource: the same text.
func TestScriptsAreReadWhole(t *testing.T) {
	a := connect(t, demo(t, inspect.Options{}), rights{})
	for path := range pages(a, "list_scripts", "scripts", object{}) {
		text, from := "", 1
		for from > 0 {
			v := a.call("read_script", object{"path": path, "from": from, "lines": 30})
			text += v["text"].(string)
			next, _ := v["next"].(float64)
			from = int(next)
		}
		r, err := a.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: scriptScheme + path})
		if err != nil {
			t.Fatal(err)
		}
		if r.Contents[0].Text != text || text == "" {
			t.Errorf("%s in parts:\n%s\nwhole:\n%s", path, text, r.Contents[0].Text)
		}
	}
	for uri, want := range map[string]string{"perigee://openapi.json": `"/entities/{id}"`, "perigee://components": `"Position"`} {
		r, err := a.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(r.Contents[0].Text, want) {
			t.Errorf("%s: %v %v", uri, r, err)
		}
	}
	for _, uri := range []string{"perigee://none", scriptScheme, scriptScheme + "../status", scriptScheme + "%2e%2e/status", scriptScheme + "no.lua", scriptScheme + "%zz", "file:///etc/passwd"} {
		if r, err := a.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %.200v", uri, r.Contents[0].Text)
		}
	}
}

// TestLua runs texts in the game, and takes them back.
func TestLua(t *testing.T) {
	a := connect(t, demo(t, inspect.Options{Control: true, Edit: true}), rights{edit: true})
	before := a.call("run_lua", object{"text": `ecs.count("Position")`})
	if before["changed"] != false || before["text"] == "" {
		t.Fatalf("a count: %v", before)
	}
	v := a.call("run_lua", object{"text": "print 'one more'\nreturn ecs.spawn('Position')"})
	if v["changed"] != true || v["commands"] != 1.0 || !strings.HasPrefix(v["text"].(string), "one more\nentity ") || fmt.Sprint(v["undoable"]) != fmt.Sprintf("[%v]", v["run"]) {
		t.Errorf("a spawn: %v", v)
	}
	if v := a.call("run_lua", object{"text": "local x = = 1"}); v["problem"].(object)["line"] != 1.0 {
		t.Errorf("a text that is no Lua: %v", v)
	}
	if v := a.call("run_lua", object{"text": `return ("\1\"<"):rep(50000), ("x"):rep(4000)`}); len(v["text"].(string)) > mostAnswer {
		t.Errorf("%d bytes", len(v["text"].(string)))
	}
	a.call("step", nil)
	if v := a.call("undo_lua", object{"run": v["run"]}); len(v["undoable"].([]any)) != 0 {
		t.Errorf("undone: %v", v)
	}
	if v := a.call("run_lua", object{"text": `ecs.count("Position")`}); v["text"] != before["text"] {
		t.Errorf("after the undo: %v", v)
	}
	a.refuses("undo_lua", object{"run": 1}, "cannot be undone")
	a.refuses("run_lua", object{}, "text")
	a.refuses("run_lua", object{"text": strings.Repeat("x", 70<<10)}, "at most")
}

const faulty = `local ecs = require "ecs"
ecs.system "faulty" { run = function(ctx) error("no such thing") end }
`

// TestChanging calls each tool that changes the game, and looks at what came of it.
func TestChanging(t *testing.T) {
	a := connect(t, demo(t, inspect.Options{Control: true, Edit: true}), rights{edit: true})
	a.call("step", nil)
	e := a.call("spawn_entity", object{"components": object{"Position": object{"x": 1.5, "y": 2}}})
	id := e["id"]
	if v := a.call("change_entity", object{"entity": id, "set": object{"Position": object{"x": 7}}}); fmt.Sprint(v["components"]) != "map[Position:map[x:7 y:2]]" {
		t.Errorf("a changed entity: %v", v)
	}
	twin := a.call("spawn_entity", object{"copy": id})
	if fmt.Sprint(twin["components"]) != "map[Position:map[x:7 y:2]]" || twin["id"] == id {
		t.Errorf("a copy: %v", twin)
	}
	if v := a.call("change_entity", object{"entity": twin["id"], "remove": []string{"Position"}}); fmt.Sprint(v["components"]) != "map[]" {
		t.Errorf("an entity without its component: %v", v)
	}
	a.call("despawn_entity", object{"entity": id})
	a.refuses("get_entity", object{"entity": id}, "not alive")

	if v := a.call("check_scripts", object{"texts": object{"new.lua": "local x = = 1"}}); fmt.Sprint(v["problems"].([]any)[0].(object)["line"]) != "1" {
		t.Errorf("a wrong text: %v", v)
	}
	if v := a.call("stage_scripts", object{"texts": object{"new.lua": "error 'no'"}}); v["staged"] != false || len(v["problems"].([]any)) == 0 {
		t.Errorf("a text that fails is staged: %v", v)
	}
	if v := a.call("stage_scripts", object{"texts": object{"new.lua": faulty}}); v["staged"] != true || v["waits"] != true {
		t.Errorf("a staged text: %v", v)
	}
	v := a.call("step", object{"ticks": 2})
	if v["new_faults"] != 2.0 || v["reload"].(object)["refused"] != false || !strings.Contains(fmt.Sprint(v["faults"]), "new.lua:2") {
		t.Errorf("steps with a fault: %v", v)
	}
	if v := a.call("list_faults", nil); !strings.Contains(fmt.Sprint(v["faults"].([]any)[0].(object)["text"]), "no such thing") {
		t.Errorf("faults: %v", v)
	}
	if v := a.call("read_script", object{"path": "new.lua"}); v["text"] != faulty || !strings.Contains(fmt.Sprint(v["notes"]), "no such thing") {
		t.Errorf("the staged script: %v", v)
	}
	if v := a.call("enable_system", object{"name": "faulty", "enabled": false}); v["enabled"] != false {
		t.Errorf("a system that is off: %v", v)
	}
	if v := a.call("step", object{"ticks": 2}); v["new_faults"] != 0.0 {
		t.Errorf("steps without the system: %v", v)
	}
	runs := func() (n, total float64) {
		for _, one := range a.call("list_systems", nil)["systems"].([]any) {
			count := one.(object)["runs"].(float64)
			if total += count; one.(object)["name"] == "pilot.fly" {
				n = count
			}
		}
		return n, total
	}
	before, all := runs()
	a.call("step", object{"only": "pilot.fly"})
	if after, total := runs(); after != before+1 || total != all+1 {
		t.Errorf("a step of one system: it ran %v times, all systems %v: %v", after-before, total-all, a.call("list_systems", nil))
	}
	a.call("set_time", object{"paused": false})
	a.refuses("step", object{}, "pause it first")
	if v := a.call("stage_scripts", object{"texts": object{"new.lua": strings.ReplaceAll(faulty, "error(", "return tostring(")}}); v["reload"] == nil || v["waits"] != nil {
		t.Errorf("a text that a running game takes: %v", v)
	}
	if v := a.call("profile", object{"ticks": 3}); v["ticks"].(float64) < 3 {
		t.Errorf("a profile of a running game: %v", v)
	}
	if v := a.call("set_time", object{"paused": true, "scale": 2}); v["paused"] != true || v["scale"] != 2.0 {
		t.Errorf("time: %v", v)
	}
}

// TestGoingBack keeps ticks, looks at one, compares two, and runs on from one.
func TestGoingBack(t *testing.T) {
	address := demo(t, inspect.Options{Control: true, Edit: true})
	a := connect(t, address, rights{control: true})
	a.call("rewind", object{"keep": true})
	a.call("step", object{"ticks": 5})
	if v := a.call("rewind", object{"look": 2}); v["looking"] != true {
		t.Errorf("a look: %v", v)
	}
	if v := a.call("status", nil); v["tick"] != 2.0 {
		t.Errorf("the tick that is looked at: %v", v["tick"])
	}
	a.call("rewind", object{"back": true})
	if v := a.call("compare_ticks", object{"from": 2, "to": 5, "limit": 1}); v["changed"].(float64) < 1 {
		t.Errorf("two ticks: %.300v", v)
	}
	a.refuses("rewind", object{"run_from": 3}, "--edit")
	a.call("rewind", object{"back": true})
	looks := connect(t, address, rights{})
	looks.refuses("why", object{}, "--control")
	found := a.call("query_entities", object{"query": "Health, Velocity", "limit": 1})
	ship := found["entities"].([]any)[0].(object)["id"]
	a.call("why", object{"entity": ship, "watch": true})
	a.refuses("why", object{"watch": true}, "needs an entity")
	a.call("step", object{"ticks": 3})
	if v := a.call("why", object{"entity": ship}); len(v["entries"].([]any)) == 0 || !strings.Contains(v["entries"].([]any)[0].(object)["text"].(string), "tick") {
		t.Errorf("who has changed it: %.300v", v)
	}
	if v := looks.call("why", object{"limit": 5}); len(v["entries"].([]any)) != 5 {
		t.Errorf("the last changes: %.300v", v)
	}
	b := connect(t, address, rights{edit: true})
	b.call("rewind", object{"run_from": 3})
	if v := b.call("status", nil); v["tick"] != 3.0 {
		t.Errorf("the present: %v", v["tick"])
	}
	if v := b.call("rewind", object{}); v["ticks"] != nil || v["keeping"] != true {
		t.Errorf("what is kept: %v", v)
	}
}

// TestWrongInputs calls tools with what cannot be: each refuses with what to do.
func TestWrongInputs(t *testing.T) {
	a := connect(t, demo(t, inspect.Options{Control: true, Edit: true}), rights{edit: true})
	a.call("step", nil)
	for _, c := range []struct {
		tool string
		args any
		want string
	}{
		{"none", object{}, "unknown tool"},
		{"status", object{"more": 1}, "more"},
		{"query_entities", object{"query": "Position,,"}, "column"},
		{"query_entities", object{"query": "Positon"}, "Position"},
		{"query_entities", object{"query": 7}, "type"},
		{"query_entities", object{"limit": 201}, "limit is"},
		{"query_entities", object{"cursor": -1}, "cursor is"},
		{"query_entities", object{"query": strings.Repeat("Position, ", 1000)}, "bytes"},
		{"list_components", object{"cursor": 100_000}, "begin again"},
		{"get_entity", object{"entity": 0}, "not alive"},
		{"get_entity", object{"entity": -1}, "entity"},
		{"get_entity", object{"entity": "1/../../status"}, "type"},
		{"get_entity", object{}, "entity"},
		{"read_script", object{"path": "../../status"}, "list_scripts"},
		{"read_script", object{"path": "none.lua"}, "none.lua"},
		{"read_script", object{"path": "game.lua", "from": -1}, "from is"},
		{"read_script", object{"path": "a?query=1#b"}, "a?query"},
		{"check_scripts", object{"texts": object{}}, "whole texts"},
		{"check_scripts", object{"texts": object{"../a.lua": ""}}, "no path of a script"},
		{"check_scripts", object{"texts": object{"/etc/passwd": ""}}, "no path of a script"},
		{"stage_scripts", object{"texts": object{"a/../../b.lua": ""}}, "no path of a script"},
		{"step", object{"ticks": 601}, "from 1 to 600"},
		{"step", object{"ticks": -1}, "from 1 to 600"},
		{"step", object{"ticks": 2, "only": "pilot.fly"}, "only goes with one tick"},
		{"step", object{"only": "nobody"}, "no system"},
		{"step", object{"ticks": 1.5}, "integer"},
		{"set_time", object{}, "paused or scale"},
		{"set_time", object{"scale": -1}, "from 0 to 100"},
		{"rewind", object{"look": 99}, "ept"},
		{"compare_ticks", object{"from": 1, "to": 2, "limit": 1000}, "limit"},
		{"spawn_entity", object{}, "either"},
		{"spawn_entity", object{"components": object{"None": object{}}}, "None"},
		{"change_entity", object{"entity": 1}, "either"},
		{"change_entity", object{"entity": 1, "set": object{"Position": object{"q": 1}}}, ""},
		{"despawn_entity", object{"entity": 12345678}, "not alive"},
		{"enable_system", object{"name": "none", "enabled": true}, "none"},
		{"enable_system", object{"name": "../entities/1", "enabled": true}, "no system"},
		{"enable_system", object{"name": "..", "enabled": true}, "list_systems"},
	} {
		a.refuses(c.tool, c.args, c.want)
	}
	if v := a.call("status", nil); v["tick"] != 1.0 || v["faults"] != 0.0 {
		t.Errorf("the game has changed: %v", v)
	}
}

// manyArrays are fields that no answer has room for.
const manyArrays = "a = many, b = many, c = many, d = many, e = many, f = many, g = many, h = many"

// TestLongAnswers asks for entities whose values are long: pages get shorter, and nothing is skipped.
func TestLongAnswers(t *testing.T) {
	a := connect(t, demo(t, inspect.Options{Control: true, Edit: true}), rights{edit: true})
	wide := "local ecs = require \"ecs\"\nlocal Wide = ecs.component(\"Wide\", {"
	for n := range 500 {
		wide += fmt.Sprintf(" field_%d = ecs.f64(%d.5),", n, n)
	}
	wide += " })\nlocal many = ecs.array(ecs.f64(), 4096)\nlocal Huge = ecs.component(\"Huge\", { " + manyArrays + "})\n" +
		"ecs.on_start(function() for i = 1, 30 do ecs.spawn(Wide {}) end ecs.spawn(Huge {}, Wide {}) end)\n"
	if v := a.call("stage_scripts", object{"texts": object{"wide.lua": wide}}); v["staged"] != true {
		t.Fatal(v)
	}
	if v := a.call("step", nil); v["new_faults"] != 0.0 || v["entities"].(float64) < 31 {
		t.Fatal(v)
	}
	seen, next, rounds := map[any]bool{}, 0.0, 0
	for ; rounds < 50; rounds++ {
		v := a.call("query_entities", object{"query": "Wide", "limit": 31, "cursor": int(next)})
		for _, e := range v["entities"].([]any) {
			seen[e.(object)["id"]] = true
		}
		if next, _ = v["next"].(float64); next == 0 {
			break
		}
	}
	if len(seen) != 31 || rounds < 3 {
		t.Errorf("%d of 31 entities on %d pages", len(seen), rounds+1)
	}
	e := a.call("query_entities", object{"query": "Huge"})["entities"].([]any)[0].(object)
	if !strings.Contains(e["error"].(string), "Huge, Wide") {
		t.Errorf("an entity that is too long: %v", e)
	}
	if v := a.call("get_entity", object{"entity": e["id"], "components": []string{"Wide"}}); len(v["components"].(object)["Wide"].(object)) != 500 {
		t.Errorf("one of its components: %.300v", v)
	}
}

// TestGamesThatAreNone connects to what is no game, has gone, or has another token.
func TestGamesThatAreNone(t *testing.T) {
	for _, address := range []string{"", "x", "http://127.0.0.1:1/", "file:///etc/passwd#t", "http://#t", "http://u:p@127.0.0.1/#t", "://", "http://[::1/#t"} {
		if _, err := newGame(address); err == nil || !strings.Contains(err.Error(), "perigee run --view") {
			t.Errorf("%q: %v", address, err)
		}
	}
	answer := func(do http.HandlerFunc) string {
		s := httptest.NewServer(do)
		t.Cleanup(s.Close)
		return s.URL + "/#secret-token-of-this"
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	for address, want := range map[string]string{
		strings.SplitAfter(demo(t, inspect.Options{}), "#")[0] + "wrong-wrong-wrong-wrong": "another one each time",
		gone.URL + "/#secret-token-of-this":                                                "does not answer",
		answer(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") }):    "no game of Perigee",
		answer(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}): "302",
		answer(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(w, strings.NewReader(strings.Repeat(" ", 3<<20)))
		}): "2 MiB",
	} {
		g, err := newGame(address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = newServer(t.Context(), g, rights{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// TestStepsAfterALook: while an earlier tick is shown, as many ticks are made as were asked for, from the present on.
func TestStepsAfterALook(t *testing.T) {
	a := connect(t, demo(t, inspect.Options{Control: true, Edit: true, Keep: true}), rights{edit: true})
	a.call("step", object{"ticks": 20})
	a.call("rewind", object{"look": 8})
	a.refuses("step", object{"only": "kit.move"}, "come back")
	if v := a.call("step", object{"ticks": 15}); v["ticks"] != 15.0 || v["tick"] != 35.0 {
		t.Errorf("steps: %v", v)
	}
	a.call("rewind", object{"look": 30})
	if v := a.call("profile", object{"ticks": 3}); v["ticks"] != 3.0 {
		t.Errorf("a profile: %v", v)
	}
	if v := a.call("status", nil); v["tick"] != 38.0 {
		t.Errorf("at the end: %v", v)
	}
}
