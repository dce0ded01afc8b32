package scripting_test

import (
	"fmt"
	"log"
	"log/slog"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Lua that is typed while the game runs, and taken back.
func ExampleHost_Console() {
	world := ecs.NewWorld()
	host, err := scripting.New(world, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	err = host.Load(fstest.MapFS{"ships.lua": {Data: []byte(`local ecs = require "ecs"
local Ship, Health = ecs.tag "Ship", ecs.component("Health", { hp = ecs.f32(100) })
ecs.component("Position", { x = ecs.f32(0) })
ecs.prefab("Scout", { Ship, Health })
return { speed = 1 }
`)}})
	if err != nil {
		log.Fatal(err)
	}
	const typed = `
ecs.count(Health)                              -- the names of components, events and prefabs are globals
ecs.get(ecs.find "Ship" or 0, "Health")        -- or texts
for e, hp in each(Health) do print(e, hp.hp) end
ecs.spawn("Scout", Position { x = 10 })
require("ships").speed = 3                     -- of the script that runs
`
	if _, err := host.Console().Run(typed); err != nil {
		log.Fatal(err)
	}
	r, err := host.Console().RunUndoable(`ecs.despawn_all(Ship)`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Values[0].String(), world.Len())
	_, err = host.Console().Undo(r.Run) // with a session of package record: session.Back
	fmt.Println(world.Len(), err)
	// Output:
	// 1 0
	// 1 <nil>
}
