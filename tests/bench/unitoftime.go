package main

import "github.com/unitoftime/ecs"

// unitoftimePeer is unitoftime/ecs: views that call a function for each row or
// for each table, commands for batches. Its entity is gone with its last
// component, and it has no generations.
func unitoftimePeer() contender {
	return contender{name: "unitoftime", make: map[string]func(int) *trial{
		opChunks:    func(n int) *trial { return newUot(n, 0).columns() },
		opRows:      func(n int) *trial { return newUot(n, 0).rows(1) },
		opOne:       func(int) *trial { return newUot(1, 0).rows(1000) },
		opSpread32:  func(n int) *trial { return newUot(n, 5).columns() },
		opSpread256: func(n int) *trial { return newUot(n, 8).columns() },
		opBeside: func(n int) *trial {
			w := newUot(n, 0)
			for i := range 4 * n {
				ecs.Write(w.world, w.world.NewId(), append(uotExtras(i%256), ecs.C(Position{}))...)
			}
			return w.columns()
		},
		opGet:       uotGet,
		opCreate:    uotCreate,
		opAddRemove: uotAddRemove,
		opDestroy:   uotDestroy,
		opWorld: func(int) *trial {
			return &trial{steps: []func(){func() {
				for range 10 {
					ecs.NewWorld()
				}
			}}, sum: func() float64 { return 0 }}
		},
	}}
}

type uotWorld struct {
	world    *ecs.World
	movers   *ecs.View2[Position, Velocity]
	position *ecs.View1[Position]
	velocity *ecs.View1[Velocity]
	es       []ecs.Id
}

func newUot(n, bits int) *uotWorld {
	world := ecs.NewWorld()
	w := &uotWorld{
		world: world, movers: ecs.Query2[Position, Velocity](world),
		position: ecs.Query1[Position](world), velocity: ecs.Query1[Velocity](world),
	}
	for i := range n {
		e := world.NewId()
		ecs.Write(world, e, append(uotExtras(i%(1<<bits)), ecs.C(start(i)), ecs.C(speed))...)
		w.es = append(w.es, e)
	}
	return w
}

func uotExtras(bits int) []ecs.Component {
	values := []ecs.Component{}
	for i, c := range []ecs.Component{
		ecs.C(C1{}), ecs.C(C2{}), ecs.C(C3{}), ecs.C(C4{}), ecs.C(C5{}), ecs.C(C6{}), ecs.C(C7{}), ecs.C(C8{}),
	} {
		if bits>>i&1 == 1 {
			values = append(values, c)
		}
	}
	return values
}

func (w *uotWorld) sum() float64 {
	s := 0.0
	w.position.MapId(func(_ ecs.Id, p *Position) { s += sumOf(*p) })
	w.velocity.MapId(func(_ ecs.Id, v *Velocity) { s += v.X + v.Y })
	return s
}

func (w *uotWorld) trial(steps ...func()) *trial { return &trial{steps: steps, sum: w.sum} }

func (w *uotWorld) columns() *trial {
	return w.trial(func() {
		//lint:ignore SA1019 it is the only way to columns that this peer has
		w.movers.MapSlices(func(_ []ecs.Id, p []Position, v []Velocity) { step(p, v) })
	})
}

func (w *uotWorld) rows(times int) *trial {
	return w.trial(func() {
		for range times {
			stepUot(w.movers)
		}
	})
}

func stepUot(movers *ecs.View2[Position, Velocity]) {
	movers.MapId(func(_ ecs.Id, p *Position, v *Velocity) {
		p.X += v.X
		p.Y += v.Y
	})
}

func uotGet(n int) *trial {
	w := newUot(n, 0)
	es, total := make([]ecs.Id, n), 0.0
	for i, at := range shuffled(n) {
		es[i] = w.es[at]
	}
	t := w.trial(func() {
		total += getUot(es, w.position)
	})
	t.sum = func() float64 { return total }
	return t
}

func getUot(es []ecs.Id, position *ecs.View1[Position]) float64 {
	sum := 0.0
	for _, e := range es {
		sum += position.Read(e).X
	}
	return sum
}

func (w *uotWorld) clear() {
	for _, e := range w.es {
		ecs.Delete(w.world, e)
	}
	w.es = w.es[:0]
}

func (w *uotWorld) spawn(p Position) {
	e := w.world.NewId()
	ecs.Write(w.world, e, ecs.C(p), ecs.C(speed))
	w.es = append(w.es, e)
}

func uotCreate(n int) *trial {
	w := newUot(0, 0)
	t := w.trial(func() {
		for range n {
			w.spawn(born)
		}
	})
	t.prepare = w.clear
	return t
}

func uotAddRemove(n int) *trial {
	w := newUot(n, 0)
	velocity := ecs.C(Velocity{})
	remove := func() {
		for _, e := range w.es {
			ecs.DeleteComponent(w.world, e, velocity)
		}
	}
	remove()
	return w.trial(func() {
		for _, e := range w.es {
			ecs.Write(w.world, e, ecs.C(speed))
		}
	}, remove)
}

func uotDestroy(n int) *trial {
	w := newUot(0, 0)
	t := w.trial(func() {
		for _, e := range w.es {
			ecs.Delete(w.world, e)
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
