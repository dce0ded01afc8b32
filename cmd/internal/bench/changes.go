package bench

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// The workloads that change more than numbers: cooldown despawns, and damage sends
// events.

// Fuse burns down, and then the entity is gone.
type Fuse struct{ Left float64 } // in seconds

// Armor wears off; what is left of it decides when an entity dies.
type Armor struct{ Left, Most float64 }

// Acid eats armor.
type Acid struct{ Rate float64 } // per second

// Died is sent for each entity whose armor is gone.
type Died struct {
	Victim ecs.Entity
	Excess float64 // by how much
}

// newFuse returns the next fuse: about one in 120 entities goes each tick.
func newFuse(r *random) Fuse { return Fuse{r.within(1, 3)} }

// firstFuses returns those at the beginning, as if it had gone on for long.
func firstFuses(n int) ([]Fuse, *random) {
	r, all := newRandom(), make([]Fuse, n)
	for i := range all {
		all[i].Left = r.within(0, 2)
	}
	return all, r
}

// cooldown is a timer at the end of which an entity goes. As many come as have
// gone, which is not timed. Where they lie differs: the numbers are sorted.
func cooldown() workload {
	return workload{
		name: "cooldown",
		plain: func(n int) *model {
			all, r := firstFuses(n)
			return &model{
				loop: func() { all = burn(all, dt) },
				after: func() {
					for len(all) < n {
						all = append(all, newFuse(r))
					}
				},
				state: func() []float64 { return slices.Sorted(slices.Values(numbers(all))) },
			}
		},
		stock: cooldownStock,
	}
}

// burn lets fuses burn; the last one takes the place of one that is gone.
func burn(all []Fuse, dt float64) []Fuse {
	for i := 0; i < len(all); {
		if all[i].Left -= dt; all[i].Left > 0 {
			i++
			continue
		}
		all[i] = all[len(all)-1]
		all = all[:len(all)-1]
	}
	return all
}

// cooldownStock is cooldown over the entities of a world: what has burnt down is
// despawned by a command, and another entity spawned.
func cooldownStock(w *ecs.World, n int) *model {
	fuse := ecs.Register[Fuse](w)
	all, r := firstFuses(n)
	for _, f := range all {
		w.Spawn(fuse.With(f))
	}
	q := w.Query(ecs.Write(fuse))
	run := func(t *ecs.Tick) error {
		for k := range q.Chunks() {
			burning := fuse.Mut(k)
			for i := range burning {
				if burning[i].Left -= t.DT; burning[i].Left <= 0 {
					t.Commands.Despawn(k.Entities()[i])
				}
			}
		}
		return nil
	}
	return &model{
		systems: []ecs.System{{Name: "cooldown", Queries: []*ecs.Query{q}, Run: run}},
		after: func() {
			for range n - q.Count() {
				w.Spawn(fuse.With(newFuse(r)))
			}
		},
		state: func() []float64 { return slices.Sorted(slices.Values(numbers(column(q, fuse)))) },
	}
}

// acidOn returns the next entity of damage: about one in 200 dies each tick.
func acidOn(r *random) (Armor, Acid) {
	most := r.within(50, 150)
	return Armor{most * r.next(), most}, Acid{r.within(20, 40)}
}

// damage wears armor off and sends an event where nothing of it is left; then
// the entity is as new. Those that are told read the events outside of the
// measured time; how many there were and what they said must agree, too.
func damage() workload {
	return workload{name: "damage", plain: damagePlain, stock: damageStock}
}

// damagePlain is damage over two slices, with a slice for events.
func damagePlain(n int) *model {
	p := pairs[Armor, Acid]{start: acidOn}
	armor, acid := p.begin(n)
	type death struct {
		victim int
		excess float64
	}
	var died []death
	seen, excess := 0, 0.0
	return &model{
		loop: func() {
			acid := acid[:len(armor)]
			for i := range armor {
				a := &armor[i]
				if a.Left -= float64(acid[i].Rate * dt); a.Left <= 0 {
					died = append(died, death{i, -a.Left})
					a.Left = a.Most
				}
			}
		},
		after: func() {
			for _, d := range died {
				seen++
				excess += d.excess
			}
			died = died[:0]
		},
		state: func() []float64 { return append(numbers(armor), float64(seen), excess) },
	}
}

// damageStock is damage over the columns of a world, with its events.
func damageStock(w *ecs.World, n int) *model {
	p := pairs[Armor, Acid]{start: acidOn}
	armor, acid, died := ecs.Register[Armor](w), ecs.Register[Acid](w), ecs.RegisterEvent[Died](w)
	a, b := p.begin(n)
	for i := range a {
		w.Spawn(armor.With(a[i]), acid.With(b[i]))
	}
	q, reader := w.Query(ecs.Write(armor), ecs.Read(acid)), died.Reader("bench")
	seen, excess := 0, 0.0
	run := func(t *ecs.Tick) error {
		for k := range q.Chunks() {
			wearOff(armor.Mut(k), acid.Of(k), k.Entities(), t, died)
		}
		return nil
	}
	return &model{
		systems: []ecs.System{{Name: "damage", Queries: []*ecs.Query{q}, Run: run}},
		after: func() {
			for d := range died.Read(reader) {
				seen++
				excess += d.Excess
			}
		},
		state: func() []float64 { return append(numbers(column(q, armor)), float64(seen), excess) },
	}
}

// wearOff is damage to one chunk.
func wearOff(armor []Armor, acid []Acid, all []ecs.Entity, t *ecs.Tick, died ecs.Event[Died]) {
	acid, all = acid[:len(armor)], all[:len(armor)]
	for i := range armor {
		a := &armor[i]
		if a.Left -= float64(acid[i].Rate * t.DT); a.Left <= 0 {
			died.Send(t.Commands, Died{all[i], -a.Left})
			a.Left = a.Most
		}
	}
}
