package main

import "github.com/mlange-42/ark/ecs"

// arkPeer is Ark: registered filters, as its manual advises, tables for columns,
// and its own batch operations.
func arkPeer() contender {
	return contender{name: "ark", make: map[string]func(int) *trial{
		opChunks:    func(n int) *trial { return newArk(n, 0).columns() },
		opRows:      func(n int) *trial { return newArk(n, 0).rows() },
		opOne:       arkOne,
		opSpread32:  func(n int) *trial { return newArk(n, 5).columns() },
		opSpread256: func(n int) *trial { return newArk(n, 8).columns() },
		opBeside: func(n int) *trial {
			w := newArk(n, 0)
			position := ecs.ComponentID[Position](w.world)
			for i := range 4 * n {
				w.world.Unsafe().NewEntity(append(w.extras(i%256), position)...)
			}
			return w.columns()
		},
		opGet:         arkGet,
		opCreate:      arkCreate,
		opCreateAll:   arkCreateAll,
		opAddRemove:   arkAddRemove,
		opExchangeAll: arkExchangeAll,
		opDestroy:     arkDestroy,
		opDestroyAll:  arkDestroyAll,
		opWorld: func(int) *trial {
			return &trial{steps: []func(){func() {
				for range 10 {
					ecs.NewWorld()
				}
			}}, sum: func() float64 { return 0 }}
		},
	}}
}

type arkWorld struct {
	world     *ecs.World
	both      *ecs.Map2[Position, Velocity]
	position  *ecs.Map1[Position]
	velocity  *ecs.Map1[Velocity]
	movers    *ecs.Filter2[Position, Velocity]
	positions *ecs.Filter1[Position]
	moving    *ecs.Filter1[Velocity]
	extra     []ecs.ID
	es        []ecs.Entity
}

func newArk(n, bits int) *arkWorld {
	world := ecs.NewWorld()
	w := &arkWorld{
		world: world, both: ecs.NewMap2[Position, Velocity](world),
		position: ecs.NewMap1[Position](world), velocity: ecs.NewMap1[Velocity](world),
		movers:    ecs.NewFilter2[Position, Velocity](world).Register(),
		positions: ecs.NewFilter1[Position](world).Register(), moving: ecs.NewFilter1[Velocity](world).Register(),
		extra: []ecs.ID{
			ecs.ComponentID[C1](world), ecs.ComponentID[C2](world), ecs.ComponentID[C3](world), ecs.ComponentID[C4](world),
			ecs.ComponentID[C5](world), ecs.ComponentID[C6](world), ecs.ComponentID[C7](world), ecs.ComponentID[C8](world),
		},
	}
	p, v := ecs.ComponentID[Position](world), ecs.ComponentID[Velocity](world)
	for i := range n {
		e := world.Unsafe().NewEntity(append(w.extras(i%(1<<bits)), p, v)...)
		w.both.Set(e, new(start(i)), &speed)
		w.es = append(w.es, e)
	}
	return w
}

func (w *arkWorld) extras(bits int) []ecs.ID {
	ids := []ecs.ID{}
	for i, id := range w.extra {
		if bits>>i&1 == 1 {
			ids = append(ids, id)
		}
	}
	return ids
}

func (w *arkWorld) sum() float64 {
	s := 0.0
	for q := w.positions.Query(); q.Next(); {
		s += sumOf(*q.Get())
	}
	for q := w.moving.Query(); q.Next(); {
		v := q.Get()
		s += v.X + v.Y
	}
	return s
}

func (w *arkWorld) trial(steps ...func()) *trial { return &trial{steps: steps, sum: w.sum} }

func (w *arkWorld) columns() *trial {
	return w.trial(func() { stepArkColumns(w.movers) })
}

func stepArkColumns(movers *ecs.Filter2[Position, Velocity]) {
	query := movers.Query()
	for query.NextTable() {
		step(query.GetColumns())
	}
}

func (w *arkWorld) rows() *trial {
	return w.trial(func() { stepArkRows(w.movers) })
}

func stepArkRows(movers *ecs.Filter2[Position, Velocity]) {
	query := movers.Query()
	for query.Next() {
		p, v := query.Get()
		p.X += v.X
		p.Y += v.Y
	}
}

func arkOne(int) *trial {
	w := newArk(1, 0)
	return w.trial(func() {
		for range 1000 {
			stepArkColumns(w.movers)
		}
	})
}

func arkGet(n int) *trial {
	w := newArk(n, 0)
	es, total := make([]ecs.Entity, n), 0.0
	for i, at := range shuffled(n) {
		es[i] = w.es[at]
	}
	t := w.trial(func() {
		total += getArk(es, w.position)
	})
	t.sum = func() float64 { return total }
	return t
}

func getArk(es []ecs.Entity, position *ecs.Map1[Position]) float64 {
	sum := 0.0
	for _, e := range es {
		sum += position.Get(e).X
	}
	return sum
}

func (w *arkWorld) clear() { w.world.RemoveEntities(w.positions.Batch(), nil) }

func (w *arkWorld) fill(n int) {
	w.es = w.es[:0]
	w.both.NewBatchFn(n, func(e ecs.Entity, p *Position, v *Velocity) {
		*p, *v = start(len(w.es)), speed
		w.es = append(w.es, e)
	})
}

func arkCreate(n int) *trial {
	w := newArk(0, 0)
	w.es = make([]ecs.Entity, n)
	t := w.trial(func() {
		for i := range n {
			w.es[i] = w.both.NewEntity(&born, &speed)
		}
	})
	t.prepare = w.clear
	return t
}

func arkCreateAll(n int) *trial {
	w := newArk(0, 0)
	t := w.trial(func() { w.both.NewBatch(n, &born, &speed) })
	t.prepare = w.clear
	return t
}

func arkAddRemove(n int) *trial {
	w := newArk(n, 0)
	remove := func() {
		for _, e := range w.es {
			w.velocity.Remove(e)
		}
	}
	remove()
	return w.trial(func() {
		for _, e := range w.es {
			w.velocity.Add(e, &speed)
		}
	}, remove)
}

func arkExchangeAll(n int) *trial {
	w := newArk(n, 0)
	remove := func() { w.velocity.RemoveBatch(w.movers.Batch(), nil) }
	remove()
	return w.trial(func() { w.velocity.AddBatch(w.positions.Batch(), &speed) }, remove)
}

func arkDestroy(n int) *trial {
	w := newArk(0, 0)
	t := w.trial(func() {
		for _, e := range w.es {
			w.world.RemoveEntity(e)
		}
	})
	t.prepare = func() { w.fill(n) }
	return t
}

func arkDestroyAll(n int) *trial {
	w := newArk(0, 0)
	t := w.trial(w.clear)
	t.prepare = func() { w.fill(n) }
	return t
}
