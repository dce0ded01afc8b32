package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestRestoredGamesReachLimitsInTheSameTick: what counts for Limits.Archetypes is kept, and what counts for
// a tick begins anew with each.
func TestRestoredGamesReachLimitsInTheSameTick(t *testing.T) {
	open := func() *game {
		r := newGame(t, scripting.Limits{Archetypes: 60, TickCommands: 200})
		r.write("a.lua", manySets+`
local S = ecs.state("s", { n = 0 })
ecs.system "more" { run = function()
  S.n = S.n + 1
  combinations(S.n * 5)
end }
ecs.system "clean" { phase = "debug", run = function() for e in ecs.entities { P } do ecs.despawn(e) end end }
ecs.on_error(function(e) S.at = S.at or e.tick end)`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		return r
	}
	play := func(r *game, ticks int) (sums []string) {
		for range ticks {
			r.host.Step(0.05)
			x, err := r.host.Capture()
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, string(x.Scripts().Encode()))
		}
		return sums
	}
	straight := open()
	for range 8 {
		straight.host.Step(0.05)
	}
	want := play(straight, 8)

	r := open()
	play(r, 8)
	x, err := r.host.Capture()
	if err != nil {
		t.Fatal(err)
	}
	encoded := x.Scripts().Encode()
	check := func(what string, got []string) {
		t.Helper()
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: tick %d is\n%s\nwant\n%s", what, 9+i, got[i], want[i])
				return
			}
		}
	}
	for _, ahead := range []int{1, 8} {
		play(r, ahead)
		if _, err := r.host.Restore(x); err != nil {
			t.Fatal(err)
		}
		check("gone back", play(r, 8))
		if _, err := r.host.Restore(x); err != nil {
			t.Fatal(err)
		}
	}
	scripts, err := scripting.ReadScripts(encoded, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.host.RestoreScripts(scripts, func() error { return snapshot.Restore(r.world, x.World()) }); err != nil {
		t.Fatal(err)
	}
	check("loaded", play(r, 8))
}

// TestLoadedGamesHearOfNoFaultTwice: faults that were reported are in a save, with how often they came.
func TestLoadedGamesHearOfNoFaultTwice(t *testing.T) {
	r := newGame(t, scripting.Limits{Saved: 4096})
	r.write("a.lua", `local S = ecs.state("s", { heard = "" })
ecs.on_error(function(e) S.heard = S.heard .. e.tick .. "x" .. tostring(e.times) .. " " end)
ecs.system "fails" { run = function(ctx) if ctx.tick % 2 == 0 or ctx.tick > 12 then error("boom " .. ctx.tick .. ("long"):rep(100)) end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	capture := func() *scripting.Snapshot {
		x, err := r.host.Capture()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for range 6 {
		r.step(1)
	}
	x := capture()
	encoded := x.Scripts().Encode()
	for range 20 {
		r.step(1)
	}
	want := string(capture().Scripts().Encode())
	if !strings.Contains(want, "2x1 14x8 ") {
		t.Errorf("the game is another one: %s", want)
	}
	scripts, err := scripting.ReadScripts(encoded, scripting.Limits{Saved: 4096})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.host.RestoreScripts(scripts, func() error { return snapshot.Restore(r.world, x.World()) }); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		r.step(1)
	}
	if got := string(capture().Scripts().Encode()); got != want {
		t.Errorf("after a load:\n%s\nwant\n%s", got, want)
	}
}

// TestTextsOfValuesGoOn: the number in the text of a value is that of a game that never stopped, and a capture
// takes none.
func TestTextsOfValuesGoOn(t *testing.T) {
	open := func() *game {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", `local S = ecs.state("s", { list = {} })
local named, code = tostring({}), function() end
local early = tostring(code)
ecs.on_save(function() return tostring({}) .. tostring(S) end)
ecs.on_load(function(v) local text = tostring({}) .. tostring(code) end)
ecs.handler("h", function(data) S.data = tostring(data) end)
ecs.on_start(function() ecs.every(1, "h", {}) end)
ecs.system "texts" { run = function(ctx)
  if ctx.tick == 2 then S.first = tostring(S.list) end
  S.code, S.made, S.at = tostring(code), tostring({}) .. tostring(function() end) .. tostring(coroutine.create(code)), tostring(S.list)
  if ctx.tick == 7 then S.late = tostring(S) end
end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		return r
	}
	keeps := func(r *game) string {
		x, err := r.host.Capture()
		if err != nil {
			t.Fatal(err)
		}
		s := string(x.Scripts().Encode())
		return s[strings.Index(s, `"tables"`):]
	}
	straight := open()
	for range 9 {
		straight.step(1)
	}
	want := keeps(straight)
	r := open()
	for range 5 {
		r.step(1)
		keeps(r)
	}
	x, err := r.host.Capture()
	if err != nil {
		t.Fatal(err)
	}
	encoded := x.Scripts().Encode()
	for _, from := range []string{"never stopped", "gone back", "loaded"} {
		scripts := x.Scripts()
		if from == "loaded" {
			if scripts, err = scripting.ReadScripts(encoded, scripting.Limits{}); err != nil {
				t.Fatal(err)
			}
		}
		if from != "never stopped" {
			r.step(1)
			if _, err := r.host.RestoreScripts(scripts, func() error { return snapshot.Restore(r.world, x.World()) }); err != nil {
				t.Fatal(err)
			}
		}
		for range 4 {
			r.step(1)
		}
		if got := keeps(r); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", from, got, want)
		}
	}
}
