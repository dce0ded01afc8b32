package scripting_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// Sign is a component with a text.
type Sign struct{ Text string }

// TestTextsInFieldsOfTheHostHaveALimit: one that is too long is refused, and so are more when all of them
// together take too much. What goes makes room.
func TestTextsInFieldsOfTheHostHaveALimit(t *testing.T) {
	for name, c := range map[string]struct {
		text, limit string
		left        int
	}{
		"too long, spawned": {`ecs.spawn(Sign { text = ("x"):rep(4097) })`, "FieldText", 0},
		"too long, set":     {`local e = ecs.spawn(Sign) ecs.set(e, Sign { text = ("x"):rep(4097) })`, "FieldText", 0},
		"too long, updated": {`local e = ecs.spawn(Sign) ecs.update(e, Sign, function(s) s.text = ("x"):rep(4097) end)`, "FieldText", 0},
		"long":              {`ecs.spawn(Sign { text = ("x"):rep(4096) })`, "", 20},
		"too many":          {`for i = 1, 10 do ecs.spawn(Sign { text = ("x"):rep(1000) }) end`, "FieldTexts", 100},
		"others make room":  {`ecs.despawn_all { Sign } for i = 1, 10 do ecs.spawn(Sign { text = ("x"):rep(1000) }) end`, "", 10},
	} {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{FieldTexts: 100_000})
			ecs.Register[Sign](r.world)
			r.write("a.lua", `local Sign = ecs.native("Sign") ecs.system "t" { run = function() `+c.text+` end }`)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.step(20)
			if (c.limit == "") != (len(r.errors) == 0) {
				t.Errorf("%d errors: %v", len(r.errors), r.errors)
			}
			for _, e := range r.errors {
				if e.Limit != c.limit || e.Script != "a.lua" || e.Line != 2 || e.Column == 0 || !strings.Contains(e.Message, `field "text"`) {
					t.Errorf("%v", e)
				}
			}
			if got := r.world.Len(); got < c.left-1 || got > c.left {
				t.Errorf("%d entities, want %d, or one less", got, c.left)
			}
			if n := r.world.Raw().TextBytes(); n > 100_000 {
				t.Errorf("%d bytes of texts", n)
			}
		})
	}
}

// TestTextsAreCountedAnewAfterARestore: what a restore brings back takes room, and what it takes away
// gives room.
func TestTextsAreCountedAnewAfterARestore(t *testing.T) {
	r := newGame(t, scripting.Limits{FieldTexts: 100_000})
	sign := ecs.Register[Sign](r.world)
	r.write("a.lua", `local Sign = ecs.native("Sign")
ecs.system "t" { run = function() ecs.spawn(Sign { text = ("x"):rep(1000) }) end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	empty, err := snapshot.Capture(r.world)
	if err != nil {
		t.Fatal(err)
	}
	for range 98 {
		r.world.Spawn(sign.With(Sign{strings.Repeat("y", 1000)}))
	}
	full, err := snapshot.Capture(r.world)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		to       *snapshot.Snapshot
		refusals bool
	}{{empty, false}, {full, true}, {empty, false}} {
		if err := snapshot.Restore(r.world, c.to); err != nil {
			t.Fatal(err)
		}
		r.errors = nil
		r.step(4)
		if (len(r.errors) > 0) != c.refusals {
			t.Errorf("refusals %v, got %v", c.refusals, r.errors)
		}
		if n := r.world.Raw().TextBytes(); n > 100_000 {
			t.Errorf("%d bytes of texts", n)
		}
	}
}

// TestTextsAreRefusedAlikeAfterARestore: a world that is near its limit refuses the same texts whether it has
// never stopped, or is captured after each step, or captured and restored.
func TestTextsAreRefusedAlikeAfterARestore(t *testing.T) {
	const script = `local Sign = ecs.native("Sign")
local n = 0
ecs.system "spawns" { run = function(ctx)
  for i = 1, 10 do ecs.spawn(Sign { text = ("x"):rep(ecs.random(0, 900)) }) end
end }
ecs.system "writes" { query = { Sign }, each = function(e, s) if ecs.random() < 0.3 then s.text = ("y"):rep(ecs.random(0, 900)) end end }
ecs.system "takes" { run = function(ctx)
  for e in ecs.entities(Sign) do if ecs.random() < 0.1 then ecs.despawn(e) end end
end }
ecs.system "spawns more" { run = function(ctx)
  for i = 1, 10 do ecs.spawn(Sign { text = ("x"):rep(ecs.random(0, 900)) }) end
end }`
	run := func(after func(r *game)) (errors []string, sum uint64) {
		r := newGame(t, scripting.Limits{FieldTexts: 60_000})
		sign := ecs.Register[Sign](r.world)
		r.write("a.lua", script)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			r.errors = nil
			r.step(1)
			for _, e := range r.errors {
				errors = append(errors, e.Error())
			}
			// A Run between two steps, in which Go makes room, and a script could write.
			err := r.world.Run("go", func(tick *ecs.Tick) error {
				for c := range r.world.Query(ecs.Write(sign)).Chunks() {
					sign.Mut(c)[0].Text = ""
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			after(r)
		}
		return errors, r.world.Checksum()
	}
	want, sum := run(func(*game) {})
	if len(want) < 10 {
		t.Fatalf("%d refusals: the world is not near its limit", len(want))
	}
	capture := func(r *game) *snapshot.Snapshot {
		s, err := snapshot.Capture(r.world)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, after := range map[string]func(r *game){
		"captured": func(r *game) { capture(r) },
		"restored": func(r *game) {
			if err := snapshot.Restore(r.world, capture(r)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		got, now := run(after)
		if !slices.Equal(got, want) || now != sum {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: checksum %x, want %x, %d refusals, want %d, other from number %d on: %q, want %q",
				name, now, sum, len(got), len(want), at, got[at:min(at+1, len(got))], want[at:min(at+1, len(want))])
		}
	}
}
