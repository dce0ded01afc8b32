package main

// perigeeCreateAll, perigeeExchangeAll and perigeeDestroyAll use commands: one
// application for all the changes.

func perigeeCreateAll(n int) *trial {
	w := newPerigee(0, 0)
	commands := w.world.NewCommands()
	t := w.trial(func() {
		for range n {
			commands.Spawn(w.position.With(born), w.velocity.With(speed))
		}
		must(commands.Apply())
	})
	t.prepare = w.clear
	return t
}

func perigeeExchangeAll(n int) *trial {
	w := newPerigee(n, 0)
	commands := w.world.NewCommands()
	remove := func() {
		for _, e := range w.es {
			commands.Remove(e, w.velocity.ID())
		}
		must(commands.Apply())
	}
	remove()
	return w.trial(func() {
		for _, e := range w.es {
			commands.Add(e, w.velocity.With(speed))
		}
		must(commands.Apply())
	}, remove)
}

func perigeeDestroyAll(n int) *trial {
	w := newPerigee(0, 0)
	t := w.trial(w.clear)
	t.prepare = func() { w.fill(n) }
	return t
}

// must ends the program: a benchmark that failed measured nothing.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
