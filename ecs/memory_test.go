package ecs

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"
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

// TestTheMapOfMemoryLeadsToValues, and to nothing else: for handles of the
// living, of the dead, of another world, and for numbers that are none.
func TestTheMapOfMemoryLeadsToValues(t *testing.T) {
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
