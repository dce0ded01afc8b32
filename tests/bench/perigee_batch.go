package main

import "github.com/perigee-ecs/perigee/ecs"

func perigeeCreateAll(n int) *trial {
	w := newPerigee(0, 0)
	t := w.trial(func() { must(w.world.SpawnMany(n, nil, w.position.With(born), w.velocity.With(speed))) })
	t.prepare = w.clear
	return t
}

func perigeeExchangeAll(n int) *trial {
	w := newPerigee(n, 0)
	positions, velocity := w.world.Query(ecs.Read(w.position)), w.velocity.With(speed)
	remove := func() { mustAll(w.world.RemoveAll(w.movers, w.velocity.ID())) }
	remove()
	return w.trial(func() { mustAll(w.world.AddAll(positions, velocity)) }, remove)
}

func perigeeDestroyAll(n int) *trial {
	w := newPerigee(0, 0)
	positions := w.world.Query(ecs.Read(w.position))
	t := w.trial(func() { mustAll(w.world.DespawnAll(positions)) })
	t.prepare = func() { w.fill(n) }
	return t
}

// must ends the program: a benchmark that failed measured nothing.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func mustAll(_ int, err error) { must(err) }
