package scripting_test

import (
	"fmt"
	"log/slog"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// A game goes some ticks back, and forward again.
func ExampleHost_Capture() {
	world := ecs.NewWorld()
	defer world.Close()
	host, err := scripting.New(world, scripting.Options{Logger: slog.New(&logbook{lines: new([]string)})})
	if err != nil {
		panic(err)
	}
	defer host.Close()
	var seen float64
	_ = host.Expose("show", func(n float64) { seen = n })
	err = host.Load(fstest.MapFS{"count.lua": {Data: []byte(`
local ecs, host = require "ecs", require "host"
local state = ecs.state("count", { n = 0 })
ecs.system "count" { run = function() state.n = state.n + 1 host.show(state.n) end }`)}})
	if err != nil {
		panic(err)
	}
	_ = host.Step(1.0 / 60)
	before, err := host.Capture()
	for range 5 {
		_ = host.Step(1.0 / 60)
	}
	fmt.Println(seen, err)
	found, err := host.Restore(before)
	_ = host.Step(1.0 / 60)
	fmt.Println(seen, len(found.Missing), err)
	// Output:
	// 6 <nil>
	// 2 0 <nil>
}

// A game keeps its last ticks, and goes back to one of them.
func ExampleRing() {
	world := ecs.NewWorld()
	defer world.Close()
	host, err := scripting.New(world, scripting.Options{Logger: slog.New(&logbook{lines: new([]string)})})
	if err != nil {
		panic(err)
	}
	defer host.Close()
	err = host.Load(fstest.MapFS{"count.lua": {Data: []byte(`
local ecs = require "ecs"
local state = ecs.state("count", { n = 0 })
ecs.system "count" { run = function() state.n = state.n + 1 end }`)}})
	if err != nil {
		panic(err)
	}
	ring, err := scripting.NewRing(host, snapshot.RingOptions{Ticks: 120, Bytes: 64 << 20})
	if err != nil {
		panic(err)
	}
	for range 10 {
		_ = host.Step(1.0 / 60)
		err = ring.Capture() // after each step
		if err != nil {
			panic(err)
		}
	}
	tick := uint64(7)
	found, err := ring.Restore(tick)
	_, now := world.Time()
	fmt.Println(now, ring.Len(), found.Notes, err)
	// Output:
	// 7 7 [] <nil>
}
