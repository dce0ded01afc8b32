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
