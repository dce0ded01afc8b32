package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// keeps returns what the scripts of a game keep, as bytes.
func (g *game) keeps() []byte {
	g.t.Helper()
	var x scripting.Scripts
	must(g.t, g.host.UpdateScripts(&x))
	return x.Encode()
}

// TestLookingLeavesNoTrace: random games in which somebody looks at earlier ticks, again and again, are
// the games in which nobody does: after each tick, in the recording, and in what scripts keep. Each tick that is
// looked at is the world that it was, also from before a reload.
func TestLookingLeavesNoTrace(t *testing.T) {
	seed := seeds(t)
	for i := range uint64(6) {
		looked(t, seed+i, setting{workers: []int{1, 4}[i%2], noKernels: i%4 < 2, seed: seed})
	}
}

func looked(t *testing.T, seed uint64, o setting) {
	const ticks = 50
	r := rand.New(rand.NewPCG(seed, 6))
	what := fmt.Sprintf("-record.seed=%d", seed)
	reload := uint64(10 + r.IntN(30))
	straight, g := newGame(t, o), newGame(t, o)
	straight.load(text(seed))
	g.load(text(seed))
	back, err := g.s.Rollback(snapshot.RingOptions{Ticks: 30, Bytes: int64(r.IntN(2)) * (800 << 10)})
	must(t, err)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	sums, looks, early := []uint64{g.world.Checksum()}, 0, 0
	for tick := range uint64(ticks) {
		for _, x := range []*game{straight, g} {
			x.inputs(seed, tick)
			if tick == reload {
				x.save("a.lua", text(seed+1))
			}
			must(t, x.s.Step(0.03)) // that of g ends a look, if there is one
		}
		if got, want := g.world.Checksum(), straight.world.Checksum(); got != want {
			t.Fatalf("%s: after %d looks, tick %d: checksum %x, want %x", what, looks, tick+1, got, want)
		}
		sums = append(sums, g.world.Checksum())
		for range r.IntN(4) {
			kept := slices.Collect(back.Ticks())
			at := kept[r.IntN(len(kept))]
			switch err := back.Look(at); {
			case err != nil && at <= reload && strings.Contains(err.Error(), "other fields"):
				continue
			case err != nil:
				t.Fatal(what, err)
			}
			looks++
			if x := back.Scripts(at); x.Encode() == nil || tickOf(x) != at {
				t.Fatalf("%s: scripts of tick %d, want %d", what, tickOf(x), at)
			}
			if at <= reload && tick > reload {
				early++
			}
			if now, ok := back.Looking(); now != at || !ok || g.world.Checksum() != sums[at] {
				t.Fatalf("%s: tick %d is another world: %d, %v", what, at, now, ok)
			}
			must(t, g.world.Check())
			if r.IntN(3) == 0 {
				must(t, back.Return())
			}
		}
	}
	must(t, back.Return())
	if !bytes.Equal(g.keeps(), straight.keeps()) {
		t.Fatal(what, "scripts keep something else")
	}
	must(t, rec.Close())
	again := newGame(t, o)
	p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{})
	must(t, err)
	if d, err := p.Bisect(t.Context(), 0); d != nil || err != nil {
		t.Fatal(what, d, err)
	}
	if looks < 20 {
		t.Errorf("%s: %d looks, %d from before the reload", what, looks, early)
	}
}

// TestRunningOnFromATick: who looks at a tick, makes it the present and gives the same inputs again
// comes to the same ticks, with what scripts keep.
func TestRunningOnFromATick(t *testing.T) {
	seed := seeds(t)
	for i := range uint64(4) {
		o := setting{workers: []int{1, 4}[i%2], noKernels: i < 2, seed: seed}
		g, what := newGame(t, o), fmt.Sprintf("-record.seed=%d", seed+i)
		g.load(text(seed + i))
		back, err := g.s.Rollback(snapshot.RingOptions{})
		must(t, err)
		sums, kept := []uint64{g.world.Checksum()}, [][]byte{g.keeps()}
		winds := []float64{g.wind.X} // the host's own, which goes back with the resource
		run := func(to uint64) {
			for _, tick := g.world.Time(); tick < to; tick++ {
				g.inputs(seed, tick)
				must(t, g.s.Step(0.03))
				sums, kept, winds = append(sums, g.world.Checksum()), append(kept, g.keeps()), append(winds, g.wind.X)
			}
		}
		run(40)
		for _, at := range []uint64{37, 12, 30, 1} {
			must(t, back.Look((at+40)/2))
			must(t, back.Look(at))
			must(t, back.Rewind(at))
			if _, ok := back.Looking(); ok || g.wind.X != winds[at] {
				t.Fatal(what, "the look goes on", g.wind.X, winds[at])
			}
			wantSums, wantKept := slices.Clone(sums), kept
			sums, kept, winds = sums[:at+1], slices.Clone(kept[:at+1]), winds[:at+1]
			run(40)
			if !slices.Equal(sums, wantSums) || !slices.EqualFunc(kept, wantKept, bytes.Equal) {
				t.Fatalf("%s: from tick %d on it is another game", what, at)
			}
		}
	}
}

// byTicks counts by so much in each tick.
const byTicks = `local ecs = require "ecs"
local S = ecs.state("s", { n = 0 })
local Place = ecs.native("Place")
ecs.on_start(function() ecs.spawn(Place { x = 0 }) end)
ecs.system "count" { run = function() S.n = S.n + 1 end }
ecs.system "move" { query = { Place }, each = function(_, p) p.x = p.x + BY end }
ecs.system "tell" { run = function() ecs.set(ecs.find { Place }, Place { y = S.n, x = ecs.get(ecs.find { Place }, Place).x }) end }
`

// TestTicksFromBeforeAReload are looked at and run on with the new text, unless a recording has the old one.
func TestTicksFromBeforeAReload(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		g := newGame(t, setting{workers: 1})
		g.load(strings.ReplaceAll(byTicks, "BY", "1"))
		back, err := g.s.Rollback(snapshot.RingOptions{})
		must(t, err)
		if recorded {
			_, err := g.s.Record(io.Discard, record.Options{})
			must(t, err)
		}
		where := func() place {
			for c := range g.world.Query(ecs.Read(ecs.Register[place](g.world, ecs.Named("Place")))).Chunks() {
				return ecs.Register[place](g.world, ecs.Named("Place")).Of(c)[0]
			}
			return place{}
		}
		step := func(n int) {
			for range n {
				must(t, g.s.Step(0.1))
			}
		}
		step(5)
		g.save("a.lua", strings.ReplaceAll(byTicks, "BY", "10"))
		step(5)
		if got := where(); got != (place{55, 10}) {
			t.Fatal(got)
		}
		must(t, back.Look(3))
		if got := where(); got != (place{3, 3}) {
			t.Error(got)
		}
		if oldest, newest := back.Range(); oldest != 6 || newest != 10 {
			t.Error(oldest, newest)
		}
		err = back.Rewind(3)
		if recorded {
			if !errors.Is(err, snapshot.ErrNotKept) {
				t.Error(err)
			}
			continue
		}
		must(t, err)
		if found := back.Restored(); !slices.Equal(found.Changed, []string{"a.lua"}) || len(found.New)+len(found.Missing) > 0 {
			t.Errorf("%+v", found)
		}
		step(2)
		if got := where(); got != (place{23, 5}) {
			t.Error(got)
		}
		if oldest, newest := back.Range(); oldest != 3 || newest != 5 || !slices.Equal(slices.Collect(back.Ticks()), []uint64{0, 1, 2, 3, 4, 5}) {
			t.Error(oldest, newest, slices.Collect(back.Ticks()))
		}
	}
}

// TestTicksOfOtherComponents cannot be looked at: a reload has given a component another field. The world
// stays what it is, and ticks after the reload are shown.
func TestTicksOfOtherComponents(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	const health = `local ecs = require "ecs" local Health = ecs.component("Health", { hp = ecs.f32(1) })
ecs.on_start(function() for _ = 1, 99 do ecs.spawn(Health) end end)
ecs.system "heal" { query = { Health }, each = function(_, h) h.hp = h.hp + 1 end }`
	g.load(health)
	b, err := g.s.Rollback(snapshot.RingOptions{})
	must(t, err)
	var sums []uint64
	for tick := range 8 {
		if tick == 4 {
			g.save("a.lua", strings.Replace(health, "hp = ecs.f32(1)", "hp = ecs.f32(1), armor = ecs.f64(2)", 1))
		}
		must(t, g.s.Step(0.1))
		sums = append(sums, g.world.Checksum())
	}
	for _, tick := range []uint64{2, 7, 4, 6, 5, 8} {
		err := b.Look(tick)
		if tick <= 4 {
			if err == nil || !strings.Contains(err.Error(), `"Health" has other fields`) {
				t.Errorf("tick %d: %v", tick, err)
			}
			if err := b.Rewind(tick); err == nil || !strings.Contains(err.Error(), `"Health" has other fields`) {
				t.Errorf("tick %d: %v", tick, err)
			}
			tick = 8
		} else if err != nil {
			t.Fatal(err)
		}
		if g.world.Checksum() != sums[tick-1] || g.world.Check() != nil {
			t.Errorf("tick %d is another world: %v", tick, g.world.Check())
		}
	}
}

// TestALookEnds with the next step, with the rollback and with the session; what the host has changed
// since the last step is there again. What cannot be looked at changes nothing.
func TestALookEnds(t *testing.T) {
	places := func(g *game) ecs.Component[place] { return ecs.Register[place](g.world, ecs.Named("Place")) }
	for name, end := range map[string]func(*game, *record.Rollback){
		"a step":  func(g *game, _ *record.Rollback) { must(t, g.s.Step(0.1)) },
		"Return":  func(_ *game, b *record.Rollback) { must(t, b.Return()); must(t, b.Return()) },
		"Present": func(g *game, _ *record.Rollback) { must(t, g.s.Present()) },
		"Record": func(g *game, _ *record.Rollback) {
			k := &keep{}
			rec, err := g.s.Record(io.Discard, record.Options{Keyframes: k})
			must(t, err)
			if now, _ := k.all[0].Tick(); now != 9 {
				t.Errorf("a recording begins with tick %d", now)
			}
			must(t, rec.Close())
		},
		"Close":    func(_ *game, b *record.Rollback) { b.Close() },
		"Session":  func(g *game, _ *record.Rollback) { must(t, g.s.Close()) },
		"Forward":  func(_ *game, b *record.Rollback) { must(t, b.Forward(9)) },
		"the same": func(_ *game, b *record.Rollback) { must(t, b.Look(9)); must(t, b.Return()) },
	} {
		g := newGame(t, setting{workers: 1})
		g.load(strings.ReplaceAll(byTicks, "BY", "1"))
		b, err := g.s.Rollback(snapshot.RingOptions{Ticks: 6})
		must(t, err)
		for range 9 {
			must(t, g.s.Step(0.1))
		}
		e := g.world.Spawn(places(g).With(place{1000, 1})) // between two steps
		sum := g.world.Checksum()
		for _, no := range []uint64{3, 10, 1 << 60} {
			if err := b.Look(no); !errors.Is(err, snapshot.ErrNotKept) {
				t.Errorf("%d: %v", no, err)
			}
		}
		if _, ok := b.Looking(); ok || g.world.Checksum() != sum {
			t.Error(name, "a look that is refused has changed the world")
		}
		must(t, b.Look(5))
		must(t, b.Look(7))
		if g.world.Alive(e) {
			t.Error(name, "the entity is in tick 7")
		}
		end(g, b)
		if _, ok := b.Looking(); ok || !g.world.Alive(e) || name != "a step" && g.world.Checksum() != sum {
			t.Error(name, "the world is not what it was", ok)
		}
		if _, now := g.world.Time(); name == "a step" && now != 10 {
			t.Errorf("tick %d", now)
		}
	}
	must(t, (*record.Session)(nil).Present())
	var none *record.Rollback
	if none.Scripts(0) != nil {
		t.Error("scripts of nothing")
	}
	if err := none.Look(0); !errors.Is(err, snapshot.ErrNotKept) || none.Return() != nil || none.Err() != nil || len(slices.Collect(none.Ticks())) > 0 {
		t.Error("a rollback of nothing", err)
	}
}

// TestALoadedGameBeginsAnew: a world that is in another tick than the last step has left it was loaded, and
// what is kept is of another game.
func TestALoadedGameBeginsAnew(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	g.load(strings.ReplaceAll(byTicks, "BY", "1"))
	b, err := g.s.Rollback(snapshot.RingOptions{})
	must(t, err)
	for range 3 {
		must(t, g.s.Step(0.1))
	}
	early, err := g.host.Capture()
	must(t, err)
	for range 30 {
		must(t, g.s.Step(0.1))
	}
	late, err := g.host.Capture()
	must(t, err)
	for _, s := range []*scripting.Snapshot{early, late} {
		_, err := g.host.Restore(s)
		must(t, err)
		must(t, g.s.Step(0.1))
		now, _ := s.Tick()
		if oldest, newest := b.Range(); oldest != now+1 || newest != now+1 || len(slices.Collect(b.Ticks())) != 1 {
			t.Errorf("after a load of tick %d: from %d to %d, %v", now, oldest, newest, slices.Collect(b.Ticks()))
		}
	}
}

// TestWhyNothingIsKept: a rollback that has too little memory, or a script that cannot be kept, says so
// and begins when it can.
func TestWhyNothingIsKept(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	g.load(`local ecs = require "ecs" local n = 0 ecs.on_save(function() n = n + 1 if n == 3 then return print end return n end)`)
	b, err := g.s.Rollback(snapshot.RingOptions{})
	must(t, err)
	must(t, g.s.Step(0.1))
	must(t, b.Err())
	if err := g.s.Step(0.1); err == nil || b.Err() == nil || !strings.Contains(b.Err().Error(), "a.lua") || len(slices.Collect(b.Ticks())) > 0 {
		t.Error(err, b.Err())
	}
	must(t, g.s.Step(0.1))
	must(t, b.Err())
	if got := slices.Collect(b.Ticks()); !slices.Equal(got, []uint64{3}) {
		t.Error(got)
	}
}

// tickOf returns the tick of what scripts keep.
func tickOf(x *scripting.Scripts) uint64 {
	n, _ := x.Tick()
	return n
}

// TestNothingIsCapturedWhileALookLasts: the world is of another tick than what scripts keep.
func TestNothingIsCapturedWhileALookLasts(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	g.load(`local ecs = require "ecs" local S = ecs.state("s", { n = 0 }) ecs.system "n" { run = function() S.n = S.n + 1 end }`)
	b, err := g.s.Rollback(snapshot.RingOptions{})
	must(t, err)
	for range 5 {
		must(t, g.s.Step(0.1))
	}
	must(t, b.Look(2))
	if _, err := g.host.Capture(); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	must(t, b.Look(3))
	must(t, g.s.Present())
	kept, err := g.host.Capture()
	must(t, err)
	must(t, b.Look(2))
	_, err = g.host.Restore(kept)
	must(t, err)
	_, err = g.host.Capture()
	must(t, err)
}
