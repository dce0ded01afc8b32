package ecs_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// What was recorded after a mark is as if it had never been, whatever kind of
// command it was; what was recorded before is applied.
func TestRewindForgetsWhatCameAfterTheMark(t *testing.T) {
	type A struct{ N int64 }
	type Words struct{ Text string }
	w := ecs.NewWorld()
	defer w.Close()
	a, words := ecs.Register[A](w), ecs.Register[Words](w)
	old := w.Spawn(a.With(A{1}))
	c := w.NewCommands()
	kept := c.Spawn(a.With(A{2}), words.With(Words{"kept"}))
	mark := c.Mark()
	gone := c.Spawn(a.With(A{3}), words.With(Words{"gone"}))
	c.Despawn(old)
	c.Remove(kept, a.ID())
	c.SetParent(kept, gone)
	c.Do(func(*ecs.World) error { t.Error("a forgotten function ran"); return nil })
	c.Rewind(mark)
	if w.Alive(gone) || c.Len() != 1 || c.Spawned() != 1 {
		t.Errorf("alive %v, %d commands, %d spawned", w.Alive(gone), c.Len(), c.Spawned())
	}
	c.Add(old, a.With(A{4}))
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	v, _ := a.Get(old)
	k, _ := a.Get(kept)
	text, _ := words.Get(kept)
	if v.N != 4 || k.N != 2 || text.Text != "kept" || w.Parent(kept) != 0 || w.Len() != 2 {
		t.Errorf("%v %v %v, parent %v, %d entities", v, k, text, w.Parent(kept), w.Len())
	}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		m := c.Mark()
		c.Despawn(old)
		c.Rewind(m)
	}); n != 0 {
		t.Errorf("a mark and a rewind allocate %v times", n)
	}
}
