package arena

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// user takes and frees spans, and notes what it has got.
type user struct {
	arena *Arena
	live  map[uint32]int
	log   []uint32
}

// work does some of what a byte each says, and leaves the log of it.
func (u *user) work(t *rapid.T, steps []byte) {
	u.log = u.log[:0]
	for _, n := range steps {
		spans := slices.Sorted(maps.Keys(u.live))
		switch {
		case n%3 != 0 || len(spans) == 0:
			units := int(n)%7 + 1
			span, err := u.arena.Alloc(units)
			if err != nil {
				u.log = append(u.log, 0)
				continue
			}
			u.live[span], u.log = units, append(u.log, span)
		case n%12 == 0:
			at, err := u.arena.Small(int(n) + 1)
			if err != nil {
				at = 0
			}
			u.log = append(u.log, at)
		default:
			span := spans[int(n)%len(spans)]
			u.arena.Free(span, u.live[span])
			delete(u.live, span)
		}
	}
	if err := u.arena.Check(u.live); err != nil {
		t.Fatal(err)
	}
}

// TestARestoredArenaGoesOnAsBefore: from a state on, the same requests get the same spans, in the
// arena that it was taken from, whatever that has done since, and in another one.
func TestARestoredArenaGoesOnAsBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.SliceOfN(rapid.Byte(), 0, 60)
		u := &user{arena: New(2 << 20), live: map[uint32]int{}}
		other := &user{arena: New(2 << 20), live: map[uint32]int{}}
		defer u.arena.Close()
		defer other.arena.Close()
		u.work(t, bytes.Draw(t, "before"))
		other.work(t, bytes.Draw(t, "of another"))
		if err := other.arena.Reserve(); err != nil {
			t.Fatal(err)
		}
		if err := u.arena.Reserve(); err != nil {
			t.Fatal(err)
		}
		var state Holdings
		u.arena.Save(&state)
		live := maps.Clone(u.live)
		after := bytes.Draw(t, "after")
		u.work(t, after)
		want := slices.Clone(u.log)
		u.work(t, bytes.Draw(t, "more"))
		for _, x := range []*user{u, other} {
			if err := x.arena.Prepare(&state); err != nil {
				t.Fatal(err)
			}
			x.arena.Restore(&state)
			x.live = maps.Clone(live)
			if x.work(t, after); !slices.Equal(x.log, want) {
				t.Fatalf("got the spans %v, before %v", x.log, want)
			}
		}
	})
}

// TestAStateFitsItsSizeOnly.
func TestAStateFitsItsSizeOnly(t *testing.T) {
	a, b := New(2<<20), New(3<<20)
	defer a.Close()
	defer b.Close()
	if _, err := a.Alloc(1); err != nil {
		t.Fatal(err)
	}
	if err := b.Reserve(); err != nil {
		t.Fatal(err)
	}
	var state Holdings
	if a.Save(&state); b.Prepare(&state) == nil {
		t.Error("a larger arena took the state")
	}
}
