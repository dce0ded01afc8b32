package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// idle does nothing: for systems whose order is all that matters.
func idle(*Tick) error { return nil }

// names makes systems run that only exist.
func named(systems ...System) []System {
	for i := range systems {
		systems[i].Run = idle
	}
	return systems
}

// TestRunningOrder: by phase, then by Before and After, then by priority, then
// by name, whatever order they were added in.
func TestRunningOrder(t *testing.T) {
	for name, c := range map[string]struct {
		systems []System
		want    string
	}{
		"phases": {named(System{Name: "a", Phase: Debug}, System{Name: "b", Phase: Input}, System{Name: "c", Phase: Physics},
			System{Name: "d", Phase: Logic}, System{Name: "e", Phase: Audio}, System{Name: "f", Phase: Render}, System{Name: "g", Phase: Animation}), "bdcgfea"},
		"priority":               {named(System{Name: "a", Priority: 2}, System{Name: "b", Priority: 0}, System{Name: "c", Priority: 1}), "bca"},
		"names":                  {named(System{Name: "c"}, System{Name: "a"}, System{Name: "b"}), "abc"},
		"after beats priority":   {named(System{Name: "a", After: []string{"b"}}, System{Name: "b", Priority: 9}), "ba"},
		"before beats name":      {named(System{Name: "a"}, System{Name: "b", Before: []string{"a"}}), "ba"},
		"across phases":          {named(System{Name: "a", Phase: Logic, After: []string{"b"}}, System{Name: "b", Phase: Input}), "ba"},
		"an optional one":        {named(System{Name: "a", After: []string{"b?", "nobody?"}}, System{Name: "b"}), "ba"},
		"the same said twice":    {named(System{Name: "a", After: []string{"b", "b"}}, System{Name: "b", Before: []string{"a"}}), "ba"},
		"fixed steps first":      {named(System{Name: "a"}, System{Name: "b", Fixed: true, Phase: Debug}), "ba"},
		"after a fixed step":     {named(System{Name: "a", After: []string{"b"}}, System{Name: "b", Fixed: true, Phase: Debug, Before: []string{"a"}}), "ba"},
		"a free one goes first":  {named(System{Name: "a", After: []string{"z"}}, System{Name: "m"}, System{Name: "z"}), "mza"},
		"a chain over a diamond": {named(System{Name: "d", After: []string{"b", "c"}}, System{Name: "b", After: []string{"a"}}, System{Name: "c", After: []string{"a"}}, System{Name: "a"}), "abcd"},
	} {
		for range 2 {
			w := open(t, Options{MaxBytes: 1})
			must(t, w.Schedule().Add(c.systems...))
			if got := strings.Join(w.Schedule().Names(), ""); got != c.want {
				t.Errorf("%s: the order is %q, want %q", name, got, c.want)
			}
			slices.Reverse(c.systems)
		}
	}
}

// TestPlanRefuses: each error names those who are to blame, and nothing changes.
func TestPlanRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		systems []System
		want    error
		says    string
	}{
		"no name":              {[]System{{Run: idle}}, ErrConflict, "needs a name"},
		"a questionable name":  {[]System{{Name: "a?", Run: idle}}, ErrConflict, "'?'"},
		"no function":          {[]System{{Name: "a"}}, ErrConflict, `"a"`},
		"no such phase":        {named(System{Name: "a", Phase: 55}), ErrUnknown, "phase 55"},
		"priority too high":    {named(System{Name: "a", Phase: Physics, Priority: 100}), ErrRange, "0 to 99"},
		"priority below zero":  {named(System{Name: "a", Phase: Logic, Priority: -1}), ErrRange, "0 to 199"},
		"interval below zero":  {named(System{Name: "a", Every: -1}), ErrRange, "-1"},
		"interval no number":   {named(System{Name: "a", Every: nan()}), ErrRange, "NaN"},
		"interval without end": {named(System{Name: "a", Every: 1 / zero()}), ErrRange, "Inf"},
		"a name twice":         {named(System{Name: "a"}, System{Name: "a"}), ErrConflict, "exists already"},
		"a taken name":         {named(System{Name: "old"}), ErrConflict, `"old"`},
		"unknown after":        {named(System{Name: "a", After: []string{"b"}}), ErrUnknown, `runs after "b"`},
		"unknown before":       {named(System{Name: "a", Before: []string{"b"}}), ErrUnknown, `runs before "b"`},
		"against the phases":   {named(System{Name: "a", Phase: Physics, Before: []string{"old"}}), ErrCycle, `"a" (phase physics) cannot run before "old" (phase input)`},
		"before a fixed step":  {named(System{Name: "a", Before: []string{"b"}}, System{Name: "b", Fixed: true}), ErrCycle, `"a" of the frame cannot run before "b": fixed steps come first`},
		"fixed after a frame":  {named(System{Name: "a", Phase: Debug, Fixed: true, After: []string{"old"}}), ErrCycle, `"old" of the frame cannot run before "a"`},
		"unknown required":     {named(System{Name: "a", Requires: []string{"b?", "b"}}), ErrUnknown, `"a" requires "b", which does not exist`},
		"required by itself":   {named(System{Name: "a", Requires: []string{"a"}}), ErrCycle, "require each other: a → a"},
		"required in a circle": {named(System{Name: "0", Requires: []string{"a"}}, System{Name: "a", Requires: []string{"b"}}, System{Name: "b", Requires: []string{"c"}}, System{Name: "c", Requires: []string{"a"}}), ErrCycle, "require each other: a → b → c → a"},
		"after itself":         {named(System{Name: "a", After: []string{"a"}}), ErrCycle, "a → a"},
		"a cycle of two":       {named(System{Name: "a", After: []string{"b"}}, System{Name: "b", After: []string{"a"}}), ErrCycle, "→"},
		"a cycle off the path": {named(System{Name: "0", After: []string{"a"}}, System{Name: "a", After: []string{"b"}}, System{Name: "b", After: []string{"a"}}), ErrCycle, "→"},
		"a long cycle": {named(System{Name: "a", Before: []string{"b"}}, System{Name: "b", Before: []string{"c"}}, System{Name: "c", Before: []string{"d"}},
			System{Name: "d", Before: []string{"a"}}), ErrCycle, "→"},
	} {
		w := open(t, Options{MaxBytes: 1})
		must(t, w.Schedule().Add(System{Name: "old", Run: idle}))
		if err := w.Schedule().Check(nil, c.systems); !errors.Is(err, c.want) {
			t.Errorf("%s: Check answers %v", name, err)
		}
		err := w.Schedule().Add(c.systems...)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: answered %v, want %v with %q in it", name, err, c.want, c.says)
		}
		if got := w.Schedule().Names(); !slices.Equal(got, []string{"old"}) {
			t.Errorf("%s: the schedule is %q after an error", name, got)
		}
	}
}

func zero() float64 { return 0 }
func nan() float64  { return zero() / zero() }

// TestACycleIsNamedFromEndToEnd: exactly its members, each before the next.
func TestACycleIsNamedFromEndToEnd(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	err := w.Schedule().Add(named(
		System{Name: "bystander", After: []string{"c"}}, System{Name: "free"},
		System{Name: "a", Before: []string{"b"}}, System{Name: "b", Before: []string{"c"}}, System{Name: "c", Before: []string{"a"}},
	)...)
	if err == nil {
		t.Fatal("a cycle was accepted")
	}
	_, list, _ := strings.Cut(err.Error(), "wait for each other: ")
	members := strings.Split(list, " → ")
	if len(members) != 4 || members[0] != members[3] || !strings.Contains("abcab", strings.Join(members[:3], "")) {
		t.Errorf("the cycle is given as %q", list)
	}
}

// TestRandomOrders: whatever the wishes, either they are all met, with phases
// and ties in order, or the refusal names a cycle.
func TestRandomOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "systems")
		systems := make([]System, n)
		for i := range systems {
			s := &systems[i]
			s.Name, s.Phase, s.Run = fmt.Sprint("s", i), phases[rapid.IntRange(0, 2).Draw(t, "phase")].phase, idle
			s.Priority = rapid.IntRange(0, 3).Draw(t, "priority")
			for _, other := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 2).Draw(t, "after") {
				s.After = append(s.After, fmt.Sprint("s", other))
			}
		}
		w, err := Open(Options{MaxBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := w.Schedule().Add(systems...); err != nil {
			if !errors.Is(err, ErrCycle) {
				t.Fatal(err)
			}
			return
		}
		place := map[string]int{}
		for i, name := range w.Schedule().Names() {
			place[name] = i
		}
		for _, s := range systems {
			for _, other := range s.After {
				if place[other] >= place[s.Name] {
					t.Fatalf("%s runs before %s: %q", s.Name, other, w.Schedule().Names())
				}
			}
			for _, other := range systems {
				if s.Phase < other.Phase && place[s.Name] > place[other.Name] {
					t.Fatalf("%s of an earlier phase runs after %s", s.Name, other.Name)
				}
			}
		}
	})
}

func TestPhasesByName(t *testing.T) {
	if got := strings.Join(PhaseNames(), " "); got != "input logic physics animation render audio debug" {
		t.Errorf("the phases are %q", got)
	}
	for _, name := range PhaseNames() {
		if p, ok := PhaseNamed(name); !ok || p.String() != name || p.width() == 0 {
			t.Errorf("phase %q is %d, %v", name, p, ok)
		}
	}
	if _, ok := PhaseNamed("lunch"); ok {
		t.Error("there is no such phase")
	}
}
