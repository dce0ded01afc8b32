package ecs

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

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
