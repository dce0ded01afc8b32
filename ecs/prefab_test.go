package ecs

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// tank is a hull with two turrets, one of which has a gun.
func tank(position Component[Position], label Component[Label]) *Prefab {
	gun := Prefab{Name: "gun", Values: []Value{label.With(Label{"gun"})}}
	return &Prefab{
		Name:   "tank",
		Values: []Value{position.With(Position{1, 1}), label.With(Label{"hull"})},
		Children: []Prefab{
			{Name: "turret", Values: []Value{label.With(Label{"left"})}, Children: []Prefab{gun}},
			{Name: "turret", Values: []Value{label.With(Label{"right"})}},
		},
	}
}

func TestPrefabWithChildrenAndOverrides(t *testing.T) {
	w := open(t, Options{})
	position, label, frozen := Register[Position](w), Register[Label](w), Register[Frozen](w)
	p := tank(position, label)
	c := w.NewCommands()
	recorded := c.SpawnPrefab(p, position.With(Position{9, 9}), frozen.With(Frozen{}))
	must(t, c.Apply())
	direct, err := w.SpawnPrefab(p, position.With(Position{9, 9}), frozen.With(Frozen{}))
	must(t, err)
	for _, e := range []Entity{recorded, direct} {
		if at, _ := position.Get(e); at != (Position{9, 9}) || !frozen.Has(e) {
			t.Errorf("the overrides are not in: %v, frozen %v", at, frozen.Has(e))
		}
		if got, want := family(w, label, e), []string{"hull", "left", "gun", "right"}; !slices.Equal(got, want) {
			t.Errorf("the family is %q, want %q", got, want)
		}
	}
	if plain, err := w.SpawnPrefab(p); err != nil || frozen.Has(plain) {
		t.Error("an override changed the prefab itself")
	}
	must(t, w.Check())
}

// family lists the labels of e and those below it.
func family(w *World, label Component[Label], e Entity) []string {
	l, _ := label.Get(e)
	all := []string{l.Text}
	for child := range w.Children(e) {
		all = append(all, family(w, label, child)...)
	}
	return all
}

// TestAPrefabThatDoesNotFitLeavesNothing, wherever in the family room runs out.
func TestAPrefabThatDoesNotFitLeavesNothing(t *testing.T) {
	for limit := range 4 {
		w := open(t, Options{MaxEntities: 10 + limit})
		position, label := Register[Position](w), Register[Label](w)
		spawnMany(w, 10)
		if e, err := w.SpawnPrefab(tank(position, label)); !errors.Is(err, ErrEntityLimit) || e != 0 {
			t.Errorf("room for %d of 4: got %v, %v", limit, e, err)
		}
		if w.Len() != 10 {
			t.Errorf("room for %d of 4: %d entities were left behind", limit, w.Len()-10)
		}
		c := w.NewCommands()
		c.SpawnPrefab(tank(position, label))
		if err := c.Apply(); !errors.Is(err, ErrEntityLimit) {
			t.Errorf("commands: room for %d of 4: got %v", limit, err)
		}
		must(t, w.Check())
	}
}

// TestAFamilyWithoutRoomForItsRoot: the children fit, the root does not.
func TestAFamilyWithoutRoomForItsRoot(t *testing.T) {
	type Huge struct{ V [1 << 20]int64 } // 8 MiB
	w := open(t, Options{MaxBytes: 4 << 20})
	huge, position := Register[Huge](w), Register[Position](w)
	p := &Prefab{Values: []Value{huge.With(Huge{})}, Children: []Prefab{{Values: []Value{position.With(Position{})}}}}
	if _, err := w.SpawnPrefab(p); !errors.Is(err, ErrArenaFull) || w.Len() != 0 {
		t.Errorf("answered %v; %d orphans", err, w.Len())
	}
	must(t, w.Check())
}

// TestAPrefabInherits: values by component, children by name, wherever in the
// tree, and from the bases of bases.
func TestAPrefabInherits(t *testing.T) {
	w := open(t, Options{})
	position, label, frozen := Register[Position](w), Register[Label](w), Register[Frozen](w)
	base := tank(position, label)
	heavy := &Prefab{
		Name: "heavy", Base: base, Values: []Value{label.With(Label{"heavy hull"})},
		Children: []Prefab{
			{Name: "turret", Values: []Value{frozen.With(Frozen{})}, Children: []Prefab{{Name: "gun", Values: []Value{label.With(Label{"long gun"})}}}},
			{Name: "crane", Values: []Value{label.With(Label{"crane"})}},
		},
	}
	heaviest := &Prefab{Base: heavy, Children: []Prefab{
		{Name: "turret"}, {Name: "turret", Values: []Value{label.With(Label{"third"})}}, {Base: &Prefab{Values: []Value{label.With(Label{"flag"})}}},
	}}
	for want, p := range map[string]*Prefab{
		"hull left gun right": base, "heavy hull left long gun right crane": heavy,
		"heavy hull left long gun right crane third flag": heaviest,
	} {
		direct, err := w.SpawnPrefab(p)
		must(t, err)
		c := w.NewCommands()
		recorded := c.SpawnPrefab(p)
		must(t, c.Apply())
		for _, e := range []Entity{direct, recorded} {
			if got := strings.Join(family(w, label, e), " "); got != want {
				t.Errorf("the family is %q, want %q", got, want)
			}
			if at, _ := position.Get(e); at != (Position{1, 1}) {
				t.Errorf("%q is at %v: not inherited", want, at)
			}
		}
		if left := slices.Collect(w.Children(direct))[0]; frozen.Has(left) != (p != base) {
			t.Errorf("%q: the left turret is frozen: %v", want, frozen.Has(left))
		}
	}
	if len(base.Children) != 2 || len(base.Values) != 2 || len(heavy.Children) != 2 {
		t.Error("inheriting has changed the base")
	}
	must(t, w.Check())
}

func TestABaseThatLeadsToItself(t *testing.T) {
	w := open(t, Options{})
	own := &Prefab{Name: "own"}
	own.Base = own
	within := &Prefab{Name: "within", Children: []Prefab{{}, {}}}
	within.Children[0].Base, within.Children[1].Base = within, within
	endless := &Prefab{Name: "endless", Children: make([]Prefab, 1)}
	endless.Children[0].Children = endless.Children
	for _, p := range []*Prefab{own, within, endless} {
		if e, err := w.SpawnPrefab(p); !errors.Is(err, ErrCycle) || e != 0 || w.Len() != 0 {
			t.Errorf("%q: answered %v, %d alive", p.Name, err, w.Len())
		}
		c := w.NewCommands()
		e := c.SpawnPrefab(p)
		if err := c.Apply(); !errors.Is(err, ErrCycle) || e != 0 || w.Len() != 0 {
			t.Errorf("%q, recorded: answered %v, %d alive", p.Name, err, w.Len())
		}
	}
}
