package inspect

import (
	"fmt"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// report is one of a tick with runs.
func report(n uint64, took time.Duration, runs int) *ecs.TickReport {
	r := &ecs.TickReport{N: n, Took: took, Systems: []ecs.SystemReport{{Name: "a", Phase: ecs.Logic, Failures: 1}, {Name: "b"}}}
	for range runs {
		r.Spans = append(r.Spans, ecs.Span{System: "a", Took: took})
	}
	return r
}

// TestFlamesAreBounded: in ticks and in runs; they use their memory again, and go when nobody has asked for long.
func TestFlamesAreBounded(t *testing.T) {
	var f flames
	f.add(report(1, 1, 1))
	if f.made != 0 || f.left(time.Now()) {
		t.Error("ticks are kept although nobody looks")
	}
	now := time.Now()
	if !f.look(now) || f.look(now) {
		t.Error("look begins once")
	}
	for n := range uint64(1000) {
		f.add(report(n+1, time.Duration(n*7919%1000), int(n%3)))
	}
	if len(f.ring) != flameTicks || len(f.slow) != flameSlow || f.last().tick != 1000 {
		t.Errorf("%d ticks, %d slow ones, the last is %d", len(f.ring), len(f.slow), f.last().tick)
	}
	for k, s := range f.slow {
		if want := time.Duration(999 - k); s.took != want || len(s.runs) > 0 && s.runs[0].took != us(want) || s.failures != 1 {
			t.Errorf("slow %d: %v with %v, want %v", k, s.took, s.runs, want)
		}
	}
	if one, ok := f.find(f.slow[3].tick); !ok || one.took != 996 {
		t.Error(one)
	}
	f.add(report(1001, 5, mostRuns+5))
	if one, _ := f.find(1001); len(one.runs) != mostRuns || one.leftOut != 5 {
		t.Errorf("%d runs are kept, %d are not", len(one.runs), one.leftOut)
	}
	r, n := report(0, 3, 40), uint64(1002)
	for range 2 * flameTicks { // the ring has their room by then
		r.N, n = n, n+1
		f.add(r)
	}
	if allocs := testing.AllocsPerRun(100, func() { r.N, n = n, n+1; f.add(r) }); allocs != 0 {
		t.Errorf("a tick that is kept allocates %v times", allocs)
	}
	f.add(report(40, 2, 1)) // the world has gone back
	for _, s := range f.slow {
		if s.tick >= 40 && s.took != 2 {
			t.Errorf("tick %d was given up", s.tick)
		}
	}
	if len(f.ring) != 1 || f.last().tick != 40 || f.since > 40 {
		t.Errorf("%d ticks since %d", len(f.ring), f.since)
	}
	if f.left(now.Add(flameTime-1)) || !f.left(now.Add(flameTime)) || f.on || f.ring != nil {
		t.Error("they do not go")
	}
}

// TestSystemsOfFlames: a flame keeps the schedule of its tick.
func TestSystemsOfFlames(t *testing.T) {
	var f flames
	f.look(time.Now())
	f.add(report(1, 1, 1))
	r := report(2, 1, 1)
	r.Systems[0].Phase = ecs.Physics
	f.add(r)
	for tick, want := range map[uint64]string{1: "logic", 2: "physics"} {
		one, _ := f.find(tick)
		if got := newFlame(&one).Bars[0]; fmt.Sprint(got.System, got.Phase) != "a"+want {
			t.Errorf("tick %d: %+v", tick, got)
		}
	}
}

// TestRunsOfNobody: a run of a system that is not in the list is left out.
func TestRunsOfNobody(t *testing.T) {
	var f flames
	f.look(time.Now())
	r := report(1, 1, 1)
	r.Spans = append(r.Spans, ecs.Span{System: "nobody"}, ecs.Span{System: "b"}, ecs.Span{System: "a"})
	f.add(r)
	if one := newFlame(f.last()); len(one.Bars) != 3 || one.LeftOut != 1 || one.Bars[1].System != "b" || one.Bars[2].System != "a" {
		t.Errorf("%+v", one)
	}
	f.add(&ecs.TickReport{N: 2, Spans: r.Spans})
	if one := newFlame(f.last()); len(one.Bars) != 0 || one.LeftOut != 4 {
		t.Errorf("%+v", one)
	}
}

// TestWhoLooksAtTicksLeaves: the function at ticks goes when nobody has asked for long.
func TestWhoLooksAtTicksLeaves(t *testing.T) {
	i := idle(t)
	w := &i.watch
	w.flames.look(time.Now())
	w.users.Add(1)
	if err := i.hook(); err != nil {
		t.Fatal(err)
	}
	step := func() {
		t.Helper()
		if err := i.host.Step(0.1); err != nil {
			t.Fatal(err)
		}
	}
	if step(); w.remove == nil || w.flames.made != 1 {
		t.Error("the tick is not kept")
	}
	w.flames.asked = time.Now().Add(-flameTime)
	if step(); w.remove != nil || w.users.Load() != 0 || w.flames.on {
		t.Error("the function at ticks stays")
	}
}
