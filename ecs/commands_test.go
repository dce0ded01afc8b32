package ecs

import (
	"errors"
	"slices"
	"testing"
	"unsafe"
)

// TestSpawnedByCommandsIsAliveAtOnce: the handle can be stored and named before
// anything is applied; it is nowhere until then.
func TestSpawnedByCommandsIsAliveAtOnce(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	c := w.NewCommands()
	var e Entity
	for range w.Query().Chunks() {
		t.Fatal("an empty world has no chunks")
	}
	e = c.Spawn(position.With(Position{1, 2}))
	if !w.Alive(e) || position.Has(e) || w.Query().Count() != 0 || w.Len() != 1 || c.Len() != 1 || c.Spawned() != 1 {
		t.Error("a reserved entity must be alive and without components")
	}
	if err := position.Remove(e); !errors.Is(err, ErrDead) {
		t.Errorf("removing from a reserved entity answered %v", err)
	}
	must(t, w.Check())
	must(t, c.Apply())
	if p, ok := position.Get(e); !ok || p != (Position{1, 2}) || c.Len() != 0 || c.Spawned() != 0 {
		t.Errorf("after Apply: %v, %v", p, ok)
	}
	must(t, w.Check())
}

// TestAddPlacesWhatCommandsReserved: the command adds its values then, instead
// of placing the entity a second time; dropping it leaves the entity alone.
func TestAddPlacesWhatCommandsReserved(t *testing.T) {
	w := open(t, Options{})
	position, velocity := Register[Position](w), Register[Velocity](w)
	c := w.NewCommands()
	e := c.Spawn(position.With(Position{1, 2}))
	must(t, velocity.Set(e, Velocity{3, 4}))
	if !velocity.Has(e) || position.Has(e) || w.Query().Count() != 1 {
		t.Error("Add must place a reserved entity with its own values only")
	}
	must(t, c.Apply())
	if p, _ := position.Get(e); p != (Position{1, 2}) || !velocity.Has(e) {
		t.Errorf("after Apply: position %v, velocity %v", p, velocity.Has(e))
	}
	placed := c.Spawn()
	must(t, w.Add(placed))
	c.Drop()
	if !w.Alive(placed) || w.Query().Count() != 2 {
		t.Error("dropping the commands ended an entity that was placed")
	}
	must(t, w.Check())
}

// TestCommandsInOrder: they are applied as recorded, so the later one wins.
func TestCommandsInOrder(t *testing.T) {
	w := open(t, Options{})
	position, frozen := Register[Position](w), Register[Frozen](w)
	c := w.NewCommands()
	e := c.Spawn(position.With(Position{1, 1}))
	c.Add(e, position.With(Position{2, 2}), frozen.With(Frozen{}))
	c.Remove(e, frozen.ID())
	c.Patch(e, position.ID(), 8, []byte{0, 0, 0, 0, 0, 0, 8, 0x40}) // Y = 3
	child := c.Spawn()
	c.SetParent(child, e)
	var order []string
	c.Do(func(w *World) error {
		order = append(order, "first")
		c.Do(func(*World) error { order = append(order, "recorded last"); return nil })
		return nil
	})
	c.Do(func(*World) error { order = append(order, "second"); return nil })
	must(t, c.Apply())
	if p, _ := position.Get(e); p != (Position{2, 3}) || frozen.Has(e) || w.Parent(child) != e {
		t.Errorf("got %v, frozen %v, parent %v", p, frozen.Has(e), w.Parent(child))
	}
	if !slices.Equal(order, []string{"first", "second", "recorded last"}) {
		t.Errorf("functions ran in the order %q", order)
	}
	must(t, w.Check())
}

// TestCommandsForTheDead: two systems may kill the same enemy.
func TestCommandsForTheDead(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position := Register[Position](w)
	e := w.Spawn()
	c := w.NewCommands()
	c.Despawn(e)
	c.Despawn(e)
	c.Add(e, position.With(Position{}))
	c.Remove(e, position.ID())
	c.Patch(e, position.ID(), 0, []byte{1})
	c.SetParent(e, e)
	unborn := c.Spawn(position.With(Position{}))
	c.Despawn(unborn)
	c.Add(unborn, position.With(Position{}))
	must(t, c.Apply())
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
	must(t, w.Check())
}

func TestDespawnedBeforePlaced(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	c := w.NewCommands()
	e := c.Spawn()
	must(t, w.Despawn(e))
	again := w.Spawn() // takes the slot
	must(t, c.Apply())
	if w.Alive(e) || !w.Alive(again) || w.Len() != 1 || again.Index() != e.Index() {
		t.Error("applying brought back an entity that was despawned meanwhile")
	}
	c.Spawn()
	must(t, w.Despawn(again))
	c.Drop()
	must(t, w.Check())
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
}

func TestPatchAddsTheDefaultFirst(t *testing.T) {
	w := open(t, Options{})
	for _, sparse := range []bool{false, true} {
		name := map[bool]string{false: "Column", true: "Pool"}[sparse]
		id, err := w.define(Schema{Name: name, Fields: []Field{{Name: "a", Kind: U8}, {Name: "b", Kind: U8}}, Default: []byte{7, 8}}, sparse)
		must(t, err)
		e := w.Spawn()
		c := w.NewCommands()
		c.Patch(e, id, 1, []byte{9})
		must(t, c.Apply())
		if got := *(*[2]byte)(w.pointer(e, id)); got != [2]byte{7, 9} {
			t.Errorf("%s: the bytes are %v, want the default with one byte changed", name, got)
		}
	}
}

// TestPatchStaysInside: bytes past the component would be another entity's.
func TestPatchStaysInside(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	a, b := w.Spawn(position.With(Position{1, 1})), w.Spawn(position.With(Position{2, 2}))
	for _, offset := range []uintptr{9, 16, 1 << 20, 1<<32 - 1} {
		c := w.NewCommands()
		c.Patch(a, position.ID(), offset, make([]byte, 8))
		if err := c.Apply(); !errors.Is(err, ErrRange) {
			t.Errorf("8 bytes at %d of 16: answered %v", offset, err)
		}
	}
	pa, _ := position.Get(a)
	pb, _ := position.Get(b)
	if pa != (Position{1, 1}) || pb != (Position{2, 2}) {
		t.Errorf("the values are %v and %v", pa, pb)
	}
}

func TestDropReleasesWhatWasReserved(t *testing.T) {
	w := open(t, Options{MaxEntities: 10})
	position := Register[Position](w)
	c := w.NewCommands()
	for range 5 {
		for range 10 {
			if c.Spawn(position.With(Position{})) == 0 {
				t.Fatal("a dropped reservation still holds its slot")
			}
		}
		c.Drop()
		if w.Len() != 0 || c.Len() != 0 || c.Spawned() != 0 {
			t.Fatalf("after Drop: %d entities, %d commands", w.Len(), c.Len())
		}
	}
	must(t, c.Apply())
	must(t, w.Check())
}

func TestSpawnPastTheLimit(t *testing.T) {
	w := open(t, Options{MaxEntities: 2})
	c := w.NewCommands()
	for range 2 {
		if c.Spawn() == 0 {
			t.Fatal("two entities must fit")
		}
	}
	if e := c.Spawn(); e != 0 {
		t.Errorf("a third one is %v", e)
	}
	if err := c.Apply(); !errors.Is(err, ErrEntityLimit) || w.Len() != 2 {
		t.Errorf("Apply answered %v; %d entities", err, w.Len())
	}
	must(t, w.Check())
}

// TestErrorsOfDoComeBackJoined, and do not stop the commands after them.
func TestErrorsOfDoComeBackJoined(t *testing.T) {
	w := open(t, Options{})
	one, two := errors.New("one"), errors.New("two")
	c := w.NewCommands()
	c.Do(func(*World) error { return one })
	e := c.Spawn()
	c.Do(func(*World) error { return two })
	c.SetParent(e, e)
	if err := c.Apply(); !errors.Is(err, one) || !errors.Is(err, two) || !errors.Is(err, ErrCycle) {
		t.Errorf("Apply answered %v", err)
	}
	if !w.placed(e) {
		t.Error("the command between the errors was not applied")
	}
}

func TestCommandsCannotApplyThemselves(t *testing.T) {
	w := open(t, Options{})
	c := w.NewCommands()
	ran := 0
	c.Do(func(*World) error { ran++; return c.Apply() })
	if err := c.Apply(); !errors.Is(err, ErrCycle) || ran != 1 {
		t.Errorf("ran %d times, answered %v", ran, err)
	}
	must(t, c.Apply())
}

// TestAPanicEndsApply: what came before it stays, the rest is dropped, and the
// buffer can be used again.
func TestAPanicEndsApply(t *testing.T) {
	w := open(t, Options{})
	c := w.NewCommands()
	before := c.Spawn()
	c.Do(func(*World) error { panic("inside") })
	behind := c.Spawn()
	func() {
		defer func() { _ = recover() }()
		_ = c.Apply()
	}()
	if !w.placed(before) || w.Alive(behind) || w.Len() != 1 {
		t.Errorf("before the panic: placed %t; behind it: alive %t", w.placed(before), w.Alive(behind))
	}
	c.Despawn(before)
	must(t, c.Apply())
	if w.Len() != 0 {
		t.Error("the buffer does nothing any more")
	}
	must(t, w.Check())
}

// TestCommandsKeepTheirOwnCopies: values may change or move after recording.
func TestCommandsKeepTheirOwnCopies(t *testing.T) {
	type Big struct{ V [8]int64 } // too large to be kept inside a Value
	w := open(t, Options{})
	big, label := Register[Big](w), Register[Label](w)
	c := w.NewCommands()
	value := big.With(Big{[8]int64{1}})
	text := label.With(Label{"before"})
	patch := []byte{5}
	e := c.Spawn(value, text)
	c.Patch(e, big.ID(), 8, patch)
	*(*Big)(value.ptr) = Big{}
	*(*Label)(text.ptr) = Label{"after"}
	patch[0] = 0
	must(t, c.Apply())
	v, _ := big.Get(e)
	l, _ := label.Get(e)
	if v.V[0] != 1 || v.V[1] != 5 || l.Text != "before" {
		t.Errorf("got %v and %v", v, l)
	}
}

// TestTagsAtTheEndOfTheBuffer: a value of no bytes recorded last has no address
// in the buffer; one past its end would belong to another object.
func TestTagsAtTheEndOfTheBuffer(t *testing.T) {
	w := open(t, Options{})
	frozen, position := Register[Frozen](w), Register[Position](w)
	nothing, err := w.defineEvent(Schema{Name: "nothing"})
	must(t, err)
	r := w.newReader(nothing)
	c := w.NewCommands()
	for n := range 40 {
		for range n {
			c.Spawn(position.With(Position{}))
		}
		e := c.Spawn(frozen.With(Frozen{}))
		c.Patch(e, frozen.ID(), 0, nil)
		c.Send(nothing, nil)
		if p := c.dataAt(uint32(len(c.data))); p != nil {
			t.Fatalf("the end of the buffer has the address %v", p)
		}
		must(t, c.Apply())
		if !frozen.Has(e) {
			t.Fatal("the tag is missing")
		}
	}
	if r.Len() != 40 {
		t.Errorf("%d events of no bytes arrived, want 40", r.Len())
	}
}

// The zero Commands takes every order, changes nothing and says so.
func TestZeroCommandsAreRefused(t *testing.T) {
	w := open(t, Options{})

	position := Register[Position](w)
	e := w.Spawn(position.With(Position{X: 1}))
	var c Commands
	if c.Spawn(position.With(Position{})) != 0 || c.Copy(e) != 0 || c.SpawnPrefab(&Prefab{Name: "p", Children: []Prefab{{}}}) != 0 {
		t.Error("an entity of no world was issued")
	}
	c.Add(e, position.With(Position{X: 2}))
	c.Remove(e, position.ID())
	c.Patch(e, position.ID(), 0, make([]byte, 8))
	c.Blend(e, position.ID(), make([]byte, 8), make([]byte, 8))
	c.Merge(e, position.With(Position{X: 3}), []Piece{{Size: 8}})
	c.Exchange(e, []ComponentID{position.ID()})
	c.SetParent(e, e)
	c.Relate(w.ChildOf(), e, e)
	c.Send(0, nil)
	c.Despawn(e)
	if c.NewSets(1) > 1 || !c.FewSets(0, nil) {
		t.Error("commands of no world bring about sets")
	}
	if err := c.Apply(); !errors.Is(err, ErrConflict) {
		t.Errorf("Apply: %v, want ErrConflict", err)
	}
	if p, ok := position.Get(e); !ok || p.X != 1 || c.Len() != 0 {
		t.Errorf("after Apply: %v %v, %d commands", p, ok, c.Len())
	}
	c.Drop()
}

// TestBytesAreNotWrittenOverPointers: half a pointer would mislead the collector.
func TestBytesAreNotWrittenOverPointers(t *testing.T) {
	type parcel struct {
		N     int64
		Texts [2]string
		M     int64
		Deep  struct {
			X int64
			P *int64
		}
	}
	w := open(t, Options{})
	c := Register[parcel](w)
	e := w.Spawn(c.With(parcel{Texts: [2]string{"a", "b"}}))
	var v parcel
	size, after := unsafe.Sizeof(v), unsafe.Offsetof(v.M) // what lies between N, M and X has no pointers
	eight := make([]byte, 8)
	for offset := range size {
		pure := offset == 0 || offset >= after && offset <= after+8
		for name, record := range map[string]func(*Commands){
			"patch": func(b *Commands) { b.Patch(e, c.ID(), offset, eight) },
			"blend": func(b *Commands) {
				value, mask := make([]byte, size), make([]byte, size)
				for i := offset; i < min(offset+8, size); i++ {
					mask[i] = 1
				}
				b.Blend(e, c.ID(), value, mask)
			},
			"merge": func(b *Commands) { b.Merge(e, c.With(parcel{}), []Piece{{offset, 8, false}}) },
		} {
			b := w.NewCommands()
			record(b)
			err := b.Apply()
			if pure && err != nil || !pure && !errors.Is(err, ErrConflict) && !errors.Is(err, ErrRange) {
				t.Errorf("%s from byte %d on: %v", name, offset, err)
			}
			if v, _ := c.Get(e); v.Texts != [2]string{"a", "b"} {
				t.Fatalf("%s from byte %d on has changed the texts to %q", name, offset, v.Texts)
			}
		}
	}
}
