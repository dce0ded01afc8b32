package ecs

import (
	"errors"
	"strings"
	"testing"
)

// TestAKeptTickIsOver: what a function of Tick.Parallel, or a system, keeps of its Tick makes
// nothing any more after its return, and says so.
func TestAKeptTickIsOver(t *testing.T) {
	for name, parallel := range map[string]bool{"by itself": false, "in a parallel stage": true} {
		t.Run(name, func(t *testing.T) {
			w := open(t, Options{Workers: 2})
			position := Register[Position](w)
			must(t, w.SpawnMany(2000, nil, position.With(Position{})))
			q := w.Query(Write(position))
			var job, system *Tick
			late := func(*Tick) {}
			must(t, w.Schedule().Add(System{Name: "keeper", Parallel: parallel, Queries: []*Query{q}, Run: func(tick *Tick) error {
				system = tick
				err := tick.Parallel(q, func(own *Tick, _ *Chunk) {
					if job == nil {
						job = own
					}
				})
				late(tick)
				return err
			}}))
			must(t, w.Step(1))
			for what, kept := range map[string]*Tick{"job": job, "system": system} {
				if err := kept.Parallel(q, func(*Tick, *Chunk) {}); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `the Tick of "keeper" is over`) {
					t.Errorf("Parallel of the %s's: %v", what, err)
				}
				if err := kept.ParallelFor(3, func(int) {}); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `the Tick of "keeper" is over`) {
					t.Errorf("ParallelFor of the %s's: %v", what, err)
				}
			}
			// What is recorded late is dropped, and the next step says so once.
			before := w.Len()
			if e := job.Commands.Spawn(position.With(Position{})); e != 0 {
				t.Errorf("a kept buffer of a job has issued %v", e)
			}
			if err := job.Commands.Apply(); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "is over") {
				t.Errorf("a kept buffer of a job was applied: %v", err)
			}
			job.Commands.Despawn(w.Query().First())
			e := system.Commands.Spawn(position.With(Position{}))
			err := w.Step(1)
			if !errors.Is(err, ErrConflict) || strings.Count(err.Error(), `with the Commands of a Tick that is over`) != 2 {
				t.Errorf("the step after: %v", err)
			}
			if w.Len() != before || w.Alive(e) {
				t.Errorf("%d entities, there were %d", w.Len(), before)
			}
			must(t, w.Step(1))
			// Within a step, too: the system goes on after its jobs have ended.
			late = func(*Tick) { job.Commands.Despawn(w.Query().First()) }
			if err := w.Step(1); !errors.Is(err, ErrConflict) || w.Len() != before {
				t.Errorf("recorded with a job's while the system runs: %v, %d entities", err, w.Len())
			}
			late = func(*Tick) {}
			must(t, w.Step(1))
			must(t, w.Check())
		})
	}
}

// TestTheTickOfARunIsOver: likewise of World.Run, of an observer and of a message.
func TestTheTickOfARunIsOver(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	q := w.Query(Write(position))
	inbox, err := NewInbox(w, 1)
	must(t, err)
	var kept *Tick
	keep := func(tick *Tick) error { kept = tick; return tick.Parallel(q, func(*Tick, *Chunk) {}) }
	must(t, w.Observe(Observer{Name: "o", On: OnSpawn, Run: func(tick *Tick, _ Notice) error { return keep(tick) }}))
	for name, act := range map[string]func() error{
		"run":      func() error { return w.Run("r", keep) },
		"observer": func() error { w.Spawn(position.With(Position{})); return w.Step(1) },
		"message":  func() error { return errors.Join(inbox.Post(1, keep), w.Step(1)) },
	} {
		kept = nil
		must(t, act())
		if err := kept.Parallel(q, func(*Tick, *Chunk) {}); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
		for next, found := range map[string]func() error{
			"Run":  func() error { return w.Run("after", idle) },
			"Step": func() error { return w.Step(1) },
		} {
			before := w.Len()
			e := kept.Commands.Spawn()
			if err := found(); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "with the Commands of a Tick that is over") {
				t.Errorf("%s: recorded late, and then a %s: %v", name, next, err)
			}
			if w.Len() != before || w.Alive(e) {
				t.Errorf("%s: after the %s there are %d entities, there were %d", name, next, w.Len(), before)
			}
			must(t, found())
		}
	}
	must(t, w.Check())
}

// TestTheKeptTickOfASystemThatDoesNotRun is looked at by the next step as well.
func TestTheKeptTickOfASystemThatDoesNotRun(t *testing.T) {
	for name, parallel := range map[string]bool{"by itself": false, "in a parallel stage": true} {
		w := open(t, Options{})
		var kept *Tick
		must(t, w.Schedule().Add(System{Name: "keeper", Parallel: parallel, Run: func(tick *Tick) error { kept = tick; return nil }}))
		must(t, w.Step(1))
		w.Schedule().Enable("keeper", false)
		e := kept.Commands.Spawn()
		if err := w.Step(1); !errors.Is(err, ErrConflict) || w.Alive(e) || w.Len() != 0 {
			t.Errorf("%s: the step after: %v, %d entities", name, err, w.Len())
		}
		must(t, w.Step(1))
	}
}

// TestTheTimeOfFixedSteps is that of the end of their tick, for whoever runs in them, and no part
// of a step is over in them.
func TestTheTimeOfFixedSteps(t *testing.T) {
	w := open(t, Options{FixedStep: 0.25, Workers: 1})
	var fixed, after []Tick
	note := func(list *[]Tick) func(*Tick) error {
		return func(t *Tick) error {
			*list = append(*list, Tick{Time: t.Time, Alpha: t.Alpha, DT: t.DT, N: t.N})
			return nil
		}
	}
	must(t, w.Schedule().Add(System{Name: "a", Fixed: true, Run: note(&fixed)}, System{Name: "b", Fixed: true, Parallel: true, Run: note(&fixed)}, System{Name: "c", Run: note(&after)}))
	must(t, w.Step(0.875))
	must(t, w.Step(0.5))
	if len(fixed) != 10 || len(after) != 2 {
		t.Fatalf("%d fixed runs, %d others", len(fixed), len(after))
	}
	for i, f := range fixed {
		want := Tick{Time: 0.875, DT: 0.25, N: 1}
		if i >= 6 {
			want.Time, want.N = 1.375, 2
		}
		if f.Time != want.Time || f.Alpha != 0 || f.DT != want.DT || f.N != want.N {
			t.Errorf("fixed run %d at %v, alpha %v, tick %d", i, f.Time, f.Alpha, f.N)
		}
	}
	if after[0].Alpha != 0.5 || after[1].Alpha != 0.5 || after[1].Time != 1.375 {
		t.Errorf("after them: %v and %v", after[0].Alpha, after[1].Alpha)
	}
}
