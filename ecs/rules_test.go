package ecs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// The types with rules that the tests share.
type (
	Engine struct{ Power int32 }
	Fuel   struct{ Left float32 }
	Plate  struct{ Text string }
	Ghost  struct{}
)

func TestRequirementsComeWithDefaults(t *testing.T) {
	w := open(t, Options{})
	fuel := Register[Fuel](w, Sparse, Default(Fuel{10}))
	plate := Register[Plate](w, Requires(fuel), Default(Plate{"new"}))
	engine := Register[Engine](w, Requires(plate))
	e := w.Spawn(engine.With(Engine{3}))
	f, _ := fuel.Get(e)
	p, _ := plate.Get(e)
	if f.Left != 10 || p.Text != "new" {
		t.Errorf("required, and required by what is required: %v, %v", f, p)
	}
	e = w.Spawn(fuel.With(Fuel{2}))
	must(t, engine.Set(e, Engine{1}))
	if f, _ := fuel.Get(e); f.Left != 2 {
		t.Error("what is there already must stay as it is")
	}
	must(t, fuel.Remove(e))
	must(t, engine.Set(e, Engine{2}))
	if fuel.Has(e) {
		t.Error("setting is not adding: what was removed on purpose stays away")
	}
	must(t, w.Exchange(e, []ComponentRef{engine.ID(), plate}, engine.With(Engine{5})))
	if !fuel.Has(e) || !plate.Has(e) {
		t.Error("removed and given again is added")
	}
	must(t, w.Check())
}

// TestTogetherSaysWhatSpawnWould: of random lists of values with rules, Together refuses those that
// TrySpawn refuses, with the same words, and changes nothing.
func TestTogetherSaysWhatSpawnWould(t *testing.T) {
	w, other := open(t, Options{}), open(t, Options{})
	ghost := Register[Ghost](w)
	fuel := Register[Fuel](w, Sparse, Excludes(ghost))
	plate := Register[Plate](w, Requires(fuel), Default(Plate{"new"}))
	engine := Register[Engine](w, Requires(plate))
	foreign := Register[Ghost](other)
	all := []Value{ghost.With(Ghost{}), fuel.With(Fuel{1}), plate.With(Plate{"p"}), engine.With(Engine{2}), w.valueAt(plate.ID(), nil), foreign.With(Ghost{}), {}}
	if p := (*Plate)(w.Raw().Default(plate.ID())); p == nil || p.Text != "new" || w.Raw().Default(999) != nil {
		t.Errorf("the default is %v", p)
	}
	for set := range 1 << len(all) {
		var list []Value
		for i := range all {
			if set>>i&1 == 1 {
				list = append(list, all[i])
			}
		}
		before := w.Checksum()
		said := w.Raw().Together(list...)
		if w.Checksum() != before {
			t.Fatal("to ask has changed the world")
		}
		e, err := w.TrySpawn(list...)
		if (said == nil) != (err == nil) || said != nil && !errors.Is(said, ErrConflict) {
			t.Fatalf("set %b: said %v, and spawning returns %v", set, said, err)
		}
		if err == nil {
			must(t, w.Despawn(e))
		}
	}
}

// TestRequirementsMayComeRound: a Go type that takes over a definition can close
// the circle.
func TestRequirementsMayComeRound(t *testing.T) {
	w := open(t, Options{})
	id, err := w.define(Schema{Name: "Engine", Fields: []Field{{Name: "power", Kind: I32}}}, false)
	must(t, err)
	fuel := Register[Fuel](w, Requires(id))
	engine := Register[Engine](w, Requires(fuel))
	for _, v := range []Value{engine.With(Engine{}), fuel.With(Fuel{})} {
		if e := w.Spawn(v); !engine.Has(e) || !fuel.Has(e) {
			t.Error("each requires the other")
		}
	}
}

// TestExclusionsOnEveryPath: none of them lets two meet, in either direction,
// and the answer names both.
func TestExclusionsOnEveryPath(t *testing.T) {
	w := open(t, Options{})
	ghost := Register[Ghost](w)
	plate := Register[Plate](w)
	engine := Register[Engine](w, Excludes(ghost, plate))
	fuel := Register[Fuel](w, Requires(engine))
	e, car := w.Spawn(ghost.With(Ghost{})), w.Spawn(engine.With(Engine{}))
	_, spawn := w.TrySpawn(engine.With(Engine{}), plate.With(Plate{}))
	_, prefab := w.SpawnPrefab(&Prefab{Values: []Value{ghost.With(Ghost{}), engine.With(Engine{})}})
	_, copied := w.Copy(e, engine.With(Engine{}))
	_, all := w.AddAll(w.Query(Read(ghost)), engine.With(Engine{}))
	commands := w.NewCommands()
	commands.Add(e, engine.With(Engine{}))
	added := commands.Apply()
	commands.Patch(e, engine.ID(), 0, make([]byte, 4))
	for name, err := range map[string]error{
		"spawn": spawn, "spawn many": w.SpawnMany(3, nil, ghost.With(Ghost{}), engine.With(Engine{})),
		"add": engine.Set(e, Engine{}), "add the other": ghost.Set(car, Ghost{}), "add to a pool": plate.Set(car, Plate{}),
		"by requirement": fuel.Set(e, Fuel{}), "exchange": w.Exchange(e, []ComponentRef{plate}, engine.With(Engine{})),
		"prefab": prefab, "copy": copied, "add all": all, "commands": added, "patch": commands.Apply(),
	} {
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `"Engine"`) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	if w.Len() != 2 || w.Query(Read(engine)).Count() != 1 {
		t.Error("a refused change changed something")
	}
	must(t, w.Exchange(e, []ComponentRef{ghost}, engine.With(Engine{})))
	must(t, w.Check())
}

func TestRulesThatContradictThemselves(t *testing.T) {
	w := open(t, Options{})
	ghost, plate := Register[Ghost](w), Register[Plate](w)
	id, err := w.define(Schema{Name: "Engine", Fields: []Field{{Name: "power", Kind: I32}}}, false)
	must(t, err)
	w.Spawn(ghost.With(Ghost{}), w.valueAt(id, nil))
	type Fresh struct{ N int64 }
	banned := Register[Burning](w, Excludes(plate))
	define := func(options ...ComponentOption) error {
		_, err := w.define(Schema{Name: "New"}, false, options...)
		return err
	}
	for name, c := range map[string]struct{ got, want error }{
		"requires what it excludes":         {recovered(func() { Register[Fresh](w, Requires(ghost), Excludes(ghost)) }), ErrConflict},
		"requires two that exclude another": {recovered(func() { Register[Fresh](w, Requires(plate, banned)) }), ErrConflict},
		"excludes what it is with already":  {recovered(func() { Register[Engine](w, Excludes(ghost)) }), ErrConflict},
		"a type that is not there":          {recovered(func() { Register[Fresh](w, Requires(ComponentID(500))) }), ErrUnknown},
		"the hierarchy":                     {recovered(func() { Register[Fresh](w, Excludes(w.ChildOf().ID())) }), ErrConflict},
		"a default of another type":         {recovered(func() { Register[Fresh](w, Default(7)) }), ErrConflict},
		"hooks of another type":             {recovered(func() { Register[Fresh](w, Hooks[Ghost]{}) }), ErrConflict},
		"a definition with a default":       {define(Default(7)), ErrConflict},
		"a definition with a name":          {define(Named("Other")), ErrConflict},
		"a definition with pointer hooks":   {define(Hooks[Plate]{}), ErrConflict},
		"a definition with larger hooks":    {define(Hooks[Fresh]{}), ErrConflict},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: answered %v", name, c.got)
		}
	}
	if _, ok := w.componentNamed("Fresh"); ok {
		t.Error("a refused registration left a component behind")
	}
}

// TestHooksMayNotChangeTheStructure, and a hook that panics leaves the world
// whole and unlocked.
func TestHooksMayNotChangeTheStructure(t *testing.T) {
	w := open(t, Options{})
	ghost := Register[Ghost](w)
	var answers []error
	try := func(e Entity, v *Engine) {
		_, spawn := w.TrySpawn()
		answers = append(answers, spawn, w.Despawn(e), ghost.Set(e, Ghost{}), w.Step(0))
		if v.Power++; v.Power > 50 {
			panic(errors.New("too much"))
		}
	}
	engine := Register[Engine](w, Hooks[Engine]{Added: try, Set: try, Removed: try})
	e := w.Spawn(engine.With(Engine{1}))
	must(t, engine.Set(e, Engine{5}))
	if v, _ := engine.Get(e); v.Power != 6 {
		t.Errorf("a hook may change the value in place; it is %v", v)
	}
	must(t, engine.Remove(e))
	for _, err := range answers {
		if !errors.Is(err, ErrIterating) {
			t.Errorf("a structural change in a hook answered %v", err)
		}
	}
	if len(answers) != 12 {
		t.Errorf("%d answers from three hooks of four attempts", len(answers))
	}
	if recovered(func() { engine.Set(e, Engine{100}) }) == nil {
		t.Fatal("the hook's panic was swallowed")
	}
	must(t, w.Check())
	must(t, ghost.Set(e, Ghost{}))
}

// TestHooksOfDefinedTypes see the bytes through a type of the same size.
func TestHooksOfDefinedTypes(t *testing.T) {
	w := open(t, Options{})
	var got []int32
	id, err := w.define(Schema{Name: "Mana", Fields: []Field{{Name: "now", Kind: I32}}}, true,
		Hooks[int32]{Added: func(_ Entity, v *int32) { got = append(got, *v) }})
	must(t, err)
	n := int32(7)
	w.Spawn(w.valueAt(id, unsafe.Pointer(&n)))
	if len(got) != 1 || got[0] != 7 {
		t.Errorf("the hook saw %v", got)
	}
}

// TestTheNewestDefaultCounts: the same fields may be defined again with another
// default, as a script that was edited does.
func TestTheNewestDefaultCounts(t *testing.T) {
	w := open(t, Options{})
	schema := Schema{Name: "Mana", Fields: []Field{{Name: "now", Kind: U8}}}
	for _, want := range []byte{0, 3, 9, 0} {
		if schema.Default = nil; want > 0 {
			schema.Default = []byte{want}
		}
		id, err := w.define(schema, false)
		must(t, err)
		e := w.Spawn(w.valueAt(id, nil))
		if got := *(*byte)(w.pointer(e, id)); got != want {
			t.Errorf("spawned with the default %d, want %d", got, want)
		}
	}
}

// TestMigrationsKeepDefaultsAndHooksHonest: a default has the new size, and hooks
// that would see other bytes than there are refuse the migration.
func TestMigrationsKeepDefaultsAndHooksHonest(t *testing.T) {
	w := open(t, Options{})
	mana := Schema{Name: "Mana", Fields: []Field{{Name: "now", Kind: I32}}}
	id, err := w.define(mana, false)
	must(t, err)
	hooked := Schema{Name: "Hooked", Fields: mana.Fields}
	_, err = w.define(hooked, false, Hooks[int32]{Set: func(Entity, *int32) {}})
	must(t, err)
	w.Spawn(w.valueAt(id, nil))
	m := w.migrate()
	mana.Fields = []Field{{Name: "now", Kind: I64}, {Name: "max", Kind: I64}}
	mana.Default = slices.Repeat([]byte{1}, 16)
	must(t, m.Component(mana, nil))
	hooked.Fields = mana.Fields
	if err := m.Component(hooked, nil); !errors.Is(err, ErrConflict) {
		t.Errorf("hooks for four bytes on a type of sixteen: %v", err)
	}
	must(t, m.Prepare())
	m.Commit()
	e := w.Spawn(w.valueAt(id, nil))
	if got := *(*[16]byte)(w.pointer(e, id)); got != [16]byte(mana.Default) {
		t.Errorf("the default after the migration is %v", got)
	}
	must(t, w.Check())
}

// TestWhatIsRequiredStays: on every path, Refuse keeps what another component of the entity
// requires, and the error names both.
func TestWhatIsRequiredStays(t *testing.T) {
	w := open(t, Options{})
	fuel := Register[Fuel](w, Default(Fuel{10}))
	plate := Register[Plate](w)
	engine := Register[Engine](w, Requirement{Components: []ComponentRef{fuel, plate}, OnRemove: Refuse})
	e, bare := w.Spawn(engine.With(Engine{3})), w.Spawn(fuel.With(Fuel{1}))
	if f, _ := fuel.Get(e); f.Left != 10 || !plate.Has(e) {
		t.Error("what is required comes")
	}
	_, all := w.RemoveAll(w.Query(Read(fuel)), fuel)
	_, exchanged := w.ExchangeAll(w.Query(Read(fuel)), []ComponentRef{plate}, fuel.With(Fuel{}))
	c := w.NewCommands()
	c.Remove(e, fuel)
	if !c.Preview().Has(e, fuel.ID()) {
		t.Error("the preview does not refuse")
	}
	commands := c.Apply()
	for name, err := range map[string]error{
		"remove": fuel.Remove(e), "of a pool": plate.Remove(e), "both": w.Remove(e, fuel, plate), "exchange": w.Exchange(e, []ComponentRef{fuel}, plate.With(Plate{})),
		"remove all": all, "exchange all": exchanged, "commands": commands, "given anew": w.Exchange(e, []ComponentRef{fuel}, engine.With(Engine{})),
	} {
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `"Engine" requires it`) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	if !fuel.Has(bare) || !fuel.Has(e) {
		t.Error("a refused change changed something")
	}
	must(t, fuel.Remove(bare))
	must(t, w.Exchange(e, []ComponentRef{fuel}, fuel.With(Fuel{2}))) // it stays
	must(t, w.Exchange(e, []ComponentRef{fuel, engine}))             // both go
	must(t, w.Check())
	must(t, w.Despawn(w.Spawn(engine.With(Engine{}))))
}

// TestDependantsGoToo with Cascade, one by the other, and hooks and observers get them all.
func TestDependantsGoToo(t *testing.T) {
	w := open(t, Options{})
	var gone []string
	hook := func(name string) func(Entity) { return func(Entity) { gone = append(gone, name) } }
	fuel := Register[Fuel](w, Sparse)
	engine := Register[Engine](w, Requirement{Components: []ComponentRef{fuel}, OnRemove: Cascade},
		Hooks[Engine]{Removed: func(e Entity, _ *Engine) { hook("hook engine")(e) }})
	plate := Register[Plate](w, Requirement{Components: []ComponentRef{engine}, OnRemove: Cascade})
	ghost := Register[Ghost](w, Requires(plate))
	must(t, plate.Observe("o", OnRemove, func(_ *Tick, _ Entity, p *Plate) error { gone = append(gone, "observer plate "+p.Text); return nil }))
	e := w.Spawn(plate.With(Plate{"x"}))
	if err := w.Exchange(e, []ComponentRef{fuel}, ghost.With(Ghost{})); !errors.Is(err, ErrConflict) || !plate.Has(e) {
		t.Errorf("what is given requires what would go: %v", err)
	}
	if err := w.Exchange(e, []ComponentRef{fuel}, plate.With(Plate{"y"})); !errors.Is(err, ErrConflict) {
		t.Errorf("what would go is given: %v", err)
	}
	must(t, w.Step(1))
	must(t, fuel.Remove(e))
	must(t, w.Step(1))
	if engine.Has(e) || plate.Has(e) || !slices.Equal(gone, []string{"hook engine", "observer plate x"}) {
		t.Errorf("of all that requires it %v went", gone)
	}
	must(t, w.Check())
}

// TestRequirementsOfPoolsMayComeRound, for what counts the commands, too.
func TestRequirementsOfPoolsMayComeRound(t *testing.T) {
	w := open(t, Options{})
	id, err := w.define(Schema{Name: "Engine", Fields: []Field{{Name: "power", Kind: I32}}}, true)
	must(t, err)
	fuel := Register[Fuel](w, Sparse, Requires(id))
	engine := Register[Engine](w, Requires(fuel))
	c, e := w.NewCommands(), w.Spawn()
	c.Add(e, engine.With(Engine{}))
	c.Patch(e, fuel.ID(), 0, make([]byte, 4))
	if !c.FewSets(100, nil) || c.NewSets(0) != 0 {
		t.Error("pools make no sets")
	}
	must(t, c.Apply())
	if !engine.Has(e) || !fuel.Has(e) {
		t.Error("each requires the other")
	}
}

// TestConditionalRequirements come with the last of the component and its conditions, and end
// with the first that goes.
func TestConditionalRequirements(t *testing.T) {
	w := open(t, Options{})
	fuel, ghost := Register[Fuel](w, Default(Fuel{5})), Register[Ghost](w)
	engine := Register[Engine](w, Requirement{Components: []ComponentRef{fuel}, When: []ComponentRef{ghost}, OnRemove: Refuse})
	e := w.Spawn(engine.With(Engine{}))
	if fuel.Has(e) {
		t.Error("required without its condition")
	}
	must(t, ghost.Set(e, Ghost{}))
	if f, ok := fuel.Get(e); !ok || f.Left != 5 {
		t.Error("the condition came, and what is required did not")
	}
	if err := fuel.Remove(e); !errors.Is(err, ErrConflict) {
		t.Errorf("removed while the condition holds: %v", err)
	}
	must(t, w.Exchange(e, []ComponentRef{ghost, fuel}))
	must(t, w.Check())
	if e := w.Spawn(ghost.With(Ghost{}), engine.With(Engine{})); !fuel.Has(e) {
		t.Error("spawned with both")
	}
}

// TestRequirementsThatMakeNoSense, and such that entities break already.
func TestRequirementsThatMakeNoSense(t *testing.T) {
	w := open(t, Options{})
	ghost, plate := Register[Ghost](w), Register[Plate](w)
	id, err := w.define(Schema{Name: "Engine", Fields: []Field{{Name: "power", Kind: I32}}}, false)
	must(t, err)
	alone := w.Spawn(w.valueAt(id, nil))
	type Fresh struct{ N int64 }
	of := func(list ...ComponentRef) []ComponentRef { return list }
	for name, c := range map[string]struct{ got, want error }{
		"nothing":            {recovered(func() { Register[Fresh](w, Requirement{When: of(ghost)}) }), ErrConflict},
		"no such policy":     {recovered(func() { Register[Fresh](w, Requirement{Components: of(ghost), OnRemove: 9}) }), ErrRange},
		"no such component":  {recovered(func() { Register[Fresh](w, Requirement{Components: of(ComponentID(500))}) }), ErrUnknown},
		"no such condition":  {recovered(func() { Register[Fresh](w, Requirement{Components: of(ghost), When: of(ComponentID(500))}) }), ErrUnknown},
		"nil":                {recovered(func() { Register[Fresh](w, Requirement{Components: of(nil)}) }), ErrConflict},
		"the hierarchy":      {recovered(func() { Register[Fresh](w, Requirement{Components: of(w.ChildOf().ID())}) }), ErrConflict},
		"excluded":           {recovered(func() { Register[Fresh](w, Requirement{Components: of(ghost)}, Excludes(ghost)) }), ErrConflict},
		"an entity breaks":   {recovered(func() { Register[Engine](w, Requirement{Components: of(plate), OnRemove: Refuse}) }), ErrConflict},
		"of another world's": {recovered(func() { Register[Fresh](w, Requirement{Components: of(Register[Ghost](open(t, Options{})))}) }), ErrConflict},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: answered %v", name, c.got)
		}
	}
	if _, ok := w.componentNamed("Fresh"); ok {
		t.Error("a refused registration left a component behind")
	}
	engine := Register[Engine](w, Requirement{Components: of(plate), When: of(ghost), OnRemove: Refuse})
	must(t, w.Add(alone, ghost.With(Ghost{})))
	if !engine.Has(alone) || !plate.Has(alone) {
		t.Error("a type that takes over a definition brings its requirement")
	}
	must(t, w.Check())
	plate.info.pool.remove(alone)
	if err := w.Check(); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `"Engine", which requires "Plate"`) {
		t.Errorf("a world that breaks the rule: %v", err)
	}
}

// TestConditionsThatGoAlong: a condition that goes with what is required takes along what
// depends on it, whichever of the two was registered first; and it keeps nobody from going.
func TestConditionsThatGoAlong(t *testing.T) {
	for _, conditionFirst := range []bool{true, false} {
		w := open(t, Options{})
		define := func(name string, options ...ComponentOption) ComponentID {
			id, err := w.define(Schema{Name: name, Fields: []Field{{Name: "v", Kind: F64}}}, false, options...)
			must(t, err)
			return id
		}
		fuel, mount := define("Fuel"), define("Mount")
		of := func(c ...ComponentRef) []ComponentRef { return c }
		// The lamp goes with the fuel; the radio goes with the fuel where there is a lamp, and the mount
		// stays where there is one.
		lamp := Requirement{Components: of(fuel), OnRemove: Cascade}
		var lampID, radioID ComponentID
		if conditionFirst {
			lampID = define("Lamp", lamp)
			radioID = define("Radio", Requirement{Components: of(fuel), When: of(lampID), OnRemove: Cascade})
		} else { // a rule comes with its component, so that of the lamp is given later by hand
			lampID = define("Lamp")
			radioID = define("Radio", Requirement{Components: of(fuel), When: of(lampID), OnRemove: Cascade})
			w.setRequirement(w.components[lampID], &lamp)
		}
		keeper := define("Keeper", Requirement{Components: of(mount), When: of(lampID), OnRemove: Refuse})
		e := w.Spawn(w.valueAt(radioID, nil), w.valueAt(lampID, nil), w.valueAt(keeper, nil))
		if err := w.Remove(e, mount); !errors.Is(err, ErrConflict) {
			t.Errorf("the mount is removed while there is a lamp: %v", err)
		}
		must(t, w.Remove(e, fuel, mount))
		if w.has(e, lampID) || w.has(e, radioID) || !w.has(e, keeper) {
			t.Errorf("condition first: %v; lamp %v, radio %v, keeper %v", conditionFirst, w.has(e, lampID), w.has(e, radioID), w.has(e, keeper))
		}
		must(t, w.Check())
	}
}

// TestWhatGoesAlongIsNotMet: what an entity gets may exclude what goes because of the same change.
func TestWhatGoesAlongIsNotMet(t *testing.T) {
	w := open(t, Options{})
	fuel := Register[Fuel](w)
	engine := Register[Engine](w, Requirement{Components: []ComponentRef{fuel}, OnRemove: Cascade})
	ghost := Register[Ghost](w, Excludes(engine))
	e := w.Spawn(engine.With(Engine{}))
	c := w.NewCommands()
	c.Exchange(e, []ComponentID{fuel.ID()}, ghost.With(Ghost{}))
	if p := c.Preview(); !p.Has(e, ghost.ID()) || p.Has(e, engine.ID()) {
		t.Error("the preview shows something else")
	}
	c.Drop()
	must(t, w.Exchange(e, []ComponentRef{fuel}, ghost.With(Ghost{})))
	if !ghost.Has(e) || engine.Has(e) || fuel.Has(e) {
		t.Error("the exchange did something else")
	}
	must(t, w.Check())
}

// ruleModel is the slow judge of requirements: sets of components, and rules that are gone
// through until nothing changes.
type ruleModel struct {
	rules []Requirement
	of    []ComponentID // of each rule
}

type idSet map[ComponentID]bool

// hold reports whether a rule holds for a set.
func (m *ruleModel) hold(i int, set idSet) bool {
	ok := set[m.of[i]]
	for _, h := range m.rules[i].When {
		ok = ok && set[h.ID()]
	}
	return ok
}

// complete returns what is given, and what that requires, to an entity that keeps a set.
func (m *ruleModel) complete(keeps, add idSet) idSet {
	given, all := maps.Clone(add), maps.Clone(keeps)
	maps.Copy(all, given)
	for again := true; again; {
		again = false
		for i, r := range m.rules {
			fresh := given[m.of[i]] && !keeps[m.of[i]]
			for _, h := range r.When {
				fresh = fresh || given[h.ID()] && !keeps[h.ID()]
			}
			for _, h := range r.Components {
				if fresh && m.hold(i, all) && !all[h.ID()] {
					given[h.ID()], all[h.ID()], again = true, true, true
				}
			}
		}
	}
	return given
}

// change returns the set after a change, or false: it is refused.
func (m *ruleModel) change(had, remove, add idSet) (idSet, bool) {
	keeps := maps.Clone(had)
	maps.DeleteFunc(keeps, func(id ComponentID, _ bool) bool { return remove[id] })
	given := m.complete(keeps, add)
	after := maps.Clone(keeps)
	maps.Copy(after, given)
	left := maps.Clone(after) // by the change itself: conditions of what goes along are asked of it
	broken := func(i int, holds idSet) bool {
		return m.rules[i].OnRemove != Orphan && m.hold(i, holds) && slices.ContainsFunc(m.rules[i].Components, func(h ComponentRef) bool {
			return had[h.ID()] && !after[h.ID()]
		})
	}
	for again := true; again; {
		again = false
		for i, r := range m.rules {
			if of := m.of[i]; r.OnRemove == Cascade && after[of] && !given[of] && broken(i, left) {
				delete(after, of)
				delete(keeps, of)
				again = true
			}
		}
	}
	for i := range m.rules {
		if broken(i, after) {
			return nil, false
		}
	}
	return after, maps.Equal(m.complete(keeps, given), given)
}

// TestRequirementsAgainstAModel: random rules of all policies, with conditions, on every path.
func TestRequirementsAgainstAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := open(t, Options{Tag: 9})
		m := &ruleModel{}
		defer w.Close()
		var ids []ComponentID
		some := func(what string, least int) (list []ComponentRef) {
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(ids), least, max(least, min(2, len(ids))), rapid.ID).Draw(rt, what) {
				list = append(list, id)
			}
			return list
		}
		for i := range rapid.IntRange(3, 6).Draw(rt, "components") { // few, so that rules meet
			var options []ComponentOption
			for range rapid.IntRange(0, min(i, 2)).Draw(rt, "rules") {
				r := Requirement{Components: some("needs", 1), OnRemove: Policy(rapid.IntRange(0, 2).Draw(rt, "policy"))}
				if rapid.Bool().Draw(rt, "conditional") {
					r.When = some("when", 0)
				}
				m.rules, m.of, options = append(m.rules, r), append(m.of, ComponentID(len(w.components))), append(options, r)
			}
			id, err := w.define(Schema{Name: fmt.Sprint("C", i), Fields: []Field{{Name: "v", Kind: F64}}}, i%3 == 2, options...)
			must(t, err)
			ids = append(ids, id)
		}
		model := map[Entity]idSet{}
		set := func(list []ComponentRef) idSet {
			s := idSet{}
			for _, h := range list {
				s[h.ID()] = true
			}
			return s
		}
		values := func(list []ComponentRef) (all []Value) {
			for _, h := range list {
				all = append(all, w.valueAt(h.ID(), nil))
			}
			return all
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			add := some("add", 0)
			if len(model) == 0 || rapid.IntRange(0, 3).Draw(rt, "what") == 0 {
				model[w.Spawn(values(add)...)] = m.complete(idSet{}, set(add))
				continue
			}
			es := slices.Sorted(maps.Keys(model))
			e, remove := rapid.SampledFrom(es).Draw(rt, "entity"), some("remove", 0)
			want, ok := m.change(model[e], set(remove), set(add))
			var err error
			switch rapid.IntRange(0, 3).Draw(rt, "path") {
			case 0:
				err = w.Exchange(e, remove, values(add)...)
			case 1:
				c := w.NewCommands()
				c.Exchange(e, slices.Sorted(maps.Keys(set(remove))), values(add)...)
				previewed := idSet{}
				for _, id := range ids {
					if c.Preview().Has(e, id) {
						previewed[id] = true
					}
				}
				if shown := model[e]; ok && !maps.Equal(previewed, want) || !ok && !maps.Equal(previewed, shown) {
					rt.Fatalf("%v: the preview shows %v, want %v, %v", e, previewed, want, ok)
				}
				c.NewSets(0)
				c.FewSets(10, nil)
				err = c.Apply()
			case 2: // all of them, or none
				all, fits := map[Entity]idSet{}, true
				for _, o := range es {
					next, ok := m.change(model[o], set(remove), set(add))
					all[o], fits = next, fits && ok
				}
				_, err = w.ExchangeAll(w.Query(), remove, values(add)...)
				if ok = fits; ok {
					model = all
				}
				want = model[e]
			default:
				if len(remove) == 0 {
					continue
				}
				want, ok = m.change(model[e], set(remove[:1]), nil)
				err = w.Remove(e, remove[0])
			}
			if ok != (err == nil) || !ok && !errors.Is(err, ErrConflict) {
				rt.Fatalf("%v: %v, want %v", e, err, ok)
			}
			if ok {
				model[e] = want
			}
			for e, want := range model {
				for _, id := range ids {
					if w.has(e, id) != want[id] {
						rt.Fatalf("%v: component %d is there: %v, want %v", e, id, w.has(e, id), want)
					}
				}
			}
			must(t, w.Check())
		}
	})
}
