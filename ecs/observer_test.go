package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// watched is a world whose observers write down what they are told.
type watched struct {
	*World
	position Component[Position]
	burning  Component[Burning]
	label    Component[Label]
	log      []string
}

func newWatched(t *testing.T) *watched {
	w := &watched{World: open(t, Options{ReuseAfter: -1})}
	w.position, w.label = Register[Position](w.World), Register[Label](w.World)
	w.burning = Register[Burning](w.World, Sparse)
	return w
}

// watch logs changes of one component, with the removed value if there is one.
func watch[T any](t *testing.T, w *watched, c Component[T], on Trigger) {
	t.Helper()
	name := w.schemaByID(c.ID()).Name
	must(t, w.Observe(Observer{Name: name, On: on, Component: c.ID(), Run: func(_ *Tick, n Notice) error {
		line := fmt.Sprintf("%s %s %v", map[Trigger]string{OnAdd: "add", OnSet: "set", OnRemove: "remove"}[n.Trigger], name, n.Entity.Index())
		if n.Trigger == OnRemove {
			line += fmt.Sprint(" ", *(*T)(n.Old))
		}
		w.log = append(w.log, line)
		return nil
	}}))
}

func (w *watched) watchEntities(t *testing.T) {
	t.Helper()
	must(t, w.Observe(Observer{Name: "entities", On: OnSpawn | OnDespawn, Run: func(_ *Tick, n Notice) error {
		w.log = append(w.log, fmt.Sprintf("%s %v", map[Trigger]string{OnSpawn: "spawn", OnDespawn: "despawn"}[n.Trigger], n.Entity.Index()))
		return nil
	}}))
}

// told returns the log since the last call.
func (w *watched) told() []string {
	log := w.log
	w.log = nil
	return log
}

// TestObserversAreToldInOrder, of host changes at the next step; with the value
// that was removed, wherever it had lived.
func TestObserversAreToldInOrder(t *testing.T) {
	w := newWatched(t)
	w.watchEntities(t)
	watch(t, w, w.position, OnAdd|OnSet|OnRemove)
	watch(t, w, w.burning, OnAdd|OnRemove)
	watch(t, w, w.label, OnSet|OnRemove)
	e := w.Spawn(w.position.With(Position{1, 2}), w.label.With(Label{"old"}))
	must(t, w.Step(0))
	if got := w.told(); !slices.Equal(got, []string{"spawn 1", "add Position 1"}) {
		t.Errorf("told of the beginning as %q", got)
	}
	must(t, w.burning.Set(e, Burning{3}))
	must(t, w.burning.Set(e, Burning{4})) // OnSet is not watched on it
	w.position.Edit(e).X = 5
	w.label.Edit(e).Text = "new"
	must(t, w.label.Remove(e))
	must(t, w.position.Remove(e))
	must(t, w.position.Set(e, Position{6, 6}))
	if len(w.log) != 0 {
		t.Fatalf("told before the step: %q", w.log)
	}
	must(t, w.Step(0))
	want := []string{
		"add Burning 1", "set Position 1", "remove Label 1 {new}", "remove Position 1 {5 2}", "add Position 1",
	}
	if got := w.told(); !slices.Equal(got, want) {
		t.Errorf("told\n%q, want\n%q", got, want)
	}
	must(t, w.Despawn(e))
	must(t, w.Step(0))
	if got := w.told(); !slices.Equal(got, []string{"despawn 1", "remove Position 1 {6 6}", "remove Burning 1 {4}"}) {
		t.Errorf("told of the end as %q", got)
	}
}

// TestOneChangeIsToldOnce, however many values of a component came with it: a
// prefab with an override gives two.
func TestOneChangeIsToldOnce(t *testing.T) {
	w := newWatched(t)
	watch(t, w, w.position, OnAdd|OnSet|OnRemove)
	twice := []Value{w.position.With(Position{1, 1}), w.position.With(Position{2, 2})}
	e := w.Spawn(twice...)
	must(t, w.Add(e, twice...))
	must(t, w.Remove(e, w.position.ID(), w.position.ID()))
	must(t, w.Add(e, twice...))
	must(t, w.Step(0))
	want := []string{"add Position 1", "set Position 1", "remove Position 1 {2 2}", "add Position 1"}
	if got := w.told(); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// TestManyComponentsAtOnce: what is new and what is not is told apart for more
// components than an integer has bits.
func TestManyComponentsAtOnce(t *testing.T) {
	w := newWatched(t)
	var values []Value
	var added, set int
	for i := range 100 {
		id, err := w.define(Schema{Name: fmt.Sprint("c", i), Fields: []Field{{Name: "x", Kind: U8}}}, i%3 == 0)
		must(t, err)
		must(t, w.Observe(Observer{Name: fmt.Sprint(i), On: OnAdd | OnSet, Component: id, Run: func(_ *Tick, n Notice) error {
			if n.Trigger == OnAdd {
				added++
			} else {
				set++
			}
			return nil
		}}))
		values = append(values, w.valueAt(id, nil))
	}
	e := w.Spawn(values[:64]...)
	must(t, w.Add(e, values...))
	must(t, w.Step(0))
	if added != 100 || set != 64 {
		t.Errorf("%d were added and %d set, want 100 and 64", added, set)
	}
	must(t, w.Check())
}

// TestWhatCameAndWentIsNotTold: neither that it came nor that it went, whether an
// entity or a component.
func TestWhatCameAndWentIsNotTold(t *testing.T) {
	w := newWatched(t)
	w.watchEntities(t)
	watch(t, w, w.position, OnAdd|OnSet|OnRemove)
	watch(t, w, w.burning, OnRemove) // knows of the beginning all the same
	e := w.Spawn(w.position.With(Position{}), w.burning.With(Burning{}))
	must(t, w.Despawn(e))
	c := w.NewCommands()
	c.Despawn(c.Spawn()) // despawned before it was placed: it never came
	c.Spawn()
	c.Drop()
	unborn := c.Spawn()
	must(t, w.Despawn(unborn))
	must(t, c.Apply())
	must(t, w.Step(0))
	if got := w.told(); len(got) != 0 {
		t.Errorf("told %q of entities that came and went", got)
	}
	old := w.Spawn()
	must(t, w.Step(0))
	w.told()
	for range 2 {
		must(t, w.position.Set(old, Position{}))
		must(t, w.position.Remove(old))
	}
	must(t, w.position.Set(old, Position{7, 7}))
	must(t, w.burning.Set(old, Burning{}))
	must(t, w.burning.Remove(old))
	must(t, w.Step(0))
	must(t, w.burning.Set(old, Burning{8}))
	must(t, w.Despawn(old))
	must(t, w.Step(0))
	want := []string{
		// The position is there when the first notice comes up: it is told as it was.
		"add Position 2", "remove Position 2 {0 0}", "add Position 2", "remove Position 2 {0 0}", "add Position 2",
		"despawn 2", "remove Position 2 {7 7}", // but no burning: it came and went
	}
	if got := w.told(); !slices.Equal(got, want) {
		t.Errorf("told\n%q, want\n%q", got, want)
	}
}

// TestWhoWasNotToldOfTheBeginning, because an observer before it ended what had
// come, is not told of the end.
func TestWhoWasNotToldOfTheBeginning(t *testing.T) {
	w := newWatched(t)
	must(t, w.Observe(Observer{Name: "reaper", On: OnSpawn | OnDespawn, Run: func(tick *Tick, n Notice) error {
		w.log = append(w.log, fmt.Sprint("reaper ", n.Trigger == OnSpawn))
		tick.Commands.Despawn(n.Entity)
		return nil
	}}))
	w.watchEntities(t)
	watch(t, w, w.position, OnAdd|OnRemove)
	w.Spawn(w.position.With(Position{}))
	must(t, w.Step(0))
	if got := w.told(); !slices.Equal(got, []string{"reaper true", "reaper false"}) {
		t.Errorf("told %q", got)
	}
	w.Spawn(w.position.With(Position{}))
	must(t, w.Step(0)) // what was remembered for one delivery is forgotten
	if got := w.told(); !slices.Equal(got, []string{"reaper true", "reaper false"}) || len(w.notices.unseen) != 0 {
		t.Errorf("told %q, remembered %v", got, w.notices.unseen)
	}
}

// TestAnObserverWithAQuery is told of what matches: as it is, or as it was just
// before it went.
func TestAnObserverWithAQuery(t *testing.T) {
	w := newWatched(t)
	log := func(_ *Tick, n Notice) error {
		w.log = append(w.log, fmt.Sprintf("%d of %d", n.Trigger, n.Entity.Index()))
		return nil
	}
	must(t, w.Observe(Observer{
		Name: "burning things", On: OnAdd | OnSet | OnRemove | OnSpawn | OnDespawn, Component: w.position.ID(),
		Query: w.Query(Read(w.position)).With(w.burning).Without(w.label), Run: log,
	}))
	a := w.Spawn(w.position.With(Position{}))
	b := w.Spawn(w.position.With(Position{}), w.burning.With(Burning{}))
	c := w.Spawn(w.position.With(Position{}), w.burning.With(Burning{}), w.label.With(Label{}))
	d := w.Spawn(w.burning.With(Burning{}))
	expect := func(what string, want ...string) {
		t.Helper()
		must(t, w.Step(0))
		if got := w.told(); !slices.Equal(got, want) {
			t.Errorf("of %s told %q, want %q", what, got, want)
		}
	}
	expect("the beginning", "8 of 2", "1 of 2") // OnSpawn and OnAdd of b
	must(t, w.burning.Set(a, Burning{}))
	w.position.Edit(a) // matches by the time it is told
	w.position.Edit(c)
	expect("a write", "2 of 1")
	must(t, w.label.Remove(c))
	must(t, w.Remove(a, w.position.ID(), w.burning.ID())) // matched when it lost both
	must(t, w.position.Set(d, Position{}))
	expect("the middle", "4 of 1", "1 of 4")
	for _, e := range []Entity{a, b, c, d} {
		must(t, w.Despawn(e))
	}
	expect("the end", "16 of 2", "4 of 2", "16 of 3", "4 of 3", "16 of 4", "4 of 4")
	if len(w.notices.passed) != 0 {
		t.Error("something is left of it")
	}
	other := open(t, Options{})
	if err := w.Observe(Observer{Name: "x", On: OnSpawn, Query: other.Query(), Run: log}); !errors.Is(err, ErrConflict) {
		t.Errorf("a query of another world answered %v", err)
	}
}

func TestChildrenGoFirst(t *testing.T) {
	w := newWatched(t)
	w.watchEntities(t)
	es := spawnMany(w.World, 4)
	for child, parent := range map[int]int{1: 0, 3: 1} {
		must(t, w.SetParent(es[child], es[parent]))
	}
	must(t, w.SetParent(es[2], es[0]))
	must(t, w.Step(0))
	w.told()
	must(t, w.Despawn(es[0]))
	must(t, w.Step(0))
	if got := strings.Join(w.told(), ", "); got != "despawn 3, despawn 4, despawn 2, despawn 1" {
		t.Errorf("told %q", got)
	}
}
