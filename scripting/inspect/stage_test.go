package inspect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// texts makes the body of a request with one text.
func texts(path, text string) string {
	all, _ := json.Marshal(map[string]any{"texts": map[string]string{path: text}})
	return string(all)
}

const risenScript = `local ecs = require "ecs"
ecs.system "risen" { run = function() end }
`

// TestTextsAreCheckedAndStaged asks what is wrong with texts, and has the game run one that is in no file.
func TestTextsAreCheckedAndStaged(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	g.call("POST", "/api/v1/time", `{"paused": true}`, 200)
	broken := g.call("POST", "/api/v1/check", texts("new.lua", "local x = = 1"), 200)
	if at(broken, "problems", 0, "line") != 1.0 || at(broken, "problems", 0, "column") != 11.0 {
		t.Errorf("a text that is no Lua: %v", broken)
	}
	if v := g.call("POST", "/api/v1/stage", texts("new.lua", "error 'no'"), 200); at(v, "staged") != false || at(v, "problems", 0, "line") != 1.0 {
		t.Errorf("a text that fails is staged: %v", v)
	}
	if v := g.call("POST", "/api/v1/check", texts("new.lua", risenScript), 200); at(v, "staged") != false || fmt.Sprint(at(v, "problems")) != "[]" {
		t.Errorf("a good text: %v", v)
	}
	if v := at(g.get("/api/v1/status"), "reloads"); v != 0.0 {
		t.Errorf("%v verdicts over texts that nobody has staged", v)
	}
	if v := g.call("POST", "/api/v1/stage", texts("new.lua", risenScript), 200); at(v, "staged") != true {
		t.Errorf("a good text is not staged: %v", v)
	}
	g.call("POST", "/api/v1/time", `{"steps": 1}`, 200)
	for range 2 { // the first answer may come before the step
		g.get("/api/v1/status")
	}
	if v := g.get("/api/v1/status"); at(v, "last_reload", "refused") != false || at(v, "reloads") != 1.0 {
		t.Errorf("the verdict: %v", v)
	}
	if v := g.get("/api/v1/scripts/new.lua"); at(v, "text") != risenScript {
		t.Errorf("the script that runs: %v", v)
	}
}

// TestRefusedTextsAreShown: a script has the text that the last reload has refused, with what is wrong at its lines, until it is accepted.
func TestRefusedTextsAreShown(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	stage := func(path, text string, verdict float64) {
		t.Helper()
		must(t, g.host.StageTexts(t.Context(), map[string][]byte{path: []byte(text)}))
		for at(g.get("/api/v1/status"), "reloads") != verdict {
		}
	}
	before := at(g.get("/api/v1/scripts/game.lua"), "text")
	stage("game.lua", "-- a line\nlocal x = = 1", 1)
	v := g.get("/api/v1/scripts/game.lua")
	note := find(at(v, "notes"), "kind", "refused")
	if at(v, "refused") != "-- a line\nlocal x = = 1" || at(v, "text") != before || at(note, "line") != 2.0 {
		t.Errorf("a script that was refused: %v", v)
	}
	stage("new.lua", "(", 2)
	if v := g.get("/api/v1/scripts/new.lua"); at(v, "refused") != "(" || at(v, "text") != "" {
		t.Errorf("one that was never loaded: %v", v)
	}
	must(t, g.host.StageTexts(t.Context(), map[string][]byte{"new.lua": []byte(risenScript), "game.lua": []byte(gameScript + " -- well")}))
	for at(g.get("/api/v1/status"), "reloads") != 3.0 {
	}
	if v := g.get("/api/v1/scripts/game.lua"); at(v, "refused") != nil || at(v, "text") != gameScript+" -- well" {
		t.Errorf("one that was accepted: %v", v)
	}
}

// TestTextsThatAreRefused: paths, bodies and rights that cannot be.
func TestTextsThatAreRefused(t *testing.T) {
	g := newGame(t, inspect.Options{})
	g.call("POST", "/api/v1/stage", texts("new.lua", risenScript), 403)
	for _, path := range []string{"../a.lua", "/etc/passwd", "a.txt", "", "a//b.lua", ".a.lua"} {
		g.call("POST", "/api/v1/check", texts(path, ""), 400)
	}
	for body, status := range map[string]int{
		"": 400, "{}": 400, `{"texts": {}}`: 400, `{"texts": 1}`: 400, `{"texts": {"a.lua": 1}}`: 400, `{"text": {"a.lua": ""}}`: 400, "null": 400,
		texts("a.lua", strings.Repeat(" ", 100_000)): 200, texts("a.lua", strings.Repeat(" ", 3<<20)): 413,
	} {
		g.call("POST", "/api/v1/check", body, status)
	}
	if v := g.call("POST", "/api/v1/check", texts("a.lua", strings.Repeat(" ", 300_000)), 200); !strings.Contains(fmt.Sprint(at(v, "problems", 0, "text")), "Limits.FileBytes") {
		t.Errorf("a text that is too long: %v", v)
	}
	if v := g.call("POST", "/api/v1/check", texts("a.lua", "while true do end"), 200); at(v, "problems", 0, "line") != 1.0 {
		t.Errorf("a text without an end: %v", v)
	}
}

// TestManyFaultsHideNoOthers: a script that fails all the time drives the fault of another one out of the last hundred, but not from its line.
func TestManyFaultsHideNoOthers(t *testing.T) {
	g := newGame(t, inspect.Options{})
	must(t, g.host.StageTexts(t.Context(), map[string][]byte{"noisy.lua": []byte(`local ecs = require "ecs"
for i = 1, 150 do ecs.system("bad" .. i, { run = function() error "again" end }) end`)}))
	for at(find(at(g.get("/api/v1/scripts"), "scripts"), "path", "noisy.lua"), "faults") == nil || at(g.get("/api/v1/status"), "faults").(float64) < 301 {
		time.Sleep(time.Millisecond)
	}
	for _, e := range at(g.get("/api/v1/faults"), "recent").([]any) {
		if at(e, "script") == "odd/faulty.lua" {
			t.Fatal("the fault is among the last ones")
		}
	}
	list := at(g.get("/api/v1/scripts"), "scripts")
	g.want(at(find(list, "path", "odd/faulty.lua"), "faults"), 1)
	if n := at(find(list, "path", "noisy.lua"), "faults").(float64); n < 300 {
		t.Errorf("%v faults of the noisy one", n)
	}
	notes := at(g.get("/api/v1/scripts/odd/faulty.lua"), "notes").([]any)
	g.want(len(notes), 1)
	g.want(at(notes[0], "line"), 3)
	g.want(at(notes[0], "times"), 1)
	seen := map[any]bool{}
	for _, n := range at(g.get("/api/v1/scripts/noisy.lua"), "notes").([]any) {
		if at(n, "kind") == "fault" && seen[at(n, "system")] {
			t.Errorf("a fault stands at its line twice: %v", n)
		}
		seen[at(n, "system")] = true
	}
}
