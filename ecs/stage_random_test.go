package ecs

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// firstSchedule lets a failure be replayed: -schedule=17 begins with that one.
var firstSchedule = flag.Uint64("schedule", 1, "seed of the first random schedule")

// TestRandomSchedulesAreTheSameInParallel: a thousand random schedules, each run
// by one goroutine and by three. After every step the bytes are the same; so are
// the errors, the notices in their order and what each system saw.
func TestRandomSchedulesAreTheSameInParallel(t *testing.T) {
	count := 1000
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
type story struct {
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
func newStory(t *testing.T, seed uint64, workers int) *story {
	w, err := Open(Options{
		Seed: seed, MaxBytes: 16 << 20, MaxEntities: 6000, ReuseAfter: -1, Tag: 7, Workers: workers,
		FixedStep: 0.5, Breaker: Breaker{Failures: 2, Retry: 1},
	})
	must(t, err)
	w.worth = 0 // however little there is to do
	s := &story{
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

func (s *story) populate(r *rand.Rand) {
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
func (s *story) watch(t *testing.T, r *rand.Rand) {
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
func (s *story) step() {
	err := s.w.Step(0.4)
	s.log = append(s.log, fmt.Sprintf("errors: %v", err), fmt.Sprintf("sum %x, %d alive, version %d, saw %x", s.w.Checksum(), s.w.Len(), s.w.currentVersion(), s.saw))
	for _, o := range s.w.Stats().Systems {
		s.log = append(s.log, fmt.Sprint(o.Name, " ran ", o.Runs, " is ", o.Health, o.Blocker, o.Failures))
	}
}

// system draws a system: when it runs, what it touches, what it does.
func (s *story) system(r *rand.Rand, i int) System {
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
func (s *story) acts(r *rand.Rand, out *System) []act {
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
		var run func(*Chunk, *Commands)
		fails := uint64(r.IntN(15))
		acts = append(acts, func(tick *Tick, saw *uint64) error {
			run = func(c *Chunk, commands *Commands) {
				work(c)
				var ignored uint64
				spawns(c, commands, &ignored)
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
