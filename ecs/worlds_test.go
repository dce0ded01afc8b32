package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
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
	for i := range 255 {
		opened(t, &s, fmt.Sprint(i), Options{})
	}
	if _, err := s.Open("one more", Options{}); !errors.Is(err, ErrRange) {
		t.Errorf("with 255 worlds open: %v", err)
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
