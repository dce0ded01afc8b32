package main

import "github.com/akmonengine/volt"

// voltPeer is Volt: iterators over rows, components of an entity all at once. It
// has neither columns nor batches.
func voltPeer() contender {
	return contender{name: "volt", make: map[string]func(int) *trial{
		opRows:      func(n int) *trial { return newVolt(n, 0).rows(1) },
		opOne:       func(int) *trial { return newVolt(1, 0).rows(1000) },
		opSpread32:  func(n int) *trial { return newVolt(n, 5).rows(1) },
		opSpread256: func(n int) *trial { return newVolt(n, 8).rows(1) },
		opBeside: func(n int) *trial {
			w := newVolt(n, 0)
			for i := range 4 * n {
				e := w.world.CreateEntity()
				must(volt.AddComponent(w.world, e, Position{}))
				w.extras(e, i%256)
			}
			return w.rows(1)
		},
		opGet:       voltGet,
		opCreate:    voltCreate,
		opAddRemove: voltAddRemove,
		opDestroy:   voltDestroy,
		opWorld: func(int) *trial {
			return &trial{steps: []func(){func() {
				for range 10 {
					volt.CreateWorld(1024)
				}
			}}, sum: func() float64 { return 0 }}
		},
	}}
}

type voltWorld struct {
	world     *volt.World
	movers    volt.Query2[Position, Velocity]
	positions volt.Query1[Position]
	moving    volt.Query1[Velocity]
	es        []volt.EntityId
}

func newVolt(n, bits int) *voltWorld {
	world := volt.CreateWorld(1024)
	voltRegister[Position](world)
	voltRegister[Velocity](world)
	voltRegister[C1](world)
	voltRegister[C2](world)
	voltRegister[C3](world)
	voltRegister[C4](world)
	voltRegister[C5](world)
	voltRegister[C6](world)
	voltRegister[C7](world)
	voltRegister[C8](world)
	w := &voltWorld{
		world: world, movers: volt.CreateQuery2[Position, Velocity](world, volt.QueryConfiguration{}),
		positions: volt.CreateQuery1[Position](world, volt.QueryConfiguration{}),
		moving:    volt.CreateQuery1[Velocity](world, volt.QueryConfiguration{}),
	}
	for i := range n {
		e := w.spawn(start(i))
		w.extras(e, i%(1<<bits))
		w.es = append(w.es, e)
	}
	return w
}

func voltRegister[T volt.ComponentInterface](world *volt.World) {
	volt.RegisterComponent[T](world, &volt.ComponentConfig[T]{BuilderFn: func(any, any) {}})
}

func (w *voltWorld) spawn(p Position) volt.EntityId {
	e, err := volt.CreateEntityWithComponents2(w.world, p, speed)
	must(err)
	return e
}

func (w *voltWorld) extras(e volt.EntityId, bits int) {
	for i, add := range []func() error{
		func() error { return volt.AddComponent(w.world, e, C1{}) },
		func() error { return volt.AddComponent(w.world, e, C2{}) },
		func() error { return volt.AddComponent(w.world, e, C3{}) },
		func() error { return volt.AddComponent(w.world, e, C4{}) },
		func() error { return volt.AddComponent(w.world, e, C5{}) },
		func() error { return volt.AddComponent(w.world, e, C6{}) },
		func() error { return volt.AddComponent(w.world, e, C7{}) },
		func() error { return volt.AddComponent(w.world, e, C8{}) },
	} {
		if bits>>i&1 == 1 {
			must(add())
		}
	}
}

func (w *voltWorld) sum() float64 {
	s := 0.0
	for r := range w.positions.Foreach(nil) {
		s += sumOf(*r.A)
	}
	for r := range w.moving.Foreach(nil) {
		s += r.A.X + r.A.Y
	}
	return s
}

func (w *voltWorld) trial(steps ...func()) *trial { return &trial{steps: steps, sum: w.sum} }

func (w *voltWorld) rows(times int) *trial {
	return w.trial(func() {
		for range times {
			stepVolt(&w.movers)
		}
	})
}

func stepVolt(movers *volt.Query2[Position, Velocity]) {
	for r := range movers.Foreach(nil) {
		r.A.X += r.B.X
		r.A.Y += r.B.Y
	}
}

func voltGet(n int) *trial {
	w := newVolt(n, 0)
	es, total := make([]volt.EntityId, n), 0.0
	for i, at := range shuffled(n) {
		es[i] = w.es[at]
	}
	t := w.trial(func() {
		total += getVolt(es, w.world)
	})
	t.sum = func() float64 { return total }
	return t
}

func getVolt(es []volt.EntityId, world *volt.World) float64 {
	sum := 0.0
	for _, e := range es {
		sum += volt.GetComponent[Position](world, e).X
	}
	return sum
}

func (w *voltWorld) clear() {
	for _, e := range w.es {
		w.world.RemoveEntity(e)
	}
	w.es = w.es[:0]
}

func (w *voltWorld) fill(n int) {
	w.es = w.es[:0]
	for i := range n {
		w.es = append(w.es, w.spawn(start(i)))
	}
}

func voltCreate(n int) *trial {
	w := newVolt(0, 0)
	t := w.trial(func() {
		for range n {
			w.es = append(w.es, w.spawn(born))
		}
	})
	t.prepare = w.clear
	return t
}

func voltAddRemove(n int) *trial {
	w := newVolt(n, 0)
	remove := func() {
		for _, e := range w.es {
			must(volt.RemoveComponent[Velocity](w.world, e))
		}
	}
	remove()
	return w.trial(func() {
		for _, e := range w.es {
			must(volt.AddComponent(w.world, e, speed))
		}
	}, remove)
}

func voltDestroy(n int) *trial {
	w := newVolt(0, 0)
	t := w.trial(func() {
		for _, e := range w.es {
			w.world.RemoveEntity(e)
		}
	})
	t.prepare = func() { w.fill(n) }
	return t
}
