package scripting_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestReloadAndRestartJudgeAlike: whether a script may have a component by ecs.native does
// not depend on what was loaded before it. Each folder comes to be in several orders, file by
// file, and is then loaded by a host of its own.
func TestReloadAndRestartJudgeAlike(t *testing.T) {
	const (
		declares = `return ecs.component("Health", { hp = ecs.u8(1) })`
		event    = `return ecs.event("Hit", { n = ecs.u8(1) })`
	)
	for _, c := range []struct {
		files map[string]string
		want  string // empty: the folder is good
	}{
		{map[string]string{"a.lua": declares, "b.lua": `local H = ecs.native("Health")`}, `b.lua:2:22: unknown native component "Health": the host has none of that name`},
		{map[string]string{"b.lua": declares, "a.lua": `local H = ecs.native("Health")`}, `a.lua:2:22: unknown native component "Health": the host has none of that name`},
		{map[string]string{"a.lua": declares, "b.lua": `require "a" local H = ecs.native("Health")`}, `unknown native component "Health"`},
		{map[string]string{"b.lua": declares, "a.lua": `require "b" local H = ecs.native("Helth")`}, `unknown native component "Helth": the host has none`},
		{map[string]string{"a.lua": declares, "b.lua": `local H = ecs.native("Positon")`}, `unknown native component "Positon" (did you mean "Position"?)`},
		{map[string]string{"b.lua": event, "a.lua": `local H = ecs.native_event("Hit")`}, `unknown native event "Hit"`},
		{map[string]string{"a.lua": event, "b.lua": `local H = ecs.native_event("Hit")`}, `unknown native event "Hit"`},
		{map[string]string{"a.lua": declares, "b.lua": `local H = require "a"`}, ""},
		{map[string]string{"b.lua": declares, "a.lua": `local H = require "b"`}, ""},
		{map[string]string{"a.lua": declares, "b.lua": `local H = ecs.component("Health", { hp = ecs.u8(1) }) assert(ecs.native("Health"))`}, ""},
		{map[string]string{"a.lua": declares, "b.lua": `local H = ecs.native("Velocity")`}, ""},
	} {
		names := slices.Sorted(maps.Keys(c.files))
		for _, order := range [][]string{names, {names[1], names[0]}, {names[0], names[1], names[0]}} {
			if got := verdictOf(t, order, c.files, true); got != verdictOf(t, order, c.files, false) || (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("%v in the order %v:\nreloaded %s\nloaded   %s\nwant     %s", c.files, order, got, verdictOf(t, order, c.files, false), c.want)
			}
		}
	}
}

// verdictOf says why a folder is refused whose files come one after the other while the
// game runs, or all before the load.
func verdictOf(t *testing.T, order []string, files map[string]string, running bool) string {
	t.Helper()
	r := newGame(t, scripting.Limits{})
	if !running {
		for name, text := range files {
			r.write(name, text)
		}
		return text(r.host.Load(r.folder))
	}
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range order {
		r.save(name, files[name])
		r.step(1)
	}
	return text(r.reloads[len(r.reloads)-1].Err)
}

// text is that of an error, empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprint(err)
}
