package saves_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// A game is saved, the program ends, and another run of it goes on.
func Example() {
	dir, err := os.MkdirTemp("", "saves")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "one.save")

	host := newGame(0)
	for range 3 {
		_ = host.Step(1.0 / 60)
	}
	captured, err := host.Capture() // between two steps: the game waits for this alone
	if err == nil {
		err = saves.ToFile(path, captured, save.Options{}) // on any goroutine
	}
	fmt.Println("saved:", err)
	_ = host.Close()
	_ = host.World().Close()

	file, err := save.OpenFile(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	host = newGame(file.Tag()) // handles carry the tag
	loaded, err := saves.Load(file, host, save.LoadOptions{})
	fmt.Println("loaded:", len(loaded.Loses()), err)
	_ = host.Step(1.0 / 60)
	_ = host.Close()
	_ = host.World().Close()
	// Output:
	// saved: <nil>
	// loaded: 0 <nil>
	// tick 4
}

// newGame makes a host with a script that counts its ticks.
func newGame(tag uint16) *scripting.Host {
	world, err := ecs.Open(ecs.Options{Tag: tag})
	if err != nil {
		panic(err)
	}
	host, err := scripting.New(world, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	_ = host.Expose("show", func(n int) {
		if n > 3 {
			fmt.Println("tick", n)
		}
	})
	err = host.Load(fstest.MapFS{"count.lua": {Data: []byte(`
local ecs, host = require "ecs", require "host"
local state = ecs.state("count", { n = 0 })
ecs.system "count" { run = function() state.n = state.n + 1 host.show(state.n) end }`)}})
	if err != nil {
		panic(err)
	}
	return host
}
