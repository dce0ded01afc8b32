package game

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// TestALookEndsWithTheRun: who ends the run while somebody looks at an earlier tick gets the summary, and
// the save, of the last one.
func TestALookEndsWithTheRun(t *testing.T) {
	g, err := New(Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
local Health = ecs.component("Health", { hp = ecs.f32(1) })
ecs.on_start(function() ecs.spawn(Health) end)
ecs.system "heal" { query = { Health }, each = function(_, h) h.hp = h.hp + 1 end }`)}}); err != nil {
		t.Fatal(err)
	}
	back, err := g.Session().Rollback(snapshot.RingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pace := Pace{Hz: 60, Free: true}
	l, err := g.Loop(pace)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	var sum uint64
	g.Run(ctx, pace, func() {
		if _, now := g.World().Time(); now == 7 {
			sum = g.World().Checksum()
			l.Pause()
			l.Do(func() {
				if err := back.Look(3); err != nil {
					t.Error(err)
				}
				end()
			})
		}
	})
	if _, now := g.World().Time(); now != 7 || g.World().Checksum() != sum {
		t.Errorf("the world is in tick %d", now)
	}
}
