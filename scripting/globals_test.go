package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestAMisspeltAssignmentIsNoted: it makes a global, and nothing fails.
func TestAMisspeltAssignmentIsNoted(t *testing.T) {
	for text, want := range map[string]string{
		`local score = 0 ecs.on_start(function() socre = score + 1 end)`:                `"socre" becomes a global (did you mean "score"? or write local)`,
		`local score = 0 ecs.on_start(function() socre = score + 1 ecs.log(socre) end)`: `"socre" becomes a global (did you mean "score"? or write local)`,
		`ecs.on_start(function() waves = 3 end)`:                                        `"waves" becomes a global, and nothing reads it: write local, if it is needed`,
		`ecs.on_start(function() waves = 3 ecs.log(waves) end)`:                         "",
		`waves = 3 ecs.on_start(function() waves = waves + 1 end)`:                      "",
		`units = {} local unit = 1 ecs.on_start(function() ecs.log(units, unit) end)`:   "",
		`local score = 0 ecs.on_start(function() score = 1 end)`:                        "",
		`ecs.on_start(function() waves = 3 ecs.log(_G.waves) end)`:                      "",
		`function spawn_all() ecs.log(1) end ecs.on_start(function() spawn_all() end)`:  "",
	} {
		r := loaded(t, "a.lua", text)
		notes, err := r.host.CheckNotes()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(notes) > 0 {
			got = notes[0].Message
		}
		if got != want || len(notes) > 1 {
			t.Errorf("%s: the notes are %v, want %q", text, notes, want)
		}
		r.run(1)
		r.save("a.lua", text+" ")
		r.accepted()
		if said := strings.Join(r.reloads[0].Notes, "\n"); want != "" && !strings.Contains(said, "a.lua:2:") || !strings.Contains(said, want) || want == "" && strings.Contains(said, "global") {
			t.Errorf("%s: the verdict says %q", text, said)
		}
		r.save("b.lua", "local a = 1") // the note is of the file that was saved
		r.accepted()
		if said := strings.Join(r.reloads[1].Notes, "\n"); strings.Contains(said, "global") {
			t.Errorf("%s: the next verdict says %q", text, said)
		}
	}
	if _, err := (*scripting.Host)(nil).CheckNotes(); err == nil {
		t.Error("no host has no notes, and no error")
	}
}
