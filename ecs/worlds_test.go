package ecs

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func memberNames(s *Worlds) (all []string) {
	for m := range s.All() {
		all = append(all, fmt.Sprint(m.ID, m.Name))
	}
	return all
}

func opened(t testing.TB, s *Worlds, name string, o Options) *World {
	t.Helper()
	m, err := s.Open(name, o)
	must(t, err)
	return m.World
}

func TestASetOfWorlds(t *testing.T) {
	var s Worlds
	t.Cleanup(func() { s.CloseAll() })
	a, b := opened(t, &s, "menu", Options{}), opened(t, &s, "match", Options{})
	if m, ok := s.Named("match"); !ok || m.World != b || m.ID != 2 {
		t.Errorf("%+v is the world of that name", m)
	}
	if m, ok := s.Numbered(1); !ok || m.World != a {
		t.Errorf("%+v is the first world", m)
	}
	e := b.Spawn()
	must(t, b.Despawn(e))
	if m, ok := s.Issuer(e); !ok || m.World != b || a.Alive(e) {
		t.Errorf("%+v issued %v", m, e)
	}
	for name, err := range map[string]error{
		"a name twice": second(s.Open("menu", Options{})), "no name": second(s.Open("", Options{})), "a tag twice": second(s.Open("x", Options{Tag: a.tag()})),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	must(t, s.Close("menu"))
	if err := s.Close("menu"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), `"menu"`) {
		t.Errorf("closed twice: %v", err)
	}
	opened(t, &s, "menu", Options{})
	if got := memberNames(&s); !slices.Equal(got, []string{"2match", "3menu"}) || s.Len() != 2 {
		t.Errorf("the set has %v", got)
	}
	if _, ok := s.Numbered(1); ok {
		t.Error("a closed world is still there")
	}
	for m := range s.All() {
		must(t, s.CloseAll())
		if m.Name != "match" {
			t.Errorf("%q was closed and is visited", m.Name)
		}
	}
}

func second(_ NamedWorld, err error) error { return err }

func TestAWorldThatCannotBeClosedStays(t *testing.T) {
	var s Worlds
	w := opened(t, &s, "busy", Options{})
	opened(t, &s, "idle", Options{})
	w.Spawn()
	for range w.Query().Chunks() {
		if err := s.CloseAll(); !errors.Is(err, ErrIterating) || !strings.Contains(err.Error(), `"busy"`) {
			t.Errorf("answered %v", err)
		}
	}
	if got := memberNames(&s); !slices.Equal(got, []string{"1busy"}) {
		t.Errorf("the set has %v", got)
	}
	must(t, s.CloseAll())
}

func TestTheFactoryOfASetCanBeReplaced(t *testing.T) {
	broken := errors.New("broken")
	s := Worlds{Make: func(name string, o Options) (*World, error) {
		if name == "bad" {
			return nil, broken
		}
		w, err := Open(o)
		if err == nil {
			Register[Position](w)
		}
		return w, err
	}}
	t.Cleanup(func() { s.CloseAll() })
	if _, ok := opened(t, &s, "good", Options{}).componentNamed("Position"); !ok {
		t.Error("the factory was not asked")
	}
	if _, err := s.Open("bad", Options{}); !errors.Is(err, broken) || s.Len() != 1 {
		t.Errorf("answered %v, %d worlds", err, s.Len())
	}
	only, _ := s.Named("good")
	s.Make = func(string, Options) (*World, error) { return only.World, nil }
	if _, err := s.Open("again", Options{}); !errors.Is(err, ErrConflict) || s.Len() != 1 {
		t.Errorf("one world twice: %v", err)
	}
}

// TestLimitsByWorld: each world of a set has the limits that it was opened with.
func TestLimitsByWorld(t *testing.T) {
	var s Worlds
	t.Cleanup(func() { s.CloseAll() })
	few, small := opened(t, &s, "few", Options{MaxEntities: 3}), opened(t, &s, "small", Options{MaxBytes: 1})
	free := opened(t, &s, "free", Options{})
	type Wide struct{ V [1000]int64 }
	fill := func(w *World) (int, error) {
		wide := Register[Wide](w)
		for n := range 5000 {
			if _, err := w.TrySpawn(wide.With(Wide{})); err != nil {
				return n, err
			}
		}
		return 5000, nil
	}
	if n, err := fill(few); n != 3 || !errors.Is(err, ErrEntityLimit) {
		t.Errorf("room for 3 entities: %d fit, %v", n, err)
	}
	if n, err := fill(small); n == 0 || n == 5000 || !errors.Is(err, ErrArenaFull) {
		t.Errorf("little memory: %d fit, %v", n, err)
	}
	if n, err := fill(free); err != nil {
		t.Errorf("a world without limits: %d fit, %v", n, err)
	}
	for m := range s.All() {
		must(t, m.World.Check())
	}
}

// TestTagsOfASet: however many worlds come and go, those that are open differ.
func TestTagsOfASet(t *testing.T) {
	var s Worlds
	t.Cleanup(func() { s.CloseAll() })
	for i := range 300 {
		opened(t, &s, fmt.Sprint(i), Options{})
	}
	must(t, s.Close("100"))
	must(t, s.Close("7"))
	w := opened(t, &s, "one more", Options{})
	for m := range s.All() {
		if m.World != w && m.World.tag() == w.tag() {
			t.Errorf("%q and a new world share the tag %d", m.Name, w.tag())
		}
	}
}

// TestHandlesOfThousandsOfWorlds: each handle is alive in the world that has issued it, and in no
// other one of all that are open; it prints alike in each.
func TestHandlesOfThousandsOfWorlds(t *testing.T) {
	const worlds = 2000
	var all [worlds]*World
	var handles [worlds]Entity
	for i := range all {
		all[i] = open(t, Options{MaxBytes: 1, ReuseAfter: -1})
		for range 1 + i%3 { // the first slot in different generations
			must(t, all[i].Despawn(all[i].Spawn()))
		}
		handles[i] = all[i].Spawn()
		if want := fmt.Sprintf("1v%d", 2+i%3); handles[i].String() != want || handles[i].Tag() != all[i].tag() {
			t.Fatalf("world %d prints %v, want %s", i, handles[i], want)
		}
	}
	for i, w := range all {
		for k, e := range handles {
			if w.Alive(e) != (i == k) {
				t.Fatalf("%v of world %d: alive in world %d is %v", e, k, i, w.Alive(e))
			}
		}
		if err := w.Despawn(handles[(i+1)%worlds]); !errors.Is(err, ErrDead) || !strings.Contains(err.Error(), "is a handle of the world with tag") {
			t.Fatal(err)
		}
		must(t, w.Check())
	}
}

// TestATagComesBack when its world is closed, and when nobody can reach that any more.
func TestATagComesBack(t *testing.T) {
	w := open(t, Options{Tag: 32_000})
	lost, err := Open(Options{Tag: 32_000}) // who asks gets it, whoever has it
	must(t, err)
	uses := func() int { return worldTags.Uses(32_000) }
	if uses() != 2 || lost.tag() != w.tag() {
		t.Errorf("%d worlds have the tag", uses())
	}
	lost = nil
	for end := time.Now().Add(10 * time.Second); uses() != 1; runtime.GC() {
		if time.Now().After(end) {
			t.Fatalf("%d worlds have the tag of a world that is gone", uses())
		}
	}
	must(t, w.Close())
	must(t, w.Close())
	if uses() != 0 {
		t.Errorf("%d worlds have the tag of a closed world", uses())
	}
	if _, err := Open(Options{Tag: 32_896}); !errors.Is(err, ErrRange) {
		t.Errorf("a tag that there is not: %v", err)
	}
}

// TestWorldsOfLongTagsHaveTheSameHistory: what the tag takes of a handle is in no checksum.
func TestWorldsOfLongTagsHaveTheSameHistory(t *testing.T) {
	var sums []uint64
	for _, tag := range []uint16{1, 127, 128, 5000, 32_895} {
		w := open(t, Options{Tag: tag, ReuseAfter: -1})
		c := Register[target](w)
		for range 20 {
			a, b := w.Spawn(), w.Spawn()
			c.Set(a, target{b})
			must(t, w.Despawn(b))
		}
		must(t, w.Check())
		sums = append(sums, w.Checksum())
	}
	if len(slices.Compact(sums)) != 1 {
		t.Errorf("checksums differ: %x", sums)
	}
}

// target has the handle of another entity.
type target struct{ E Entity }
