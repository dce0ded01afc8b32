package snapshot_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// says demands an error that wraps a sentinel and has some words.
func says(t *testing.T, err, is error, words ...string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Fatalf("got %v, want one that wraps %v", err, is)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
}

// capture is snapshot.Capture that cannot fail.
func capture(t testing.TB, w *ecs.World) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Capture(w)
	must(t, err)
	return s
}

// TestNotInsideOfATick: a world that is being stepped, run or iterated can be neither captured nor
// restored, nor can one with a prepared migration or a closed one.
func TestNotInsideOfATick(t *testing.T) {
	g := newGame(t, ecs.Options{})
	g.play(t, 3)
	s := capture(t, g.World)
	refused := func(is error) {
		t.Helper()
		_, err := snapshot.Capture(g.World)
		says(t, err, is, "snapshot: capture: ")
		says(t, snapshot.Restore(g.World, s), is, "snapshot: restore: ")
	}
	must(t, g.World.Run("inside", func(*ecs.Tick) error { refused(ecs.ErrIterating); return nil }))
	for range g.World.Query().Chunks() {
		refused(ecs.ErrIterating)
	}
	m := g.Raw().Migrate()
	must(t, m.Component(ecs.Schema{Name: "Frozen", Fields: []ecs.Field{{Name: "n", Kind: ecs.F64}}}, nil))
	must(t, m.Prepare())
	refused(ecs.ErrIterating)
	m.Drop()
	must(t, snapshot.Restore(g.World, s))
	must(t, g.Close())
	refused(ecs.ErrClosed)
	says(t, snapshot.Restore(nil, s), ecs.ErrConflict)
	says(t, snapshot.Restore(g.World, nil), ecs.ErrConflict)
	says(t, snapshot.Restore(g.World, &snapshot.Snapshot{}), ecs.ErrConflict, "empty")
	_, err := snapshot.Capture(nil)
	says(t, err, ecs.ErrConflict)
	says(t, snapshot.Leave[cache](g.World), ecs.ErrClosed)
	says(t, snapshot.Leave[cache](nil), ecs.ErrConflict)
	says(t, snapshot.Clone[bag](g.World, nil), ecs.ErrConflict)
}

// TestValuesThatCannotBeCopied are refused by name, until the program says how.
func TestValuesThatCannotBeCopied(t *testing.T) {
	type crew struct {
		Name string
		Of   struct{ Members []string }
	}
	w := ecs.NewWorld()
	defer w.Close()
	c := ecs.Register[crew](w)
	v := crew{Name: "a"}
	v.Of.Members = []string{"b"}
	e := w.Spawn(c.With(v))
	_, err := snapshot.Capture(w)
	says(t, err, ecs.ErrConflict, `component "crew"`, "Of.Members is a slice", "snapshot.Clone")
	says(t, snapshot.Restore(w, &snapshot.Snapshot{}), ecs.ErrConflict)
	must(t, snapshot.Leave[crew](w))
	_, err = snapshot.Capture(w)
	says(t, err, ecs.ErrConflict, `component "crew"`, "resource only")
	must(t, snapshot.Clone(w, func(v crew) crew { v.Of.Members = slices.Clone(v.Of.Members); return v }))
	s := capture(t, w)
	c.Edit(e).Of.Members[0] = "other"
	must(t, snapshot.Restore(w, s))
	if got, _ := c.Get(e); got.Of.Members[0] != "b" {
		t.Errorf("the members are %v", got.Of.Members)
	}

	ecs.Provide(w, &map[string]func(){})
	_, err = snapshot.Capture(w)
	says(t, err, ecs.ErrConflict, `resource "map[string]func()"`, "it is a map", "snapshot.Leave")
	must(t, snapshot.Leave[map[string]func()](w))
	must(t, s.Update(w))
	must(t, snapshot.Clone(w, func(crew) crew { panic("no copy") }))
	c.Edit(e).Name = "c"
	err = s.Update(w)
	if err == nil || !strings.Contains(err.Error(), "no copy") {
		t.Errorf("a panic of a clone became %v", err)
	}
	must(t, snapshot.Clone(w, func(v crew) crew { return v }))
	must(t, snapshot.Restore(w, s)) // it is what it was before the failure
}

// TestAPanicOfACloneInARestore changes nothing.
func TestAPanicOfACloneInARestore(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	b := ecs.Register[bag](w)
	fails := false
	must(t, snapshot.Clone(w, func(v bag) bag {
		if fails {
			panic("no copy")
		}
		return v.Clone()
	}))
	e := w.Spawn(b.With(bag{[]string{"a"}}))
	s := capture(t, w)
	must(t, w.Despawn(e))
	want := w.Checksum()
	fails = true
	if err := snapshot.Restore(w, s); err == nil || !strings.Contains(err.Error(), `component "bag"`) {
		t.Errorf("got %v", err)
	}
	if w.Checksum() != want || w.Alive(e) {
		t.Error("the world has changed")
	}
	must(t, w.Check())
}

// TestOtherWorldsThatDoNotFit are refused, and say why.
func TestOtherWorldsThatDoNotFit(t *testing.T) {
	w, err := ecs.Open(ecs.Options{MaxBytes: 32 << 20})
	must(t, err)
	defer w.Close()
	p := ecs.Register[position](w)
	ecs.Register[heat](w)
	ecs.RegisterEvent[hit](w)
	w.Spawn(p.With(position{1, 2}))
	s := capture(t, w)
	for name, c := range map[string]struct {
		options ecs.Options
		prepare func(*ecs.World)
		is      error
		words   []string
	}{
		"another tag":           {ecs.Options{MaxBytes: 32 << 20}, func(*ecs.World) {}, ecs.ErrConflict, []string{"tag", "Options.Tag"}},
		"another arena":         {ecs.Options{MaxBytes: 64 << 20, Tag: s.Tag()}, func(*ecs.World) {}, ecs.ErrConflict, []string{"Options.MaxBytes"}},
		"a component less":      {ecs.Options{MaxBytes: 32 << 20, Tag: s.Tag()}, func(w *ecs.World) { ecs.Register[position](w) }, ecs.ErrUnknown, []string{`"heat"`}},
		"components in reverse": {ecs.Options{MaxBytes: 32 << 20, Tag: s.Tag()}, func(w *ecs.World) { ecs.Register[heat](w); ecs.Register[position](w) }, ecs.ErrConflict, []string{`"heat"`, "order"}},
		"another storage": {ecs.Options{MaxBytes: 32 << 20, Tag: s.Tag()}, func(w *ecs.World) { ecs.Register[position](w, ecs.Sparse); ecs.Register[heat](w) },
			ecs.ErrConflict, []string{`"position"`, "Sparse"}},
		"other fields": {ecs.Options{MaxBytes: 32 << 20, Tag: s.Tag()}, func(w *ecs.World) {
			_, err := w.Raw().Define(ecs.Schema{Name: "position", Fields: []ecs.Field{{Name: "X", Kind: ecs.F64}}}, false)
			must(t, err)
			ecs.Register[heat](w)
		}, ecs.ErrConflict, []string{`"position"`, "fields"}},
		"no event":       {ecs.Options{MaxBytes: 32 << 20, Tag: s.Tag()}, func(w *ecs.World) { ecs.Register[position](w); ecs.Register[heat](w) }, ecs.ErrUnknown, []string{`"hit"`}},
		"too few slots":  {ecs.Options{MaxBytes: 32 << 20, Tag: s.Tag(), MaxEntities: 1}, func(w *ecs.World) {}, ecs.ErrUnknown, nil},
		"another moment": {ecs.Options{MaxBytes: 32 << 20, Tag: s.Tag()}, func(w *ecs.World) { ecs.Register[position](w); must(t, w.Close()) }, ecs.ErrClosed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			other, err := ecs.Open(c.options)
			must(t, err)
			defer other.Close()
			c.prepare(other)
			before := other.Checksum()
			says(t, snapshot.Restore(other, s), c.is, c.words...)
			must(t, other.Check())
			if other.Checksum() != before {
				t.Error("the world has changed")
			}
		})
	}
}

// TestTooFewSlots: a world for fewer entities refuses a snapshot with more.
func TestTooFewSlots(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	for range 5 {
		w.Spawn()
	}
	s := capture(t, w)
	other, err := ecs.Open(ecs.Options{Tag: s.Tag(), MaxEntities: 3})
	must(t, err)
	defer other.Close()
	says(t, snapshot.Restore(other, s), ecs.ErrEntityLimit)
}

// TestWhatIsDeclaredLaterIsEmpty: components, relations, events, systems and groups that came after the
// capture stay, and have nothing.
func TestWhatIsDeclaredLaterIsEmpty(t *testing.T) {
	g := newGame(t, ecs.Options{})
	w := g.World
	g.play(t, 10)
	s := capture(t, w)
	want := w.Checksum()
	type later struct{ N int64 }
	type laterText struct{ T string }
	type laterPool struct{ N int64 }
	c, text := ecs.Register[later](w), ecs.Register[laterText](w)
	pool := ecs.Register[laterPool](w, ecs.Sparse)
	r, err := w.Relation("Later", ecs.RelationOptions{})
	must(t, err)
	event := ecs.RegisterEvent[later](w)
	reader := event.Reader("later")
	runs := 0
	must(t, w.Schedule().Add(ecs.System{Name: "later", Every: 0.04, Run: func(t *ecs.Tick) error { runs++; return ecs.ErrCritical }}))
	e := w.Spawn(c.With(later{1}), text.With(laterText{"x"}), pool.With(laterPool{2}))
	must(t, r.Set(e, w.Spawn(c.With(later{1}))))
	must(t, event.Emit(later{2}))
	sets := w.Raw().Sets()
	g.play(t, 3)
	must(t, snapshot.Restore(w, s))
	must(t, w.Check())
	h, _ := w.Schedule().Health("later")
	if r.Len() != 0 || reader.Len() != 0 || h != ecs.Healthy || w.Checksum() != want || w.Raw().Sets() >= sets {
		t.Errorf("%d links, %d events, system %v, %d sets", r.Len(), reader.Len(), h, w.Raw().Sets())
	}
	w.Spawn(c.With(later{3}), text.With(laterText{"y"}), pool.With(laterPool{4})) // and goes on to work
	runs = 0
	g.play(t, 4)
	if runs != 1 {
		t.Errorf("the later system has run %d times", runs)
	}
	must(t, snapshot.Restore(w, s))
	must(t, w.Check())
}

// TestAGroupThatIsMadeLater is put in order, at each restore anew: the order is no part of the image.
func TestAGroupThatIsMadeLater(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	b, h := ecs.Register[burning](w, ecs.Sparse), ecs.Register[heat](w, ecs.Sparse)
	for i := range 9 {
		e := w.Spawn(b.With(burning{float64(i)}))
		if i%2 == 1 {
			must(t, w.Add(e, h.With(heat{int64(i)})))
		}
	}
	s := capture(t, w)
	must(t, w.Group(b, h))
	for range 3 {
		must(t, snapshot.Restore(w, s))
		must(t, w.Check())
	}
}

// TestChangesAreNoticed: whoever was made after the capture, or keeps what it knows to itself, finds
// all that a restore has changed.
func TestChangesAreNoticed(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	h := ecs.Register[heat](w, ecs.Tracked)
	a, b := w.Spawn(h.With(heat{1})), w.Spawn(h.With(heat{2}))
	s := capture(t, w)
	changed := w.Query(ecs.Read(h)).Changed(h)
	index, err := ecs.NewIndex(h, func(h *heat) int64 { return h.V })
	must(t, err)
	h.Edit(b).V = 7
	c := w.Spawn(h.With(heat{9}))
	for range changed.Chunks() {
	}
	for range 2 {
		if index.Count(7, 7) != 1 || index.Count(2, 2) != 0 {
			t.Fatal("the index is wrong before")
		}
	}
	d, err := h.Since(0)
	must(t, err)
	must(t, snapshot.Restore(w, s))
	rows := 0
	for c := range changed.Chunks() {
		rows += c.Len()
	}
	if rows != 2 {
		t.Errorf("a query with Changed yields %d rows", rows)
	}
	if index.Count(7, 9) != 0 || index.Count(2, 2) != 1 {
		t.Error("the index finds what was there before")
	}
	d, err = h.Since(d.Version)
	must(t, err)
	values := map[ecs.Entity]int64{}
	for e, v := range d.Changed() {
		values[e] = v.V
	}
	if want := (map[ecs.Entity]int64{a: 1, b: 2}); !d.Whole || !maps.Equal(values, want) {
		t.Errorf("the delta after a restore has %v, whole: %v; the world has %v and has lost %v", values, d.Whole, want, c)
	}
	if d, err = h.Since(d.Version); err != nil || d.Whole {
		t.Errorf("the next delta is whole: %v, %v", d.Whole, err)
	}
}

// TestSlotsOfTheFuture are zero in the memory that compiled scripts read: they compare the life of a
// handle and nothing else.
func TestSlotsOfTheFuture(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[position](w)
	w.Spawn(p.With(position{}))
	s := capture(t, w)
	var later []ecs.Entity
	for range 3000 {
		later = append(later, w.Spawn(p.With(position{})))
	}
	far := capture(t, w)
	must(t, snapshot.Restore(w, s))
	m := w.Raw().MemoryMap()
	for _, e := range later {
		record := w.Raw().Memory()[int(m.Records)+int(e.Index())*16:][:16]
		if *(*[16]byte)(record) != [16]byte{} {
			t.Fatalf("the record of %v is %v", e, record)
		}
	}
	must(t, snapshot.Restore(w, far)) // and there again
	must(t, w.Check())
	if !w.Alive(later[2999]) || w.Len() != 3001 {
		t.Errorf("%d are alive", w.Len())
	}
}

// TestCommandsOfThePast are void, and end nobody.
func TestCommandsOfThePast(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	s := capture(t, w)
	applied, dropped, rewound := w.NewCommands(), w.NewCommands(), w.NewCommands()
	mark := rewound.Mark()
	for _, c := range []*ecs.Commands{applied, dropped, rewound} {
		c.Despawn(c.Spawn())
	}
	must(t, snapshot.Restore(w, s))
	es := []ecs.Entity{w.Spawn(), w.Spawn(), w.Spawn()} // they have the same handles
	says(t, applied.Apply(), ecs.ErrConflict, "restored")
	dropped.Drop()
	rewound.Rewind(mark)
	must(t, w.Check())
	for _, e := range es {
		if !w.Alive(e) {
			t.Errorf("%v was ended", e)
		}
	}
	applied.Despawn(es[0])
	must(t, applied.Apply())
	if w.Alive(es[0]) {
		t.Error("new commands are not applied")
	}
}

// TestAChunkIsNotTakenForAnother: a chunk of the same set, at the same place and with the same
// versions, is another one if the rows were moved there.
func TestAChunkIsNotTakenForAnother(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[position](w)
	capacity := 0
	var es []ecs.Entity
	must(t, w.SpawnMany(20_000, nil, p.With(position{})))
	for c := range w.Query(ecs.Write(p)).Chunks() {
		for i, e := range c.Entities() {
			p.Mut(c)[i].X = float64(e.Index())
		}
		es, capacity = append(es, c.Entities()...), max(capacity, c.Len())
	}
	s := capture(t, w)
	want := w.Checksum()
	for n := len(es); n > 1; n /= 2 { // each compaction moves the rows that are left into a shorter chunk
		for _, e := range slices.Backward(es[n/2 : n]) {
			must(t, w.Despawn(e))
		}
		w.Raw().Compact()
		must(t, s.Update(w))
		short := w.Checksum()
		for _, e := range es[:n/2] {
			p.Edit(e).X++
		}
		must(t, snapshot.Restore(w, s))
		must(t, w.Check())
		if w.Checksum() != short {
			t.Fatalf("with %d rows the world is another one", n/2)
		}
	}
	if w.Checksum() == want || capacity == 0 {
		t.Error("nothing was judged")
	}
}

// full is a storage that can be made to refuse.
type full struct {
	list    []ecs.Entity
	values  map[ecs.Entity]*perch
	refuses *int
}

func (f *full) Len() int                 { return len(f.list) }
func (f *full) At(i int) ecs.Entity      { return f.list[i] }
func (f *full) Find(e ecs.Entity) *perch { return f.values[e] }
func (f *full) Reserve(ecs.Entity) error {
	if *f.refuses--; *f.refuses == 0 {
		return errors.New("full")
	}
	return nil
}
func (f *full) Put(e ecs.Entity, v perch) {
	if f.values[e] == nil {
		f.list = append(f.list, e)
	}
	f.values[e] = &v
}
func (f *full) Remove(e ecs.Entity) {
	delete(f.values, e)
	f.list = slices.DeleteFunc(f.list, func(o ecs.Entity) bool { return o == e })
}

// TestAStorageThatRefuses a restore leaves the world as it was, heap pools of before it included.
func TestAStorageThatRefuses(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	refuses := 0
	l := ecs.Register[label](w)
	c := ecs.Register[perch](w, ecs.Stored(func() ecs.Storage[perch] { return &full{values: map[ecs.Entity]*perch{}, refuses: &refuses} }))
	var es []ecs.Entity
	for i := range 4 {
		es = append(es, w.Spawn(c.With(perch{int32(i)}), l.With(label{fmt.Sprint(i)})))
	}
	s := capture(t, w)
	must(t, w.Despawn(es[1]))
	c.Edit(es[2]).X, l.Edit(es[2]).Text = 9, "other"
	want := w.Checksum()
	refuses = 3
	if err := snapshot.Restore(w, s); err == nil || !strings.Contains(err.Error(), `"perch"`) {
		t.Errorf("got %v", err)
	}
	must(t, w.Check())
	if w.Checksum() != want {
		t.Error("the world has changed")
	}
	must(t, snapshot.Restore(w, s))
	if got, _ := c.Get(es[1]); got.X != 1 {
		t.Errorf("the value is %v", got)
	}
}

// TestHooksHearNothing of a restore, nor do observers.
func TestHooksHearNothing(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	heard := 0
	p := ecs.Register[position](w, ecs.Hooks[position]{
		Added: func(ecs.Entity, *position) { heard++ }, Set: func(ecs.Entity, *position) { heard++ }, Removed: func(ecs.Entity, *position) { heard++ },
	})
	must(t, p.Observe("all", ecs.OnAdd|ecs.OnSet|ecs.OnRemove, func(*ecs.Tick, ecs.Entity, *position) error { heard++; return nil }))
	e := w.Spawn(p.With(position{}))
	must(t, w.Step(0))
	s := capture(t, w)
	must(t, w.Despawn(e))
	w.Spawn(p.With(position{}))
	must(t, w.Step(0))
	heard = 0
	must(t, snapshot.Restore(w, s))
	must(t, w.Step(0))
	if heard > 0 {
		t.Errorf("%d calls", heard)
	}
}

// TestNoticesThatWait for their report wait again, and not those of the future.
func TestNoticesThatWait(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	b, h := ecs.Register[bag](w), ecs.Register[heat](w)
	var heard []string
	with := w.Query().With(h)
	must(t, w.Observe(ecs.Observer{Name: "bags", On: ecs.OnRemove, Component: b, Query: with, Run: func(_ *ecs.Tick, n ecs.Notice) error {
		heard = append(heard, (*bag)(n.Old).Items[0])
		(*bag)(n.Old).Items[0] = "spoiled" // which must not come back
		return nil
	}}))
	must(t, w.Observe(ecs.Observer{Name: "heats", On: ecs.OnRemove, Component: h, Run: func(_ *ecs.Tick, n ecs.Notice) error {
		heard = append(heard, fmt.Sprint((*heat)(n.Old).V))
		return nil
	}}))
	e := w.Spawn(b.With(bag{[]string{"a"}}), h.With(heat{5}))
	other := w.Spawn(h.With(heat{6}))
	must(t, w.Step(0))
	must(t, w.Despawn(e))
	s := capture(t, w)
	for range 2 {
		must(t, w.Despawn(other))
		must(t, w.Step(0))
		heard = nil
		must(t, snapshot.Restore(w, s))
		must(t, w.Step(0))
		if slices.Sort(heard); !slices.Equal(heard, []string{"5", "a"}) {
			t.Errorf("heard %v", heard)
		}
		must(t, snapshot.Restore(w, s))
	}
}

// TestADigestOfTheArena: the bytes of a world that was restored are those of before, as far as they
// mean something: records and places.
func TestADigestOfTheArena(t *testing.T) {
	g := newGame(t, ecs.Options{})
	g.play(t, 30)
	s := capture(t, g.World)
	m := g.Raw().MemoryMap()
	records := func() string {
		return string(unsafe.Slice(&g.Raw().Memory()[m.Records], 16*2000))
	}
	want := records()
	g.play(t, 20)
	if records() == want {
		t.Fatal("nothing has changed")
	}
	must(t, snapshot.Restore(g.World, s))
	if records() != want {
		t.Error("the records are others")
	}
}

// TestAnEmptySnapshot says nothing.
func TestAnEmptySnapshot(t *testing.T) {
	var s snapshot.Snapshot
	if n, at := s.Tick(); n != 0 || at != 0 || s.Entities() != 0 || s.Tag() != 0 || s.Bytes() != 0 {
		t.Error("an empty snapshot says something")
	}
	g := newGame(t, ecs.Options{})
	g.play(t, 4)
	must(t, s.Update(g.World))
	if n, at := s.Tick(); n != 4 || at != 0.08 || s.Entities() != g.Len() || s.Tag() != g.Raw().Tag() || s.Bytes() == 0 {
		t.Errorf("tick %d at %v, %d entities", n, at, s.Entities())
	}
}

// TestWhoDiesLater dies after a restore as it was to at the capture, and nobody else does; a reader that
// was opened later gets what is sent from then on.
func TestWhoDiesLater(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	event := ecs.RegisterEvent[hit](w)
	dies, lives := w.Spawn(), w.Spawn()
	must(t, w.DespawnLater(dies))
	s := capture(t, w)
	must(t, w.Step(0))
	must(t, w.DespawnLater(lives))
	r := event.Reader("later")
	must(t, event.Emit(hit{N: 1}))
	must(t, event.Emit(hit{N: 2}))
	for range event.Read(r) {
	}
	must(t, snapshot.Restore(w, s))
	must(t, w.Check())
	must(t, w.Step(0))
	if w.Alive(dies) || !w.Alive(lives) || r.Len() != 0 {
		t.Errorf("%v and %v are alive, %d events wait", w.Alive(dies), w.Alive(lives), r.Len())
	}
}

// TestObserversThatPassed in a tick get its changes when it comes again, as they would in a
// world that had never gone further.
func TestObserversThatPassed(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[position](w)
	calls := 0
	must(t, p.Observe("one of each step", ecs.OnSet, func(tick *ecs.Tick, _ ecs.Entity, _ *position) error {
		calls++
		tick.Pass()
		return nil
	}))
	e := w.Spawn(p.With(position{}))
	must(t, w.Schedule().Add(ecs.System{Name: "sets", Run: func(tick *ecs.Tick) error {
		tick.Commands.Add(e, p.With(position{}))
		tick.Commands.Add(e, p.With(position{}))
		return nil
	}}))
	must(t, w.Step(1))
	s := capture(t, w)
	continued := func() (n int) {
		calls = 0
		must(t, w.Run("between", func(tick *ecs.Tick) error { tick.Commands.Add(e, p.With(position{})); return nil }))
		must(t, w.Step(1))
		return calls
	}
	want := continued()
	if want != 2 {
		t.Errorf("%d calls, in a Run and a step", want)
	}
	must(t, snapshot.Restore(w, s))
	if got := continued(); got != want {
		t.Errorf("%d calls, and %d without the restore", got, want)
	}
}
