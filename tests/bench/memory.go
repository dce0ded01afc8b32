package main

import (
	"math/rand/v2"

	"github.com/perigee-ecs/perigee/ecs"
)

// storageGoal: what 100,000 entities take beyond the bytes of their components.
//
// Raw data are the bytes that components hold: the size of each component times
// the entities that have it. Of what is beyond, the handles count apart, because
// they are no cost of the storage: a handle in each row is the entity itself,
// which every loop gets to see, and eight bytes beside 32 are 25 % for whoever
// keeps one. So the target is held against all that the arena handed out (chunks
// with rows that are not used yet, padding, tables) less the handles of living
// entities. The same with the handles, and with the records that find an entity
// by its handle (16 bytes each, in a table of their own), is told beside it.
func storageGoal() goal {
	return goal{
		operation: operation{name: "storage", n: 100_000},
		figures: func(n int, _ []float64) []figure {
			movers := newPerigee(n, 0)
			defer movers.world.Close()
			bodies := newBodies(n)
			defer bodies.world.Close()
			return append(overhead("two components, 32 bytes", movers.world.Stats()),
				overhead("three components, 64 bytes", bodies.world.Stats())...)
		},
	}
}

// overhead reads the figures off a world's own account of its memory.
func overhead(what string, s ecs.Stats) []figure {
	const handle, record = 8, 16
	raw, taken := 0, s.ArenaBytes
	for _, c := range s.Components {
		raw += c.Used
	}
	beyond := func(bytes int) float64 { return 100 * float64(bytes-raw) / float64(raw) }
	what = "storage overhead, " + what
	return []figure{
		{what + ", without handles", beyond(taken - handle*s.Entities), "%", "≤", 10},
		{what + ", with handles", beyond(taken), "%", "", 0},
		{what + ", with handles and records", beyond(taken + record*s.Entities), "%", "", 0},
	}
}

// churnGoal: how full chunks are after a million random changes.
func churnGoal() goal {
	return goal{
		operation: operation{name: "churn", n: 100_000},
		figures: func(n int, _ []float64) []figure {
			return []figure{
				{"chunk utilisation after churn, 32 archetypes", churn(n, 5), "%", "≥", 80},
				{"chunk utilisation after churn, 256 archetypes", churn(n, 8), "%", "≥", 80},
			}
		},
	}
}

// churn spawns, despawns, adds and removes ten times for each of n entities in 2
// to the bits archetypes, and returns the percentage of the chunks' rows in use.
func churn(n, bits int) float64 {
	w, random := newPerigee(n, bits), rand.New(rand.NewPCG(1, 2))
	defer w.world.Close()
	for range 10 * n {
		i := random.IntN(len(w.es))
		switch random.IntN(4) {
		case 0:
			w.es = append(w.es, w.world.Spawn(
				append(w.extras(random.IntN(1<<bits)), w.position.With(born), w.velocity.With(speed))...))
		case 1:
			must(w.world.Despawn(w.es[i]))
			w.es[i] = w.es[len(w.es)-1]
			w.es = w.es[:len(w.es)-1]
		case 2:
			must(w.world.Add(w.es[i], w.world.Raw().ValueAt(w.extra[random.IntN(bits)].ID(), nil)))
		default:
			c := w.extra[random.IntN(bits)].ID()
			if w.world.Raw().Has(w.es[i], c) {
				must(w.world.Remove(w.es[i], c))
			}
		}
	}
	must(w.world.Check())
	return 100 * w.world.Stats().Utilization
}
