package scripting_test

import (
	"fmt"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Two rooms share one compiled program, and each has a world of its own.
func ExampleCompile() {
	folder := fstest.MapFS{"spawn.lua": {Data: []byte(`local ecs = require "ecs"
ecs.system "spawn" { run = function() ecs.spawn() end }`)}}
	program, err := scripting.Compile(folder, scripting.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for room := range 2 {
		w := ecs.NewWorld()
		host, err := scripting.New(w, scripting.Options{})
		if err == nil {
			err = host.Load(program)
		}
		for range room + 1 {
			if err == nil {
				err = host.Step(1.0 / 60)
			}
		}
		fmt.Println(w.Stats().Entities, err)
		_ = host.Close()
		_ = w.Close()
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
}
