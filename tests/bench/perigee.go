package main

import "github.com/perigee-ecs/perigee/ecs"

// perigee is this project.
func perigee() contender {
	return contender{name: "perigee", make: map[string]func(int) *trial{
		opChunks: func(n int) *trial { return newPerigee(n, 0).columns() },
		opRows:   func(n int) *trial { return newPerigee(n, 0).rows() },
		opOne: func(int) *trial {
			w := newPerigee(1, 0)
			return w.trial(func() {
				for range 1000 {
					stepColumns(w.movers, w.position, w.velocity)
				}
			})
		},
		opSpread32:  func(n int) *trial { return newPerigee(n, 5).columns() },
		opSpread256: func(n int) *trial { return newPerigee(n, 8).columns() },
		opBeside: func(n int) *trial {
			w := newPerigee(n, 0)
			for i := range 4 * n {
				w.world.Spawn(append([]ecs.Value{w.position.With(Position{})}, w.extras(i%256)...)...)
			}
			return w.columns()
		},
		opGet:         perigeeGet,
		opCreate:      perigeeCreate,
		opCreateAll:   perigeeCreateAll,
		opAddRemove:   perigeeAddRemove,
		opExchangeAll: perigeeExchangeAll,
		opDestroy:     perigeeDestroy,
		opDestroyAll:  perigeeDestroyAll,
		opWorld:       perigeeWorlds,
	}}
}

// perigeeWorld is a world and what the operations need of it.
type perigeeWorld struct {
	world    *ecs.World
	position ecs.Component[Position]
	velocity ecs.Component[Velocity]
	extra    []ecs.ComponentRef // C1 to C8
	movers   *ecs.Query
	es       []ecs.Entity
}

// newPerigee opens a world of n entities that move, spread over 2 to the bits
// archetypes.
func newPerigee(n, bits int, options ...ecs.Options) *perigeeWorld {
	world, err := ecs.Open(append(options, ecs.Options{})[0])
	must(err)
	w := &perigeeWorld{world: world}
	w.position, w.velocity = ecs.Register[Position](w.world), ecs.Register[Velocity](w.world)
	w.extra = []ecs.ComponentRef{
		ecs.Register[C1](w.world), ecs.Register[C2](w.world), ecs.Register[C3](w.world), ecs.Register[C4](w.world),
		ecs.Register[C5](w.world), ecs.Register[C6](w.world), ecs.Register[C7](w.world), ecs.Register[C8](w.world),
	}
	w.movers = w.world.Query(ecs.Write(w.position), ecs.Read(w.velocity))
	for i := range n {
		values := append(w.extras(i%(1<<bits)), w.position.With(start(i)), w.velocity.With(speed))
		w.es = append(w.es, w.world.Spawn(values...))
	}
	return w
}

// extras gives the components whose bits are set.
func (w *perigeeWorld) extras(bits int) []ecs.Value {
	values := []ecs.Value{}
	for i, h := range w.extra {
		if bits>>i&1 == 1 {
			values = append(values, w.world.Raw().ValueAt(h.ID(), nil))
		}
	}
	return values
}

func (w *perigeeWorld) trial(steps ...func()) *trial {
	return &trial{steps: steps, sum: w.sum, close: func() { w.world.Close() }}
}

func (w *perigeeWorld) sum() float64 {
	s := 0.0
	for c := range w.world.Query(ecs.Read(w.position)).Chunks() {
		for _, p := range w.position.Of(c) {
			s += sumOf(p)
		}
	}
	for c := range w.world.Query(ecs.Read(w.velocity)).Chunks() {
		for _, v := range w.velocity.Of(c) {
			s += v.X + v.Y
		}
	}
	return s
}

func (w *perigeeWorld) columns() *trial {
	return w.trial(func() { stepColumns(w.movers, w.position, w.velocity) })
}

// stepColumns, stepRows and getAll are functions by themselves, and their like
// for every peer: what a closure captures is read from memory again and again,
// and inlining into closures is worse. That costs some contenders half of their
// speed or more, which says nothing about them.
func stepColumns(q *ecs.Query, position ecs.Component[Position], velocity ecs.Component[Velocity]) {
	for c := range q.Chunks() {
		step(position.Mut(c), velocity.Of(c))
	}
}

func (w *perigeeWorld) rows() *trial {
	return w.trial(func() { stepRows(w.movers, w.position, w.velocity) })
}

func stepRows(q *ecs.Query, position ecs.Component[Position], velocity ecs.Component[Velocity]) {
	for _, r := range ecs.Rows2(q, position, velocity) {
		r.A.X += r.B.X
		r.A.Y += r.B.Y
	}
}

func perigeeGet(n int) *trial {
	w := newPerigee(n, 0)
	es, total := make([]ecs.Entity, n), 0.0
	for i, at := range shuffled(n) {
		es[i] = w.es[at]
	}
	t := w.trial(func() {
		total += getAll(es, w.position)
	})
	t.sum = func() float64 { return total }
	return t
}

func getAll(es []ecs.Entity, position ecs.Component[Position]) float64 {
	sum := 0.0
	for _, e := range es {
		sum += position.Peek(e).X
	}
	return sum
}

func perigeeCreate(n int) *trial {
	w := newPerigee(0, 0)
	w.es = make([]ecs.Entity, n)
	t := w.trial(func() {
		for i := range n {
			w.es[i] = w.world.Spawn(w.position.With(born), w.velocity.With(speed))
		}
	})
	t.prepare = w.clear
	return t
}

// clear destroys everything.
func (w *perigeeWorld) clear() {
	if err := w.world.Reset(); err != nil {
		panic(err)
	}
}

// fill makes n new entities.
func (w *perigeeWorld) fill(n int) {
	w.es = w.es[:0]
	for i := range n {
		w.es = append(w.es, w.world.Spawn(w.position.With(start(i)), w.velocity.With(speed)))
	}
}

func perigeeAddRemove(n int) *trial {
	w := newPerigee(n, 0)
	remove := func() {
		for _, e := range w.es {
			if err := w.velocity.Remove(e); err != nil {
				panic(err)
			}
		}
	}
	remove()
	return w.trial(func() {
		for _, e := range w.es {
			if err := w.velocity.Set(e, speed); err != nil {
				panic(err)
			}
		}
	}, remove)
}

func perigeeDestroy(n int) *trial {
	w := newPerigee(0, 0)
	t := w.trial(func() {
		for _, e := range w.es {
			if err := w.world.Despawn(e); err != nil {
				panic(err)
			}
		}
	})
	t.prepare = func() { w.fill(n) }
	return t
}

// perigeeWorlds opens and closes: an open world would hold its addresses until
// the collector finds it.
func perigeeWorlds(int) *trial {
	return &trial{steps: []func(){func() {
		for range 10 {
			ecs.NewWorld().Close()
		}
	}}, sum: func() float64 { return 0 }}
}
