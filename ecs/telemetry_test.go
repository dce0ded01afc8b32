package ecs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// reports collects copies of what OnTick gives.
func reports(t testing.TB, w *World) *[]TickReport {
	t.Helper()
	var list []TickReport
	_, err := w.Schedule().OnTick(func(r *TickReport) {
		c := *r
		c.Systems = slices.Clone(r.Systems)
		list = append(list, c)
	})
	must(t, err)
	return &list
}

// TestReportsSayWhatATickDid: rows, runs, failures, fixed steps and durations of serial and of
// parallel systems.
func TestReportsSayWhatATickDid(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			g := newPlanWorld(t, Options{Workers: workers, FixedStep: 0.5})
			g.worth = 0
			g.many(3000)
			const nap = 2 * time.Millisecond
			loop := func(tick *Tick, q *Query) {
				for range q.Chunks() {
				}
			}
			moving, burning, serial := g.Query(Write(g.position)), g.Query(Write(g.burning)), g.Query(Read(g.position))
			spread := g.Query(Write(g.velocity))
			matched := map[string]int{"moving": moving.Count(), "burning": burning.Count(), "serial": serial.Count(), "spread": spread.Count()}
			must(t, g.Schedule().Add(
				System{Name: "moving", Phase: Physics, Parallel: true, Queries: []*Query{moving}, Run: func(tick *Tick) error {
					time.Sleep(nap)
					loop(tick, moving)
					return nil
				}},
				System{Name: "spread", Phase: Physics, Parallel: true, Queries: []*Query{spread, spread}, Run: func(tick *Tick) error {
					return tick.Parallel(spread, func(*Tick, *Chunk) {})
				}},
				System{Name: "burning", Fixed: true, Queries: []*Query{burning}, Run: func(tick *Tick) error {
					loop(tick, burning)
					return nil
				}},
				System{Name: "serial", Phase: Logic, Queries: []*Query{serial}, Run: func(tick *Tick) error {
					for range Rows(serial, g.position) {
						break // the chunk counts
					}
					loop(tick, serial)
					tick.Commands.Do(func(*World) error { time.Sleep(nap); return nil })
					tick.Commands.Add(tick.Commands.Spawn(), g.frozen.With(Frozen{}))
					return nil
				}},
				System{Name: "bad", Phase: Debug, Run: func(*Tick) error { return errors.New("bad") }},
				System{Name: "never", Phase: Debug, When: func(*World) bool { return false }, Run: idle},
			))
			must(t, g.Observe(Observer{Name: "nap", On: OnSpawn, Run: func(*Tick, Notice) error { time.Sleep(nap); return nil }}))
			got := reports(t, g.World)
			entities := g.Len()
			if err := g.Step(1); err == nil {
				t.Fatal("the bad system succeeded")
			}
			r := (*got)[0]
			if r.World != g.World || r.N != 1 || r.DT != 1 || r.Time != 1 || r.FixedSteps != 2 || r.Entities != entities+1 || r.Cut || r.Moves != 1 {
				t.Errorf("%+v", r)
			}
			if r.Err == nil || !strings.Contains(r.Err.Error(), "bad") {
				t.Errorf("the error is %v", r.Err)
			}
			by := map[string]SystemReport{}
			var names []string
			for _, s := range r.Systems {
				by[s.Name] = s
				names = append(names, s.Name)
			}
			if !slices.Equal(names, g.Schedule().Names()) {
				t.Errorf("systems %v, in order %v", names, g.Schedule().Names())
			}
			for name, want := range map[string]struct{ runs, rows, failures int }{
				"moving": {1, matched["moving"], 0}, "spread": {1, matched["spread"], 0}, "burning": {2, 2 * matched["burning"], 0},
				"bad": {1, 0, 1}, "never": {},
			} {
				s := by[name]
				if s.Runs != want.runs || s.Rows != want.rows || s.Failures != want.failures {
					t.Errorf("%q: %d runs, %d rows, %d failures; want %+v", name, s.Runs, s.Rows, s.Failures, want)
				}
			}
			if s := by["serial"]; s.Rows <= matched["serial"] || s.Phase != Logic || s.Parallel || s.Fixed || s.Health != Healthy {
				t.Errorf("%+v, of %d rows", s, matched["serial"])
			}
			if by["moving"].Took < nap || by["serial"].Commands < nap || by["serial"].Observers < nap || by["serial"].Began < 0 ||
				by["moving"].Began < by["serial"].Commands+by["serial"].Observers || by["bad"].Health != Monitoring || !by["moving"].Parallel || !by["burning"].Fixed {
				t.Errorf("moving %+v\nserial %+v\nbad %+v", by["moving"], by["serial"], by["bad"])
			}
			if r.Took < 3*nap || time.Since(r.Began) < r.Took {
				t.Errorf("a tick of %v", r.Took)
			}
			_ = g.Step(0)
			if r := (*got)[1]; r.N != 2 || r.FixedSteps != 0 || len(r.Systems) != len(names) || r.Systems[slices.Index(names, "burning")].Runs != 0 ||
				r.Systems[slices.Index(names, "bad")].Failures != 1 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestReportsOfInputsDespawnsAndEvents: what is not of a system.
func TestReportsOfInputsDespawnsAndEvents(t *testing.T) {
	w := open(t, Options{MaxUnread: 4})
	const nap = time.Millisecond
	event := RegisterEvent[Position](w)
	reader := w.newReader(event.ID())
	defer reader.Close()
	box, err := NewInbox(w, 8)
	must(t, err)
	got := reports(t, w)
	must(t, w.Observe(Observer{Name: "nap", On: OnDespawn, Run: func(*Tick, Notice) error { time.Sleep(nap); return nil }}))
	must(t, w.Schedule().Add(System{Name: "a", Run: func(tick *Tick) error {
		for range 20 {
			event.Send(tick.Commands, Position{})
		}
		return nil
	}}))
	must(t, w.DespawnLater(w.Spawn()))
	must(t, box.Post(0, func(*Tick) error { time.Sleep(nap); return nil }))
	must(t, w.Step(1))
	must(t, w.Step(1))
	first, second := (*got)[0], (*got)[1]
	if first.Inputs < nap || first.Despawns < nap || first.Entities != 0 || second.Despawns != 0 {
		t.Errorf("%+v\n%+v", first, second)
	}
	if first.Dropped == 0 || first.Dropped+second.Dropped != w.dropped() {
		t.Errorf("%d and %d events were dropped, %d in all", first.Dropped, second.Dropped, w.dropped())
	}
}

// TestReportsOfATickThatIsCut.
func TestReportsOfATickThatIsCut(t *testing.T) {
	w := open(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	must(t, w.Schedule().Add(System{Name: "a", Run: func(*Tick) error { cancel(); return nil }}, System{Name: "b", Run: idle}))
	got := reports(t, w)
	err := w.Schedule().StepContext(ctx, 1)
	if r := (*got)[0]; !r.Cut || !errors.Is(err, context.Canceled) || !errors.Is(r.Err, context.Canceled) || r.Systems[0].Runs != 1 || r.Systems[1].Runs != 0 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestHooksOfTicksComeAndGo: removed before, between and inside of ticks, and a report counts
// from where it began.
func TestHooksOfTicksComeAndGo(t *testing.T) {
	w := open(t, Options{Breaker: Breaker{Failures: -1}})
	must(t, w.Schedule().Add(System{Name: "a", Run: func(tick *Tick) error {
		if _, err := tick.World.Schedule().OnTick(func(*TickReport) {}); !errors.Is(err, ErrIterating) {
			return fmt.Errorf("OnTick inside a step: %v", err)
		}
		return errors.New("fails")
	}}))
	_ = w.Step(1)
	if _, err := w.Schedule().OnTick(nil); !errors.Is(err, ErrConflict) {
		t.Errorf("a nil function: %v", err)
	}
	var log []string
	var removeA, removeB func()
	add := func(name string, then func(*TickReport)) func() {
		remove, err := w.Schedule().OnTick(func(r *TickReport) {
			log = append(log, fmt.Sprintf("%s%d%d", name, r.N, r.Systems[0].Failures))
			then(r)
		})
		must(t, err)
		return remove
	}
	removeA = add("a", func(*TickReport) { removeA(); removeB() })
	removeB = add("b", func(*TickReport) { t.Error("b was removed") })
	removeC := add("c", func(*TickReport) {})
	_ = w.Step(1)
	_ = w.Step(1)
	removeC()
	removeC()
	if w.schedule.telemetry != nil {
		t.Error("a schedule without functions measures on")
	}
	_ = w.Step(1)
	add("d", func(*TickReport) {})
	_ = w.Step(1)
	if got, want := strings.Join(log, " "), "a21 c21 c31 d51"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAHookOfTicksCannotHurtTheWorld: it may not change it, and a panic is an error of the step.
func TestAHookOfTicksCannotHurtTheWorld(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	e := w.Spawn(position.With(Position{X: 1}))
	var spawn, step error
	x := 0.0
	_, err := w.Schedule().OnTick(func(r *TickReport) {
		for range r.World.Query(Read(position)).Chunks() {
			panic("in a loop")
		}
	})
	must(t, err)
	_, err = w.Schedule().OnTick(func(r *TickReport) {
		_, spawn = r.World.TrySpawn()
		step = r.World.Step(1)
		p, _ := position.Get(e)
		x = p.X
	})
	must(t, err)
	err = w.Step(1)
	var failed *SystemError
	if !errors.As(err, &failed) || failed.System != "OnTick" || len(failed.Stack) == 0 || !strings.Contains(err.Error(), "in a loop") {
		t.Errorf("a panic is %v", err)
	}
	if !errors.Is(spawn, ErrIterating) || !errors.Is(step, ErrIterating) || x != 1 {
		t.Errorf("%v, %v, %v", spawn, step, x)
	}
	w.Spawn() // the lock is given back
	must(t, w.Check())
}

// TestReportsAllocateNothing: once warm, with parallel systems and with labels too.
func TestReportsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	g := newPlanWorld(t, Options{Workers: 2, ProfileLabels: true})
	g.many(2000)
	ticks := 0
	_, err := g.Schedule().OnTick(func(r *TickReport) { ticks += r.Systems[0].Runs })
	must(t, err)
	for i := range 4 {
		q := g.Query(Read(g.position))
		must(t, g.Schedule().Add(System{Name: fmt.Sprint(i), Parallel: i < 2, Queries: []*Query{q}, Run: func(*Tick) error {
			for range q.Chunks() {
			}
			return nil
		}}))
	}
	allocates(t, "a step with a report", func() {
		if err := g.Step(1); err != nil {
			t.Fatal(err)
		}
	})
	if ticks == 0 {
		t.Error("no report came")
	}
}

// BenchmarkSteps is a step of 20 systems over a chunk each: plain, with a report, with labels.
func BenchmarkSteps(b *testing.B) {
	for _, with := range []string{"nothing", "report", "labels"} {
		b.Run(with, func(b *testing.B) {
			w := open(b, Options{ProfileLabels: with == "labels"})
			position := Register[Position](w)
			w.Spawn(position.With(Position{}))
			for i := range 20 {
				q := w.Query(Write(position))
				must(b, w.Schedule().Add(System{Name: fmt.Sprint(i), Queries: []*Query{q}, Run: func(*Tick) error {
					for c := range q.Chunks() {
						position.Mut(c)[0].X++
					}
					return nil
				}}))
			}
			if with == "report" {
				_, err := w.Schedule().OnTick(func(*TickReport) {})
				must(b, err)
			}
			for b.Loop() {
				must(b, w.Step(1))
			}
		})
	}
}

// TestReportsSayWhatRanBetween: runs of World.Run are in the next report, by name, and in no other.
func TestReportsSayWhatRanBetween(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	run := func(name string, err error) {
		_ = w.Run(name, func(*Tick) error { time.Sleep(time.Millisecond); return err })
	}
	run("before anybody asks", nil)
	var got []string
	var took []bool
	_, err := w.Schedule().OnTick(func(r *TickReport) {
		sum := time.Duration(0)
		for _, x := range r.Runs {
			got = append(got, fmt.Sprint(r.N, " ", x.Name, " ", x.Runs, " ", x.Failures))
			took = append(took, x.Took >= time.Duration(x.Runs)*time.Millisecond)
			sum += x.Took
		}
		took = append(took, sum == r.RunsTook)
	})
	must(t, err)
	run("b", nil)
	run("a", errors.New("no"))
	run("b", errors.New("no"))
	for range 2 {
		must(t, w.Step(1))
	}
	run("c", nil)
	must(t, w.Step(1))
	if want := []string{"1 b 2 1", "1 a 1 1", "3 c 1 0"}; !slices.Equal(got, want) || slices.Contains(took, false) {
		t.Errorf("%q, %v; want %q", got, took, want)
	}
	for i := range 3000 {
		must(t, w.Run(fmt.Sprint("many", i), func(*Tick) error { return nil }))
	}
	got = nil
	must(t, w.Step(1))
	if len(got) != 1000 || got[999] != "4 many999 2001 0" {
		t.Errorf("%d names, the last is %q", len(got), got[len(got)-1])
	}
}

// TestReportsCountPassesApart: a run that passes, in a stage of its own or in a parallel one, counts as no run and as
// a pass, with its own time; its failure counts.
func TestReportsCountPassesApart(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	run := func(tick *Tick) error {
		time.Sleep(time.Millisecond)
		if tick.N%2 == 0 {
			tick.Pass()
		}
		if tick.N == 4 {
			return errors.New("no")
		}
		return nil
	}
	must(t, w.Schedule().Add(System{Name: "alone", Run: run}, System{Name: "a", Parallel: true, Run: run}, System{Name: "b", Parallel: true, Run: run}))
	got := reports(t, w)
	for range 4 {
		_ = w.Step(1)
	}
	for i, r := range *got {
		for _, s := range r.Systems {
			if failed := i == 3; s.Runs != (i+1)%2 || s.Passed != i%2 || (s.Failures > 0) != failed {
				t.Errorf("tick %d, %q: %d runs, %d passes, %d failures", i+1, s.Name, s.Runs, s.Passed, s.Failures)
			}
			if (s.Took >= time.Millisecond) != (s.Runs == 1) || (s.PassedTook >= time.Millisecond) != (s.Passed == 1) || s.Began == 0 || s.Total() < time.Millisecond {
				t.Errorf("tick %d, %q: began after %v, took %v and %v", i+1, s.Name, s.Began, s.Took, s.PassedTook)
			}
		}
	}
}
