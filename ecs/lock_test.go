package ecs

import (
	"errors"
	"testing"
)

// TestNoStructuralChangeInsideALoop: every one answers ErrIterating and does
// nothing, for each kind of loop; Spawn panics with it.
func TestNoStructuralChangeInsideALoop(t *testing.T) {
	z := newMixedWorld(t)
	e := z.byMix["pb"]
	before := z.Checksum()
	for loop, q := range map[string]*Query{
		"columns": z.Query(Read(z.position)), "pool": z.Query(Read(z.burning)), "rows": z.Query(Read(z.position), Read(z.label)),
	} {
		for range q.Chunks() {
			_, spawn := z.TrySpawn(z.position.With(Position{}))
			_, prefab := z.SpawnPrefab(&Prefab{})
			commands := z.NewCommands()
			commands.Despawn(e)
			for name, err := range map[string]error{
				"try spawn": spawn, "prefab": prefab, "despawn": z.Despawn(e), "reset": z.Reset(),
				"spawn":      recovered(func() { z.Spawn() }),
				"add column": z.frozen.Set(e, Frozen{}), "add to heap": z.label.Set(e, Label{}),
				"remove column": z.position.Remove(e), "remove from pool": z.burning.Remove(e),
				"parent": z.SetParent(e, z.byMix["p"]), "root": z.SetParent(e, 0),
				"apply": commands.Apply(), "step": z.Step(0), "close": z.Close(),
			} {
				if !errors.Is(err, ErrIterating) {
					t.Errorf("%s inside a loop over %s answered %v", name, loop, err)
				}
			}
		}
	}
	if z.Checksum() != before {
		t.Error("a refused change changed something")
	}
	must(t, z.Check())
}

// TestValuesMayBeSetInsideALoop: that changes no structure.
func TestValuesMayBeSetInsideALoop(t *testing.T) {
	z := newMixedWorld(t)
	e := z.byMix["pfbl"]
	for range z.Query(Read(z.position)).Chunks() {
		must(t, z.Add(e, z.position.With(Position{9, 9}), z.burning.With(Burning{9}), z.label.With(Label{"nine"}), z.frozen.With(Frozen{})))
	}
	p, _ := z.position.Get(e)
	b, _ := z.burning.Get(e)
	l, _ := z.label.Get(e)
	if p.X != 9 || b.Left != 9 || l.Text != "nine" {
		t.Errorf("got %v, %v, %v", p, b, l)
	}
	must(t, z.Check())
}

// TestAWorldMayBeFilledAndEmptied again and again: what is refused leaves no
// trace, and what is given back can be had again.
func TestAWorldMayBeFilledAndEmptied(t *testing.T) {
	type Wide struct{ V [100]int64 }
	w := open(t, Options{MaxBytes: 1, ReuseAfter: -1})
	wide, position := Register[Wide](w), Register[Position](w)
	heat := Register[Wide2](w, Sparse)
	var room [3]int
	for round := range room {
		for {
			before := w.Len()
			_, err := w.TrySpawn(position.With(Position{1, 2}), wide.With(Wide{}), heat.With(Wide2{}))
			if err != nil {
				if !errors.Is(err, ErrArenaFull) || w.Len() != before {
					t.Fatalf("%v; %d entities, before %d", err, w.Len(), before)
				}
				break
			}
			room[round]++
		}
		must(t, w.Check())
		for e := range w.Entities() {
			if err := w.Despawn(e); err != nil {
				t.Fatal(err)
			}
		}
		must(t, w.Check())
	}
	if room[0] == 0 || room[1] < room[0] || room[2] < room[0] {
		t.Errorf("the world held %v entities in three rounds", room)
	}
}

// Wide2 is another wide type, for a pool.
type Wide2 struct{ V [60]int64 }

func TestEntityLimit(t *testing.T) {
	w := open(t, Options{MaxEntities: 3, ReuseAfter: -1})
	es := spawnMany(w, 3)
	if _, err := w.TrySpawn(); !errors.Is(err, ErrEntityLimit) {
		t.Errorf("a fourth entity answered %v", err)
	}
	if err := recovered(func() { w.Spawn() }); !errors.Is(err, ErrEntityLimit) {
		t.Errorf("Spawn panicked with %v", err)
	}
	must(t, w.Despawn(es[1]))
	if _, err := w.TrySpawn(); err != nil {
		t.Errorf("a slot is free, yet %v", err)
	}
	must(t, w.Check())
}

// TestAReplacedValueNeedsNoRoom: the last chunk of a pool is full, a value in it
// is replaced and then removed. The room once reserved for the replacement was
// taken for a chunk with rows.
func TestAReplacedValueNeedsNoRoom(t *testing.T) {
	w := open(t, Options{})
	heat := Register[Wide2](w, Sparse)
	var es []Entity
	pool := w.components[heat.ID()].pool.(*arenaPool)
	for range 2 * pool.rows.layouts[0].capacity {
		es = append(es, w.Spawn(heat.With(Wide2{})))
	}
	for i, e := range es {
		must(t, heat.Set(e, Wide2{}))
		if i%2 == 0 {
			must(t, heat.Remove(e))
		}
		must(t, w.Check())
	}
	if pool.len() != pool.rows.layouts[0].capacity {
		t.Errorf("%d are left, want %d", pool.len(), pool.rows.layouts[0].capacity)
	}
}

// TestReady: a world says beforehand what Step would refuse.
func TestReady(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	w.Spawn(position.With(Position{}))
	if err := w.Raw().Ready(); err != nil {
		t.Errorf("an idle world: %v", err)
	}
	for range w.Query(Read(position)).Chunks() {
		if err := w.Raw().Ready(); err != ErrIterating {
			t.Errorf("inside of a loop: %v", err)
		}
	}
	must(t, w.Run("run", func(*Tick) error {
		if err := w.Raw().Ready(); err != ErrIterating {
			t.Errorf("inside of a run: %v", err)
		}
		return nil
	}))
	must(t, w.Close())
	if err := w.Raw().Ready(); err != ErrClosed {
		t.Errorf("closed: %v", err)
	}
}
