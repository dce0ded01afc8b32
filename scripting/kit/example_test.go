package kit_test

import (
	"fmt"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// A host with the kit: the script launches a ball and reads the collision.
func Example() {
	world := ecs.NewWorld()
	defer world.Close()
	stock, err := kit.Install(world, kit.Options{})
	if err != nil {
		panic(err)
	}
	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		panic(err)
	}
	defer host.Close()
	if err := stock.Expose(host.Expose); err != nil {
		panic(err)
	}
	if err := host.Expose("say", func(text string) { fmt.Println(text) }); err != nil {
		panic(err)
	}
	if err := host.Load(fstest.MapFS{"ball.lua": {Data: []byte(`
local ecs, host = require "ecs", require "host"
local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local Collider = ecs.native("Collider")
local WALL = 2

ecs.on_start(function()
  ecs.spawn(Position { x = 10 }, Velocity { x = 30 }, Collider { radius = 1, mask = WALL })
  ecs.spawn(Position { x = 100 }, Collider { radius = 5, layer = WALL })
end)

ecs.system "touch" {
  on = ecs.native_event("Collision"),
  each = function(hit)
    local at = ecs.get(hit.a, Position)
    host.say(("at %g the ball touches %s"):format(at.x,
      hit.b == host.nearest(at.x, at.y, 50, WALL) and "the nearest wall" or "another wall"))
  end,
}
`)}}); err != nil {
		panic(err)
	}
	for range 4 {
		if err := host.Step(1); err != nil {
			panic(err)
		}
	}
	// Output:
	// at 100 the ball touches the nearest wall
}
