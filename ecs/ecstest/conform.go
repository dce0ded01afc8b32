// Package ecstest tests storages that programs bring along: [Conform] runs the cases that
// the storages of package ecs pass.
package ecstest

import (
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// Conform runs the cases of all storages over a storage of the program's own, and some
// cases for such storages alone. The storage must have room for 250 values. of makes a value
// from a number from 0 to 200: different values for different numbers, unless values have
// no bytes. same compares two values. A failure is reported to t.
//
//	ecstest.Conform(t, func() ecs.Storage[Spot] { return grid.New(64, 64) }, spot, same)
func Conform[C any](t *testing.T, create func() ecs.Storage[C], of func(int) C, same func(a, b C) bool) {
	t.Helper()
	t.Run("in a world", func(t *testing.T) {
		suite(t, ecs.Options{MaxBytes: 32 << 20, ReuseAfter: -1}, of, same, ecs.Stored(create))
	})
	t.Run("alone", func(t *testing.T) {
		if err := exercise(create(), of, same); err != "" {
			t.Error(err)
		}
	})
	t.Run("the same calls give the same order", func(t *testing.T) {
		a, b := create(), create()
		exercise(a, of, same)
		exercise(b, of, same)
		if x, y := listed(a), listed(b); !slices.Equal(x, y) {
			t.Errorf("%v in one storage, %v in the other", x, y)
		}
	})
}

// exercise drives a storage through puts, replacements and removals and returns
// what is wrong with it. It leaves some values in.
func exercise[C any](s ecs.Storage[C], of func(int) C, same func(a, b C) bool) string {
	want := map[ecs.Entity]int{}
	put := func(e ecs.Entity, n int) string {
		for range 2 { // twice is once
			if err := s.Reserve(e); err != nil {
				return "no room: " + err.Error()
			}
		}
		s.Put(e, of(n))
		want[e] = n
		return fault(s, want, of, same)
	}
	for i := range 40 {
		e := ecs.Entity(1<<32 | uint64(i*7%40+1))
		if err := put(e, i); err != "" {
			return err
		}
		if err := put(e, i+50); err != "" {
			return err
		}
		if i%3 != 0 {
			continue
		}
		if err := s.Reserve(ecs.Entity(1<<32 | 200)); err != nil { // for a value that never comes
			return "no room: " + err.Error()
		}
		s.Remove(e)
		s.Remove(e) // absent by now
		delete(want, e)
		if err := fault(s, want, of, same); err != "" {
			return err
		}
	}
	return ""
}

// fault compares all that a storage holds with what was put into it.
func fault[C any](s ecs.Storage[C], want map[ecs.Entity]int, of func(int) C, same func(a, b C) bool) string {
	list := listed(s)
	if len(list) != len(want) {
		return "the length is wrong"
	}
	met := map[ecs.Entity]bool{}
	for _, e := range list {
		n, there := want[e]
		switch p := s.Find(e); {
		case !there || met[e]:
			return "an entity is listed twice, or was never put"
		case p == nil:
			return "an entity is listed and not found"
		case !same(*p, of(n)):
			return "a value is another one"
		}
		met[e] = true
	}
	for i := range 42 {
		if e := ecs.Entity(1<<32 | uint64(i)); !met[e] && s.Find(e) != nil {
			return "an entity is found that was never put, or was removed"
		}
	}
	return ""
}

func listed[C any](s ecs.Storage[C]) []ecs.Entity {
	var es []ecs.Entity
	for i := range s.Len() {
		es = append(es, s.At(i))
	}
	return es
}
