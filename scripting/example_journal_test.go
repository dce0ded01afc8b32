package scripting_test

import (
	"fmt"
	"log/slog"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/journal"
	"github.com/perigee-ecs/perigee/scripting"
)

// Who has changed an entity, and on which line.
func ExampleHost_PlaceOf() {
	world := ecs.NewWorld()
	defer world.Close()
	host, err := scripting.New(world, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	defer host.Close()
	j, err := journal.Open(world, journal.Options{})
	if err != nil {
		panic(err)
	}
	defer j.Close()
	if err := host.Load(fstest.MapFS{"fire.lua": {Data: []byte(`local ecs = require "ecs"
local Health = ecs.component("Health", { hp = ecs.f32(2) })
local Burning = ecs.tag "Burning"

ecs.on_start(function() ecs.spawn(Health) end)

ecs.system "fire.spread" {
  query = { Health, without = { Burning } },
  each = function(e) ecs.add(e, Burning) end,
}

ecs.system "fire.burn" {
  query = { Health, with = { Burning } },
  each = function(e, health)
    health.hp = health.hp - 1
    if health.hp <= 0 then ecs.despawn(e) end
  end,
}`)}}); err != nil {
		panic(err)
	}
	for range 4 {
		if err := host.Step(1); err != nil {
			panic(err)
		}
	}
	hero := j.Last(1)[0].Entity
	for _, e := range j.Of(hero, 20) { // the newest first
		fmt.Println(e, host.PlaceOf(e.Caller))
	}
	// Output:
	// tick 3: 1v1 was despawned, by "fire.burn" fire.lua:16:32
	// tick 1: 1v1 got Burning, by "fire.spread" fire.lua:9:26
	// tick 1: 1v1 came with Health, by "on_start fire.lua" fire.lua:5:29
}
