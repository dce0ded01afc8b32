package ecs

import (
	"errors"
	"testing"
)

// What other implementations are known to get wrong, a test each.

// TestHandlesFromBeforeAResetStayDead, though their slots are issued again.
func TestHandlesFromBeforeAResetStayDead(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position := Register[Position](w)
	var old []Entity
	for round := range 5 {
		for range 100 {
			old = append(old, w.Spawn(position.With(Position{X: float64(round)})))
		}
		must(t, w.Reset())
	}
	must(t, w.SpawnMany(100, nil, position.With(Position{})))
	for _, e := range old {
		if w.Alive(e) || position.Has(e) || w.Despawn(e) == nil || w.Add(e) == nil {
			t.Fatalf("%v of before the reset is alive again", e)
		}
	}
	if w.Len() != 100 {
		t.Errorf("%d are alive, 100 were made since", w.Len())
	}
}

// TestAHandleThatWasNeverIssuedIsDead: numbers that look like handles are not.
func TestAHandleThatWasNeverIssuedIsDead(t *testing.T) {
	w := open(t, Options{})
	e := w.Spawn()
	reserved, err := w.Reserve()
	must(t, err)
	for _, never := range []Entity{0, 1, e + 2, e + 1<<32, e ^ 1<<24, reserved + 1, reserved ^ 1<<31, ^Entity(0), 1 << 52, 1<<24 - 1} {
		if never == e || never == reserved {
			continue
		}
		if w.Alive(never) || w.Has(never, w.ChildOf().ID()) || !errors.Is(w.Despawn(never), ErrDead) {
			t.Errorf("%d was never issued and is alive", never)
		}
	}
}

// TestCopyingTheDeadIsAnError, and not a copy of who got the slot after them.
func TestCopyingTheDeadIsAnError(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position, label := Register[Position](w), Register[Label](w)
	e := w.Spawn(position.With(Position{1, 2}), label.With(Label{"first"}))
	must(t, w.Despawn(e))
	next := w.Spawn(position.With(Position{3, 4}), label.With(Label{"second"}))
	if next.Index() != e.Index() {
		t.Fatal("the slot was not issued again: the test does not test it")
	}
	if c, err := w.Copy(e); !errors.Is(err, ErrDead) || c != 0 || w.Len() != 1 {
		t.Errorf("copying the dead gave %v, %v", c, err)
	}
	reserved, _ := w.Reserve()
	if _, err := w.Copy(reserved); !errors.Is(err, ErrDead) {
		t.Errorf("copying who has no place: %v", err)
	}
	parent := w.Spawn()
	must(t, w.SetParent(next, parent))
	c, err := w.Copy(next, position.With(Position{5, 6}))
	must(t, err)
	p, _ := position.Get(c)
	l, _ := label.Get(c)
	if p != (Position{5, 6}) || l.Text != "second" || w.Parent(c) != 0 {
		t.Errorf("the copy has %v, %v and the parent %v", p, l, w.Parent(c))
	}
	must(t, w.Check())
}
