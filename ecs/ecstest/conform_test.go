package ecstest

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

func TestAStorageOfOnesOwn(t *testing.T) {
	t.Run("numbers", func(t *testing.T) {
		Conform(t, newBlocks[position], func(n int) position { return position{float64(n), 1} }, equal)
	})
	t.Run("values with pointers", func(t *testing.T) { Conform(t, newBlocks[team], newTeam, sameTeam) })
	t.Run("tags", func(t *testing.T) { Conform(t, newBlocks[marked], func(int) marked { return marked{} }, equal) })
}

// wrong is a storage with one fault.
type wrong struct {
	blocks[position]
	fault string
}

func (w *wrong) Len() int {
	if w.fault == "forgets to count" && len(w.order) > 0 {
		return len(w.order) - 1
	}
	return len(w.order)
}

func (w *wrong) At(i int) ecs.Entity {
	if w.fault == "lists one twice" && i > 0 {
		return w.order[i-1]
	}
	return w.order[i]
}

func (w *wrong) Find(e ecs.Entity) *position {
	switch {
	case w.fault == "finds anybody" && len(w.order) > 0:
		return w.blocks.Find(w.order[0])
	case w.fault == "loses the third" && len(w.order) > 2 && e == w.order[2]:
		return nil
	}
	return w.blocks.Find(e)
}

func (w *wrong) Put(e ecs.Entity, v position) {
	if w.fault == "keeps the first value" && w.blocks.Find(e) != nil {
		return
	}
	w.blocks.Put(e, v)
}

func (w *wrong) Remove(e ecs.Entity) {
	if w.fault != "removes nothing" {
		w.blocks.Remove(e)
	}
}

// TestTheSuiteFindsWrongStorages: one that would let them pass would be none.
func TestTheSuiteFindsWrongStorages(t *testing.T) {
	of := func(n int) position { return position{float64(n), 1} }
	for _, fault := range []string{
		"forgets to count", "lists one twice", "finds anybody", "loses the third", "keeps the first value", "removes nothing",
	} {
		s := &wrong{*newBlocks[position]().(*blocks[position]), fault}
		if exercise[position](s, of, equal) == "" {
			t.Errorf("a storage that %s passes", fault)
		}
	}
	if err := exercise(newBlocks[position](), of, equal); err != "" {
		t.Errorf("a storage without fault: %s", err)
	}
}

// TestTheWorldFindsWrongStorages: what their faults do to a world, Check reports;
// the debugging build does not wait for it.
func TestTheWorldFindsWrongStorages(t *testing.T) {
	for _, fault := range []string{"forgets to count", "lists one twice", "finds anybody", "loses the third", "removes nothing"} {
		w := ecs.NewWorld()
		c := ecs.Register[position](w, ecs.Stored(func() ecs.Storage[position] {
			return &wrong{*newBlocks[position]().(*blocks[position]), fault}
		}))
		if lived(w, c) == nil {
			t.Errorf("a storage that %s goes unnoticed", fault)
		}
		w.Close()
	}
}

// lived has entities come and go in a world and returns what is wrong with it then,
// or what stopped them.
func lived(w *ecs.World, c ecs.Component[position]) (wrong error) {
	defer func() {
		if r := recover(); r != nil {
			wrong = fmt.Errorf("%v", r)
		}
	}()
	var es []ecs.Entity
	for i := range 4 {
		es = append(es, w.Spawn(c.With(position{float64(i), 0})))
	}
	w.Despawn(es[0])
	w.Spawn()
	return w.Check()
}
