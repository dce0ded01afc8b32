package ecs

import (
	"errors"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"testing"

	"fmt"
	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"slices"
)

// TestAClosedWorldIsEmptyAndSaysSo: using it is a mistake, but a harmless one.
func TestAClosedWorldIsEmptyAndSaysSo(t *testing.T) {
	z := newMixedWorld(t)
	e := z.byMix["pfbl"]
	must(t, z.SetParent(e, z.byMix["p"]))
	queries := []*Query{
		z.Query(), z.Query(Read(z.position)), z.Query(Read(z.burning)), z.Query(Read(z.label)), z.Query(Read(z.position)).Without(z.label),
	}
	for _, q := range queries {
		q.Count()
	}
	must(t, z.Schedule().Add(System{Name: "a", Run: func(tick *Tick) error { tick.Commands.Spawn(); return nil }}))
	for range 2 {
		must(t, z.Close())
		for i, q := range queries {
			for range q.Chunks() {
				t.Errorf("query %d yields a chunk of a closed world", i)
			}
			if q.Count() != 0 || q.First() != 0 || q.Matches(e) {
				t.Errorf("query %d finds entities in a closed world", i)
			}
		}
		if z.Alive(e) || z.Len() != 0 || z.position.Has(e) || z.burning.Edit(e) != nil || z.label.Has(e) || z.Parent(e) != 0 {
			t.Error("an entity lives in a closed world")
		}
		if _, err := z.TrySpawn(z.position.With(Position{})); !errors.Is(err, ErrClosed) {
			t.Errorf("spawning in a closed world answered %v", err)
		}
		for name, err := range map[string]error{"add": z.label.Set(e, Label{}), "remove": z.burning.Remove(e), "despawn": z.Despawn(e), "parent": z.SetParent(e, 0)} {
			if !errors.Is(err, ErrDead) || !errors.Is(err, ErrClosed) {
				t.Errorf("%s in a closed world answered %v", name, err)
			}
		}
		if err := z.Reset(); !errors.Is(err, ErrClosed) {
			t.Errorf("the reset of a closed world answered %v", err)
		}
		must(t, z.Check())
		z.Checksum()
		z.Stats()
		if err := z.Step(1); !errors.Is(err, ErrClosed) {
			t.Errorf("a step of a closed world answered %v", err)
		}
		if err := z.Run("r", idle); !errors.Is(err, ErrClosed) {
			t.Errorf("a run in a closed world answered %v", err)
		}
		c := z.NewCommands()
		if c.Spawn(); !errors.Is(c.Apply(), ErrClosed) {
			t.Error("commands spawn in a closed world")
		}
	}
}

// TestAWorldIsNotClosedUnderALoop, which would then read unmapped memory.
func TestAWorldIsNotClosedUnderALoop(t *testing.T) {
	z := newMixedWorld(t)
	for range z.Query(Read(z.position)).Chunks() {
		if err := z.Close(); !errors.Is(err, ErrIterating) {
			t.Errorf("answered %v", err)
		}
	}
	must(t, z.Check())
}

// TestADroppedWorldGivesItsMemoryBack: without Close, a slice that outlives its
// world reads zeros. (Where the arena is ordinary Go memory the slice keeps it.)
func TestADroppedWorldGivesItsMemoryBack(t *testing.T) {
	column := droppedColumn(t)
	for range 100 {
		if runtime.GC(); column[0].X == 0 {
			break
		}
		runtime.Gosched()
	}
	want := Position{}
	if arena.OnHeap {
		want = Position{1, 2}
	}
	for i, p := range column {
		if p != want {
			t.Fatalf("row %d of a dropped world reads %v, want %v", i, p, want)
		}
	}
	_ = append([]Position(nil), column...)
}

// droppedColumn returns the column of a world that nothing refers to.
func droppedColumn(t *testing.T) []Position {
	w, err := Open(Options{MaxBytes: bytesForTests})
	must(t, err)
	position := Register[Position](w)
	for range 100 {
		w.Spawn(position.With(Position{1, 2}))
	}
	for c := range w.Query(Read(position)).Chunks() {
		return position.Of(c)
	}
	return nil
}

// TestWorldsAreIndependent: two worlds at once, with the same types.
func TestWorldsAreIndependent(t *testing.T) {
	a, b := newMixedWorld(t), newMixedWorld(t)
	must(t, a.Reset())
	if a.Len() != 0 || b.Len() != 16 {
		t.Errorf("%d and %d entities", a.Len(), b.Len())
	}
	must(t, a.Close())
	must(t, b.Check())
	if p, ok := b.position.Get(b.byMix["p"]); !ok || p.X != 1 {
		t.Errorf("the other world's entity has %v", p)
	}
}

func TestStats(t *testing.T) {
	z := newMixedWorld(t)
	must(t, z.Schedule().Add(System{
		Name: "a", Phase: Physics, Priority: 7, Queries: []*Query{z.Query(Write(z.position), Read(z.burning))}, Run: idle,
	}))
	must(t, z.Step(1))
	s := z.Stats()
	if s.Entities != 16 || len(s.Archetypes) != 4 || s.Chunks != 4 || s.ArenaLimit == 0 || s.ArenaBytes < 4*ChunkBytes {
		t.Errorf("%+v", s)
	}
	rows := 0
	for _, a := range s.Archetypes {
		rows += a.Entities
		if a.Chunks != 1 || a.Capacity < 16 {
			t.Errorf("archetype %+v", a)
		}
	}
	if rows != 16 || s.Utilization <= 0 || s.Utilization > 1 {
		t.Errorf("%d rows, utilization %v", rows, s.Utilization)
	}
	for _, p := range s.Pools[1:] { // the first holds the hierarchy
		if p.Entities != 8 {
			t.Errorf("pool %+v, want 8 entities", p)
		}
	}
	y := s.Systems[0]
	if y.Name != "a" || y.Phase != Physics || y.Priority != 7 || y.Runs != 1 || !y.Enabled || y.Writes[0] != "Position" || y.Reads[0] != "Burning" {
		t.Errorf("system %+v", y)
	}
	moves := s.Transitions
	must(t, z.frozen.Set(z.byMix["p"], Frozen{}))
	must(t, z.label.Set(z.byMix["p"], Label{})) // moves no row
	if got := z.Stats().Transitions; got != moves+1 {
		t.Errorf("%d transitions, want 1", got-moves)
	}
}

// TestMemoryComesBack: chunks of despawned entities are used again, and Compact
// leaves the values of the living alone.
func TestMemoryComesBack(t *testing.T) {
	w := open(t, Options{MaxBytes: 64 << 20})
	position := Register[Position](w)
	var used int
	for round := range 3 {
		for range 100_000 {
			w.Spawn(position.With(Position{1, 2}))
		}
		if round == 0 {
			used = w.Stats().ArenaBytes
		} else if got := w.Stats().ArenaBytes; got != used {
			t.Errorf("round %d uses %d bytes, the first %d", round, got, used)
		}
		must(t, w.Reset())
		w.compact()
	}
	e := w.Spawn(position.With(Position{3, 4}))
	w.compact()
	if p, _ := position.Get(e); p != (Position{3, 4}) {
		t.Errorf("after Compact a living entity has %v", p)
	}
	must(t, w.Check())
}

// TestAClosedWorldRefusesBatches, and says why.
func TestAClosedWorldRefusesBatches(t *testing.T) {
	z := newMixedWorld(t)
	e := z.byMix["pfbl"]
	q := z.Query(Read(z.position))
	other := open(t, Options{})
	must(t, z.Close())
	if err := z.SpawnMany(3, nil, z.position.With(Position{}), z.label.With(Label{})); !errors.Is(err, ErrClosed) {
		t.Errorf("spawning many answered %v", err)
	}
	for _, h := range []ComponentRef{z.position, z.burning, z.label} {
		if err := z.Grow(3, h); !errors.Is(err, ErrClosed) {
			t.Errorf("growing answered %v", err)
		}
	}
	for name, batch := range map[string]func() (int, error){
		"add":     func() (int, error) { return z.AddAll(q, z.label.With(Label{})) },
		"remove":  func() (int, error) { return z.RemoveAll(q, z.position.ID()) },
		"despawn": func() (int, error) { return z.DespawnAll(q) },
	} {
		if n, err := batch(); n != 0 || !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %d changed in a closed world, %v", name, n, err)
		}
	}
	if _, err := z.Copy(e); !errors.Is(err, ErrDead) {
		t.Errorf("copying answered %v", err)
	}
	foreign := other.Spawn(Register[Position](other).With(Position{}))
	if _, err := other.Transfer(foreign, z.World); !errors.Is(err, ErrClosed) || !other.Alive(foreign) {
		t.Errorf("moving to a closed world answered %v", err)
	}
	z.compact()
	must(t, z.Check())
}

// TestGrowForMoreThanThereCanBe asks nobody for memory.
func TestGrowForMoreThanThereCanBe(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	label := Register[Label](w)
	for _, n := range []int{w.room() + 1, 1 << (bits.UintSize * 5 / 8), math.MaxInt} {
		if err := w.Grow(n, label); !errors.Is(err, ErrEntityLimit) {
			t.Errorf("room for %d: %v", n, err)
		}
		if err := w.SpawnMany(n, nil, label.With(Label{})); !errors.Is(err, ErrEntityLimit) {
			t.Errorf("spawning %d: %v", n, err)
		}
	}
	must(t, w.Check())
}

// TestASpawnLikeTheLastOne: what happened since the last entity of the same
// components came holds for the next one: an observer of a component and of
// entities, a migration, a full chunk, a world's end. Values are compared in their
// order, and one of another world is no less foreign for its number.
func TestASpawnLikeTheLastOne(t *testing.T) {
	w, other := open(t, Options{}), NewWorld()
	position, velocity := Register[Position](w), Register[Velocity](w)
	foreign := Register[Position](other)
	spawn := func(x float64) Entity {
		t.Helper()
		e := w.Spawn(position.With(Position{x, 1}), velocity.With(Velocity{2, x}))
		if p, v := position.Peek(e), velocity.Peek(e); *p != (Position{x, 1}) || *v != (Velocity{2, x}) {
			t.Fatalf("entity %v has %v and %v", e, *p, *v)
		}
		return e
	}
	first := spawn(1)
	for i := range 5000 {
		spawn(float64(i))
	}
	if e := w.Spawn(velocity.With(Velocity{3, 4}), position.With(Position{5, 6})); *position.Peek(e) != (Position{5, 6}) || *velocity.Peek(e) != (Velocity{3, 4}) {
		t.Error("values in another order went to each other's columns")
	}
	if e := w.Spawn(position.With(Position{7, 8}), position.With(Position{9, 10})); *position.Peek(e) != (Position{9, 10}) || velocity.Has(e) {
		t.Error("the later of two values of one component does not win")
	}
	if e := w.Spawn(position.With(Position{7, 8})); *position.Peek(e) != (Position{7, 8}) || velocity.Has(e) {
		t.Error("fewer values than the last time made the components of the last time")
	}
	if _, err := w.TrySpawn(foreign.With(Position{})); !errors.Is(err, ErrConflict) {
		t.Errorf("a value of another world: %v", err)
	}
	spawn(2)
	var told []Trigger
	note := func(_ *Tick, n Notice) error { told = append(told, n.Trigger); return nil }
	must(t, w.Observe(Observer{Name: "component", On: OnAdd, Component: velocity.ID(), Run: note}))
	spawn(3)
	must(t, w.Step(1))
	w.Unobserve("component")
	spawn(4)
	must(t, w.Observe(Observer{Name: "entities", On: OnSpawn, Run: note}))
	spawn(5)
	must(t, w.Step(1))
	if len(told) != 2 || told[0] != OnAdd || told[1] != OnSpawn {
		t.Errorf("observers that came after a spawn like this one were told of %v", told)
	}
	w.Unobserve("entities")
	spawn(6)
	must(t, w.Despawn(first))
	must(t, w.Check())
	must(t, w.Close())
	if _, err := w.TrySpawn(position.With(Position{}), velocity.With(Velocity{})); !errors.Is(err, ErrClosed) {
		t.Errorf("spawning in a closed world: %v", err)
	}
}

// TestErrDeadSaysWhen: the error names the tick of the death, as long as nothing that had the
// slot later has died, and which entity has the slot now.
func TestErrDeadSaysWhen(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1, Tag: 1})
	must(t, w.Step(1))
	must(t, w.Step(1)) // two ticks before there is any memory
	says := func(e Entity, want string) {
		t.Helper()
		for _, err := range []error{w.Despawn(e), w.Add(e), w.Remove(e), w.DespawnLater(e)} {
			if !errors.Is(err, ErrDead) || err.Error() != "entity is not alive: "+want {
				t.Errorf("%v: %v", e, err)
			}
		}
	}
	a, b := w.Spawn(), w.Spawn()
	must(t, w.Despawn(a))
	says(a, "1v1: it died in tick 2")
	must(t, w.Schedule().Add(System{Name: "kill", Run: func(t *Tick) error { t.Commands.Despawn(b); return nil }}))
	if err := w.Step(1); err != nil {
		t.Fatal(err)
	}
	must(t, w.Schedule().Change([]string{"kill"}, nil))
	says(b, "2v1: it died in tick 3")
	again := w.Spawn() // in the slot of a
	says(a, "1v1: its slot has 1v2 now: it died in tick 2")
	must(t, w.Step(1))
	must(t, w.Reset())
	says(again, "1v2: it died in tick 4")
	says(a, "1v1")
	for range 2000 {
		e := w.Spawn()
		must(t, w.Despawn(e))
		says(e, fmt.Sprintf("%v: it died in tick 4", e))
	}
	e := w.Spawn()
	says(e+1<<32, fmt.Sprintf("%v was never issued here", e+1<<32))
}

// TestReserveForAComponent: so many values come without memory being taken, wherever they live.
func TestReserveForAComponent(t *testing.T) {
	w := open(t, Options{MaxBytes: 16 << 20})
	position, burning, label, frozen := Register[Position](w), Register[Burning](w, Sparse), Register[Label](w), Register[Frozen](w)
	must(t, w.SpawnMany(2000, nil))
	es := slices.Collect(w.Entities())
	const n = 2000
	for name, c := range map[string]struct {
		reserve func() error
		give    func(e Entity) error
	}{
		"a pool":               {func() error { return burning.Reserve(n) }, func(e Entity) error { return burning.Set(e, Burning{1}) }},
		"the heap":             {func() error { return label.Reserve(n) }, func(e Entity) error { return label.Set(e, Label{"x"}) }},
		"columns":              {func() error { return position.Reserve(n) }, func(e Entity) error { return position.Set(e, Position{1, 2}) }},
		"a tag":                {func() error { return frozen.Reserve(n) }, func(e Entity) error { return nil }},
		"none":                 {func() error { return position.Reserve(0) }, func(e Entity) error { return nil }},
		"two sets":             {func() error { return position.Reserve(n) }, nil},
		"the limit":            {func() error { return burning.Reserve(1 << 22) }, nil},
		"columns to the limit": {func() error { return position.Reserve(1 << 22) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			used := w.arena.Used()
			err := c.reserve()
			must(t, w.Check())
			switch {
			case c.give == nil && name != "two sets":
				if !errors.Is(err, ErrEntityLimit) || w.arena.Used() > used {
					t.Errorf("got %v; %d bytes are kept", err, w.arena.Used()-used)
				}
				return
			case c.give == nil:
				must(t, err)
				return
			}
			must(t, err)
			used = w.arena.Used()
			for _, e := range es {
				must(t, c.give(e))
			}
			if now := w.arena.Used(); now > used {
				t.Errorf("giving it takes %d bytes", now-used)
			}
			for _, e := range es {
				must(t, w.Remove(e, position, burning, label))
			}
			w.Raw().Compact()
		})
	}
	if err := position.Reserve(-1); !errors.Is(err, ErrRange) {
		t.Errorf("a negative number: %v", err)
	}
	for range w.Query().Chunks() {
		if err := position.Reserve(1); !errors.Is(err, ErrIterating) {
			t.Errorf("in a loop: %v", err)
		}
	}
	// Where memory ends, no room is left behind.
	full := open(t, Options{MaxBytes: 1})
	wide := Register[[1000]uint8](full, Sparse, Named("Wide"))
	full.Spawn()
	before := full.arena.Used()
	if err := wide.Reserve(4000); !errors.Is(err, ErrArenaFull) || full.arena.Used() != before {
		t.Errorf("in a full arena: %v; %d bytes are kept", err, full.arena.Used()-before)
	}
	must(t, full.Check())
	// Three rows of four have one set, the last has another: they share the room.
	small := open(t, Options{})
	p, f := Register[Position](small), Register[Frozen](small)
	must(t, small.SpawnMany(300, nil, p.With(Position{})))
	must(t, small.SpawnMany(100, nil, p.With(Position{}), f.With(Frozen{})))
	must(t, p.Reserve(40_000))
	must(t, small.Check())
	used := small.arena.Used()
	must(t, small.SpawnMany(30_000, nil, p.With(Position{})))
	must(t, small.SpawnMany(10_000, nil, p.With(Position{}), f.With(Frozen{})))
	if now := small.arena.Used(); now > used {
		t.Errorf("two sets have room, and take %d bytes", now-used)
	}
}

// TestACloseThatIsRefusedSaysWhatToDo: nobody can record it in Commands.
func TestACloseThatIsRefusedSaysWhatToDo(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	inbox, err := NewInbox(w, 1)
	must(t, err)
	got := map[string]error{}
	try := func(where string) error { got[where] = w.Close(); return nil }
	must(t, w.Schedule().Add(System{Name: "s", Run: func(*Tick) error { return try("system") }}))
	must(t, inbox.Post(1, func(*Tick) error { return try("inbox") }))
	must(t, position.Observe("o", OnAdd, func(*Tick, Entity, *Position) error { return try("observer") }))
	w.Spawn(position.With(Position{}))
	must(t, w.Step(1))
	must(t, w.Run("r", func(*Tick) error { return try("run") }))
	for range w.Query().Chunks() {
		must(t, try("loop"))
	}
	must(t, w.Raw().Claim())
	must(t, try("claim"))
	w.Raw().Release()
	for _, where := range []string{"system", "inbox", "observer", "run", "loop", "claim"} {
		if err := got[where]; !errors.Is(err, ErrIterating) || strings.Contains(err.Error(), "Commands") || !strings.Contains(err.Error(), "close it after") {
			t.Errorf("%s: %v", where, err)
		}
	}
	must(t, w.Close())
}
