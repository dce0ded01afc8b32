package record_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// formed writes a game whose components have some fields of some kinds in some order, and names that change: as
// many forms as its author can give it while it runs.
func formed(r *rand.Rand) string {
	var fields []string
	given := r.Perm(5)[:r.IntN(5)]
	for _, f := range given {
		kind := []string{"f32", "f64", "u8", "i16", "i32", "u32"}[r.IntN(6)]
		if r.IntN(6) == 0 {
			fields = append(fields, fmt.Sprintf("f%d = ecs.array(ecs.%s(%d), %d)", f, kind, r.IntN(9), 1+r.IntN(4)))
		} else {
			fields = append(fields, fmt.Sprintf("f%d = ecs.%s(%d)", f, kind, r.IntN(9)))
		}
	}
	name := []string{"Form", "Shape"}[r.IntN(2)]
	other := map[string]string{"Form": "Shape", "Shape": "Form"}[name]
	return fmt.Sprintf(`local ecs, host = require "ecs", require "host"
local Place = ecs.native("Place")
local Form = ecs.component(%q, { n = ecs.i32(1), %s }, { was = %q, drop = { "f0", "f1", "f2", "f3", "f4" } })
local Late = ecs.component("Late", { %s }, { sparse = true, drop = { "f0", "f1", "f2", "f3", "f4" } })
ecs.on_start(function() for i = 1, 9 do ecs.spawn(Place { x = i }, Form { n = i }) ecs.spawn(Form { n = -i }, Late) ecs.spawn(Late) end end)
ecs.system "counts" { query = { Form }, each = function(e, f) f.n = f.n + %d end }
`, name, strings.Join(fields, ", "), other, strings.Join(fields, ", "), r.IntN(3))
}

// TestReplaysAcrossNewForms: components get other fields, kinds, orders and names while a game is recorded. From
// the beginning and from each keyframe, every tick is what was recorded.
func TestReplaysAcrossNewForms(t *testing.T) {
	n, seed := max(1, *games/2), seeds(t)
	if testing.Short() {
		n = min(n, 4)
	}
	for i := range n {
		reformed(t, seed+uint64(i), setting{workers: 1, noKernels: i%2 == 0, seed: seed})
	}
}

func reformed(t *testing.T, seed uint64, o setting) {
	const ticks, every = 40, 8
	r := rand.New(rand.NewPCG(seed, 6))
	what := fmt.Sprintf("-record.seed=%d -record.games=1\n", seed)
	g := newGame(t, o)
	g.load(formed(r))
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{Keyframes: saves.Keyframes{}, Every: every})
	must(t, err)
	var sums []uint64
	last := ""
	for range ticks {
		if r.IntN(6) == 0 {
			last = formed(r)
			g.save("a.lua", last)
		}
		must(t, g.s.Step(0.02))
		sums = append(sums, g.world.Checksum())
	}
	must(t, rec.Close())
	if rec.Missed() != nil {
		t.Fatal(what, rec.Missed())
	}
	for at := uint64(0); at < ticks; at += every {
		again := newGame(t, o)
		p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{Keyframes: saves.Keyframes{}, At: at})
		if err != nil {
			t.Fatalf("%sfrom %d: %v\n%s", what, at, err, last)
		}
		if p.Tick() != at {
			t.Fatalf("%sfrom %d: begins with %d", what, at, p.Tick())
		}
		for tick := at; tick < ticks; tick++ {
			if d, err := p.Step(); d != nil || err != nil {
				t.Fatalf("%sfrom %d: %v %v\n%s", what, at, d, err, last)
			}
			if got := again.world.Checksum(); got != sums[tick] {
				t.Fatalf("%sfrom %d: tick %d: checksum %x, want %x", what, at, tick+1, got, sums[tick])
			}
		}
	}
}

// TestKeyframesWithUnseenValues: a file is deleted while the game is recorded, and the values of its components stay. The
// replay from each keyframe is the run, and so is a rollback.
func TestKeyframesWithUnseenValues(t *testing.T) {
	const ticks, every = 30, 5
	g := newGame(t, setting{workers: 1})
	g.save("b.lua", `local ecs = require "ecs" local Q = ecs.component("Q", { x = ecs.f64(1) }) ecs.on_start(function() ecs.spawn_many(3, Q) end)`)
	g.load(planted)
	back, err := g.s.Rollback(snapshot.RingOptions{Ticks: 20})
	must(t, err)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{Keyframes: saves.Keyframes{}, Every: every})
	must(t, err)
	var sums []uint64
	for tick := range ticks {
		switch tick {
		case 7:
			delete(g.files, "b.lua")
			g.host.Stage(nil, []string{"b.lua"})
		case 22:
			g.save("b.lua", `local ecs = require "ecs" local Q = ecs.component("Q", { y = ecs.f32(3), x = ecs.f64(1) }) ecs.on_start(function() ecs.spawn_many(2, Q) end) ecs.system "q" { query = { Q }, each = function(e, q) q.y = q.y + q.x end }`)
		}
		must(t, g.s.Step(0.02))
		sums = append(sums, g.world.Checksum())
		if tick == 20 {
			must(t, back.Rewind(10))
			must(t, back.Forward(21))
			if got := g.world.Checksum(); got != sums[tick] {
				t.Fatalf("rolled back: checksum %x, want %x", got, sums[tick])
			}
		}
	}
	must(t, rec.Close())
	must(t, rec.Missed())
	for at := uint64(0); at < ticks; at += every {
		again := newGame(t, setting{workers: 1, noKernels: true})
		p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{Keyframes: saves.Keyframes{}, At: at})
		must(t, err)
		for tick := p.Tick(); tick < ticks; tick++ {
			if d, err := p.Step(); d != nil || err != nil || again.world.Checksum() != sums[tick] {
				t.Fatalf("from %d: tick %d: %v %v", at, tick+1, d, err)
			}
		}
	}
}
