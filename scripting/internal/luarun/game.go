package main

import (
	"fmt"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// places are what this build has.
var places = []place{{"gopher", inGopher}, {"machine", inMachine}, {"game", inGame}}

// inGame runs a text as a script of a game. Its limits are those of a game in kind, and
// so high that no benchmark reaches them.
func inGame(source string) error {
	world, err := ecs.Open(ecs.Options{})
	if err != nil {
		return err
	}
	defer world.Close()
	const many = 1 << 40
	host, err := scripting.New(world, scripting.Options{Limits: scripting.Limits{
		Instructions: many, TickInstructions: many, Bytes: many, Table: 1 << 24, Time: time.Hour,
	}})
	if err != nil {
		return err
	}
	defer host.Close()
	for name, f := range map[string]any{
		"clock": cpuSeconds,
		"print": func(text string) { fmt.Println(text) },
	} {
		if err := host.Expose(name, f); err != nil {
			return err
		}
	}
	const adapter = `local host = require "host" local os = { clock = host.clock } local print = function(a, b) host.print(a .. "\t" .. tostring(b)) end `
	return host.Load(fstest.MapFS{"bench.lua": &fstest.MapFile{Data: []byte(adapter + source)}})
}
