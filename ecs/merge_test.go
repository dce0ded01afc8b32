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
		c.Merge(e, w.ValueAt(pairs.ID(), unsafe.Pointer(&two)), []Piece{p})
		if err := c.Apply(); !errors.Is(err, ErrRange) {
			t.Errorf("%+v of a pair: %v", p, err)
		}
	}
	for _, p := range []Piece{{Offset: 0, Size: 16, Text: true}, {Offset: 16, Size: 16, Text: true}, {Offset: 40, Size: 0, Text: true}} {
		c := w.NewCommands()
		c.Merge(e, w.ValueAt(names.ID(), unsafe.Pointer(&said)), []Piece{p})
		if err := c.Apply(); !errors.Is(err, ErrRange) {
			t.Errorf("%+v of a labelled: %v", p, err)
		}
	}
	c := w.NewCommands()
	c.Merge(e, w.ValueAt(names.ID(), unsafe.Pointer(&said)), []Piece{{Offset: 24, Size: 16, Text: true}, {Offset: 0, Size: 8}})
	c.Merge(f, w.ValueAt(pairs.ID(), unsafe.Pointer(&two)), []Piece{{Offset: 8, Size: 8}})
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
