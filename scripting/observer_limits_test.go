package scripting_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestObserversRestOnceTheTickIsUsedUp: many observers and many changes use up the instructions of
// the tick. Each observer fails once then, and not for each change.
func TestObserversRestOnceTheTickIsUsedUp(t *testing.T) {
	const observers, spawned, ticks = 20, 1000, 5
	r := newGame(t, scripting.Limits{Instructions: 40_000, TickInstructions: 60_000, LogLines: -1})
	text := "local T, s = ecs.tag('T'), ecs.state('s', { told = 0 })\n"
	for i := range observers {
		text += fmt.Sprintf("ecs.on_spawn('o%d', function(e) s.told = s.told + 1 end)\n", i)
	}
	r.write("a.lua", text+fmt.Sprintf(`ecs.system "spawns" { run = function() for i = 1, %d do ecs.spawn(T) end end }
ecs.system "shows" { phase = "debug", run = function(ctx) if ctx.tick == %d then ecs.log(s.told) end end }`, spawned, ticks))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(ticks)
	if n := len(r.errors); n == 0 || n > ticks*(observers+5) {
		t.Errorf("%d errors in %d ticks of %d observers", n, ticks, observers)
	}
	if got := r.world.Len(); got != spawned*ticks {
		t.Errorf("%d entities", got)
	}
	if r.logged() == "0" {
		t.Error("no observer was told anything")
	}
}
