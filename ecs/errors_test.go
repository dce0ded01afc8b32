package ecs

import (
	"errors"
	"strings"
	"testing"
)

// TestErrorsSayWhereAndWhat: lower case, with the names that a user gave in
// quotes, and wrapping the sentinel that a program asks for.
func TestErrorsSayWhereAndWhat(t *testing.T) {
	z := newMixedWorld(t)
	dead := z.byMix["p"]
	must(t, z.Despawn(dead))
	_, define := z.define(Schema{Name: "Engine", Fields: []Field{{Name: "power", Kind: F32}, {Name: "power", Kind: F32}}}, false)
	_, event := z.defineEvent(Schema{Name: "boom", Fields: []Field{{Name: "why", Kind: String}}})
	small := open(t, Options{Tag: 254, MaxEntities: 1})
	small.Spawn()
	_, full := small.TrySpawn()
	foreign := small.at(1)
	shut := open(t, Options{Tag: 253})
	must(t, shut.Close())
	patch := z.NewCommands()
	patch.Patch(z.byMix["pf"], z.position.ID(), 12, make([]byte, 8))
	for _, c := range []struct {
		err  error
		is   error
		says []string
	}{
		{z.Despawn(dead), ErrDead, []string{"entity is not alive", dead.String()}},
		{z.Despawn(0), ErrDead, []string{"the zero Entity"}},
		{z.Despawn(foreign), ErrDead, []string{"1v1 is a handle of the world with tag", "this one has"}},
		{shut.Despawn(foreign), ErrClosed, []string{"entity is not alive: 1v1: the world is closed"}},
		{z.Observe(Observer{}), ErrConflict, []string{"a name"}},
		{z.Observe(Observer{Name: "o", On: OnSpawn}), ErrConflict, []string{`"o" has no function`}},
		{z.Observe(Observer{Name: "o", Run: deaf}), ErrConflict, []string{`"o" watches nothing`}},
		{z.Observe(Observer{Name: "o", Run: deaf, On: 0x80}), ErrConflict, []string{`"o"`, "0x80"}},
		{z.Schedule().Add(System{Run: idle}), ErrConflict, []string{"needs a name"}},
		{z.Schedule().Add(System{Name: "a?", Run: idle}), ErrConflict, []string{`"a?"`, "may be missing"}},
		{z.Schedule().Add(
			System{Name: "a", After: []string{"b"}, Run: idle}, System{Name: "b", After: []string{"c"}, Run: idle},
			System{Name: "c", After: []string{"a"}, Run: idle}, System{Name: "d", After: []string{"c"}, Run: idle},
		), ErrCycle, []string{"a → c → b → a"}},
		{recovered(func() { Register[Wrong](z.World, nil) }), ErrConflict, []string{`option 1 of component "Wrong" is nil`}},
		{recovered(func() { Register[Wrong](z.World, Stored[Wrong](nil)) }), ErrConflict, []string{`no storage was made for "Wrong"`}},
		{recovered(func() { Register[Wrong](z.World, Stored(func() Storage[Wrong] { return nil })) }), ErrConflict, []string{`no storage was made for "Wrong"`}},
		{define, ErrConflict, []string{`"power"`, `"Engine"`, "twice"}},
		{event, ErrConflict, []string{`"why"`, `"boom"`, "string"}},
		{full, ErrEntityLimit, []string{"1 are alive"}},
		{patch.Apply(), ErrRange, []string{"12 to 20", `"Position"`, "16"}},
		{z.SetParent(z.byMix["pf"], z.byMix["pf"]), ErrCycle, []string{"ancestor", z.byMix["pf"].String()}},
		{z.Step(-1), ErrRange, []string{"-1 seconds"}},
		{U8.Fit(300), ErrRange, []string{"u8", "0 to 255", "300"}},
		{z.provideNamed("score", 5), ErrConflict, []string{`"score"`, "int"}},
		{z.Schedule().Add(System{Name: "a", Run: idle, After: []string{"b"}}), ErrUnknown, []string{`"a"`, `"b"`}},
		{recovered(func() { Register[struct{}](z.World) }), ErrConflict, []string{"ecs.Register", "ecs.Named"}},
		{recovered(func() { small.Spawn() }), ErrEntityLimit, []string{"ecs: spawn"}},
	} {
		if !errors.Is(c.err, c.is) {
			t.Errorf("%v does not wrap %v", c.err, c.is)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(c.err.Error(), s) {
				t.Errorf("%q does not say %q", c.err, s)
			}
		}
	}
}

// Wrong is a component that is never registered right.
type Wrong struct{ N int64 }

func deaf(*Tick, Notice) error { return nil }

// TestARefusedRegistrationLeavesNothing: the name is free, no number is taken.
func TestARefusedRegistrationLeavesNothing(t *testing.T) {
	w := open(t, Options{})
	before := w.Raw().ComponentCount()
	for _, o := range []ComponentOption{nil, Stored[Wrong](nil), Default(3), Excludes(nil), Hooks[Label]{}} {
		if recovered(func() { Register[Wrong](w, o) }) == nil {
			t.Errorf("%T was accepted", o)
		}
	}
	if _, taken := w.componentNamed("Wrong"); taken || w.Raw().ComponentCount() != before {
		t.Errorf("the name is taken: %v; %d components", taken, w.Raw().ComponentCount())
	}
	Register[Wrong](w)
	must(t, w.Check())
}

// TestPlanErrorsNameTheSystem, for hosts that point at a line of a script.
func TestPlanErrorsNameTheSystem(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	for _, c := range []struct {
		systems         []System
		system, missing string
	}{
		{named(System{Name: "a", After: []string{"ghost"}}), "a", "ghost"},
		{named(System{Name: "a", Before: []string{"a"}}), "a", ""},
		{named(System{Name: "a"}, System{Name: "a"}), "a", ""},
		{named(System{Name: "late", Phase: Debug, Before: []string{"early"}}, System{Name: "early"}), "late", ""},
	} {
		var plan *PlanError
		if err := w.Schedule().Add(c.systems...); !errors.As(err, &plan) || plan.System != c.system || plan.Missing != c.missing {
			t.Errorf("got %+v, want system %q and missing %q", plan, c.system, c.missing)
		}
	}
}

func TestSystemErrorsInOneLine(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	broken := errors.New("no wheel")
	must(t, w.Schedule().Add(System{Name: "steer", Run: func(*Tick) error { return broken }}))
	err := w.Step(1)
	if err.Error() != `system "steer": tick 1: no wheel` || !errors.Is(err, broken) {
		t.Errorf("reported as %q", err)
	}
}
