package record_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// largeText is a game with a function that takes so long to compile that this is done beside the ticks. Its
// list has no items at load, and grows in each tick.
func largeText() string {
	var b strings.Builder
	b.WriteString(`local ecs = require "ecs"
local Place = ecs.native("Place")
local S = ecs.state("s", { list = {} })
ecs.on_start(function()
  for i = 1, 20 do ecs.spawn(Place { x = i }) end
  for i = 1, 40 do S.list[i] = i end
end)
ecs.system "grow" { phase = "input", run = function(ctx) S.list[#S.list + 1] = ctx.tick end }
ecs.system "large" { query = { Place }, each = function(e, p)
`)
	for i := range 30 {
		fmt.Fprintf(&b, "do local q = p.x + S.list[p.x %% #S.list + 1] if q > p.y then p.y = q %% 7.%d else p.y = math.max(p.y, S.list[2] + %d) end end\n", i, i)
	}
	b.WriteString("end }\n")
	return b.String()
}

// comes returns the tick of the kernel that is being compiled, 0 if there is none.
func (g *game) comes() uint64 { return g.host.Kernels()[0].Comes }

// TestWhileALargeKernelIsCompiled a game is recorded, keeps itself, goes back and is run again: it stays the
// same game, wherever in that time this begins.
func TestWhileALargeKernelIsCompiled(t *testing.T) {
	g, k := newGame(t, setting{workers: 1}), &keep{}
	g.load(largeText())
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{Keyframes: k, Every: 1})
	must(t, err)
	sums, windows := []uint64{g.world.Checksum()}, []uint64{0}
	for range 24 {
		must(t, g.s.Step(1.0/60))
		sums, windows = append(sums, g.world.Checksum()), append(windows, g.comes())
	}
	must(t, rec.Close())
	first := uint64(0)
	for at := range windows {
		if windows[at] > uint64(at) && first == 0 {
			first = uint64(at)
		}
	}
	if s := g.host.Kernels()[0]; first == 0 || windows[first] < first+2 || windows[first] > 22 || s.Comes != 0 || !s.Compiled || s.Ran.Kernel.Rows == 0 {
		t.Fatalf("a kernel is compiled beside the ticks from %d to %d; %v", first, windows[first], s)
	}
	r := open(t, file.Bytes())
	for at := uint64(0); at <= windows[first]+1; at++ {
		for _, noKernels := range []bool{false, true}[:1+at%2] {
			again := newGame(t, setting{workers: 1, noKernels: noKernels})
			p, err := r.Play(again.s, record.PlayOptions{Keyframes: k, At: at})
			must(t, err)
			if p.Tick() != at {
				t.Fatalf("at %d: tick %d", at, p.Tick())
			}
			for tick := at + 1; tick < uint64(len(sums)); tick++ {
				if d, err := p.Step(); d != nil || err != nil || again.world.Checksum() != sums[tick] {
					t.Fatalf("from tick %d on, without kernels %v: tick %d: %v %v", at, noKernels, tick, d, err)
				}
			}
		}
	}

	g = newGame(t, setting{workers: 1})
	g.load(largeText())
	back, err := g.s.Rollback(snapshot.RingOptions{})
	must(t, err)
	for at := uint64(0); at <= windows[first]+1; at++ {
		for _, now := g.world.Time(); now < at; now++ {
			must(t, g.s.Step(1.0/60))
		}
		must(t, back.Rewind(at/2))
		for tick := at/2 + 1; tick <= at; tick++ {
			must(t, g.s.Step(1.0/60))
			if g.world.Checksum() != sums[tick] {
				t.Fatalf("from tick %d back to %d: tick %d is another one", at, at/2, tick)
			}
		}
	}
}
