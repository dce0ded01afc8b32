package ecs

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// many fills a planWorld: n entities with a position, every third with a velocity,
// every fifth burning.
func (g *planWorld) many(n int) {
	for i := range n {
		values := []Value{g.position.With(Position{X: float64(i)})}
		if i%3 == 0 {
			values = append(values, g.velocity.With(Velocity{}))
		}
		if i%5 == 0 {
			values = append(values, g.burning.With(Burning{float32(i)}))
		}
		g.Spawn(values...)
	}
}

// TestParallelYieldsWhatALoopYields: every entity once, in order when one
// goroutine works; long chunks in views.
func TestParallelYieldsWhatALoopYields(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.many(5000)
		for name, q := range map[string]*Query{
			"everything":         g.Query(),
			"columns":            g.Query(Write(g.position)),
			"two":                g.Query(Write(g.position), Read(g.velocity)),
			"a pool":             g.Query(Write(g.burning)),
			"a pool and columns": g.Query(Write(g.burning), Read(g.velocity)),
			"rows":               g.Query(Write(g.position)).Without(g.burning),
			"nothing":            g.Query(Read(g.label)),
		} {
			var want []Entity
			for c := range q.Chunks() {
				want = append(want, c.Entities()...)
			}
			got := g.gather(t, q)
			if len(want) != q.Count() || !slices.Equal(got, want) {
				t.Errorf("%s: %d entities, want %d", name, len(got), len(want))
			}
			must(t, g.Check())
		}
	})
}

// gather runs Parallel and returns what it has yielded, by the order in which
// commands apply.
func (g *planWorld) gather(t *testing.T, q *Query) (got []Entity) {
	t.Helper()
	must(t, g.Run("gather", func(tick *Tick) error {
		return tick.Parallel(q, func(tick *Tick, c *Chunk) {
			es := slices.Clone(c.Entities())
			if len(es) > grain {
				panic(fmt.Sprint("a view of ", len(es)))
			}
			tick.Commands.Do(func(*World) error { got = append(got, es...); return nil })
		})
	}))
	return got
}

// TestParallelStampsWhatItDeclares, in all that it yields and nowhere else.
func TestParallelStampsWhatItDeclares(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.many(3000)
		all, moving := g.Query(Read(g.position)).Changed(g.position), g.Query(Read(g.velocity)).Changed(g.velocity)
		count := func(q *Query) (n int) {
			for c := range q.Chunks() {
				n += c.Len()
			}
			return n
		}
		if count(all) != 3000 || count(moving) != 1000 || count(all)+count(moving) != 0 {
			t.Fatal("the looks are wrong before anything was written")
		}
		must(t, g.Run("write", func(tick *Tick) error {
			return tick.Parallel(g.Query(Write(g.position), Read(g.velocity)), func(_ *Tick, c *Chunk) {
				p, v := g.position.Mut(c), g.velocity.Of(c)
				for i := range p {
					p[i].X = v[i].X - 1
				}
			})
		}))
		if n, m := count(all), count(moving); n != 1000 || m != 0 {
			t.Errorf("%d positions and %d velocities count as written", n, m)
		}
		for e, r := range Rows2(g.Query(Read(g.position), Read(g.velocity)), g.position, g.velocity) {
			if r.A.X != -1 {
				t.Fatalf("%v was not written", e)
			}
		}
	})
}

// TestChangedInParallel: a call does not see what another one has written.
func TestChangedInParallel(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.many(5000)
		q := g.Query(Write(g.position)).Changed(g.position).Without(g.burning)
		for step, want := range []int{4000, 4000, 4000, 0} {
			n := g.gather(t, q)
			if step == 2 {
				q = g.Query(Read(g.position)).Changed(g.position).Without(g.burning)
				q.since = g.version
			}
			if len(n) != want {
				t.Errorf("look %d yields %d, want %d", step, len(n), want)
			}
		}
	})
}

// TestHandlesInParallel are those of a loop, and alive as soon as it is over.
func TestHandlesInParallel(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.many(3000)
		for _, e := range []uint32{7, 3, 9} {
			must(t, g.Despawn(g.at(e))) // slots to be used again
		}
		q := g.Query(Write(g.position))
		before := g.Len()
		must(t, g.Run("spawn", func(tick *Tick) error {
			first := tick.Commands.Spawn()
			err := tick.Parallel(q, func(tick *Tick, c *Chunk) {
				for i, e := range c.Entities() {
					if e.Index()%100 == 0 {
						born := tick.Commands.Spawn(g.label.With(Label{fmt.Sprint(e.Index())}))
						g.position.Mut(c)[i].Y = float64(born)
						if g.Alive(born) {
							panic("alive before the world moved on")
						}
					}
				}
			})
			last := tick.Commands.Spawn()
			if first.Index() != 7 || g.Len() != before+2+30 || !g.Alive(last) {
				return fmt.Errorf("first %v, last %v, %d alive of %d", first, last, g.Len(), before)
			}
			return err
		}))
		n := 0
		for e, p := range Rows(q, g.position) {
			if e.Index()%100 == 0 {
				l, ok := g.label.Get(Entity(p.Y))
				if n++; !ok || l.Text != fmt.Sprint(e.Index()) {
					t.Errorf("%v has spawned %v with %q, %v", e, Entity(p.Y), l.Text, ok)
				}
			}
		}
		if must(t, g.Check()); n != 30 {
			t.Errorf("%d were spawned", n)
		}
	})
}

// TestAPanicInParallel: all other calls are made, nothing recorded counts, what
// was spawned is dead, and the answer has the stack.
func TestAPanicInParallel(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.many(6000)
		q, calls := g.Query(Write(g.position)), g.Query(Write(g.position))
		for _, drops := range []bool{false, true} {
			var kept Entity
			before := g.Len()
			err := g.Run("panics", func(tick *Tick) error {
				kept = tick.Commands.Spawn()
				err := tick.Parallel(q, func(tick *Tick, c *Chunk) {
					g.position.Mut(c)[0].Y = 5
					tick.Commands.Spawn(g.label.With(Label{}))
					if c.Entities()[0].Index() > 2000 {
						panic(fmt.Sprint("from ", c.Entities()[0].Index()))
					}
				})
				if drops {
					return err
				}
				var failed *SystemError
				if !errors.As(err, &failed) || !strings.Contains(string(failed.Stack), "parallel_test.go") {
					t.Errorf("answered %v", err)
				}
				return nil
			})
			if (err != nil) != drops || drops && !strings.HasPrefix(err.Error(), `system "panics": tick 0: panic: from `) {
				t.Errorf("came back as %v", err)
			}
			if g.Alive(kept) == drops || g.Len() != before+map[bool]int{false: 1}[drops] {
				t.Errorf("%d entities, had %d; the system's own: %v", g.Len(), before, g.Alive(kept))
			}
			for c := range calls.Chunks() {
				for i := 0; i < c.Len(); i += grain {
					if g.position.Of(c)[i].Y != 5 {
						t.Error("a call was not made")
					}
				}
			}
			must(t, g.Check())
		}
	})
}

// TestParallelInside: itself is refused, and so is a loop in a call; in an
// observer and in a loop it works.
func TestParallelInside(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.many(2000)
		q, other := g.Query(Read(g.position)), g.Query(Read(g.velocity))
		nothing := func(*Tick, *Chunk) {}
		var again, loop error
		must(t, g.Run("nested", func(tick *Tick) error {
			return tick.Parallel(g.Query(Read(g.burning)), func(*Tick, *Chunk) { again = tick.Parallel(q, nothing) })
		}))
		loop = g.Run("loop", func(tick *Tick) error {
			return tick.Parallel(q, func(*Tick, *Chunk) {
				for range other.Chunks() {
				}
			})
		})
		if !errors.Is(again, ErrIterating) || !errors.Is(loop, ErrConflict) {
			t.Errorf("Parallel inside Parallel answered %v, a loop %v", again, loop)
		}
		calls := 0
		must(t, g.Observe(Observer{Name: "o", On: OnSpawn, Run: func(tick *Tick, _ Notice) error {
			calls++
			return tick.Parallel(q, nothing)
		}}))
		must(t, g.Run("in a loop", func(tick *Tick) error {
			for range other.Chunks() {
				calls++
				must(t, tick.Parallel(q, nothing))
			}
			tick.Commands.Spawn()
			return nil
		}))
		if calls < 2 {
			t.Error("not everything ran")
		}
	})
}

// TestParallelInAStage: two systems at once, each with its query in parallel.
func TestParallelInAStage(t *testing.T) {
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.many(4000)
		spread := func(name string, q *Query, run func(*Tick, *Chunk)) System {
			return g.running(name, q, func(tick *Tick) error { return tick.Parallel(q, run) })
		}
		must(t, g.Schedule().Add(
			spread("a", g.Query(Write(g.position)), func(tick *Tick, c *Chunk) {
				for i := range g.position.Mut(c) {
					g.position.Mut(c)[i].Y++
				}
				tick.Commands.Spawn(g.label.With(Label{fmt.Sprint("a", c.Entities()[0].Index())}))
			}),
			spread("b", g.Query(Write(g.velocity)), func(tick *Tick, c *Chunk) {
				tick.Commands.Spawn(g.label.With(Label{fmt.Sprint("b", c.Entities()[0].Index())}))
			}),
		))
		var sums []uint64
		for range 4 {
			must(t, g.Step(1))
			must(t, g.Check())
			sums = append(sums, g.Checksum())
		}
		twin := newPlanWorld(t, Options{ReuseAfter: -1, Tag: 5})
		twin.many(4000)
		if sums[0] == twin.Checksum() || g.Query(Read(g.label)).Count()%4 != 0 {
			t.Errorf("%d labels were spawned", g.Query(Read(g.label)).Count())
		}
	})
}

// TestParallelForDoesEveryJobOnce, on one goroutine in order, on three in any.
func TestParallelForDoesEveryJobOnce(t *testing.T) {
	for _, workers := range []int{1, 3} {
		g := newPlanWorld(t, Options{Workers: workers})
		if g.Raw().Workers() != workers {
			t.Errorf("%d workers, want %d", g.Raw().Workers(), workers)
		}
		g.worth = 0 // wake the others for anything
		for _, n := range []int{-1, 0, 1, 2, 500} {
			done := make([]int, max(n, 0))
			must(t, g.Run("spread", func(tick *Tick) error {
				return tick.ParallelFor(n, func(i int) { done[i]++ })
			}))
			if i := slices.IndexFunc(done, func(times int) bool { return times != 1 }); i >= 0 {
				t.Errorf("%d workers: job %d of %d was done %d times", workers, i, n, done[i])
			}
		}
		must(t, g.Check())
	}
}

// TestParallelForReportsTheFirstFailure, and does the other jobs all the same; the
// world can be changed again behind it, and not within.
func TestParallelForReportsTheFirstFailure(t *testing.T) {
	g := newPlanWorld(t, Options{Workers: 3})
	g.worth = 0
	done := make([]bool, 100)
	var inner, within error
	err := g.Run("spread", func(tick *Tick) error {
		err := tick.ParallelFor(len(done), func(i int) {
			if done[i] = true; i == 7 || i == 60 {
				panic("job " + string(rune('a'+i%26)))
			}
			if i == 0 {
				inner = tick.ParallelFor(3, func(int) {})
				_, within = g.TrySpawn()
			}
		})
		var failed *SystemError
		if !errors.As(err, &failed) || !strings.Contains(failed.Error(), "job h") || len(failed.Stack) == 0 {
			t.Errorf("%v", err)
		}
		return nil
	})
	if err != nil || slices.Contains(done, false) {
		t.Errorf("%v; done: %v", err, done)
	}
	if !errors.Is(inner, ErrIterating) || !errors.Is(within, ErrIterating) {
		t.Errorf("inside a job: %v, %v", inner, within)
	}
	if _, err := g.TrySpawn(); err != nil {
		t.Error(err)
	}
}

// TestParallelForIsSharedOut: long jobs are done by more than one goroutine.
func TestParallelForIsSharedOut(t *testing.T) {
	g := newPlanWorld(t, Options{Workers: 2})
	g.worth = time.Nanosecond
	together := make(chan bool)
	must(t, g.Run("spread", func(tick *Tick) error {
		return tick.ParallelFor(3, func(i int) {
			switch i { // 0 is done before the others are shared out
			case 1:
				together <- true
			case 2:
				<-together
			}
		})
	}))
}

func TestParallelForAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	g := newPlanWorld(t, Options{Workers: 2})
	g.worth = 0
	job := func(int) {}
	must(t, g.Run("spread", func(tick *Tick) error {
		must(t, tick.ParallelFor(100, job))
		if n := testing.AllocsPerRun(50, func() { must(t, tick.ParallelFor(100, job)) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
		return nil
	}))
}

// settled waits until there are no more goroutines than wanted.
func settled(t *testing.T, want int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= want {
			return
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines are left, want %d", runtime.NumGoroutine(), want)
}

// busy makes a world's workers start.
func busy(t *testing.T, w *World) {
	w.worth = 0
	position := Register[Position](w)
	must(t, w.Schedule().Add(
		System{Name: "a", Parallel: true, Queries: []*Query{w.Query(Read(position))}, Run: idle},
		System{Name: "b", Parallel: true, Queries: []*Query{w.Query(Read(position))}, Run: idle},
		System{Name: "c", Parallel: true, Queries: []*Query{w.Query(Read(position))}, Run: idle},
	))
	must(t, w.Step(1))
	if w.workers == nil || w.workers.Helpers() != 2 {
		t.Fatalf("the workers are %+v", w.workers)
	}
}

// TestWorkersEndWithTheirWorld, when it is closed and when it is forgotten.
func TestWorkersEndWithTheirWorld(t *testing.T) {
	before := runtime.NumGoroutine()
	w, err := Open(Options{MaxBytes: 1 << 20, Workers: 4})
	must(t, err)
	busy(t, w)
	must(t, w.Close())
	settled(t, before)
	func() {
		forgotten, err := Open(Options{MaxBytes: 1 << 20, Workers: 4})
		must(t, err)
		busy(t, forgotten)
	}()
	settled(t, before)
}

// TestOneWorkerStartsNoGoroutine.
func TestOneWorkerStartsNoGoroutine(t *testing.T) {
	g := newPlanWorld(t, Options{})
	g.worth = 0
	must(t, g.Schedule().Add(g.parallel("a", g.Query(Read(g.position))), g.parallel("b", g.Query(Read(g.position)))))
	must(t, g.Step(1))
	if g.workers != nil {
		t.Error("a world of one worker has helpers")
	}
}

// TestTicksInParallel: a function of Parallel gets the caller's time, random numbers that are
// the same with any number of workers and differ from job to job, and neither Parallel nor
// ParallelFor.
func TestTicksInParallel(t *testing.T) {
	var drawn [2][]float64
	worlds := 0
	inBoth(t, func(t *testing.T, g *planWorld) {
		g.many(5000)
		q := g.Query(Write(g.position))
		run := func(tick *Tick) error {
			outer := *tick
			return tick.Parallel(q, func(own *Tick, c *Chunk) {
				if own.World != outer.World || own.DT != outer.DT || own.Time != outer.Time || own.N != outer.N || own.Alpha != outer.Alpha || own.System != outer.System || own == tick {
					panic(fmt.Sprintf("the tick is %+v", own))
				}
				p := g.position.Mut(c)
				for i := range p {
					p[i].Y = own.Random().Float64()
				}
				for _, err := range []error{own.Parallel(q, func(*Tick, *Chunk) {}), own.ParallelFor(1, func(int) {})} {
					if !errors.Is(err, ErrIterating) {
						panic(fmt.Sprint("inside, the answer is ", err))
					}
				}
			})
		}
		must(t, g.Schedule().Add(System{Name: "draw", Queries: []*Query{q}, Run: run}, System{Name: "beside", Queries: []*Query{q}, Run: run, Parallel: true}))
		must(t, g.Step(0.25))
		must(t, g.Step(0.5))
		for c := range q.Chunks() {
			for _, p := range g.position.Of(c) {
				drawn[worlds%2] = append(drawn[worlds%2], p.Y)
			}
		}
		worlds++
	})
	if worlds != 2 || !slices.Equal(drawn[0], drawn[1]) {
		t.Error("the numbers depend on the workers")
	}
	seen := map[float64]bool{}
	for _, v := range drawn[0] {
		seen[v] = true
	}
	if len(seen) != len(drawn[0]) || len(seen) != 5000 {
		t.Errorf("%d rows have %d numbers", len(drawn[0]), len(seen))
	}
}

// TestManyJobsTakeLittleMemory: ParallelFor needs four bytes for each job.
func TestManyJobsTakeLittleMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates for each job")
	}
	w, err := Open(Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const jobs = 1 << 20
	n := make([]uint8, jobs)
	var before, after runtime.MemStats
	err = w.Schedule().Add(System{Name: "many", Run: func(tick *Tick) error {
		runtime.ReadMemStats(&before)
		err := tick.ParallelFor(jobs, func(i int) { n[i]++ })
		runtime.ReadMemStats(&after)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Step(0.1); err != nil {
		t.Fatal(err)
	}
	if slices.Min(n) != 1 || slices.Max(n) != 1 {
		t.Error("a job was not done once")
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 5*jobs {
		t.Errorf("%d jobs took %d bytes", jobs, bytes)
	}
}
