package bench

import (
	"reflect"

	"github.com/perigee-ecs/perigee/ecs"
)

// A workload and what many of them share: entities drawn by one generator, and loops
// over one or two components that plain slices and a world have in common.

// dt is the length of a tick, in seconds.
const dt = 1.0 / 60

// workload is a system that games have, or a few that belong together, in all
// the ways in which it is written. The scripts of its ways in Lua are the files
// of the folder with its name.
type workload struct {
	name string
	most int // entities that make sense; 0: any number
	// plain makes the entities as slices, and the loop over them.
	plain func(n int) *model
	// stock makes the same entities in a world, and the same loops as systems,
	// which only "go query" adds to the schedule.
	stock func(w *ecs.World, n int) *model
}

// model is the entities of a workload in one of their two forms.
type model struct {
	loop    func()       // over slices
	systems []ecs.System // over a world
	// after is what follows a tick and is not timed: the dead are replaced, and
	// what was sent is read. Nil where nothing does.
	after func()
	// state returns all numbers, in an order that all ways share.
	state func() []float64
}

// random is the generator that entities start from. It is so simple that a Lua
// program of any kind draws the same numbers.
type random struct{ state uint64 }

// newRandom begins at the same number each time: all contenders start from the same
// entities.
func newRandom() *random { return &random{12345} }

// next returns a number from 0 to 1, neither included.
func (r *random) next() float64 {
	r.state = r.state * 48271 % (1<<31 - 1)
	return float64(r.state) / (1<<31 - 1)
}

// within returns a number between two others.
func (r *random) within(low, high float64) float64 { return low + (high-low)*r.next() }

// single is a workload whose entities have one component and whose system is a
// loop over it.
func single[A any](name string, start func(*random) A, loop func(a []A, dt float64)) workload {
	begin := func(n int) []A {
		a, r := make([]A, n), newRandom()
		for i := range a {
			a[i] = start(r)
		}
		return a
	}
	return workload{
		name: name,
		plain: func(n int) *model {
			a := begin(n)
			return &model{loop: func() { loop(a, dt) }, state: func() []float64 { return numbers(a) }}
		},
		stock: func(w *ecs.World, n int) *model {
			c := ecs.Register[A](w)
			for _, a := range begin(n) {
				w.Spawn(c.With(a))
			}
			q := w.Query(ecs.Write(c))
			run := func(t *ecs.Tick) error { return eachChunk(q, c, loop, t.DT) }
			return &model{
				systems: []ecs.System{{Name: name, Queries: []*ecs.Query{q}, Run: run}},
				state:   func() []float64 { return numbers(column(q, c)) },
			}
		},
	}
}

// eachChunk runs the loop over the chunks. In a closure of a generic function Go
// would allocate for it.
func eachChunk[A any](q *ecs.Query, c ecs.Component[A], loop func([]A, float64), dt float64) error {
	for k := range q.Chunks() {
		loop(c.Mut(k), dt)
	}
	return nil
}

// pairs is what makes a workload whose entities have two components and whose
// system is a loop over both.
type pairs[A, B any] struct {
	name  string
	names [2]string // of the components in the world; empty for those of the types
	both  bool      // the loop writes the second one, too
	start func(*random) (A, B)
	loop  func(a []A, b []B, dt float64)
}

// workload returns the two ways of the workload that are written in Go.
func (p pairs[A, B]) workload() workload {
	return workload{name: p.name, plain: p.plain, stock: p.stock}
}

// begin draws the components of n entities.
func (p pairs[A, B]) begin(n int) ([]A, []B) {
	a, b, r := make([]A, n), make([]B, n), newRandom()
	for i := range a {
		a[i], b[i] = p.start(r)
	}
	return a, b
}

// plain is the loop over two slices.
func (p pairs[A, B]) plain(n int) *model {
	a, b := p.begin(n)
	return &model{
		loop:  func() { p.loop(a, b, dt) },
		state: func() []float64 { return append(numbers(a), numbers(b)...) },
	}
}

// stock is the loop over the columns of a world, as a system.
func (p pairs[A, B]) stock(w *ecs.World, n int) *model {
	first, second := register[A](w, p.names[0]), register[B](w, p.names[1])
	a, b := p.begin(n)
	for i := range a {
		w.Spawn(first.With(a[i]), second.With(b[i]))
	}
	term := ecs.Read(second)
	if p.both {
		term = ecs.Write(second)
	}
	q := w.Query(ecs.Write(first), term)
	run := func(t *ecs.Tick) error {
		for k := range q.Chunks() {
			if p.both {
				p.loop(first.Mut(k), second.Mut(k), t.DT)
			} else {
				p.loop(first.Mut(k), second.Of(k), t.DT)
			}
		}
		return nil
	}
	return &model{
		systems: []ecs.System{{Name: p.name, Queries: []*ecs.Query{q}, Run: run}},
		state:   func() []float64 { return append(numbers(column(q, first)), numbers(column(q, second))...) },
	}
}

// register is ecs.Register with a name where there is one.
func register[T any](w *ecs.World, name string) ecs.Component[T] {
	if name == "" {
		return ecs.Register[T](w)
	}
	return ecs.Register[T](w, ecs.Named(name))
}

// column returns a copy of a component of all entities, in the order of the rows:
// that of spawning, where nothing was despawned.
func column[T any](q *ecs.Query, c ecs.Component[T]) []T {
	var all []T
	for k := range q.Chunks() {
		all = append(all, c.Of(k)...)
	}
	return all
}

// numbers returns the fields of structs that are numbers, one after the other.
// Handles are left out: they differ from world to world.
func numbers[T any](rows []T) []float64 {
	var all []float64
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		for f := range v.NumField() {
			switch x := v.Field(f); x.Kind() {
			case reflect.Float64, reflect.Float32:
				all = append(all, x.Float())
			case reflect.Uint8:
				all = append(all, float64(x.Uint()))
			}
		}
	}
	return all
}
