package ecs

import (
	"errors"
	"strings"
	"testing"
)

// TestCommandsForHandlesThatWereNeverIssued fail with ErrDead, and do not stop the others; those
// for dead entities and for none are passed over.
func TestCommandsForHandlesThatWereNeverIssued(t *testing.T) {
	w, other := open(t, Options{ReuseAfter: -1}), open(t, Options{Tag: 9})
	position := Register[Position](w)
	dead, e := w.Spawn(), w.Spawn()
	must(t, w.Despawn(dead))
	again := w.Spawn() // in the slot of dead
	for name, stray := range map[string]Entity{
		"of another world": other.Spawn(), "of no slot": e + 70, "of a later life": e + 1<<32, "of no life": Entity(e.Index()), "all ones": ^Entity(0),
	} {
		for what, record := range map[string]func(*Commands){
			"Despawn":      func(c *Commands) { c.Despawn(stray) },
			"DespawnLater": func(c *Commands) { c.DespawnLater(stray) },
			"Add":          func(c *Commands) { c.Add(stray, position.With(Position{})) },
			"Remove":       func(c *Commands) { c.Remove(stray, position) },
			"Exchange":     func(c *Commands) { c.Exchange(stray, nil, position.With(Position{})) },
			"Patch":        func(c *Commands) { c.Patch(stray, position.ID(), 0, []byte{1}) },
			"Merge":        func(c *Commands) { c.Merge(stray, position.With(Position{}), nil) },
			"Copy":         func(c *Commands) { c.Copy(stray) },
			"parent":       func(c *Commands) { c.SetParent(e, stray) },
			"child":        func(c *Commands) { c.SetParent(stray, e) },
		} {
			c := w.NewCommands()
			record(c)
			c.Despawn(dead)
			c.Add(0, position.With(Position{}))
			c.Add(e, position.With(Position{7, 7}))
			err := c.Apply()
			if !errors.Is(err, ErrDead) || !strings.Contains(err.Error(), "never issued") && !strings.Contains(err.Error(), "handle of the world with tag") {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			if strings.Count(err.Error(), "not alive") != 1 || position.Peek(e).X != 7 || !w.Alive(again) {
				t.Errorf("%s, %s: the other commands: %v", name, what, err)
			}
			must(t, position.Set(e, Position{}))
		}
	}
	must(t, w.Check())
}

// TestALoopOverSourcesEnds where its body sets the same target again, or brings new sources.
func TestALoopOverSourcesEnds(t *testing.T) {
	w := open(t, Options{})
	target := w.Spawn()
	sources := make([]Entity, 5)
	for i := range sources {
		sources[i] = w.Spawn()
		must(t, w.SetParent(sources[i], target))
	}
	for name, body := range map[string]func(Entity) error{
		"the same target":    func(e Entity) error { return w.SetParent(e, target) },
		"a new source":       func(Entity) error { return w.SetParent(w.Spawn(), target) },
		"the first place":    func(e Entity) error { return w.ChildOf().SetAt(e, target, 0) },
		"another, and again": func(e Entity) error { return errors.Join(w.SetParent(e, 0), w.SetParent(e, target)) },
	} {
		seen, turns, want := map[Entity]bool{}, 0, w.ChildOf().Count(target)
		for e := range w.Children(target) {
			must(t, body(e))
			if seen[e] = true; turns > 2*want {
				t.Fatalf("%s: the loop does not end", name)
			}
			turns++
		}
		if turns != want || len(seen) != want {
			t.Errorf("%s: %d turns for %d of %d sources", name, turns, len(seen), want)
		}
	}
	must(t, w.Check())
}
