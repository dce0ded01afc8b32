package game

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWarningsAreWhatCheckKnows: what is certain to fail and not reached yet is said once, and again only
// when it is new; a folder that does not load has none.
func TestWarningsAreWhatCheckKnows(t *testing.T) {
	const head = `local ecs = require "ecs"
local Mood = ecs.component("Mood", { kind = ecs.enum("calm", "angry"), level = ecs.f32(0) })
`
	for body, want := range map[string]string{
		`ecs.on_error(function(e) ecs.get(e.entity, Mood).level = 3 end)`:                                         "copy",
		`ecs.on_error(function(e) local m = ecs.get(e.entity, Mood) if m.kind == "agry" then ecs.log(1) end end)`: `"angry"`,
		`ecs.on_error(function(e) local m = ecs.get(e.entity, Mood) ecs.log(m.levle) end)`:                        `"level"`,
		`ecs.on_error(function(e) ecs:log("x") end)`:                                                              "ecs.log",
	} {
		dir, said := t.TempDir(), []string(nil)
		write := func(text string) {
			must(t, os.WriteFile(filepath.Join(dir, "a.lua"), []byte(text), 0o644))
		}
		w := NewWarnings(dir, func(text string) { said = append(said, text) })
		look := func(text string) {
			write(text)
			w.Look(nil)
			w.Wait()
		}
		look(head + body)
		if len(said) != 1 || !strings.HasPrefix(said[0], "a.lua:3:") || !strings.Contains(said[0], ": warning: ") || !strings.Contains(said[0], want) {
			t.Errorf("%s: said %q, want one with %s", body, said, want)
		}
		look(head + body + " ")
		if len(said) != 1 {
			t.Errorf("%s: said again: %q", body, said)
		}
		look("if")
		look(head)
		look(head + body)
		if len(said) != 2 {
			t.Errorf("%s: it has come again, and what is said is %q", body, said)
		}
	}
}
