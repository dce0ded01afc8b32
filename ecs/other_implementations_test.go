package ecs

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// What other implementations are known to get wrong, a test each.

// TestHandlesFromBeforeAResetStayDead, though their slots are issued again.
func TestHandlesFromBeforeAResetStayDead(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position := Register[Position](w)
	var old []Entity
	for round := range 5 {
		for range 100 {
			old = append(old, w.Spawn(position.With(Position{X: float64(round)})))
		}
		must(t, w.Reset())
	}
	must(t, w.SpawnMany(100, nil, position.With(Position{})))
	for _, e := range old {
		if w.Alive(e) || position.Has(e) || w.Despawn(e) == nil || w.Add(e) == nil {
			t.Fatalf("%v of before the reset is alive again", e)
		}
	}
	if w.Len() != 100 {
		t.Errorf("%d are alive, 100 were made since", w.Len())
	}
}

// TestAHandleThatWasNeverIssuedIsDead: numbers that look like handles are not.
func TestAHandleThatWasNeverIssuedIsDead(t *testing.T) {
	w := open(t, Options{})
	e := w.Spawn()
	reserved, err := w.reserve()
	must(t, err)
	for _, never := range []Entity{0, 1, e + 2, e + 1<<32, e ^ 1<<24, reserved + 1, reserved ^ 1<<31, ^Entity(0), 1 << 52, 1<<24 - 1} {
		if never == e || never == reserved {
			continue
		}
		if w.Alive(never) || w.has(never, w.ChildOf().ID()) || !errors.Is(w.Despawn(never), ErrDead) {
			t.Errorf("%d was never issued and is alive", never)
		}
	}
}

// TestCopyingTheDeadIsAnError, and not a copy of who got the slot after them.
func TestCopyingTheDeadIsAnError(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position, label := Register[Position](w), Register[Label](w)
	e := w.Spawn(position.With(Position{1, 2}), label.With(Label{"first"}))
	must(t, w.Despawn(e))
	next := w.Spawn(position.With(Position{3, 4}), label.With(Label{"second"}))
	if next.Index() != e.Index() {
		t.Fatal("the slot was not issued again: the test does not test it")
	}
	if c, err := w.Copy(e); !errors.Is(err, ErrDead) || c != 0 || w.Len() != 1 {
		t.Errorf("copying the dead gave %v, %v", c, err)
	}
	reserved, _ := w.reserve()
	if _, err := w.Copy(reserved); !errors.Is(err, ErrDead) {
		t.Errorf("copying who has no place: %v", err)
	}
	parent := w.Spawn()
	must(t, w.SetParent(next, parent))
	c, err := w.Copy(next, position.With(Position{5, 6}))
	must(t, err)
	p, _ := position.Get(c)
	l, _ := label.Get(c)
	if p != (Position{5, 6}) || l.Text != "second" || w.Parent(c) != 0 {
		t.Errorf("the copy has %v, %v and the parent %v", p, l, w.Parent(c))
	}
	must(t, w.Check())
}

// TestOneEntityNeedsOneShortChunk: a set of components that few entities have
// reserves no rows by the thousand, and no column pointers for types that it lacks.
func TestOneEntityNeedsOneShortChunk(t *testing.T) {
	w := open(t, Options{MaxBytes: 64 << 20})
	for i := range 200 {
		_, err := w.define(Schema{Name: fmt.Sprint("t", i), Fields: []Field{{Name: "n", Kind: F64}}}, false)
		must(t, err)
	}
	const sets = 300
	w.Spawn()
	before := w.Stats().ArenaBytes
	var from, to runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&from)
	for i := range sets {
		w.Spawn(w.valueAt(ComponentID(1+i%200), nil), w.valueAt(ComponentID(1+(i*7+3+i/200)%200), nil))
	}
	runtime.GC()
	runtime.ReadMemStats(&to)
	s := w.Stats()
	if per := (s.ArenaBytes - before) / len(s.Archetypes); per > 20<<10 {
		t.Errorf("%d bytes of the arena for each of %d sets of components", per, len(s.Archetypes))
	}
	if per := (int(to.HeapAlloc) - int(from.HeapAlloc)) / sets; per > 6<<10 {
		t.Errorf("%d bytes of the heap are held for each set", per)
	}
}

// TestTheNumberIsNoSlowPath: by type and by number one gets the same place, on the
// same way, without an allocation.
func TestTheNumberIsNoSlowPath(t *testing.T) {
	w := open(t, Options{})
	position, burning := Register[Position](w), Register[Burning](w, Sparse)
	e := w.Spawn(position.With(Position{1, 2}), burning.With(Burning{3}))
	if unsafe.Pointer(position.Edit(e)) != w.edit(e, position.ID()) || unsafe.Pointer(burning.Edit(e)) != w.pointer(e, burning.ID()) {
		t.Error("a type and its number lead to different places")
	}
	value := Position{5, 6}
	allocates(t, "adding and removing by number", func() {
		must(t, w.Add(e, w.valueAt(position.ID(), unsafe.Pointer(&value))))
		must(t, w.Remove(e, position.ID()))
	})
}

// TestAnOldHandleNeverMeetsTheNextInItsSlot, for as many generations as one likes
// to see.
func TestAnOldHandleNeverMeetsTheNextInItsSlot(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1, Tag: 1}) // with a tag that leaves a million generations
	position := Register[Position](w)
	old := w.Spawn(position.With(Position{}))
	for range 5000 {
		must(t, w.Despawn(old))
		next := w.Spawn(position.With(Position{1, 1}))
		if next.Index() != old.Index() || next == old {
			t.Fatalf("%v follows %v: the test tests nothing", next, old)
		}
		if w.Alive(old) || position.Edit(old) != nil || w.Query(Read(position)).Matches(old) {
			t.Fatalf("%v, long dead, is taken for %v", old, next)
		}
		old = next
	}
}

// TestWorldsShareNothing: no registry, no lock. Two worlds in two goroutines give
// the same types other numbers, and neither waits for the other; the race detector
// would see what they share.
func TestWorldsShareNothing(t *testing.T) {
	numbers := make(chan ComponentID, 2)
	for i := range 2 {
		go func() {
			w, err := Open(Options{MaxBytes: 4 << 20})
			if err != nil {
				t.Error(err)
			}
			defer w.Close()
			if i == 1 {
				Register[Velocity](w)
			}
			position, label := Register[Position](w), Register[Label](w)
			for range 500 {
				w.Spawn(position.With(Position{}), label.With(Label{"x"}))
			}
			for c := range w.Query(Write(position)).Chunks() {
				position.Mut(c)[0].X++
			}
			numbers <- position.ID()
		}()
	}
	if a, b := <-numbers, <-numbers; a == b {
		t.Errorf("both worlds call a type %d, though they met it at different times", a)
	}
}

// TestValuesWithPointersLieWhereTheCollectorSeesThem, on all ways that they take:
// in pools, in values and prefabs, in recorded commands, in notices of removals and
// in copies.
func TestValuesWithPointersLieWhereTheCollectorSeesThem(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	label := Register[Label](w)
	text := func(n int) string { return strings.Repeat(fmt.Sprint(n, " "), 40) }
	var removed []string
	must(t, w.Observe(Observer{Name: "o", On: OnRemove, Component: label.ID(), Run: func(_ *Tick, n Notice) error {
		runtime.GC()
		removed = append(removed, (*Label)(n.Old).Text)
		return nil
	}}))
	prefab := Prefab{Values: []Value{label.With(Label{text(1)})}}
	c := w.NewCommands()
	recorded := c.Spawn(label.With(Label{text(2)}))
	spawned := w.Spawn(label.With(Label{text(3)}))
	must(t, w.Step(0)) // the observer hears that it came
	churn := func() {
		runtime.GC()
		for range 50 {
			_ = make([]byte, 1<<12)
		}
	}
	churn()
	made, err := w.SpawnPrefab(&prefab)
	must(t, err)
	must(t, c.Apply())
	copied, err := w.Copy(spawned)
	must(t, err)
	instances, err := w.Instantiate(recorded, 2)
	must(t, err)
	must(t, w.Despawn(spawned))
	churn()
	must(t, w.Step(0))
	for e, want := range map[Entity]string{made: text(1), recorded: text(2), copied: text(3), instances[1]: text(2)} {
		if l, _ := label.Get(e); l.Text != want {
			t.Errorf("%v has %q, want %q", e, l.Text, want)
		}
	}
	if len(removed) != 1 || removed[0] != text(3) {
		t.Errorf("told of the removal of %q", removed)
	}
}
