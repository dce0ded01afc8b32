package main

import (
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"
)

// Donburi numbers component types in the process, not in a world.
var (
	donPosition = donburi.NewComponentType[Position]()
	donVelocity = donburi.NewComponentType[Velocity]()
	donExtra    = []donburi.IComponentType{
		donburi.NewComponentType[C1](), donburi.NewComponentType[C2](), donburi.NewComponentType[C3](), donburi.NewComponentType[C4](),
		donburi.NewComponentType[C5](), donburi.NewComponentType[C6](), donburi.NewComponentType[C7](), donburi.NewComponentType[C8](),
	}
)

// donburiPeer is Donburi: iterators over entries, CreateMany for batches.
func donburiPeer() contender {
	return contender{name: "donburi", make: map[string]func(int) *trial{
		opRows:      func(n int) *trial { return newDonburi(n, 0).rows(1) },
		opOne:       func(int) *trial { return newDonburi(1, 0).rows(1000) },
		opSpread32:  func(n int) *trial { return newDonburi(n, 5).rows(1) },
		opSpread256: func(n int) *trial { return newDonburi(n, 8).rows(1) },
		opBeside: func(n int) *trial {
			w := newDonburi(n, 0)
			for i := range 4 * n {
				w.world.Create(append(donExtras(i%256), donPosition)...)
			}
			return w.rows(1)
		},
		opGet:       donburiGet,
		opCreate:    donburiCreate,
		opCreateAll: donburiCreateAll,
		opAddRemove: donburiAddRemove,
		opDestroy:   donburiDestroy,
		opWorld: func(int) *trial {
			return &trial{steps: []func(){func() {
				for range 10 {
					donburi.NewWorld()
				}
			}}, sum: func() float64 { return 0 }}
		},
	}}
}

type donburiWorld struct {
	world             donburi.World
	movers            *donburi.Query
	positions, moving *donburi.Query
	es                []donburi.Entity
}

func newDonburi(n, bits int) *donburiWorld {
	w := &donburiWorld{
		world: donburi.NewWorld(), movers: donburi.NewQuery(filter.Contains(donPosition, donVelocity)),
		positions: donburi.NewQuery(filter.Contains(donPosition)), moving: donburi.NewQuery(filter.Contains(donVelocity)),
	}
	for i := range n {
		w.es = append(w.es, w.give(w.world.Create(append(donExtras(i%(1<<bits)), donPosition, donVelocity)...), start(i)))
	}
	return w
}

// give sets the values of an entity that was created without.
func (w *donburiWorld) give(e donburi.Entity, p Position) donburi.Entity {
	entry := w.world.Entry(e)
	donPosition.SetValue(entry, p)
	donVelocity.SetValue(entry, speed)
	return e
}

func donExtras(bits int) []donburi.IComponentType {
	types := []donburi.IComponentType{}
	for i, c := range donExtra {
		if bits>>i&1 == 1 {
			types = append(types, c)
		}
	}
	return types
}

func (w *donburiWorld) sum() float64 {
	s := 0.0
	for entry := range w.positions.Iter(w.world) {
		s += sumOf(*donPosition.Get(entry))
	}
	for entry := range w.moving.Iter(w.world) {
		v := donVelocity.Get(entry)
		s += v.X + v.Y
	}
	return s
}

func (w *donburiWorld) trial(steps ...func()) *trial { return &trial{steps: steps, sum: w.sum} }

func (w *donburiWorld) rows(times int) *trial {
	return w.trial(func() {
		for range times {
			stepDonburi(w.movers, w.world)
		}
	})
}

func stepDonburi(movers *donburi.Query, world donburi.World) {
	for entry := range movers.Iter(world) {
		p, v := donPosition.Get(entry), donVelocity.Get(entry)
		p.X += v.X
		p.Y += v.Y
	}
}

func donburiGet(n int) *trial {
	w := newDonburi(n, 0)
	es, total := make([]donburi.Entity, n), 0.0
	for i, at := range shuffled(n) {
		es[i] = w.es[at]
	}
	t := w.trial(func() {
		total += getDonburi(es, w.world)
	})
	t.sum = func() float64 { return total }
	return t
}

func getDonburi(es []donburi.Entity, world donburi.World) float64 {
	sum := 0.0
	for _, e := range es {
		sum += donPosition.Get(world.Entry(e)).X
	}
	return sum
}

func (w *donburiWorld) clear() {
	for _, e := range w.es {
		w.world.Remove(e)
	}
	w.es = w.es[:0]
}

func donburiCreate(n int) *trial {
	w := newDonburi(0, 0)
	t := w.trial(func() {
		for range n {
			w.es = append(w.es, w.give(w.world.Create(donPosition, donVelocity), born))
		}
	})
	t.prepare = w.clear
	return t
}

func donburiCreateAll(n int) *trial {
	w := newDonburi(0, 0)
	t := w.trial(func() {
		w.es = w.world.CreateMany(n, donPosition, donVelocity)
		for _, e := range w.es {
			w.give(e, born)
		}
	})
	t.prepare = w.clear
	return t
}

func donburiAddRemove(n int) *trial {
	w := newDonburi(n, 0)
	remove := func() {
		for _, e := range w.es {
			donburi.Remove[Velocity](w.world.Entry(e), donVelocity)
		}
	}
	remove()
	return w.trial(func() {
		for _, e := range w.es {
			donburi.Add(w.world.Entry(e), donVelocity, &speed)
		}
	}, remove)
}

func donburiDestroy(n int) *trial {
	w := newDonburi(0, 0)
	t := w.trial(func() {
		for _, e := range w.es {
			w.world.Remove(e)
		}
	})
	t.prepare = func() {
		w.es = w.world.CreateMany(n, donPosition, donVelocity)
		for i, e := range w.es {
			w.give(e, start(i))
		}
	}
	return t
}
