package ecs

import (
	"fmt"
	"testing"
)

// allocates demands that f, once warm, allocates nothing.
func allocates(t *testing.T, name string, f func()) {
	t.Helper()
	for range 100 {
		f() // buffers grow to their size
	}
	if debugging {
		t.Skip("a debugging world allocates")
	}
	if n := testing.AllocsPerRun(200, f); n != 0 {
		t.Errorf("%s allocates %v times", name, n)
	}
}

// TestNothingIsAllocatedInASteadyFrame: what a game does every frame.
func TestNothingIsAllocatedInASteadyFrame(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	z := newMixedWorld(t)
	e := z.byMix["pfbl"]
	columns := z.Query(Write(z.position)).Without(z.frozen).Changed(z.position)
	pool, mixed := z.Query(Write(z.burning)), z.Query(Read(z.position), Read(z.label))
	rows := z.Query(Read(z.position)).Without(z.burning).Optional(Read(z.label))
	view := NewView[mixedRow](z.World)
	sum := 0.0
	for name, f := range map[string]func(){
		"a loop over columns": func() {
			for c := range columns.Chunks() {
				for i := range z.position.Mut(c) {
					z.position.Mut(c)[i].X++
				}
			}
		},
		"a loop over a pool": func() {
			for c := range pool.Chunks() {
				z.burning.Mut(c)[0].Left++
			}
		},
		"a loop over columns and pools": func() {
			for c := range mixed.Chunks() {
				sum += z.position.Of(c)[0].X + float64(len(z.label.Of(c)[0].Text))
			}
		},
		"a loop over rows": func() {
			for c := range rows.Chunks() {
				sum += z.position.Of(c)[0].X
			}
		},
		"row helpers": func() {
			for _, p := range Rows(columns, z.position) {
				p.X++
			}
			for _, r := range Rows2(mixed, z.position, z.label) {
				sum += r.A.X
			}
			for _, r := range view.Rows() {
				sum += r.Position.X
			}
			for c := range SortedBy(mixed, z.position, func(p *Position) int { return int(p.X) % 3 }) {
				sum += z.position.Of(c)[0].X
			}
		},
		"counting":    func() { sum += float64(columns.Count() + mixed.Count() + int(rows.First())) },
		"get":         func() { p, _ := z.position.Get(e); b, _ := z.burning.Get(e); sum += p.X + float64(b.Left) },
		"get a label": func() { l, _ := z.label.Get(e); sum += float64(len(l.Text)) },
		"has":         func() { _ = z.position.Has(e) && z.burning.Has(e) && z.label.Has(e) && z.frozen.Has(e) },
		"edit":        func() { z.position.Edit(e).X++; z.burning.Edit(e).Left++; z.label.Edit(e).Text = "x" },
		"set":         func() { z.position.Set(e, Position{}); z.burning.Set(e, Burning{}) },
		"add and remove": func() {
			z.frozen.Remove(e)
			z.frozen.Set(e, Frozen{})
			z.burning.Remove(e)
			z.burning.Set(e, Burning{})
		},
		"spawn, despawn": func() { z.Despawn(z.Spawn(z.position.With(Position{}), z.burning.With(Burning{}))) },
		"a family": func() {
			parent, child := z.Spawn(), z.Spawn()
			z.SetParent(child, parent)
			for range z.Children(parent) {
				sum++
			}
			for range z.ChildOf().DepthFirst(parent) {
				for range z.ChildOf().BreadthFirst(parent) {
					sum++
				}
			}
			for range z.ChildOf().PostOrder(parent) {
				sum++
			}
			z.Despawn(parent)
		},
	} {
		allocates(t, name, f)
	}
}

func TestCommandsAllocateNothingOnceWarm(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	z := newMixedWorld(t)
	event := RegisterEvent[ping](z.World)
	r := z.newReader(event.ID())
	c := z.NewCommands()
	e := z.byMix["p"]
	patch := make([]byte, 8)
	allocates(t, "recording and applying", func() {
		for range 10 {
			spawned := c.Spawn(z.position.With(Position{1, 2}), z.burning.With(Burning{}))
			c.Add(spawned, z.frozen.With(Frozen{}))
			c.SetParent(spawned, e)
			c.Patch(e, z.position.ID(), 0, patch)
			c.Remove(spawned, z.frozen.ID())
			c.Despawn(spawned)
		}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
	})
	allocates(t, "dropping", func() {
		c.Spawn(z.position.With(Position{}))
		c.Drop()
	})
	for range 100 {
		must(t, z.SetParent(z.Spawn(), e))
	}
	allocates(t, "counting a family", func() {
		if n := c.CountDespawn(e, 1000); n < 101 {
			t.Fatalf("%d of 101 were counted", n)
		}
		c.Drop()
	})
	dead := z.Spawn()
	must(t, z.Despawn(dead))
	allocates(t, "commands for the dead", func() {
		c.Despawn(dead)
		c.DespawnLater(dead)
		c.Add(dead, z.position.With(Position{}))
		c.Remove(dead, z.frozen.ID())
		c.Exchange(dead, nil, z.position.With(Position{}))
		c.Patch(dead, z.position.ID(), 0, patch)
		c.Merge(dead, z.position.With(Position{}), nil)
		c.SetParent(dead, e)
		c.SetParent(e, dead)
		c.Add(0, z.position.With(Position{}))
		must(t, c.Apply())
	})
	n := 0
	allocates(t, "events", func() {
		for range 10 {
			event.Send(c, ping{1})
		}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		for p := range event.Read(r) {
			n += p.N
		}
		z.events.endTick()
	})
}

// TestAStepAllocatesNothing: twenty systems that look, draw random numbers, send
// events, spawn and despawn, with observers that are told.
func TestAStepAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	z := newMixedWorld(t)
	event := RegisterEvent[ping](z.World)
	r := z.newReader(event.ID())
	told := 0
	must(t, z.Observe(Observer{Name: "o", On: OnAdd | OnRemove, Component: z.position.ID(), Run: func(*Tick, Notice) error { told++; return nil }}))
	for i := range 20 {
		q, last := z.Query(Write(z.position)), Entity(0)
		must(t, z.Schedule().Add(System{
			Name: fmt.Sprint("s", i), Priority: i, Fixed: i%5 == 0, Every: float64(i%3) * 0.02, When: func(*World) bool { return true },
			Run: func(tick *Tick) error {
				for c := range q.Chunks() {
					z.position.Mut(c)[0].X += tick.Random().Float64()
				}
				event.Send(tick.Commands, ping{1})
				tick.Commands.Despawn(tick.Commands.Spawn(z.position.With(Position{}))) // nobody hears of it
				tick.Commands.Despawn(last)
				last = tick.Commands.Spawn(z.position.With(Position{}))
				for range event.Read(r) {
				}
				return nil
			},
		}))
	}
	allocates(t, "a step", func() {
		if err := z.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	})
	if told == 0 {
		t.Error("the observer was told nothing: the test does not test it")
	}
}
