package scripting_test

import (
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// thorns are what is tested below.
const thorns = `
local Place = ecs.native("Place")
ecs.system "thorns" { query = { Place }, each = function(e, place, ctx)
  place.y = place.y - ecs.random() * ctx.dt
  if place.y < 0 then ecs.despawn(e) end
end }`

// TestThorns is how a test of a program's own plays a script: no clock, no folder on disk, and
// no fault that goes unseen.
func TestThorns(t *testing.T) {
	world := playThorns(t, 1)
	if world.Len() == 0 || world.Len() == 10 {
		t.Errorf("after five seconds %d of 10 are left", world.Len())
	}
	if one, two := world.Checksum(), playThorns(t, 1).Checksum(); one != two {
		t.Errorf("the same seed came to %x and %x", one, two)
	}
}

func playThorns(t *testing.T, seed uint64) *ecs.World {
	world, err := ecs.Open(ecs.Options{Seed: seed, Tag: 1}) // so that handles are the same, too
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { world.Close() })
	place := ecs.Register[Place](world)
	for i := range 10 {
		world.Spawn(place.With(Place{Y: float64(i) / 2}))
	}
	host, err := scripting.New(world, scripting.Options{
		OnError: func(e *scripting.Error) { t.Error(e.Detail()) }, // with the line and a caret
		Limits:  scripting.ReleaseLimits(60),                      // what players will have
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	if err := host.Load(fstest.MapFS{"thorns.lua": {Data: []byte("local ecs = require 'ecs'" + thorns)}}); err != nil {
		t.Fatal(err)
	}
	problems, err := host.Check() // what would fail in lines that no test reaches
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	for range 5 * 60 {
		if err := host.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	return world
}
