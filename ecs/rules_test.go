package ecs

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"
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
