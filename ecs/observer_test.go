package ecs

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
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
	w := &watched{World: open(t, Options{ReuseAfter: -1, MaxBytes: 64 << 20})}
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

// TestTheEndAloneNeedsTheBeginning: an observer of the end gets none of an entity that came
// and went, also if nobody observes what comes.
func TestTheEndAloneNeedsTheBeginning(t *testing.T) {
	w := open(t, Options{})
	var ended []Entity
	must(t, w.Observe(Observer{Name: "ends", On: OnDespawn, Run: func(_ *Tick, n Notice) error { ended = append(ended, n.Entity); return nil }}))
	stays := w.Spawn()
	must(t, w.Despawn(w.Spawn()))
	must(t, w.Step(0))
	must(t, w.Despawn(stays))
	must(t, w.Step(0))
	if !slices.Equal(ended, []Entity{stays}) {
		t.Errorf("told of %v, want %v", ended, stays)
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

// TestAStormIsCut: observers that answer each other without end are stopped, by
// name, and the world goes on.
func TestAStormIsCut(t *testing.T) {
	w := newWatched(t)
	rounds := 0
	must(t, w.Observe(Observer{Name: "echo", On: OnSet, Component: w.position.ID(), Run: func(tick *Tick, n Notice) error {
		rounds++
		tick.Commands.Add(n.Entity, w.position.With(Position{float64(rounds), 0}))
		return nil
	}}))
	must(t, w.Observe(Observer{Name: "quiet", On: OnSet, Component: w.label.ID(), Run: func(*Tick, Notice) error { return nil }}))
	ran := 0
	must(t, w.Schedule().Add(System{Name: "after", Run: func(*Tick) error { ran++; return nil }}))
	e := w.Spawn(w.position.With(Position{}))
	w.position.Edit(e)
	err := w.Step(0)
	if !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), `"echo" → "echo"; after 64 rounds 1 changes`) || strings.Contains(err.Error(), "quiet") {
		t.Errorf("the storm is reported as %v", err)
	}
	if rounds != maxRounds || ran != 1 {
		t.Errorf("%d rounds, the next system ran %d times", rounds, ran)
	}
	must(t, w.Step(0)) // nothing is left of it
}

// TestAStormNamesItsChain, in order, and nobody who only stands by.
func TestAStormNamesItsChain(t *testing.T) {
	w := newWatched(t)
	adds := func(name string, on Trigger, watch ComponentID, do func(*Commands, Entity)) {
		t.Helper()
		must(t, w.Observe(Observer{Name: name, On: on, Component: watch, Run: func(tick *Tick, n Notice) error {
			do(tick.Commands, n.Entity)
			return nil
		}}))
	}
	adds("begins", OnSpawn, 0, func(c *Commands, e Entity) { c.Add(e, w.position.With(Position{})) })
	adds("a", OnAdd, w.position.ID(), func(c *Commands, e Entity) { c.Add(e, w.burning.With(Burning{})) })
	adds("b", OnAdd, w.burning.ID(), func(c *Commands, e Entity) { c.Remove(e, w.burning.ID()); c.Remove(e, w.position.ID()) })
	adds("c", OnRemove, w.position.ID(), func(c *Commands, e Entity) { c.Add(e, w.position.With(Position{})) })
	adds("stands by", OnRemove, w.burning.ID(), func(*Commands, Entity) {})
	w.Spawn()
	err := w.Step(0)
	if !errors.Is(err, ErrStorm) {
		t.Fatalf("answered %v", err)
	}
	ok := false
	for _, chain := range []string{`: "a" → "b" → "c" → "a";`, `: "b" → "c" → "a" → "b";`, `: "c" → "a" → "b" → "c";`} {
		ok = ok || strings.Contains(err.Error(), chain)
	}
	if !ok || strings.Contains(err.Error(), "stands by") {
		t.Errorf("the chain is not in %v", err)
	}
	must(t, w.Step(0))
}

// TestAStormThatGrowsIsCutEarly: two answers to each change would be 2⁶⁴ of them
// by the last round.
func TestAStormThatGrowsIsCutEarly(t *testing.T) {
	w := newWatched(t)
	told := 0
	must(t, w.Observe(Observer{Name: "rabbits", On: OnSpawn, Run: func(tick *Tick, _ Notice) error {
		told++
		tick.Commands.Spawn()
		tick.Commands.Spawn()
		return nil
	}}))
	w.Spawn()
	err := w.Step(0)
	if !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), `"rabbits" → "rabbits"`) || told > 2*maxWaiting {
		t.Errorf("told %d times; reported as %v", told, err)
	}
	must(t, w.Step(0))
	must(t, w.Check())
}

// TestAStormParksWhoClosesTheRing: the observer that was added last of those that trigger each
// other fails with each storm, and is parked as a system is. The others go on.
func TestAStormParksWhoClosesTheRing(t *testing.T) {
	w := newWatched(t)
	runs := map[string]int{}
	answers := func(name string, watch ComponentID, with Value) {
		must(t, w.Observe(Observer{Name: name, On: OnAdd, Component: watch, Run: func(tick *Tick, n Notice) error {
			runs[name]++
			tick.Commands.Exchange(n.Entity, []ComponentID{watch}, with)
			return nil
		}}))
	}
	see := func(name string) {
		must(t, w.Observe(Observer{Name: name, On: OnAdd, Component: w.burning.ID(), Run: func(*Tick, Notice) error { runs[name]++; return nil }}))
	}
	see("before")
	answers("there", w.position.ID(), w.burning.With(Burning{}))
	answers("back", w.burning.ID(), w.position.With(Position{}))
	see("after")
	parked := 0
	for tick := 1; tick <= 3; tick++ {
		w.Spawn(w.position.With(Position{}))
		err := w.Step(0.125)
		var sys *SystemError
		if !errors.As(err, &sys) || !errors.Is(err, ErrStorm) || sys.System != "back" || sys.Tick != uint64(tick) {
			t.Fatalf("tick %d: %v", tick, err)
		}
		if sys.Parked {
			parked = tick
		}
	}
	if parked != 3 {
		t.Errorf("parked in tick %d, want 3", parked)
	}
	before := maps.Clone(runs)
	w.Spawn(w.position.With(Position{}))
	must(t, w.Step(0.125))
	if runs["back"] != before["back"] || runs["there"] != before["there"]+1 || runs["after"] != before["after"]+1 {
		t.Errorf("ran %v, before the parking %v", runs, before)
	}
	// It is tried again, and waits twice as long.
	for _, want := range []bool{true, false, false, true} {
		w.Spawn(w.position.With(Position{}))
		if err := w.Step(0.9); errors.Is(err, ErrStorm) != want {
			t.Errorf("after %v seconds: %v", w.clock.time, err)
		}
	}
	must(t, w.Check())
}

// TestAnObserverWhoseStormsAreOverIsHealthy: storms in a row count, as failures do.
func TestAnObserverWhoseStormsAreOverIsHealthy(t *testing.T) {
	w := newWatched(t)
	endless := true
	must(t, w.Observe(Observer{Name: "echo", On: OnSpawn, Run: func(tick *Tick, n Notice) error {
		if endless {
			tick.Commands.Spawn()
		}
		return nil
	}}))
	for i := range 9 {
		endless = i%3 != 2
		w.Spawn()
		err := w.Step(0)
		var sys *SystemError
		if errors.As(err, &sys) != endless || endless && sys.Parked {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}

// TestTwoStormsAtOnce name an observer each.
func TestTwoStormsAtOnce(t *testing.T) {
	w := newWatched(t)
	for i, c := range []ComponentRef{w.position, w.burning} {
		with := w.valueAt(c.ID(), nil)
		must(t, w.Observe(Observer{Name: fmt.Sprint("echo", i), On: OnAdd, Component: c, Run: func(tick *Tick, n Notice) error {
			tick.Commands.Spawn(with)
			return nil
		}}))
	}
	w.Spawn(w.position.With(Position{}))
	w.Spawn(w.burning.With(Burning{}))
	err := w.Step(0)
	for _, want := range []string{`system "echo0": tick 1: `, `system "echo1": tick 1: `, `"echo0" → "echo0";`, `"echo1" → "echo1";`} {
		if err == nil || strings.Count(err.Error(), want) != 1 {
			t.Errorf("%q is not once in %v", want, err)
		}
	}
}

// TestAChainWithoutEnd that is no circle is named from its beginning.
func TestAChainWithoutEnd(t *testing.T) {
	w := newWatched(t)
	for i := range maxRounds + 2 {
		id, err := w.define(Schema{Name: fmt.Sprint("c", i)}, true)
		must(t, err)
		must(t, w.Observe(Observer{Name: fmt.Sprint("o", i), On: OnAdd, Component: id, Run: func(tick *Tick, n Notice) error {
			next, _ := w.componentNamed(fmt.Sprint("c", i+1))
			tick.Commands.Add(n.Entity, w.valueAt(next, nil))
			return nil
		}}))
	}
	first, _ := w.componentNamed("c0")
	w.Spawn(w.valueAt(first, nil))
	if err := w.Step(0); !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), `: "o0" → "o1" → `) || !strings.Contains(err.Error(), `→ "o64";`) {
		t.Errorf("reported as %v", err)
	}
}

// TestAStormOfSpawnsNamesItsObserver, which watches no component.
func TestAStormOfSpawnsNamesItsObserver(t *testing.T) {
	w := newWatched(t)
	must(t, w.Observe(Observer{Name: "rabbits", On: OnSpawn, Component: w.label.ID(), Run: func(tick *Tick, _ Notice) error {
		tick.Commands.Spawn()
		return nil
	}}))
	w.Spawn()
	if err := w.Step(0); !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), "rabbits") {
		t.Errorf("reported as %v", err)
	}
}

// TestSystemsAreToldAfterTheirCommands, before the next system runs.
func TestSystemsAreToldAfterTheirCommands(t *testing.T) {
	w := newWatched(t)
	watch(t, w, w.position, OnAdd)
	must(t, w.Schedule().Add(
		System{Name: "a", Run: func(tick *Tick) error {
			tick.Commands.Spawn(w.position.With(Position{}))
			w.log = append(w.log, "a ran")
			return nil
		}},
		System{Name: "b", Run: func(*Tick) error { w.log = append(w.log, "b ran"); return nil }},
	))
	must(t, w.Step(0))
	if got := w.told(); !slices.Equal(got, []string{"a ran", "add Position 1", "b ran"}) {
		t.Errorf("the order was %q", got)
	}
}

func TestUnobserveInAnObserver(t *testing.T) {
	w := newWatched(t)
	told := map[string]int{}
	for _, name := range []string{"first", "second", "third"} {
		must(t, w.Observe(Observer{Name: name, On: OnSpawn, Run: func(*Tick, Notice) error {
			if told[name]++; name == "first" {
				w.Unobserve("second")
				w.Unobserve("first")
				w.Unobserve("nobody")
			}
			return nil
		}}))
	}
	spawnMany(w.World, 3)
	must(t, w.Step(0))
	if told["first"] != 1 || told["second"] != 0 || told["third"] != 3 {
		t.Errorf("told %v; who was removed must hear nothing more", told)
	}
	must(t, w.Observe(Observer{Name: "first", On: OnSpawn, Run: func(*Tick, Notice) error { return nil }}))
}

func TestObserveInAnObserver(t *testing.T) {
	w := newWatched(t)
	late := 0
	must(t, w.Observe(Observer{Name: "early", On: OnSpawn, Run: func(*Tick, Notice) error {
		return w.Observe(Observer{Name: "late", On: OnSpawn, Run: func(*Tick, Notice) error { late++; return nil }})
	}}))
	spawnMany(w.World, 2)
	err := w.Step(0)
	if !errors.Is(err, ErrConflict) || late != 1 {
		t.Errorf("the second registration answered %v; the late observer was told %d times", err, late)
	}
}

// TestObserversFailAsSystemsDo: their commands are dropped, others are told, and
// after three failures they are parked.
func TestObserversFailAsSystemsDo(t *testing.T) {
	w := newWatched(t)
	tries, heard := 0, 0
	must(t, w.Observe(Observer{Name: "bad", On: OnAdd, Component: w.position.ID(), Run: func(tick *Tick, _ Notice) error {
		tries++
		tick.Commands.Spawn()
		panic("oh no")
	}}))
	must(t, w.Observe(Observer{Name: "good", On: OnAdd, Component: w.position.ID(), Run: func(*Tick, Notice) error { heard++; return nil }}))
	for range 5 {
		w.Spawn(w.position.With(Position{}))
	}
	err := w.Step(0)
	var failed *SystemError
	if !errors.As(err, &failed) || failed.System != "bad" || len(failed.Stack) == 0 {
		t.Fatalf("the failure is reported as %v", err)
	}
	if tries != 3 || heard != 5 || w.Len() != 5 {
		t.Errorf("%d tries, %d heard by the other, %d entities", tries, heard, w.Len())
	}
}

func TestObserveRefuses(t *testing.T) {
	w := newWatched(t)
	run := func(*Tick, Notice) error { return nil }
	must(t, w.Observe(Observer{Name: "taken", On: OnSpawn, Run: run}))
	for name, c := range map[string]struct {
		Observer
		want error
	}{
		"no name":              {Observer{On: OnAdd, Run: run}, ErrConflict},
		"no function":          {Observer{Name: "a", On: OnAdd}, ErrConflict},
		"nothing to watch":     {Observer{Name: "a", Run: run}, ErrConflict},
		"a taken name":         {Observer{Name: "taken", On: OnSpawn, Run: run}, ErrConflict},
		"no such component":    {Observer{Name: "a", On: OnSet, Component: ComponentID(99), Run: run}, ErrUnknown},
		"no component by name": {Observer{Name: "a", On: OnAdd, Component: ComponentID(w.Raw().ComponentCount()), Run: run}, ErrUnknown},
	} {
		if err := w.Observe(c.Observer); !errors.Is(err, c.want) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	must(t, w.Observe(Observer{Name: "entities need none", On: OnDespawn, Component: ComponentID(99), Run: run}))
}

// TestComponentsAreObservedWithTheirValues: the one that an entity has by then, and the one that
// was taken away.
func TestComponentsAreObservedWithTheirValues(t *testing.T) {
	w := newMixedWorld(t)
	var told []string
	observe := func(on Trigger) {
		must(t, w.position.Observe(fmt.Sprint("p", on), on, func(tick *Tick, e Entity, v *Position) error {
			told = append(told, fmt.Sprintf("%d %v %v", on, e.Index(), *v))
			return nil
		}))
		must(t, w.label.Observe(fmt.Sprint("l", on), on, func(tick *Tick, e Entity, v *Label) error {
			told = append(told, fmt.Sprintf("%d %v %v", on, e.Index(), *v))
			return nil
		}))
	}
	for _, on := range []Trigger{OnAdd, OnSet, OnRemove} {
		observe(on)
	}
	e := w.Spawn(w.position.With(Position{1, 2}), w.label.With(Label{"new"}))
	must(t, w.Step(1))
	must(t, w.position.Set(e, Position{3, 4}))
	w.label.Edit(e).Text = "set"
	must(t, w.Step(1))
	must(t, w.position.Remove(e))
	must(t, w.Despawn(e))
	must(t, w.Step(1))
	want := []string{"1 17 {1 2}", "1 17 {new}", "2 17 {3 4}", "2 17 {set}", "4 17 {3 4}", "4 17 {set}"}
	if !slices.Equal(told, want) {
		t.Errorf("observers got %q", told)
	}
	for _, err := range []error{
		w.position.Observe("both", OnAdd|OnSpawn, func(*Tick, Entity, *Position) error { return nil }),
		w.position.Observe("none", OnAdd, nil), w.position.Observe("", OnAdd, func(*Tick, Entity, *Position) error { return nil }),
		w.Observe(Observer{Name: "which", On: OnAdd, Run: func(*Tick, Notice) error { return nil }}),
		w.Observe(Observer{Name: "zero", On: OnAdd, Component: Component[Position]{}, Run: func(*Tick, Notice) error { return nil }}),
		w.Observe(Observer{Name: "foreign", On: OnAdd, Component: Register[Position](open(t, Options{})), Run: func(*Tick, Notice) error { return nil }}),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("answered %v", err)
		}
	}
}

// TestObserverThatPasses is told of nothing more in the tick, and of all in the next one. The
// others go on, and the time of the system that has made the changes is not touched.
func TestObserverThatPasses(t *testing.T) {
	w := newWatched(t)
	told := map[string]int{}
	var times []float64
	must(t, w.Schedule().Add(System{Name: "spawns", Run: func(tick *Tick) error {
		times = append(times, tick.DT)
		for range 10 {
			tick.Commands.Spawn()
		}
		return nil
	}}))
	observe := func(name string, passes int) {
		must(t, w.Observe(Observer{Name: name, On: OnSpawn, Run: func(tick *Tick, _ Notice) error {
			if told[name]++; told[name]%10 == passes {
				tick.Pass()
			}
			return nil
		}}))
	}
	observe("first", 4)
	observe("second", -1)
	observe("third", 1)
	must(t, w.Step(1))
	if told["first"] != 4 || told["second"] != 10 || told["third"] != 1 {
		t.Errorf("told %v", told)
	}
	clear(told)
	must(t, w.Step(1))
	if told["first"] != 4 || told["second"] != 10 || told["third"] != 1 {
		t.Errorf("in the second tick told %v", told)
	}
	if !slices.Equal(times, []float64{1, 1}) {
		t.Errorf("the system ran with %v", times)
	}
	// When all rest, one that is new is told all the same.
	clear(told)
	w.Unobserve("second")
	must(t, w.Schedule().Add(System{Name: "joins", After: []string{"spawns"}, Run: func(tick *Tick) error {
		w.Unobserve("late")
		observe("late", -1)
		tick.Commands.Spawn()
		return nil
	}}))
	must(t, w.Step(1))
	if told["first"] != 4 || told["third"] != 1 || told["late"] != 1 {
		t.Errorf("with a late one told %v", told)
	}
}

// expectedReport is one call that the model of TestObserversAgainstOneList expects.
type expectedReport struct {
	observer string
	kind     Trigger
	entity   uint32
}

// TestObserversAgainstOneList: whoever comes, goes and passes, the calls are those of the simplest
// observers that there could be: one list, all of which is asked for each change.
func TestObserversAgainstOneList(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := open(t, Options{})
		values := []Value{
			Register[Position](w).With(Position{}), Register[Velocity](w).With(Velocity{}),
			Register[Burning](w, Sparse).With(Burning{}), Register[Label](w).With(Label{}),
		}
		var got, want []expectedReport
		type modelled struct {
			name      string
			on        Trigger
			component ComponentID
			patience  int // after so many calls in a step it passes
			calls     int
		}
		var model []*modelled
		made := 0
		observe := func() {
			made++
			id := values[r.IntN(len(values))].of.id
			o := &modelled{name: fmt.Sprint(made), on: Trigger(1 + r.IntN(31)), component: id, patience: []int{1, 1, 2, 1000}[r.IntN(4)]}
			model = append(model, o)
			calls, tick := 0, uint64(0)
			must(t, w.Observe(Observer{Name: o.name, On: o.on, Component: id, Run: func(step *Tick, n Notice) error {
				if tick != step.N {
					tick, calls = step.N, 0
				}
				if calls++; calls == o.patience {
					step.Pass()
				}
				got = append(got, expectedReport{o.name, n.Trigger, n.Entity.Index()})
				return nil
			}}))
		}
		var entities []Entity
		for range 5 {
			entities = append(entities, w.Spawn())
		}
		must(t, w.Step(1))
		change := func(c *Commands) {
			report := func(kind Trigger, id ComponentID, e Entity) {
				for _, o := range model {
					if o.on&kind != 0 && (kind >= OnSpawn || o.component == id) && o.calls < o.patience {
						o.calls++
						want = append(want, expectedReport{o.name, kind, e.Index()})
					}
				}
			}
			for _, i := range r.Perm(len(entities))[:r.IntN(len(entities)+1)] {
				e, value := entities[i], values[r.IntN(len(values))]
				id := value.of.id
				switch {
				case !w.has(e, id):
					c.Add(e, value)
					report(OnAdd, id, e)
				case r.IntN(2) == 0:
					c.Add(e, value)
					report(OnSet, id, e)
				default:
					c.Remove(e, id)
					report(OnRemove, id, e)
				}
			}
			if e := c.Spawn(); r.IntN(2) == 0 {
				report(OnSpawn, 0, e)
				entities = append(entities, e)
			} else {
				c.Despawn(e) // nobody gets what has come and gone
			}
		}
		for _, name := range []string{"first", "second", "third"} {
			must(t, w.Schedule().Add(System{Name: name, Run: func(tick *Tick) error {
				if r.IntN(4) == 0 {
					observe()
				}
				if len(model) > 0 && r.IntN(4) == 0 {
					i := r.IntN(len(model))
					w.Unobserve(model[i].name)
					model = slices.Delete(model, i, i+1)
				}
				change(tick.Commands)
				return nil
			}}))
		}
		for range 3 + r.IntN(60) {
			observe()
		}
		for step := range 30 {
			for _, o := range model {
				o.calls = 0
			}
			got, want = got[:0], want[:0]
			must(t, w.Step(1))
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: got\n%v\nwant\n%v", seed, step, got, want)
			}
			must(t, w.Check())
		}
	}
}

// TestObserversOfOthersAreNotAsked: a change is reported to those that wait for its kind, whatever
// number of others there is, and those that have passed are left alone for the rest of the step.
func TestObserversOfOthersAreNotAsked(t *testing.T) {
	w := newWatched(t)
	position := w.position.ID()
	run := func(passes bool) func(*Tick, Notice) error {
		return func(tick *Tick, _ Notice) error {
			if passes {
				tick.Pass()
			}
			return nil
		}
	}
	for i := range 300 {
		must(t, w.Observe(Observer{Name: fmt.Sprint("others ", i), On: OnAdd | OnSet | OnRemove, Component: w.label, Run: run(false)}))
		must(t, w.Observe(Observer{Name: fmt.Sprint("entities ", i), On: OnSpawn, Run: run(false)}))
		must(t, w.Observe(Observer{Name: fmt.Sprint("removals ", i), On: OnRemove, Component: w.position, Run: run(false)}))
		must(t, w.Observe(Observer{Name: fmt.Sprint("passing ", i), On: OnSet, Component: w.position, Run: run(true)}))
	}
	must(t, w.Observe(Observer{Name: "awake", On: OnSet, Component: w.position, Run: run(false)}))
	asked := func() int { return len(w.audienceOf(&Notice{Trigger: OnSet, Component: position}).now(w.notices.turn)) }
	e := w.Spawn(w.position.With(Position{}))
	must(t, w.Step(1))
	if asked() != 301 {
		t.Errorf("%d are asked", asked())
	}
	must(t, w.Run("sets", func(tick *Tick) error {
		tick.Commands.Add(e, w.position.With(Position{}))
		tick.Commands.Add(e, w.position.With(Position{}))
		return nil
	}))
	if asked() != 1 {
		t.Errorf("%d are asked once the others have passed", asked())
	}
	for i := range 300 {
		w.Unobserve(fmt.Sprint("passing ", i))
	}
	must(t, w.Check())
	must(t, w.Run("next", func(*Tick) error { return nil }))
	if got := asked(); got > 2 {
		t.Errorf("%d are asked where one is left", got)
	}
}
