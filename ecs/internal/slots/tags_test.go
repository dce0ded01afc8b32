package slots

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestEveryTagIsInItsHandles, and no life of one world is one of another: a world has the first
// and the last life of its tag, and all between are told apart by the same bits.
func TestEveryTagIsInItsHandles(t *testing.T) {
	seen := map[[2]uint32]uint16{}
	for tag := uint16(1); tag <= LastTag; tag++ {
		base, mask, last := Lives(tag)
		if other, taken := seen[[2]uint32{base, mask}]; taken {
			t.Fatalf("tags %d and %d have the same lives", tag, other)
		}
		seen[[2]uint32{base, mask}] = tag
		most, step := uint32(LastGeneration), uint32(1)<<TagBits
		if tag > ShortTags {
			most, step = LastOfMany, 1<<longBits
		}
		for _, c := range []struct{ life, generation uint32 }{{base + step, 1}, {last, most}} {
			h := uint64(c.life)<<IndexBits | 77
			if Tag(h) != tag || Generation(h) != c.generation || c.life&mask != base || h >= 1<<52 {
				t.Fatalf("tag %d: the handle %#x has tag %d and generation %d", tag, h, Tag(h), Generation(h))
			}
			if Untagged(h) != uint64(c.generation)<<(IndexBits+TagBits)|77 {
				t.Fatalf("tag %d: without it the handle is %#x", tag, Untagged(h))
			}
		}
	}
}

// TestASlotOfALongTagRetires after its 4,095 generations, and none of them is another world's.
func TestASlotOfALongTagRetires(t *testing.T) {
	for _, tag := range []uint16{ShortTags + 1, 300, LastTag} {
		records := make([]Record, 2)
		s := New(unsafe.Pointer(unsafe.SliceData(records)), 2, 0, 0, tag)
		for want := uint32(1); want <= LastOfMany; want++ {
			c := s.Cursor()
			foretold, _ := c.Next()
			h, ok := s.Issue()
			if !ok || h != foretold || Tag(h) != tag || Generation(h) != want {
				t.Fatalf("tag %d: generation %d is %#x, %v", tag, want, h, ok)
			}
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			s.Release(h)
		}
		if h, ok := s.Issue(); ok || s.Retired() != 1 {
			t.Errorf("tag %d: %#x was issued after the last generation", tag, h)
		}
	}
}

// TestTagsAreGivenOutOnce compares with a model: who has which tag, and how long each is free.
func TestTagsAreGivenOutOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tags := Tags{fresh: LastTag - 20}
		uses, freed, clock := map[uint16]int{}, map[uint16]int{}, 0
		var held []uint16
		for range rapid.IntRange(0, 200).Draw(t, "history") {
			clock++
			if len(held) > 0 && rapid.Bool().Draw(t, "release") {
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				tag := held[i]
				held = append(held[:i], held[i+1:]...)
				tags.Release(tag)
				if uses[tag]--; uses[tag] == 0 {
					freed[tag] = clock
				}
				continue
			}
			asked := uint16(0)
			if rapid.Bool().Draw(t, "asked") {
				asked = uint16(rapid.IntRange(LastTag-25, LastTag).Draw(t, "tag"))
			}
			tag, ok := tags.Take(asked)
			if !ok {
				for tag := uint16(LastTag - 19); tag <= LastTag; tag++ {
					if uses[tag] == 0 {
						t.Fatalf("there is no tag, and %d is free", tag)
					}
				}
				continue
			}
			if asked != 0 && tag != asked || asked == 0 && uses[tag] > 0 {
				t.Fatalf("asked for %d: got %d, which has %d uses", asked, tag, uses[tag])
			}
			for other := range freed {
				if asked == 0 && uses[other] == 0 && other > LastTag-20 && freed[other] < freed[tag] {
					t.Fatalf("%d was given out before %d, which is free for longer", tag, other)
				}
			}
			uses[tag]++
			held = append(held, tag)
		}
	})
}
