package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestConflictsOfASystem: one for each system of its phase that runs in another stage, with the kind, the system and the
// component that are to blame, and the text that Explain has.
func TestConflictsOfASystem(t *testing.T) {
	g := newPlanWorld(t, Options{MaxBytes: 1})
	reads, writes := g.Query(Read(g.position)), g.Query(Write(g.position))
	with := func(s System, change func(*System)) System { change(&s); return s }
	serial := with(g.parallel("d.serial", g.Query()), func(s *System) { s.Parallel, s.Serial = false, "it draws" })
	must(t, g.Schedule().Add(
		g.parallel("a.reads", reads), g.parallel("b.reads", g.Query(Read(g.position))), g.parallel("c.writes", writes),
		serial,
		g.parallel("e.writes", g.Query(Write(g.position))), g.parallel("f.reads", g.Query(Read(g.position))),
		g.parallel("g.tags", g.Query(Write(g.frozen))), g.parallel("h.tags", g.Query()),
		with(g.parallel("i.after", g.Query()), func(s *System) { s.After = []string{"h.tags"} }), g.parallel("j.free", g.Query()),
		with(g.parallel("k.shares", reads), func(s *System) { s.Priority = 1 }),
		with(g.parallel("l.later", g.Query()), func(s *System) { s.Phase = Physics }),
		with(g.parallel("m.fixed", g.Query()), func(s *System) { s.Fixed = true }),
	))
	says := func(system string) (list []string) {
		all, err := g.Schedule().Conflicts(system)
		must(t, err)
		for _, c := range all {
			other := c.First
			if other == system {
				other = c.Second
			}
			list = append(list, strings.Trim(fmt.Sprint(other[:1], ":", c.Kind, ":", c.By, ":", c.Component), ":"))
			text, err := g.Schedule().Explain(c.Second, c.First)
			must(t, err)
			if text != c.Text || slices.Index(g.Schedule().Names(), c.First) > slices.Index(g.Schedule().Names(), c.Second) {
				t.Errorf("%+v, and Explain says %s", c, text)
			}
		}
		return list
	}
	for system, want := range map[string]string{
		"a.reads":  `c:read:c.writes:Position d:serial:d.serial e:read:e.writes:Position f:between:c.writes g:tag:g.tags:Frozen h:between:c.writes i:between:c.writes j:between:c.writes k:query`,
		"c.writes": `a:read:c.writes:Position b:read:c.writes:Position d:serial:d.serial e:write::Position f:read:c.writes:Position g:tag:g.tags:Frozen h:between:d.serial i:between:d.serial j:between:d.serial k:read:c.writes:Position`,
		"h.tags":   `a:between:c.writes b:between:c.writes c:between:d.serial d:serial:d.serial e:between:f.reads f:between:g.tags g:tag:g.tags:Frozen i:order j:between:i.after k:between:i.after`,
		"l.later":  ``, "m.fixed": ``,
	} {
		if got := strings.Join(says(system), " "); got != want {
			t.Errorf("%s:\n%s, want\n%s\n%s", system, got, want, g.Schedule().Plan())
		}
	}
	if got := says("d.serial"); len(got) != 10 || strings.Count(strings.Join(got, " "), "serial:d.serial") != 10 {
		t.Error(got)
	}
	if _, err := g.Schedule().Conflicts("nobody"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if k := ConflictKind(77); k.String() != "ConflictKind(77)" || ConflictKind(0).String() != "ConflictKind(0)" {
		t.Error(k)
	}
}

// TestStatsSayWhatASystemAskedFor: its order, its events, what it touches, and why it is not parallel.
func TestStatsSayWhatASystemAskedFor(t *testing.T) {
	g := newPlanWorld(t, Options{MaxBytes: 1})
	hits := RegisterEvent[Position](g.World)
	must(t, g.Schedule().Add(
		System{Name: "a", Before: []string{"b"}, After: []string{"c?"}, Serial: "it draws", Run: idle,
			Queries: []*Query{Where(g.Query(Write(g.velocity)), g.position, func(*Position) bool { return true })}},
		g.parallel("b", g.Query(Read(g.velocity))), hits.Each(System{Name: "c"}, func(*Tick, Position) error { return nil }),
	))
	got := g.Schedule().Stats(nil)
	if s := got[slices.IndexFunc(got, func(s SystemStats) bool { return s.Name == "a" })]; s.Parallel || s.Serial != "it draws" || fmt.Sprint(s.Before, s.After, s.Reads, s.Writes) != "[b] [c?] [Position] [Velocity]" {
		t.Errorf("%+v", s)
	}
	if s := got[slices.IndexFunc(got, func(s SystemStats) bool { return s.Name == "b" })]; !s.Parallel || s.Event != "" || fmt.Sprint(s.Reads) != "[Velocity]" {
		t.Errorf("%+v", s)
	}
	if s := got[slices.IndexFunc(got, func(s SystemStats) bool { return s.Name == "c" })]; s.Event != "Position" {
		t.Errorf("%+v", s)
	}
}

// TestSpansOfATick: one for each run, also of several fixed steps; they lie in the tick, those of one worker one after
// the other, and the commands of a parallel system after all functions of its stage.
func TestSpansOfATick(t *testing.T) {
	const nap = 2 * time.Millisecond
	for _, workers := range []int{1, 3} {
		g := newPlanWorld(t, Options{Workers: workers, FixedStep: 0.5})
		g.worth = 0
		nod := func(s System) System {
			s.Run = func(tick *Tick) error {
				time.Sleep(nap)
				tick.Commands.Do(func(*World) error { time.Sleep(nap / 2); return nil })
				return nil
			}
			return s
		}
		fixed := nod(System{Name: "fixed", Fixed: true})
		must(t, g.Schedule().Add(fixed, nod(g.parallel("a", g.Query())), nod(g.parallel("b", g.Query())), nod(g.parallel("c", g.Query())),
			System{Name: "passes", Phase: Debug, Run: func(tick *Tick) error { tick.Pass(); return nil }},
			System{Name: "never", Phase: Debug, When: func(*World) bool { return false }, Run: idle}))
		var r TickReport
		_, err := g.Schedule().OnTick(func(of *TickReport) { r = *of; r.Spans = slices.Clone(of.Spans) })
		must(t, err)
		must(t, g.Step(1))
		var names []string
		begins, ends := map[string]time.Duration{}, map[int]time.Duration{}
		seen := map[int]bool{}
		var stage, settled time.Duration
		for _, s := range r.Spans {
			names = append(names, s.System)
			if s.Began < 0 || s.Settled < s.Began+s.Took || s.Settled+s.Commands+s.Observers > r.Took || s.Passed != (s.System == "passes") {
				t.Errorf("%d workers: %+v, in a tick of %v", workers, s, r.Took)
			}
			begins[s.System] = s.Began
			if len(s.System) == 1 {
				seen[s.Worker] = true
				stage, settled = max(stage, s.Began+s.Took), max(settled, s.Settled)
				if s.Commands < nap/2 || s.Worker >= workers {
					t.Errorf("%+v", s)
				}
			}
			ends[s.Worker] = max(ends[s.Worker], s.Began+s.Took)
		}
		if got := strings.Join(names, " "); got != "fixed fixed a b c passes" {
			t.Errorf("the runs are %s", got)
		}
		for _, s := range r.Spans {
			if len(s.System) == 1 && s.Settled < stage {
				t.Errorf("%d workers: the commands of %q are applied before its stage has run", workers, s.System)
			}
		}
		if len(seen) != workers {
			t.Errorf("%d workers: %v", workers, seen)
		}
		must(t, g.Step(0))
		if len(r.Spans) != 4 || r.Spans[0].System != "a" {
			t.Errorf("the second tick: %+v", r.Spans)
		}
	}
}
