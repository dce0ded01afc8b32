package main

import ecs "github.com/marioolofo/go-gameengine-ecs"

// The numbers of the components in ggecs.
const (
	ggPosition ecs.ComponentID = iota
	ggVelocity
	ggExtra // and seven more
)

// ggecsPeer is go-gameengine-ecs: a cursor over rows, no columns, no batches.
func ggecsPeer() contender {
	return contender{name: "ggecs", make: map[string]func(int) *trial{
		opRows:      func(n int) *trial { return newGgecs(n, 0).rows(1) },
		opOne:       func(int) *trial { return newGgecs(1, 0).rows(1000) },
		opSpread32:  func(n int) *trial { return newGgecs(n, 5).rows(1) },
		opSpread256: func(n int) *trial { return newGgecs(n, 8).rows(1) },
		opBeside: func(n int) *trial {
			w := newGgecs(n, 0)
			for i := range 4 * n {
				w.world.NewEntity(append(ggExtras(i%256), ggPosition)...)
			}
			return w.rows(1)
		},
		opGet:       ggecsGet,
		opCreate:    ggecsCreate,
		opAddRemove: ggecsAddRemove,
		opDestroy:   ggecsDestroy,
		opWorld: func(int) *trial {
			return &trial{steps: []func(){func() {
				for range 10 {
					ecs.NewWorld(1024)
				}
			}}, sum: func() float64 { return 0 }}
		},
	}}
}

type ggecsWorld struct {
	world                     ecs.World
	movers, positions, moving ecs.Mask
	es                        []ecs.EntityID
}

func newGgecs(n, bits int) *ggecsWorld {
	world := ecs.NewWorld(1024)
	world.Register(ecs.NewComponentRegistry[Position](ggPosition))
	world.Register(ecs.NewComponentRegistry[Velocity](ggVelocity))
	world.Register(ecs.NewComponentRegistry[C1](ggExtra))
	world.Register(ecs.NewComponentRegistry[C2](ggExtra + 1))
	world.Register(ecs.NewComponentRegistry[C3](ggExtra + 2))
	world.Register(ecs.NewComponentRegistry[C4](ggExtra + 3))
	world.Register(ecs.NewComponentRegistry[C5](ggExtra + 4))
	world.Register(ecs.NewComponentRegistry[C6](ggExtra + 5))
	world.Register(ecs.NewComponentRegistry[C7](ggExtra + 6))
	world.Register(ecs.NewComponentRegistry[C8](ggExtra + 7))
	w := &ggecsWorld{
		world: world, movers: ecs.MakeComponentMask(ggPosition, ggVelocity),
		positions: ecs.MakeComponentMask(ggPosition), moving: ecs.MakeComponentMask(ggVelocity),
	}
	for i := range n {
		w.spawn(start(i), ggExtras(i%(1<<bits))...)
	}
	return w
}

func ggExtras(bits int) []ecs.ComponentID {
	ids := []ecs.ComponentID{}
	for i := range 8 {
		if bits>>i&1 == 1 {
			ids = append(ids, ggExtra+ecs.ComponentID(i))
		}
	}
	return ids
}

func (w *ggecsWorld) spawn(p Position, extra ...ecs.ComponentID) {
	var e ecs.EntityID
	if len(extra) == 0 {
		e = w.world.NewEntity(ggPosition, ggVelocity)
	} else {
		e = w.world.NewEntity(append(extra, ggPosition, ggVelocity)...)
	}
	*(*Position)(w.world.Component(e, ggPosition)) = p
	*(*Velocity)(w.world.Component(e, ggVelocity)) = speed
	w.es = append(w.es, e)
}

func (w *ggecsWorld) sum() float64 {
	s := 0.0
	for q := w.world.Query(w.positions); q.Next(); {
		s += sumOf(*(*Position)(q.Component(ggPosition)))
	}
	for q := w.world.Query(w.moving); q.Next(); {
		v := (*Velocity)(q.Component(ggVelocity))
		s += v.X + v.Y
	}
	return s
}

func (w *ggecsWorld) trial(steps ...func()) *trial { return &trial{steps: steps, sum: w.sum} }

func (w *ggecsWorld) rows(times int) *trial {
	return w.trial(func() {
		for range times {
			stepGgecs(w.world, w.movers)
		}
	})
}

func stepGgecs(world ecs.World, movers ecs.Mask) {
	query := world.Query(movers)
	for query.Next() {
		p, v := (*Position)(query.Component(ggPosition)), (*Velocity)(query.Component(ggVelocity))
		p.X += v.X
		p.Y += v.Y
	}
}

func ggecsGet(n int) *trial {
	w := newGgecs(n, 0)
	es, total := make([]ecs.EntityID, n), 0.0
	for i, at := range shuffled(n) {
		es[i] = w.es[at]
	}
	t := w.trial(func() {
		total += getGgecs(es, w.world)
	})
	t.sum = func() float64 { return total }
	return t
}

func getGgecs(es []ecs.EntityID, world ecs.World) float64 {
	sum := 0.0
	for _, e := range es {
		sum += (*Position)(world.Component(e, ggPosition)).X
	}
	return sum
}

func (w *ggecsWorld) clear() {
	for _, e := range w.es {
		w.world.RemEntity(e)
	}
	w.es = w.es[:0]
}

func ggecsCreate(n int) *trial {
	w := newGgecs(0, 0)
	t := w.trial(func() {
		for range n {
			w.spawn(born)
		}
	})
	t.prepare = w.clear
	return t
}

func ggecsAddRemove(n int) *trial {
	w := newGgecs(n, 0)
	remove := func() {
		for _, e := range w.es {
			w.world.RemComponent(e, ggVelocity)
		}
	}
	remove()
	return w.trial(func() {
		for _, e := range w.es {
			w.world.AddComponent(e, ggVelocity)
			*(*Velocity)(w.world.Component(e, ggVelocity)) = speed
		}
	}, remove)
}

func ggecsDestroy(n int) *trial {
	w := newGgecs(0, 0)
	t := w.trial(func() {
		for _, e := range w.es {
			w.world.RemEntity(e)
		}
	})
	t.prepare = func() {
		w.es = w.es[:0]
		for i := range n {
			w.spawn(start(i))
		}
	}
	return t
}
