package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestAReloadWarnsOfWhatCheckKnows: the verdict says what is certain to fail in functions that nobody has
// reached yet, as perigee check does, and takes the file all the same.
func TestAReloadWarnsOfWhatCheckKnows(t *testing.T) {
	const head = `local Mood = ecs.component("Mood", { kind = ecs.enum("calm", "angry"), level = ecs.f32(0) })
ecs.on_start(function() ecs.spawn(Mood) end) `
	for body, want := range map[string]string{
		`ecs.on_error(function(e) ecs.get(e.entity, Mood).level = 3 end)`:                                         "a copy",
		`ecs.on_error(function(e) local m = ecs.get(e.entity, Mood) if m.kind == "agry" then ecs.log(1) end end)`: `"angry"`,
		`ecs.on_error(function(e) local m = ecs.get(e.entity, Mood) ecs.log(m.levle) end)`:                        `"level"`,
		`ecs.on_error(function(e) ecs:log("x") end)`:                                                              "ecs.log",
	} {
		r := loaded(t, "a.lua", head)
		r.run(1)
		r.save("a.lua", head+body)
		r.accepted()
		last := r.reloads[len(r.reloads)-1]
		if len(last.Warnings) != 1 || !strings.Contains(last.Warnings[0].Error(), want) {
			t.Errorf("%s: the warnings are %v, want one with %s", body, last.Warnings, want)
			continue
		}
		if text := last.String(); !strings.Contains(text, "\n  a.lua:3:") || !strings.Contains(text, ": warning: ") {
			t.Errorf("%s: the verdict is %s", body, text)
		}
		problems, err := r.host.Check()
		if err != nil || len(problems) != 1 || problems[0].Error() != last.Warnings[0].Error() {
			t.Errorf("%s: check says %v, and the verdict %v", body, problems, last.Warnings)
		}
	}
	r := loaded(t, "a.lua", head)
	r.run(1)
	r.save("a.lua", head+" ")
	r.accepted()
	if last := r.reloads[0]; len(last.Warnings) != 0 {
		t.Errorf("warnings of a good file: %v", last.Warnings)
	}
}

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
