package ecs

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
)

// follow finds a value as code does that has nothing but the memory and its map.
func follow(memory []byte, m MemoryMap, e Entity, id ComponentID, size int) (at int, alive bool) {
	word := func(at int) int { return int(binary.NativeEndian.Uint32(memory[at:])) }
	slot, stamp := int(e&(1<<24-1)), int(e>>24)
	if slot >= int(m.Slots) {
		return -1, false
	}
	record := int(m.Records) + 16*slot
	if stamp == 0 || word(record) != stamp {
		return -1, false
	}
	table := word(int(m.Directory) + 4*word(record+4))
	if int(id) >= word(table) || word(table+4+4*int(id)) == 0 {
		return -1, true
	}
	return word(record+8)*int(m.Unit) + word(table+4+4*int(id)) + word(record+12)*size, true
}

// TestMemoryMapOfRandomWorldsLeadsToValues, and to nothing else: for handles of the
// living, of the dead, of another world, and for numbers that are none.
func TestMemoryMapOfRandomWorldsLeadsToValues(t *testing.T) {
	const seed = 4
	r := rand.New(rand.NewPCG(seed, seed))
	w, err := Open(Options{Tag: 3, ReuseAfter: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	position, velocity, burning := Register[Position](w), Register[Velocity](w), Register[Burning](w, Sparse)
	var handles []Entity
	for i := range 3000 {
		switch r.IntN(5) {
		case 0:
			handles = append(handles, w.Spawn(position.With(Position{float64(i), 0})))
		case 1:
			handles = append(handles, w.Spawn(velocity.With(Velocity{}), burning.With(Burning{})))
		case 2:
			handles = append(handles, w.Spawn(position.With(Position{float64(i), 1}), velocity.With(Velocity{})))
		case 3:
			if len(handles) > 0 {
				w.Despawn(handles[r.IntN(len(handles))])
			}
		case 4:
			handles = append(handles, Entity(r.Uint64()), Entity(r.IntN(100)), w.NewCommands().Spawn())
		}
	}
	memory, m := w.memory(), w.memoryMap()
	for _, e := range handles {
		at, alive := follow(memory, m, e, position.ID(), int(unsafe.Sizeof(Position{})))
		if alive != w.Alive(e) {
			t.Fatalf("seed %d: %v: alive is %v, by the map %v", seed, e, w.Alive(e), alive)
		}
		want := -1
		if p := position.Peek(e); p != nil {
			want = int(uintptr(unsafe.Pointer(p)) - uintptr(unsafe.Pointer(&memory[0])))
		}
		if at != want {
			t.Fatalf("seed %d: %v: its position is at %d, by the map at %d", seed, e, want, at)
		}
		if at, _ := follow(memory, m, e, burning.ID(), 4); at != -1 {
			t.Fatalf("seed %d: %v: the map knows a pooled component at %d", seed, e, at)
		}
	}
}

// TestScratchIsNobodys: what is written there changes nothing.
func TestScratchIsNobodys(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	position := Register[Position](w)
	e := w.Spawn(position.With(Position{1, 2}))
	before, m := w.Checksum(), w.memoryMap()
	scratch := w.memory()[m.Scratch:m.ScratchEnd]
	if len(scratch) < 32<<10 || m.Scratch%64 != 0 {
		t.Errorf("scratch is %d bytes at %d", len(scratch), m.Scratch)
	}
	for i := range scratch {
		scratch[i] = 0xFF
	}
	if p, _ := position.Get(e); p != (Position{1, 2}) || w.Checksum() != before {
		t.Errorf("%v, checksum %x, was %x", p, w.Checksum(), before)
	}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
}

// TestMemoryHoldsTheColumns holds that columns and arena pools lie in what
// Memory returns, and that its length is whole pages.
func TestMemoryHoldsTheColumns(t *testing.T) {
	type Near struct{ X float64 }
	type Rare struct{ N int32 }
	w, err := Open(Options{MaxBytes: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	near, rare := Register[Near](w), Register[Rare](w, Sparse)
	e := w.Spawn(near.With(Near{1.5}), rare.With(Rare{7}))
	memory := w.memory()
	if len(memory) != 2<<20 || len(memory)%(64<<10) != 0 {
		t.Fatalf("%d bytes", len(memory))
	}
	base := uintptr(unsafe.Pointer(&memory[0]))
	for _, id := range []ComponentID{near.ID(), rare.ID()} {
		if at := uintptr(w.pointer(e, id)) - base; at >= uintptr(len(memory)) {
			t.Errorf("component %d lies outside", id)
		}
	}
	at := uintptr(w.pointer(e, near.ID())) - base
	*(*float64)(unsafe.Pointer(&memory[at])) = 2.5
	if p, _ := near.Get(e); p.X != 2.5 {
		t.Errorf("got %v through the world", p.X)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.memory() != nil {
		t.Error("a closed world has memory")
	}
}

// TestAnEmptyWorldReservesNothing: the addresses come with the first entity, the
// first set of components or the first look at the memory, and the numbers of
// tables are the same whichever it is.
func TestAnEmptyWorldReservesNothing(t *testing.T) {
	for name, need := range map[string]func(w *World){
		"entity":     func(w *World) { w.Spawn() },
		"components": func(w *World) { w.Spawn(Register[Position](w).With(Position{})) },
		"commands":   func(w *World) { must(t, w.NewCommands().Apply()); w.NewCommands().Spawn() },
		"memory":     func(w *World) { w.memory() },
	} {
		w := open(t, Options{})
		Register[Velocity](w)
		for range w.Query().Chunks() {
			t.Error("an empty world has a chunk")
		}
		must(t, w.Check())
		must(t, w.Reset())
		w.compact()
		w.Stats()
		if w.arena.Base() != nil || w.Len() != 0 {
			t.Errorf("%s: reserved before it was needed", name)
		}
		if need(w); w.arena.Base() == nil || w.tables[1].arch != w.empty() {
			t.Errorf("%s: base %v, table 1 of archetype %d", name, w.arena.Base(), w.tables[1].arch.id)
		}
		must(t, w.Check())
	}
}

// TestOptionsThatMakeNoSense, or that the world could not keep to, are refused by
// name; the greatest that it can keep to are not.
func TestOptionsThatMakeNoSense(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name    string
		options []Options
	}{
		{"MaxBytes", []Options{{MaxBytes: -1}, {MaxBytes: arena.MaxBytes + 1}}},
		{"MaxEntities", []Options{{MaxEntities: -1}, {MaxEntities: 1 << 24}, {MaxEntities: 1 << 20, MaxBytes: 64 << 20}}},
		{"MaxFixedSteps", []Options{{MaxFixedSteps: -1}}},
		{"Workers", []Options{{Workers: -1}, {Workers: maxWorkers + 1}}},
		{"FixedStep", []Options{{FixedStep: -1}, {FixedStep: nan}, {FixedStep: inf}, {FixedStep: 1e-300}}},
		{"Breaker.Retry", []Options{{Breaker: Breaker{Retry: -1}}, {Breaker: Breaker{Retry: nan}}, {Breaker: Breaker{Retry: inf}}}},
		{"Breaker.MaxRetry", []Options{{Breaker: Breaker{MaxRetry: -1}}, {Breaker: Breaker{MaxRetry: nan}}}},
	} {
		for _, o := range c.options {
			if w, err := Open(o); !errors.Is(err, ErrRange) || w != nil || !strings.Contains(err.Error(), c.name) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	for _, o := range []Options{
		{MaxBytes: arena.MaxBytes}, {MaxEntities: 1<<24 - 1}, {MaxEntities: 64<<20/256 - 1, MaxBytes: 64 << 20},
		{Workers: maxWorkers}, {FixedStep: 1e-6}, {Breaker: Breaker{Failures: -1, MaxRetry: inf}},
	} {
		w, err := Open(o)
		if err != nil || o.MaxEntities > 0 && o.MaxBytes > 0 && w.room() != o.MaxEntities {
			t.Errorf("%+v: %v, room for %d", o, err, w.room())
		}
	}
}

// TestCompactOfRandomWorldsChangesNothing: after churn, what the world holds
// shrinks to little more than its rows, while values, order and versions stay.
func TestCompactOfRandomWorldsChangesNothing(t *testing.T) {
	w := open(t, Options{MaxBytes: 256 << 20, ReuseAfter: -1})
	position, velocity := Register[Position](w), Register[Velocity](w)
	burning, label := Register[Burning](w, Sparse), Register[Label](w)
	es, random := []Entity{}, rand.New(rand.NewPCG(1, 2))
	for i := range 60_000 {
		e := w.Spawn(position.With(Position{float64(i), 0}), burning.With(Burning{1}), label.With(Label{"x"}))
		if i%3 == 0 {
			must(t, velocity.Set(e, Velocity{}))
		}
		es = append(es, e)
	}
	// The old go, so that whole pages of places are empty; among the young, chance.
	for i, e := range es {
		if i < 30_000 || random.IntN(4) > 0 {
			must(t, w.Despawn(e))
		}
	}
	changed := w.Query(Read(position)).Changed(position)
	for range changed.Chunks() {
	}
	sum, before := w.Checksum(), w.Stats()
	w.compact()
	must(t, w.Check())
	after := w.Stats()
	if w.Checksum() != sum {
		t.Error("Compact changed what a game sees")
	}
	for range changed.Chunks() {
		t.Error("Compact counts as a change")
	}
	if after.ArenaBytes >= before.ArenaBytes || after.Utilization < 0.8 {
		t.Errorf("%d bytes and %.2f utilisation, before %d and %.2f", after.ArenaBytes, after.Utilization, before.ArenaBytes, before.Utilization)
	}
	if p := label.info.pool.(*heapPool[Label]); cap(p.data) > 2*len(p.data) {
		t.Errorf("the heap pool has room for %d values and holds %d", cap(p.data), len(p.data))
	}
	if w.arena.Spare() != 0 {
		t.Errorf("%d free bytes still have pages", w.arena.Spare())
	}
	spawnMany(w, 1000)
	must(t, w.Check())
}

// TestCompactInsideALoopMovesNothing: the loop's columns stay where they are.
func TestCompactInsideALoopMovesNothing(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position := Register[Position](w)
	es := []Entity{}
	for range 20_000 {
		es = append(es, w.Spawn(position.With(Position{1, 2})))
	}
	for _, e := range es[100:] {
		must(t, w.Despawn(e))
	}
	for c := range w.Query(Read(position)).Chunks() {
		before := &position.Of(c)[0]
		w.compact()
		if before != &position.Of(c)[0] || unsafe.Pointer(before) != w.pointer(c.Entities()[0], position.ID()) {
			t.Error("Compact moved rows under a loop")
		}
	}
	must(t, w.Check())
}

// TestCompactOfAnEmptyWorldKeepsNothing that entities needed.
func TestCompactOfAnEmptyWorldKeepsNothing(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position, burning := Register[Position](w), Register[Burning](w, Sparse)
	empty := func() int { w.compact(); return w.Stats().ArenaBytes }
	w.Spawn(position.With(Position{}), burning.With(Burning{}))
	must(t, w.Reset())
	tables := empty()
	for range 3 {
		for range 10_000 {
			w.Spawn(position.With(Position{}), burning.With(Burning{}))
		}
		must(t, w.Reset())
		if got := empty(); got > tables+2*ChunkBytes { // tables of longer chunks
			t.Errorf("%d bytes are held for nobody, %d at first", got, tables)
		}
		if len(w.chunks) > 0 {
			t.Errorf("%d chunks are remembered", len(w.chunks))
		}
		must(t, w.Check())
	}
}
