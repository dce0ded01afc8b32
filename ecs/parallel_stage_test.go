package ecs

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// inBoth runs a test with one goroutine and with three.
func inBoth(t *testing.T, f func(t *testing.T, g *planWorld)) {
	t.Helper()
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			g := newPlanWorld(t, Options{Workers: workers, ReuseAfter: -1, Tag: 5})
			g.worth = 0
			f(t, g)
		})
	}
}

// running is a system that does something with one query.
func (g *planWorld) running(name string, q *Query, run func(*Tick) error) System {
	return System{Name: name, Parallel: true, Queries: []*Query{q}, Run: run}
}

// TestAStageSeesTheWorldAsItWas: neither commands nor handles of a neighbour
// show; afterwards all of it is there, in order.
func TestAStageSeesTheWorldAsItWas(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.Spawn(g.position.With(Position{}), g.velocity.With(Velocity{}))
		var handles [2]Entity
		var seen [2]string
		run := func(i int, q *Query) func(*Tick) error {
			return func(tick *Tick) error {
				e := tick.Commands.Spawn(g.velocity.With(Velocity{float64(i), 0}))
				handles[i] = e
				seen[i] = fmt.Sprint(q.Count(), g.Alive(e), g.Len())
				tick.Commands.Add(e, g.position.With(Position{}))
				if err := g.Despawn(g.at(1)); !errors.Is(err, ErrIterating) {
					return fmt.Errorf("a direct change answered %v", err)
				}
				if _, err := g.TrySpawn(); !errors.Is(err, ErrIterating) {
					return fmt.Errorf("a direct spawn answered %v", err)
				}
				other := g.NewCommands()
				if e := other.Spawn(); e != 0 {
					return errors.New("other commands issued a handle")
				}
				return nil
			}
		}
		qa, qb := g.Query(Read(g.position)), g.Query(Write(g.velocity))
		must(t, g.Schedule().Add(g.running("a", qa, run(0, qa)), g.running("b", qb, run(1, qb))))
		for range 2 { // the first run's duration is not known yet
			must(t, g.Step(1))
		}
		if seen != [2]string{"3 false 3", "3 false 3"} || g.Len() != 5 || handles[0].Index() != 4 || handles[1].Index() != 5 {
			t.Errorf("the systems saw %q and spawned %v; %d are alive", seen, handles, g.Len())
		}
		if v, ok := g.velocity.Get(handles[1]); !ok || v.X != 1 || !g.position.Has(handles[1]) {
			t.Errorf("the second spawned %v, %v", v, ok)
		}
	})
}

// TestAFailureInAStageIsItsOwn: an error, a panic, the end of a goroutine; the
// neighbours' commands count, and what the failed have spawned is dead.
func TestAFailureInAStageIsItsOwn(t *testing.T) {
	broken := errors.New("broken")
	inBoth(t, func(t *testing.T, g *planWorld) {
		spawning := func(name string, end func() error) System {
			q := g.Query(Read(g.position))
			return g.running(name, q, func(tick *Tick) error {
				tick.Commands.Spawn(g.label.With(Label{name}))
				tick.Commands.Drop()
				tick.Commands.Spawn(g.label.With(Label{name}))
				return end()
			})
		}
		must(t, g.Schedule().Add(
			spawning("a", func() error { return broken }), spawning("b", func() error { return nil }),
			spawning("c", func() error { panic("oh no") }), spawning("d", func() error { return nil }),
		))
		for step := range 2 {
			err := g.Step(1)
			var first, second *SystemError
			list := err.(interface{ Unwrap() []error }).Unwrap()
			if len(list) != 2 || !errors.As(list[0], &first) || !errors.As(list[1], &second) || first.System != "a" || second.System != "c" {
				t.Fatalf("the failures are %v", err)
			}
			if !errors.Is(first, broken) || !strings.Contains(string(second.Stack), "stage_test.go") {
				t.Errorf("%v; %v with the stack %s", first, second, second.Stack)
			}
			if g.Len() != (step+1)*2 {
				t.Errorf("after step %d %d entities are alive", step, g.Len())
			}
			must(t, g.Check())
		}
		var texts []string
		for _, l := range Rows(g.Query(Read(g.label)), g.label) {
			texts = append(texts, l.Text)
		}
		if !slices.Equal(texts, []string{"b", "d", "b", "d"}) {
			t.Errorf("there are %q", texts)
		}
	})
}

// TestASystemThatEndsItsGoroutine fails, and the others go on.
func TestASystemThatEndsItsGoroutine(t *testing.T) {
	g := newPlanWorld(t, Options{Workers: 2})
	g.worth = 0
	ran := 0
	release := make(chan bool)
	must(t, g.Schedule().Add(
		g.running("a", g.Query(Read(g.position)), func(*Tick) error { <-release; return nil }), // keeps the world's own goroutine
		g.running("b", g.Query(Read(g.position)), func(*Tick) error { defer close(release); runtime.Goexit(); return nil }),
		g.running("c", g.Query(Read(g.position)), func(*Tick) error { ran++; return nil }),
	))
	err := g.Step(1)
	var failed *SystemError
	if !errors.As(err, &failed) || failed.System != "b" || !errors.Is(err, errEnded) || ran != 1 {
		t.Errorf("answered %v; the next ran %d times", err, ran)
	}
	release = make(chan bool)
	if err := g.Step(1); !errors.Is(err, errEnded) || ran != 2 {
		t.Errorf("the second time answered %v", err)
	}
}

// TestAQueryThatIsNotDeclared cannot be looped over beside other systems: what
// it yields may be written at the same time.
func TestAQueryThatIsNotDeclared(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.Spawn(g.position.With(Position{}))
		q := g.Query(Read(g.position))
		must(t, g.Schedule().Add(System{Name: "a", Parallel: true, Run: func(*Tick) error {
			for range q.Chunks() {
				t.Error("the loop ran")
			}
			return nil
		}}))
		if err := g.Step(1); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "System.Queries") {
			t.Errorf("answered %v", err)
		}
		if n := q.Count(); n != 1 {
			t.Errorf("afterwards it finds %d", n)
		}
		must(t, g.Check())
		must(t, g.Despawn(g.at(1))) // the lock is gone
	})
}

// TestChangedInAStage: what others wrote in stages before is seen once; what the
// system wrote in the same run is seen the next time.
func TestChangedInAStage(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.Spawn(g.position.With(Position{}), g.velocity.With(Velocity{}))
		looks, writes := g.Query(Write(g.position)).Changed(g.position), false
		var seen []int
		a := g.running("a", looks, func(*Tick) error {
			n := 0
			for c := range looks.Chunks() {
				n += c.Len()
			}
			seen = append(seen, n)
			if writes {
				for c := range looks.Chunks() { // yields nothing: it looked just now
					t.Errorf("yielded %d again", c.Len())
				}
				g.position.Edit(g.at(1)).X++
			}
			return nil
		})
		a.Unchanged = func(*World) bool { return true } // it writes when nothing has changed, too
		must(t, g.Schedule().Add(a, g.running("b", g.Query(Write(g.velocity)), func(tick *Tick) error { return nil })))
		for step := range 6 {
			writes = step == 2
			if step == 4 {
				g.position.Edit(g.at(1)).X++ // by the host
			}
			must(t, g.Step(1))
		}
		if !slices.Equal(seen, []int{1, 0, 0, 1, 1, 0}) {
			t.Errorf("saw %v", seen)
		}
	})
}

// TestAWatchedWriteIsMadeInOrder: when somebody watches for OnSet, one goroutine
// runs the stage, whatever the workers; so notices come in order.
func TestAWatchedWriteIsMadeInOrder(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		e := g.Spawn(g.position.With(Position{}), g.velocity.With(Velocity{}))
		var told []ComponentID
		for _, id := range []ComponentID{g.position.ID(), g.velocity.ID()} {
			must(t, g.Observe(Observer{Name: fmt.Sprint(id), On: OnSet, Component: id, Run: func(_ *Tick, n Notice) error {
				told = append(told, n.Component)
				return nil
			}}))
		}
		must(t, g.Schedule().Add(
			g.running("a", g.Query(Write(g.velocity)), func(*Tick) error { g.velocity.Edit(e); return nil }),
			g.running("b", g.Query(Write(g.position)), func(*Tick) error { g.position.Edit(e); return nil }),
		))
		for range 20 {
			must(t, g.Step(1))
		}
		for i, id := range told {
			if want := []ComponentID{g.velocity.ID(), g.position.ID()}[i%2]; id != want || len(told) != 40 {
				t.Fatalf("told of %v", told)
			}
		}
	})
}

// TestObserversAreToldSystemBySystem, each before the next one's commands apply.
func TestObserversAreToldSystemBySystem(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		var log []string
		must(t, g.Observe(Observer{Name: "o", On: OnAdd, Component: g.label.ID(), Run: func(tick *Tick, n Notice) error {
			l, _ := g.label.Get(n.Entity)
			log = append(log, fmt.Sprint(l.Text, g.Query(Read(g.label)).Count()))
			return nil
		}}))
		for _, name := range []string{"a", "b"} {
			must(t, g.Schedule().Add(g.running(name, g.Query(Read(g.position)), func(tick *Tick) error {
				tick.Commands.Spawn(g.label.With(Label{name}))
				return nil
			})))
		}
		must(t, g.Step(1))
		if !slices.Equal(log, []string{"a1", "b2"}) {
			t.Errorf("told %q", log)
		}
	})
}

// TestAStageHasTheTimeAndTheConditionsOfItsSystems.
func TestAStageHasTheTimeAndTheConditionsOfItsSystems(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		var a, b []float64
		asked := 0
		every := g.running("a", g.Query(Read(g.position)), func(tick *Tick) error { a = append(a, tick.DT, tick.Alpha); return nil })
		every.Every = 2
		even := g.running("b", g.Query(Read(g.position)), func(tick *Tick) error { b = append(b, tick.DT, float64(tick.N)); return nil })
		even.When = func(w *World) bool { asked++; _, n := w.Time(); return n%2 == 1 }
		must(t, g.Schedule().Add(every, even))
		for range 4 {
			must(t, g.Step(1))
		}
		if !slices.Equal(a, []float64{2, 0, 2, 0}) || !slices.Equal(b, []float64{1, 1, 2, 3}) || asked != 4 {
			t.Errorf("a ran with %v, b with %v; asked %d times", a, b, asked)
		}
		for _, o := range g.Stats().Systems {
			if o.Runs != 2 || o.Total <= 0 || o.Last > o.Total {
				t.Errorf("counted as %+v", o)
			}
		}
	})
}

// TestAlphaLeadsIntoTheNextFixedStep: the factor to draw between two of them. It
// rises with the frame's time and stays below one.
func TestAlphaLeadsIntoTheNextFixedStep(t *testing.T) {
	w := open(t, Options{FixedStep: 0.25, MaxFixedSteps: 2})
	steps, alpha := 0, 0.0
	must(t, w.Schedule().Add(
		System{Name: "fixed", Fixed: true, Run: func(*Tick) error { steps++; return nil }},
		System{Name: "frame", Run: func(tick *Tick) error { alpha = tick.Alpha; return nil }},
	))
	for i, c := range []struct {
		dt    float64
		steps int
		alpha float64
	}{{0.1, 0, 0.4}, {0.1, 0, 0.8}, {0.1, 1, 0.2}, {0.2, 2, 0}, {0, 2, 0}, {0.5, 4, 0}, {10.05, 6, 0.2}, {0.2, 7, 0}} {
		must(t, w.Step(c.dt))
		if steps != c.steps || math.Abs(alpha-c.alpha) > 1e-9 || alpha < 0 || alpha >= 1 {
			t.Errorf("frame %d: %d steps, %v of the next; want %d, %v", i, steps, alpha, c.steps, c.alpha)
		}
	}
}

// A failure is replayed with -schedule=17, which begins with that one.
var (
	firstSchedule   = flag.Uint64("schedule", 1, "seed of the first random schedule")
	randomSchedules = flag.Int("schedules", 300, "how many random schedules to run with one goroutine and with three")
)

// TestRandomSchedulesAreTheSameInParallel runs random schedules, each with one goroutine
// and with three. After every step the bytes are the same; so are
// the errors, the notices in their order and what each system saw.
func TestRandomSchedulesAreTheSameInParallel(t *testing.T) {
	count := *randomSchedules
	if raceEnabled {
		count = 60
	}
	if testing.Short() {
		count = 50
	}
	beside := 0
	for seed := *firstSchedule; seed < *firstSchedule+uint64(count); seed++ {
		one, many := newStory(t, seed, 1), newStory(t, seed, 3)
		for range 5 {
			one.step()
			many.step()
			if at := slices.Compare(one.log, many.log); at != 0 {
				t.Fatalf("schedule %d (replay with -schedule=%d):\n%v\n%s", seed, seed, one.w.Schedule().Names(), difference(one.log, many.log))
			}
		}
		for _, st := range many.w.schedule.stages {
			if len(st.systems) > 1 {
				beside++
			}
		}
		if err := many.w.Check(); err != nil {
			t.Fatalf("schedule %d: %v", seed, err)
		}
		one.w.Close()
		many.w.Close()
	}
	if beside < count/2 {
		t.Errorf("only %d stages of %d schedules had several systems", beside, count)
	}
}

func difference(a, b []string) string {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("line %d: one goroutine: %s\nthree: %v", i, a[i], b[i:min(i+1, len(b))])
		}
	}
	return fmt.Sprint("only three goroutines: ", b[len(a)])
}

// The components of a story: values, and a handle of somebody.
type (
	storyA struct {
		V uint64
		E Entity
	}
	storyB struct{ V uint64 }
	storyC struct {
		V uint32
		E Entity
	}
	storyD    struct{ V [9]uint64 }
	storyPool struct {
		V uint64
		E Entity
	}
	storyHeap  struct{ V []uint64 }
	storyTag   struct{}
	storyEvent struct{ V uint64 }
)

// story is a world with a random schedule, and all that can be seen of it.
type randomSystems struct {
	w     *World
	a     Component[storyA]
	b     Component[storyB]
	c     Component[storyC]
	d     Component[storyD]
	pool  Component[storyPool]
	heap  Component[storyHeap]
	tag   Component[storyTag]
	event Event[storyEvent]
	log   []string
	saw   []uint64 // by system
}

// newStory makes the world of a seed. Everything is drawn before the first step.
func newStory(t *testing.T, seed uint64, workers int) *randomSystems {
	w, err := Open(Options{
		Seed: seed, MaxBytes: 16 << 20, MaxEntities: 6000, ReuseAfter: -1, Tag: 7, Workers: workers,
		FixedStep: 0.5, Breaker: Breaker{Failures: 2, Retry: 1},
	})
	must(t, err)
	w.worth = 0 // however little there is to do
	s := &randomSystems{
		w: w, a: Register[storyA](w), b: Register[storyB](w), c: Register[storyC](w), d: Register[storyD](w),
		pool: Register[storyPool](w, Sparse), heap: Register[storyHeap](w), tag: Register[storyTag](w), event: RegisterEvent[storyEvent](w),
	}
	r := rand.New(rand.NewPCG(seed, 0))
	s.populate(r)
	s.watch(t, r)
	systems := make([]System, 3+r.IntN(8))
	s.saw = make([]uint64, len(systems))
	for i := range systems {
		systems[i] = s.system(r, i)
	}
	must(t, w.Schedule().Add(systems...))
	return s
}

func (s *randomSystems) populate(r *rand.Rand) {
	n := []int{5, 60, 700, 2500}[r.IntN(4)]
	var last Entity
	for i := range n {
		values := []Value{s.a.With(storyA{uint64(i), last})}
		for _, v := range []Value{s.b.With(storyB{3}), s.c.With(storyC{V: 4}), s.d.With(storyD{}), s.pool.With(storyPool{V: 5}), s.heap.With(storyHeap{[]uint64{6}}), s.tag.With(storyTag{})} {
			if r.IntN(3) == 0 {
				values = append(values, v)
			}
		}
		last = s.w.Spawn(values[r.IntN(2):]...)
	}
}

// watch adds observers that write down what they are told, and some that answer.
func (s *randomSystems) watch(t *testing.T, r *rand.Rand) {
	ids := []ComponentID{s.a.ID(), s.b.ID(), s.pool.ID(), s.heap.ID(), s.tag.ID()}
	for i := range r.IntN(4) {
		answers := r.IntN(3) == 0
		o := Observer{Name: fmt.Sprint("observer ", i), On: Trigger(1 + r.IntN(31)), Component: ids[r.IntN(len(ids))]}
		if r.IntN(3) > 0 {
			o.On &^= OnSet // which keeps stages on one goroutine
			o.On |= OnAdd
		}
		o.Run = func(tick *Tick, n Notice) error {
			s.log = append(s.log, fmt.Sprintf("%s is told %d of %v, component %d, by %s", o.Name, n.Trigger, n.Entity, n.Component, tick.System))
			if answers && tick.Random().Uint64()%4 == 0 {
				tick.Commands.Despawn(n.Entity)
			}
			return nil
		}
		must(t, s.w.Observe(o))
	}
}

// step advances the world and writes down what can be seen.
func (s *randomSystems) step() {
	err := s.w.Step(0.4)
	s.log = append(s.log, fmt.Sprintf("errors: %v", err), fmt.Sprintf("sum %x, %d alive, version %d, saw %x", s.w.Checksum(), s.w.Len(), s.w.Raw().Version(), s.saw))
	for _, o := range s.w.Stats().Systems {
		s.log = append(s.log, fmt.Sprint(o.Name, " ran ", o.Runs, " is ", o.Health, o.Blocker, o.Failures))
	}
}

// system draws a system: when it runs, what it touches, what it does.
func (s *randomSystems) system(r *rand.Rand, i int) System {
	name := func(n int) string { return fmt.Sprint("s", n) }
	out := System{
		Name: name(i), Phase: []Phase{Logic, Logic, Logic, Physics}[r.IntN(4)], Priority: r.IntN(3),
		Fixed: r.IntN(6) == 0, Parallel: r.IntN(6) > 0,
	}
	if r.IntN(4) == 0 {
		out.Every = 0.7
	}
	if r.IntN(5) == 0 {
		out.When = func(w *World) bool { _, n := w.Time(); return n%2 == 0 }
	}
	if i > 0 && r.IntN(6) == 0 && !out.Fixed && out.Phase == Physics {
		out.Requires = []string{name(r.IntN(i))}
	}
	acts := s.acts(r, &out)
	fails, how := uint64(r.IntN(12)), r.IntN(2)
	out.Run = func(tick *Tick) error {
		for _, act := range acts {
			if err := act(tick, &s.saw[i]); err != nil {
				return err
			}
		}
		s.saw[i] += tick.Random().Uint64()
		if tick.N == fails && how == 0 {
			return fmt.Errorf("planned by %s", out.Name)
		} else if tick.N == fails {
			panic("planned panic of " + out.Name)
		}
		return nil
	}
	return out
}

// act is a part of a system's work.
type act func(tick *Tick, saw *uint64) error

// acts draws a system's queries and what it does with them.
func (s *randomSystems) acts(r *rand.Rand, out *System) []act {
	var acts []act
	for range 1 + r.IntN(2) {
		q, work := s.query(r)
		out.Queries = append(out.Queries, q)
		spawns := s.recording(r)
		if r.IntN(2) == 0 {
			acts = append(acts, func(tick *Tick, saw *uint64) error {
				for c := range q.Chunks() {
					work(c)
					*saw = *saw*31 + uint64(c.Len())
					spawns(c, tick.Commands, saw)
				}
				return nil
			})
			continue
		}
		var run func(*Tick, *Chunk)
		fails := uint64(r.IntN(15))
		acts = append(acts, func(tick *Tick, saw *uint64) error {
			run = func(tick *Tick, c *Chunk) {
				work(c)
				var ignored uint64
				spawns(c, tick.Commands, &ignored)
				if tick.N == fails && c.Len() < grain {
					panic("planned panic in a chunk")
				}
			}
			return tick.Parallel(q, run)
		})
	}
	reader := s.w.newReader(s.event.ID())
	return append(acts, func(tick *Tick, saw *uint64) error {
		for v := range s.event.Read(reader) {
			*saw = *saw*31 + v.V
		}
		return nil
	})
}
