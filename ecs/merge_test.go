package ecs

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"
)

type pair struct{ A, B float64 }

type labelled struct {
	N     int64
	Names [2]string
}

// TestPiecesStayInTheirComponent: of a piece that is not one of the component Apply
// reports ErrRange, and nothing changes, also not beside the component.
func TestPiecesStayInTheirComponent(t *testing.T) {
	w := NewWorld()
	pairs, names := Register[pair](w), Register[labelled](w)
	e := w.Spawn(pairs.With(pair{1, 2}), names.With(labelled{1, [2]string{"x", "y"}}))
	f := w.Spawn(pairs.With(pair{3, 4}), names.With(labelled{2, [2]string{"z", "w"}}))
	two, said := pair{7, 8}, labelled{9, [2]string{"p", "q"}}
	for _, p := range []Piece{
		{Offset: ^uintptr(0) - 7, Size: 8},
		{Offset: 8, Size: ^uintptr(0) - 3},
		{Offset: 17, Size: 0},
		{Offset: 8, Size: 16},
		{Offset: 8, Size: 8, Text: true},
		{Offset: 0, Size: 16, Text: true},
	} {
		c := w.NewCommands()
		c.Merge(e, w.valueAt(pairs.ID(), unsafe.Pointer(&two)), []Piece{p})
		if err := c.Apply(); !errors.Is(err, ErrRange) {
			t.Errorf("%+v of a pair: %v", p, err)
		}
	}
	for _, p := range []Piece{{Offset: 0, Size: 16, Text: true}, {Offset: 16, Size: 16, Text: true}, {Offset: 40, Size: 0, Text: true}} {
		c := w.NewCommands()
		c.Merge(e, w.valueAt(names.ID(), unsafe.Pointer(&said)), []Piece{p})
		if err := c.Apply(); !errors.Is(err, ErrRange) {
			t.Errorf("%+v of a labelled: %v", p, err)
		}
	}
	c := w.NewCommands()
	c.Merge(e, w.valueAt(names.ID(), unsafe.Pointer(&said)), []Piece{{Offset: 24, Size: 16, Text: true}, {Offset: 0, Size: 8}})
	c.Merge(f, w.valueAt(pairs.ID(), unsafe.Pointer(&two)), []Piece{{Offset: 8, Size: 8}})
	if err := c.Apply(); err != nil {
		t.Error(err)
	}
	var got string
	for _, e := range []Entity{e, f} {
		two, _ := pairs.Get(e)
		said, _ := names.Get(e)
		got += fmt.Sprint(two, said, " ")
	}
	if want := "{1 2} {9 [x q]} {3 8} {2 [z w]} "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// several is an error that cannot be compared with another one.
type several []string

func (s several) Error() string        { return fmt.Sprint([]string(s)) }
func (s several) Is(target error) bool { return target == ErrArenaFull }

// TestErrorsOfCommandsNeedNotCompare: the error of a function may be of any type.
func TestErrorsOfCommandsNeedNotCompare(t *testing.T) {
	w := NewWorld()
	c := w.NewCommands()
	ran := 0
	for range 3 {
		c.Do(func(*World) error { ran++; return several{"one", "two"} })
	}
	if err := c.Apply(); !errors.Is(err, ErrArenaFull) || ran != 3 {
		t.Errorf("%d ran: %v", ran, err)
	}
}

// TestAssignTellsNobodyAndCounts: what Assign records is stored and counts as changed,
// in a column and in a pool, and of it observers are not told; of a Merge they
// are. An entity without the component gets it, and that they are told.
func TestAssignTellsNobodyAndCounts(t *testing.T) {
	w := newWatched(t)
	watch(t, w, w.position, OnAdd|OnSet)
	watch(t, w, w.burning, OnAdd|OnSet)
	e := w.Spawn(w.position.With(Position{}), w.burning.With(Burning{}))
	bare := w.Spawn()
	must(t, w.Step(0))
	w.told()
	merge := func(record func(*Commands, Entity, Value, []Piece), e Entity, id ComponentID, with []byte) []string {
		t.Helper()
		c := w.NewCommands()
		whole := make([]uint64, 16)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&whole[0])), 8), with)
		record(c, e, w.valueAt(id, unsafe.Pointer(&whole[0])), []Piece{{Size: 1}})
		other := w.NewCommands()
		other.take(c) // as at the end of a run beside others
		must(t, other.Apply())
		must(t, w.Step(0))
		return w.told()
	}
	for id, h := range map[ComponentID]ComponentRef{w.position.ID(): w.position, w.burning.ID(): w.burning} {
		q := w.Query(Read(h)).Changed(h)
		for range q.Chunks() { // looked
		}
		if told := merge((*Commands).Assign, e, id, []byte{3}); len(told) > 0 || *(*byte)(w.pointer(e, id)) != 3 {
			t.Errorf("component %d: told %v, holds %d", id, told, *(*byte)(w.pointer(e, id)))
		}
		if n := q.Count(); n != 1 {
			t.Errorf("component %d: %d changed", id, n)
		}
		if told := merge((*Commands).Merge, e, id, []byte{4}); len(told) != 1 {
			t.Errorf("component %d, Merge: told %v", id, told)
		}
		if told := merge((*Commands).Assign, bare, id, []byte{5}); len(told) != 1 || !w.has(bare, id) {
			t.Errorf("component %d, of an entity without it: told %v", id, told)
		}
	}
}
