package game

import (
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// TestWhatPlayersDoIsRecorded: a game that was played comes to the same world when it is run again.
func TestWhatPlayersDoIsRecorded(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	files := fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
local input, S = ecs.resource("Input"), ecs.component("S", { n = ecs.f64(0) })
ecs.on_start(function() ecs.spawn(S) end)
ecs.system "s" { query = { S }, each = function(_, s) s.n = s.n * 2 + input.x + input.pointer_x end }
`)}}
	open := func() *Game {
		g, err := New(Options{Seed: 3, Tag: 9})
		must(err)
		t.Cleanup(func() { _ = g.Close() })
		return g
	}
	g := open()
	must(g.Load(files))
	var file bytes.Buffer
	rec, err := g.session.Record(&file, record.Options{})
	must(err)
	d, _ := kit.ParseKey("d")
	for n := range 20 {
		if n%3 == 0 && !g.Play(kit.Signal{Kind: kit.KeyMoved, Key: d, Down: n%2 == 0}) || !g.Play(kit.Signal{Kind: kit.PointerMoved, X: float64(n) / 7}) {
			t.Fatal("a signal is not taken")
		}
		must(g.session.Step(1.0 / 60))
	}
	must(rec.Close())
	r, err := record.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	must(err)
	again := open()
	p, err := again.Replay(r, 0, nil)
	must(err)
	for range 20 {
		d, err := p.Step()
		must(err)
		if d != nil {
			t.Fatalf("it differs: %v", d)
		}
	}
	if a, b := g.world.Checksum(), again.world.Checksum(); a != b {
		t.Errorf("%x when it was played, %x again", a, b)
	}
	played, err := New(Options{Seed: 3, Tag: 9})
	must(err)
	t.Cleanup(func() { _ = played.Close() })
	must(played.Load(files))
	for range 20 {
		must(played.session.Step(1.0 / 60))
	}
	if played.world.Checksum() == g.world.Checksum() {
		t.Error("what players do changes nothing")
	}
}
