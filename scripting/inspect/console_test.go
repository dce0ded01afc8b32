package inspect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// typed makes the body of a request with a text.
func typed(text string) string {
	all, _ := json.Marshal(map[string]any{"text": text})
	return string(all)
}

// TestConsole: texts run in the game, are told with their places, and are undone, with the ticks since.
func TestConsole(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true, Journal: true})
	g.call("POST", "/api/v1/time", `{"paused": true}`, 200)
	run := func(text string) any { return g.call("POST", "/api/v1/console", typed(text), 200) }
	before := at(run(`ecs.count("Position")`), "values", 0, "text")
	a := run("print('hi')\nlocal e = ecs.spawn(\"Position\")\nreturn e, { e }")
	if at(a, "lines", 0, "text") != "hi" || at(a, "lines", 0, "line") != 1.0 || at(a, "values", 0, "kind") != "entity" || at(a, "values", 0, "entity") != at(a, "values", 1, "items", 0, "entity") {
		t.Errorf("a spawn: %v", a)
	}
	if at(a, "commands") != 1.0 || at(a, "changed") != true || fmt.Sprint(at(a, "undoable")) != fmt.Sprintf("[%v]", at(a, "run")) || !strings.HasPrefix(fmt.Sprint(at(a, "text")), "hi\nentity ") {
		t.Errorf("a spawn: %v", a)
	}
	entry := g.get(fmt.Sprintf("/api/v1/journal?entity=%.0f", at(a, "values", 0, "entity")))
	if at(entry, "entries", 0, "system") != "console" || at(entry, "entries", 0, "at", "script") != "console" || at(entry, "entries", 0, "at", "line") != 2.0 {
		t.Errorf("the journal: %v", entry)
	}
	wrong := run("\nlocal x = 1 +")
	if at(wrong, "problem", "line") != 2.0 || at(wrong, "problem", "column") != 14.0 || at(wrong, "run") != 0.0 {
		t.Errorf("a text that is no Lua: %v", wrong)
	}
	if v := run("ecs.spawn('Position')\nerror 'no'"); at(v, "problem", "line") != 2.0 || at(v, "changed") != false {
		t.Errorf("a text that fails: %v", v)
	}
	if v := run("while true do end"); at(v, "problem", "limit") == "" {
		t.Errorf("a text without an end: %v", v)
	}
	names := g.call("POST", "/api/v1/console/complete", typed("ecs.count('Pos"), 200)
	if at(names, "typed") != "Pos" || at(names, "names", 0, "name") != "Position" {
		t.Errorf("names: %v", names)
	}
	g.call("POST", "/api/v1/time", `{"steps": 3}`, 200)
	g.call("POST", "/api/v1/console/undo", `{}`, 400)
	undone := g.call("POST", "/api/v1/console/undo", fmt.Sprintf(`{"run": %v}`, at(a, "run")), 200)
	if fmt.Sprint(at(undone, "undoable")) != "[]" {
		t.Errorf("undone: %v", undone)
	}
	if v := at(run(`ecs.count("Position")`), "values", 0, "text"); v != before {
		t.Errorf("%v entities after the undo, %v before the text", v, before)
	}
	g.call("POST", "/api/v1/console/undo", fmt.Sprintf(`{"run": %v}`, at(a, "run")), 400)
	g.call("POST", "/api/v1/time", `{"paused": false}`, 200)
	kept := g.keep(6)
	g.call("POST", "/api/v1/rewind", fmt.Sprintf(`{"look": %v}`, at(kept, 2)), 200)
	if v := g.call("POST", "/api/v1/console", typed("1"), 409); !strings.Contains(fmt.Sprint(v), "only looked at") {
		t.Errorf("a text while an earlier tick is looked at: %v", v)
	}
}

// TestConsoleIsRefused: rights and bodies that cannot be.
func TestConsoleIsRefused(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	for _, path := range []string{"", "/undo", "/complete"} {
		g.call("POST", "/api/v1/console"+path, `{}`, 403)
	}
	g = newGame(t, inspect.Options{Edit: true})
	for body, status := range map[string]int{"": 400, "[]": 400, `{"text": 1}`: 400, `{"text": "1", "x": 1}`: 400, `{"text": "` + strings.Repeat("x", 70_000) + `"}`: 413, `{"text": ""}`: 200} {
		g.call("POST", "/api/v1/console", body, status)
		g.call("POST", "/api/v1/console/complete", body, status)
	}
	for _, body := range []string{`{}`, `null`, `{"text": null}`} {
		g.call("POST", "/api/v1/console", body, 400)
	}
	for _, body := range []string{`{}`, `{"run": 7}`, `{"run": -1}`, `{"run": "a"}`} {
		g.call("POST", "/api/v1/console/undo", body, 400)
	}
}
