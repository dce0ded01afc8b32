package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// transitionsText is a game in which doors go from state to state, permitted or not, come, go and lose their
// component, while the systems that do it are switched, fail and are parked.
const transitionsText = `local ecs = require "ecs"
local Door = ecs.component("Door", { state = ecs.enum("shut", "opening", "open", "stuck"), n = ecs.u8(0) }, {
  transitions = { state = { shut = "opening", opening = { "open", "stuck" }, open = "shut" } },
})
local Gate = ecs.component("Gate", { n = ecs.u8(1), state = ecs.enum("low", "high") }, { transitions = { state = { low = "high" } } })
local names = { "shut", "opening", "open", "stuck" }
ecs.on_start(function() for i = 1, 12 do ecs.spawn(Door, Gate { n = i }) end end)
ecs.system "turn" { query = { Door }, each = function(e, door)
  if ecs.random(4) == 1 then door.state = names[ecs.random(4)] end
end }
ecs.system "lift" { query = { Gate }, each = function(e, gate)
  if ecs.random(9) == 1 then if gate.state == "low" then gate.state = "high" else gate.state = "low" end end
end }
ecs.system "churn" { every = 1.5, run = function()
  for e in ecs.entities { Gate } do
    local n = ecs.random(6)
    if n == 1 then ecs.despawn(e) elseif n == 2 then ecs.remove(e, Door) elseif n == 3 then ecs.add(e, Door { state = "stuck" }) end
  end
  ecs.spawn(Door { state = "open" }, Gate)
end }
ecs.system "switch" { run = function() if ecs.random(3) == 1 then ecs.enable("turn", ecs.random(3) > 1) end end }
ecs.system "fails" { every = 0.5, run = function() if ecs.random(4) > 1 then error("a mistake") end ecs.enable("lift", ecs.random(2) == 1) end }
`

// transitions plays ticks, and returns of each the transitions that were not permitted, and what the systems are.
func (g *invariantGame) transitions(ticks int) (trace []string) {
	g.t.Helper()
	var lines []string
	remove, err := g.world.Schedule().OnViolation(func(v *ecs.Violation) { lines = append(lines, v.Error()) })
	if err != nil {
		g.t.Fatal(err)
	}
	defer remove()
	for range ticks {
		lines = lines[:0]
		g.step()
		for _, name := range g.world.Schedule().Names() {
			health, _ := g.world.Schedule().Health(name)
			lines = append(lines, name+" "+health.String())
		}
		lines = append(lines, fmt.Sprintf("%x", g.world.Checksum()))
		trace = append(trace, strings.Join(lines, "\n"))
	}
	return trace
}

// TestARestoredGameFollowsTheSameTransitions: whatever a game has done since its capture, or another host before it takes
// the game over, what is reported of states after the restore is what the game that was never stopped reports.
func TestARestoredGameFollowsTheSameTransitions(t *testing.T) {
	broken := 0
	for seed := range uint64(6) {
		options := ecs.Options{Seed: seed + 1, Tag: 9, MaxBytes: 16 << 20}
		for _, before := range []int{1, 7, 20} {
			const after = 15
			want := newInvariantGame(t, options, transitionsText).transitions(before + after)[before:]
			broken += strings.Count(strings.Join(want, "\n"), "must hold")

			g := newInvariantGame(t, options, transitionsText)
			g.transitions(before)
			kept, err := g.host.Capture()
			if err != nil {
				t.Fatal(err)
			}
			for _, astray := range []int{0, 1, 9} {
				g.transitions(astray)
				if _, err := g.host.Restore(kept); err != nil {
					t.Fatal(err)
				}
				sameTransitions(t, fmt.Sprintf("seed %d, %d ticks, %d astray", seed, before, astray), g.transitions(after), want)
			}

			scripts, err := scripting.ReadScripts(kept.Scripts().Encode(), scripting.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			options.Seed += 100
			other := newInvariantGame(t, options, transitionsText)
			options.Seed -= 100
			other.transitions(before % 5)
			if _, err := other.host.RestoreScripts(scripts, func() error { return snapshot.Restore(other.world, kept.World()) }); err != nil {
				t.Fatal(err)
			}
			sameTransitions(t, fmt.Sprintf("seed %d, %d ticks, another host", seed, before), other.transitions(after), want)
		}
	}
	if broken < 100 {
		t.Errorf("only %d transitions were not permitted", broken)
	}
}

func sameTransitions(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: tick %d after the restore:\n%s\nwant\n%s", what, i+1, got[i], want[i])
		}
	}
}
