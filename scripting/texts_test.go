package scripting_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestReloadsTellTheirTexts: who follows the reloads knows what is in force at each time.
func TestReloadsTellTheirTexts(t *testing.T) {
	g := loaded(t, "a.lua", `local x = 1`)
	known := g.host.Texts()
	var told []string
	remove, err := g.host.OnReload(func(r scripting.Reload) {
		told = append(told, fmt.Sprint(r.Changed, r.Removed, slices.Sorted(maps.Keys(r.Texts)), r.Err == nil))
		for name, text := range r.Texts {
			if known[name] = text; text == nil {
				delete(known, name)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	same := func() {
		t.Helper()
		now := g.host.Texts()
		if !maps.EqualFunc(known, now, func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Errorf("known %q, in force %q", known, now)
		}
	}
	stage := func(changed, removed []string) {
		g.host.Stage(changed, removed)
		g.step(1)
		same()
	}
	g.write("b.lua", `local d = ecs.data("u.json")`)
	g.folder["u.json"] = &fstest.MapFile{Data: []byte("[1]")}
	stage([]string{"b.lua"}, nil)                  // and the data file that nobody had asked for
	stage([]string{"b.lua"}, nil)                  // the same text
	g.write("b.lua", "if")                         // refused
	stage([]string{"b.lua"}, nil)                  //
	g.write("b.lua", "local x = 1")                //
	stage([]string{"b.lua"}, nil)                  //
	stage(nil, []string{"b.lua"})                  //
	if err := g.host.Unload("a.lua"); err != nil { // between two steps
		t.Fatal(err)
	}
	same()
	remove()
	want := []string{"[b.lua] [] [b.lua u.json] true", "[b.lua] [] [] true", "[b.lua] [] [] false", "[b.lua] [] [b.lua u.json] true", "[] [b.lua] [b.lua] true", "[] [a.lua] [a.lua] true"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
}
