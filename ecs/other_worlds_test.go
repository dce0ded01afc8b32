package ecs

import (
	"errors"
	"testing"
)

// TestAValueOfAnotherWorldIsRefused on every path: there its component's number
// is that of another type, or of none, and its bytes would be taken for those.
func TestAValueOfAnotherWorldIsRefused(t *testing.T) {
	w, other := open(t, Options{}), open(t, Options{})
	position := Register[Position](w)
	Register[Frozen](other)
	label, burning := Register[Label](other), Register[Burning](other, Sparse)
	e := w.Spawn(position.With(Position{1, 2}))
	for name, v := range map[string]Value{
		"of a number that is another type here": label.With(Label{"x"}), "of a number that is none here": burning.With(Burning{}),
		"of nobody": {}, "of raw bytes": other.valueAt(burning.ID(), nil),
	} {
		_, spawn := w.TrySpawn(position.With(Position{}), v)
		_, prefab := w.SpawnPrefab(&Prefab{Children: []Prefab{{Values: []Value{v}}}})
		c := w.NewCommands()
		c.Spawn(v)
		recorded := c.Apply()
		c.Add(e, position.With(Position{9, 9}), v)
		for path, err := range map[string]error{
			"spawn": spawn, "prefab": prefab, "recorded spawn": recorded, "add": w.Add(e, v), "recorded add": c.Apply(),
		} {
			if !errors.Is(err, ErrConflict) {
				t.Errorf("a value %s, %s: answered %v", name, path, err)
			}
		}
		if p, _ := position.Get(e); w.Len() != 1 || p != (Position{1, 2}) {
			t.Fatalf("a value %s: a refused change changed something", name)
		}
		must(t, w.Check())
	}
}

// TestAHandleOfAnotherWorldIsRefused wherever one is taken: here its number is
// that of another type, and a column would be read as what it is not.
func TestAHandleOfAnotherWorldIsRefused(t *testing.T) {
	w, other := open(t, Options{}), open(t, Options{})
	position := Register[Position](w)
	w.Spawn(position.With(Position{1, 2}))
	label := Register[Label](other)
	var none Component[Label]
	var norelation *Relation
	for name, h := range map[string]ComponentRef{
		"of another world": label, "zero": none, "nil": nil, "unknown": ComponentID(99), "a relation of another world": other.ChildOf(), "a nil relation": norelation,
	} {
		for path, use := range map[string]func(){
			"Read": func() { w.Query(Read(h)) }, "Optional": func() { w.Query().Optional(Write(h)) },
			"With": func() { w.Query().With(h) }, "Without": func() { w.Query().Without(h) }, "Any": func() { w.Query().Any(h) },
			"Changed": func() { w.Query().Changed(h) }, "Added": func() { w.Query().Added(h) },
		} {
			refuses(t, name+": "+path, use)
		}
		for path, err := range map[string]error{
			"Group": w.Group(h, h), "Grow": w.Grow(1, h),
			"Requires": w.checkRules(&componentSpec{requires: []ComponentRef{h}}, nil, 0, nil),
		} {
			if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrUnknown) {
				t.Errorf("%s: %s: answered %v", name, path, err)
			}
		}
	}
	q := w.Query(Read(position))
	for path, use := range map[string]func(){
		"Of": func() {
			for c := range q.Chunks() {
				label.Of(c)
			}
		},
		"Mut": func() {
			for c := range q.Chunks() {
				label.Mut(c)
			}
		},
		"Rows": func() {
			for range Rows(q, label) {
			}
		},
		"Rows2": func() {
			for range Rows2(q, position, label) {
			}
		},
		"Sorted": func() {
			for range Sorted(q, label, func(a, b *Label) int { return 0 }) {
			}
		},
		"SortedBy, of a pool that is not named": func() {
			for range SortedBy(q, Register[Burning](w, Sparse), func(*Burning) int { return 0 }) {
			}
		},
		"SortedBy": func() {
			for range SortedBy(q, label, func(*Label) int { return 0 }) {
			}
		},
		"SortedBy, no order": func() {
			for range SortedBy(q, position, nil) {
			}
		},
		"Sorted, no order": func() {
			for range Sorted(q, position, nil) {
			}
		},
		"Where":                   func() { Where(w.Query(), label, func(*Label) bool { return true }) },
		"Where, no test":          func() { Where(w.Query(), position, nil) },
		"Sources":                 func() { w.Query().Sources(other.ChildOf()) },
		"SourcesOf":               func() { w.Query().SourcesOf(other.ChildOf(), 0) },
		"Targets, of no relation": func() { w.Query().Targets(nil) },
		"the zero Term":           func() { w.Query(Term{}) },
	} {
		refuses(t, path, use)
	}
	if w.Spawn(); w.Len() != 2 {
		t.Error("a refusal left the world locked")
	}
	if id := ComponentID(99); w.schemaByID(id) != nil || w.goType(id) != nil || w.onHeap(id) || w.pooled(id) || w.valueAt(id, nil) != (Value{}) {
		t.Error("a number that nothing is registered under has a type")
	}
}

// refuses demands that a mistake panics, in words that wrap a sentinel.
func refuses(t *testing.T, name string, use func()) {
	t.Helper()
	defer func() {
		t.Helper()
		err, _ := recover().(error)
		if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: panicked with %v", name, err)
		}
	}()
	use()
}

// TestNothingWhereSomethingIsNeeded is an error that says what is missing.
func TestNothingWhereSomethingIsNeeded(t *testing.T) {
	w, other := open(t, Options{}), open(t, Options{})
	position := Register[Position](w)
	hit, elsewhere := RegisterEvent[Position](w), RegisterEvent[Position](other)
	e := w.Spawn(position.With(Position{}))
	_, all := w.DespawnAll(nil)
	_, prefab := w.SpawnPrefab(nil)
	_, transfer := w.Transfer(e, nil)
	for name, err := range map[string]error{
		"a batch": all, "a prefab": prefab, "a transfer": transfer, "a run": w.Run("nothing", nil), "a sort": position.Sort(nil),
		"an observer of no kind": w.Observe(Observer{Name: "o", On: 64, Run: func(*Tick, Notice) error { return nil }}),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	for name, record := range map[string]func(*Commands){
		"a function": func(c *Commands) { c.Do(nil) }, "a relation": func(c *Commands) { c.Relate(nil, e, e) },
		"a prefab": func(c *Commands) { c.SpawnPrefab(nil) }, "an event of no type": func(c *Commands) { c.Send(99, nil) },
		"an event of another world": func(c *Commands) { elsewhere.Send(c, Position{}) },
	} {
		c := w.NewCommands()
		record(c)
		if err := c.Apply(); !errors.Is(err, ErrConflict) && !errors.Is(err, ErrUnknown) {
			t.Errorf("recorded %s: answered %v", name, err)
		}
	}
	refuses(t, "a reader of no type", func() { w.newReader(99) })
	refuses(t, "a reader of another world", func() {
		for range hit.Read(other.newReader(elsewhere.ID())) {
		}
	})
	refuses(t, "an event type of no world", func() {
		for range (Event[Position]{}).Read(w.newReader(hit.ID())) {
		}
	})
	r, c := w.newReader(hit.ID()), w.NewCommands()
	c.Send(hit.ID(), nil)
	must(t, c.Apply())
	if r.Len() != 1 || w.eventSchema(99) != nil || w.eventType(99) != nil || Health(99).String() != "health 99" {
		t.Error("zero bytes are no event, or a number without a type has one")
	}
}
