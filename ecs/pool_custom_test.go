package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ring is a storage with room for a few values, in order of arrival.
type ring struct {
	room  int
	order []Entity
	data  []Position
}

func (r *ring) Len() int        { return len(r.order) }
func (r *ring) At(i int) Entity { return r.order[i] }

func (r *ring) Find(e Entity) *Position {
	if i := slices.Index(r.order, e); i >= 0 {
		return &r.data[i]
	}
	return nil
}

func (r *ring) Reserve(e Entity) error {
	if r.Find(e) == nil && len(r.order) == r.room {
		return fmt.Errorf("%w: room for %d positions", ErrArenaFull, r.room)
	}
	return nil
}

func (r *ring) Put(e Entity, v Position) {
	if p := r.Find(e); p != nil {
		*p = v
		return
	}
	r.order, r.data = append(r.order, e), append(r.data, v)
}

func (r *ring) Remove(e Entity) {
	if i := slices.Index(r.order, e); i >= 0 {
		r.order, r.data = slices.Delete(r.order, i, i+1), slices.Delete(r.data, i, i+1)
	}
}

// TestARefusedBatchKeepsNoRoom: SpawnMany for which a storage has no room gives back the chunks
// that were made for it, as those of a batch that finds no room in the world.
func TestARefusedBatchKeepsNoRoom(t *testing.T) {
	w := open(t, Options{MaxBytes: 64 << 20})
	position := Register[Position](w, Stored(func() Storage[Position] { return &ring{room: 3} }))
	velocity := Register[Velocity](w)
	w.Spawn(velocity.With(Velocity{}))
	before := w.Stats().ArenaBytes
	if err := w.SpawnMany(100_000, nil, velocity.With(Velocity{}), position.With(Position{})); !errors.Is(err, ErrArenaFull) || w.Len() != 1 {
		t.Fatalf("%v, %d alive", err, w.Len())
	}
	if after := w.Stats().ArenaBytes; after > before {
		t.Errorf("the arena has handed out %d bytes, %d before", after, before)
	}
	must(t, w.Check())
}

func TestAStorageOfTheProgram(t *testing.T) {
	w := open(t, Options{})
	own := &ring{room: 3}
	position := Register[Position](w, Stored(func() Storage[Position] { return own }))
	velocity := Register[Velocity](w)
	var es []Entity
	for i := range 3 {
		es = append(es, w.Spawn(position.With(Position{X: float64(i)}), velocity.With(Velocity{})))
	}
	if own.Len() != 3 || *own.Find(es[2]) != (Position{X: 2}) {
		t.Errorf("the storage holds %v", own)
	}
	late := w.Spawn()
	_, spawn := w.TrySpawn(velocity.With(Velocity{}), position.With(Position{}))
	for name, err := range map[string]error{"spawn": spawn, "add": position.Set(late, Position{})} {
		if !errors.Is(err, ErrArenaFull) || !strings.Contains(err.Error(), `storage of "Position"`) || w.Len() != 4 {
			t.Errorf("%s into a full storage: %v, %d alive", name, err, w.Len())
		}
	}
	must(t, w.Despawn(es[0]))
	must(t, position.Set(late, Position{X: 9}))
	var got []float64
	q := w.Query(Write(position))
	for c := range q.Chunks() {
		for range q.Chunks() { // the outer chunk stays as it is
		}
		got = append(got, position.Mut(c)[0].X)
	}
	if !slices.Equal(got, []float64{1, 2, 9}) {
		t.Errorf("a query yields %v, not in the storage's order", got)
	}
	must(t, w.Check())
	sum := w.Checksum()
	position.Edit(late).X = 8
	if w.Checksum() == sum {
		t.Error("the checksum does not see the storage")
	}
	must(t, w.Close())
	if _, ok := position.Get(late); ok || q.Count() != 0 {
		t.Error("a closed world still has what was stored")
	}
}

func TestStoredRefuses(t *testing.T) {
	for says, f := range map[string]func(w *World){
		"storage of ecs.Position": func(w *World) { Register[Velocity](w, Stored(func() Storage[Position] { return &ring{} })) },
		"no storage was made":     func(w *World) { Register[Position](w, Stored(func() Storage[Position] { return nil })) },
	} {
		w := open(t, Options{})
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), says) {
					t.Errorf("%q: panics with %v", says, err)
				}
			}()
			f(w)
		}()
	}
}

func TestALoopOverAStorageAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	w := open(t, Options{})
	position := Register[Position](w, Stored(func() Storage[Position] { return &ring{room: 9} }))
	for range 9 {
		w.Spawn(position.With(Position{}))
	}
	q := w.Query(Write(position))
	allocates(t, "a loop over a storage", func() {
		for c := range q.Chunks() {
			position.Mut(c)[0].X++
		}
	})
}

// TestRowsOfAStorageComeOneByOne: two places that touch may be in two
// allocations, which no column may span.
func TestRowsOfAStorageComeOneByOne(t *testing.T) {
	w := open(t, Options{})
	stored := Register[Position](w, Stored(func() Storage[Position] { return &ring{room: 9} }))
	velocity := Register[Velocity](w)
	for range 8 {
		w.Spawn(stored.With(Position{}), velocity.With(Velocity{}))
	}
	n := 0
	for c := range w.Query(Read(stored), Read(velocity)).Chunks() {
		if n++; c.Len() != 1 {
			t.Errorf("a span has %d rows", c.Len())
		}
	}
	if n != 8 {
		t.Errorf("%d spans, want 8", n)
	}
}

// TestAStorageInParallel: values of a storage are edited by several goroutines, each its
// own. The storage has one version for all of its values; the race detector sees who
// writes it.
func TestAStorageInParallel(t *testing.T) {
	w := open(t, Options{Workers: 3})
	w.worth = 0 // any work is worth waking a goroutine
	position := Register[Position](w, Stored(func() Storage[Position] { return &ring{room: 2000} }))
	for range 2000 {
		w.Spawn(position.With(Position{}))
	}
	q := w.Query(Write(position))
	must(t, w.Run("edit", func(tick *Tick) error {
		return tick.Parallel(q, func(_ *Tick, c *Chunk) {
			for _, e := range c.Entities() {
				position.Edit(e).X++
			}
		})
	}))
	for e, p := range Rows(q, position) {
		if p.X != 1 {
			t.Fatalf("%v was edited %v times", e, p.X)
		}
	}
}
