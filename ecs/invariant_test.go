package ecs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// Components with invariants.
type (
	fighter struct {
		HP    float32 `ecs:"hp"`
		Max   float64
		Level int32
		State uint8 `ecs:"state,enum=idle|walk|dead"`
		At    struct{ X, Y float32 }
		Cells [3]float32
		Foe   Entity
	}
	armor struct{ Cap float32 }
	purse struct{ Gold int64 }
	diary struct {
		Text string
		Page float64
	}
)

// caught collects what a step reports.
type caught struct{ list []*Violation }

func catchViolations(t testing.TB, w *World) *caught {
	t.Helper()
	c := &caught{}
	_, err := w.Schedule().OnViolation(func(v *Violation) { c.list = append(c.list, v) })
	must(t, err)
	return c
}

// step makes a step, and returns what it reported: "text: entity's slot", sorted.
func (c *caught) step(t testing.TB, w *World) (all []string) {
	t.Helper()
	c.list = nil
	must(t, w.Step(1))
	return names(c.list)
}

func names(list []*Violation) (all []string) {
	for _, v := range list {
		all = append(all, fmt.Sprintf("%s: %d", v.Text, v.Entity.Index()))
	}
	slices.Sort(all)
	return all
}

// TestEachKindOfInvariant finds what breaks it, and shows it.
func TestEachKindOfInvariant(t *testing.T) {
	good := fighter{HP: 5, Max: 10, Level: 1}
	for _, c := range []struct {
		rule   Invariant
		breaks func(*fighter)
		value  string
	}{
		{Range("hp", 0, 100), func(f *fighter) { f.HP = -3 }, "hp = -3"},
		{Range("hp", 0, 0.1), func(f *fighter) { f.HP = 0.2 }, "hp = 0.2"},
		{Range("hp", math.Inf(-1), 100), func(f *fighter) { f.HP = 101 }, "hp = 101"},
		{Range("level", 1, math.Inf(1)), func(f *fighter) { f.Level = 0 }, "level = 0"},
		{Range("hp", 0, 100), func(f *fighter) { f.HP = float32(math.NaN()) }, "hp = NaN"},
		{Range("at.x", -1, 1), func(f *fighter) { f.At.X = 2 }, "at.x = 2"},
		{Range("cells", 0, 1), func(f *fighter) { f.Cells = [3]float32{0, 1, 2} }, "cells = { 0, 1, 2 }"},
		{Finite("hp", "max"), func(f *fighter) { f.Max = math.Inf(1) }, "max = +Inf"},
		{Finite(), func(f *fighter) { f.At.Y = float32(math.NaN()) }, "at.y = NaN"},
		{Finite(), func(f *fighter) { f.Cells[2] = float32(math.Inf(-1)) }, "cells = { 0, 0, -Inf }"},
		{Constraint("hp <= max"), func(f *fighter) { f.HP = 11 }, "hp = 11, max = 10"},
		{Constraint("max>=hp"), func(f *fighter) { f.HP = float32(math.NaN()) }, "max = 10, hp = NaN"},
		{Constraint("max > hp"), func(f *fighter) { f.HP = 10 }, "max = 10, hp = 10"},
		{Constraint("0 < level"), func(f *fighter) { f.Level = -1 }, "level = -1"},
		{Constraint("level ~= 3"), func(f *fighter) { f.Level = 3 }, "level = 3"},
		{Constraint("state != dead"), func(f *fighter) { f.State = 2 }, "state = dead"},
		{Constraint("fighter.hp < 100"), func(f *fighter) { f.HP = 100 }, "fighter.hp = 100"},
		{Constraint("foe == 0"), func(f *fighter) { f.Foe = 77 }, "foe = " + Entity(77).String()},
		{Transitions("state", map[string][]string{"idle": {"walk"}, "walk": {"idle", "dead"}}), func(f *fighter) { f.State = 2 }, "state = dead"},
		{Holds("even", "level is odd", func(f *fighter) bool { return f.Level%2 != 0 }), func(f *fighter) { f.Level = 4 }, "hp = 5, max = 10, level = 4, state = idle, foe = " + Entity(0).String() + "\x00"},
	} {
		w := open(t, Options{})
		fighters := Register[fighter](w, c.rule)
		e := w.Spawn(fighters.With(good))
		seen := catchViolations(t, w)
		if strings.Contains(c.rule.Text(), "0.1") {
			must(t, fighters.Set(e, fighter{HP: 0.1}))
		}
		if got := seen.step(t, w); len(got) > 0 {
			t.Errorf("%s: %v", c.rule.Text(), got)
		}
		c.breaks(fighters.Edit(e))
		if got := seen.step(t, w); len(got) != 1 || !strings.HasPrefix(seen.list[0].Value+"\x00", c.value) || seen.list[0].Entity != e || seen.list[0].Tick != 2 || seen.list[0].Component != "fighter" {
			t.Errorf("%s: %v, %v", c.rule.Text(), got, seen.list)
		}
		if got := seen.step(t, w); len(got) > 0 {
			t.Errorf("%s: what was not written is reported again: %v", c.rule.Text(), got)
		}
		if _, history := w.invariants.rules[0].check.(*transitionCheck); history == (len(w.Schedule().Violations(0)) == 1) {
			t.Errorf("%s: Violations finds %v", c.rule.Text(), w.Schedule().Violations(0))
		}
		must(t, w.Check())
	}
}

// eachKind has a field of each kind of number, with others beside it.
type eachKind struct {
	I8   int8    `ecs:"i8"`
	U8   uint8   `ecs:"u8"`
	On   bool    `ecs:"on"`
	I16  int16   `ecs:"i16"`
	U16  uint16  `ecs:"u16"`
	I32  int32   `ecs:"i32"`
	U32  uint32  `ecs:"u32"`
	F32  float32 `ecs:"f32"`
	I64  int64   `ecs:"i64"`
	U64  uint64  `ecs:"u64"`
	F64  float64 `ecs:"f64"`
	Who  Entity  `ecs:"who"`
	Mood uint8   `ecs:"mood,enum=calm|cross"`
}

// TestInvariantsReadEachKind as what it is, sign and all, in the last row of a chunk that has many, and show it
// with all of its digits.
func TestInvariantsReadEachKind(t *testing.T) {
	last := eachKind{-2, 254, true, -2, 65534, -2, 1<<32 - 2, 0.1, -1<<62 - 1, 1<<63 + 1<<62 + 1, -0.25, 77, 1}
	for _, c := range []struct {
		holds, breaks Invariant
		value         string
	}{
		{Range("i8", -2, 0), Range("i8", -1, 255), "i8 = -2"},
		{Range("u8", 0, 254), Range("u8", -128, 253), "u8 = 254"},
		{Constraint("on == on"), Constraint("on == false"), "on = true"},
		{Range("i16", -2, 0), Range("i16", -1, 65535), "i16 = -2"},
		{Range("u16", 0, 65534), Range("u16", -32768, 65533), "u16 = 65534"},
		{Range("i32", -2, 0), Range("i32", -1, 1<<32), "i32 = -2"},
		{Range("u32", 0, 1<<32-2), Range("u32", -1<<31, 1<<32-3), "u32 = 4294967294"},
		{Range("f32", 0, 0.1), Range("f32", 0.2, 1e30), "f32 = 0.1"},
		{Range("i64", -1<<63, 0), Range("i64", 0, 1<<64), "i64 = -4611686018427387905"},
		{Range("u64", 0, 1<<64), Range("u64", -1<<63, 1<<62), "u64 = 13835058055282163713"},
		{Range("f64", -0.25, 0), Range("f64", -0.125, 1e300), "f64 = -0.25"},
		{Constraint("who ~= 0"), Constraint("who == 0"), "who = " + Entity(77).String()},
		{Constraint("mood ~= calm"), Constraint("mood == calm"), "mood = cross"},
	} {
		w := open(t, Options{})
		kinds := Register[eachKind](w, c.breaks, c.holds)
		must(t, w.SpawnMany(scanned+5, nil, kinds.With(eachKind{F32: 0.05})))
		e := w.Spawn(kinds.With(last))
		var of []*Violation
		for _, v := range w.Schedule().Violations(0) {
			if v.Entity == e {
				of = append(of, v)
			}
		}
		if len(of) != 1 || of[0].Text != c.breaks.Text() || of[0].Value != c.value {
			t.Errorf("%s and %s: %v", c.holds.Text(), c.breaks.Text(), of)
		}
	}
	w := open(t, Options{}) // what has no name among the states is shown as a number
	kinds := Register[eachKind](w, Constraint("mood == calm"))
	w.Spawn(kinds.With(eachKind{Mood: 2}))
	if got := w.Schedule().Violations(0); len(got) != 1 || got[0].Value != "mood = 2" {
		t.Errorf("a state without a name: %v", got)
	}
}

// TestInvariantsCompareHandlesExactly: two that differ in a bit that a float64 does not have are unequal, also far down in
// a chunk.
func TestInvariantsCompareHandlesExactly(t *testing.T) {
	type pair struct {
		A, B Entity
	}
	w := open(t, Options{})
	pairs := Register[pair](w, Constraint("a == b"), Constraint("b ~= a"))
	const big = Entity(1 << 60)
	must(t, w.SpawnMany(scanned, nil, pairs.With(pair{big, big})))
	must(t, w.SpawnMany(scanned, nil, pairs.With(pair{big, big + 1})))
	counts := map[string]int{}
	for _, v := range w.Schedule().Violations(0) {
		counts[v.Text]++
		p, _ := pairs.Get(v.Entity)
		if (p.A == p.B) != (v.Text == "b ~= a") {
			t.Errorf("%v: %v", p, v)
		}
	}
	if counts["a == b"] != scanned || counts["b ~= a"] != scanned {
		t.Errorf("found %v", counts)
	}
}

// TestInvariantsFollowManyStates: an enum may have 255 of them.
func TestInvariantsFollowManyStates(t *testing.T) {
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("s%d", i))
	}
	w := open(t, Options{})
	id, err := w.define(Schema{Name: "Many", Fields: []Field{{Name: "s", Kind: Enum, Names: names}}}, false,
		Transitions("s", map[string][]string{"s70": {"s199", "s71"}, "s71": {"s7"}, "s7": {"s71"}}))
	must(t, err)
	e := w.Spawn(w.valueAt(id, nil))
	seen := catchViolations(t, w)
	set := func(state uint8) int {
		*(*uint8)(pointerAt(w, e, id, 0)) = state
		w.Raw().Touch(e, id)
		return len(seen.step(t, w))
	}
	for i, c := range []struct {
		to     uint8
		breaks int
	}{{0, 0}, {70, 1}, {71, 0}, {7, 0}, {71, 0}, {135, 1}, {70, 1}, {199, 0}, {70, 1}, {7, 1}} {
		if got := set(c.to); got != c.breaks {
			t.Errorf("step %d, to s%d: %d violations, want %d", i, c.to, got, c.breaks)
		}
	}
}

// TestARemovedFunctionGetsNoViolation, also when another one removes it while violations are reported.
func TestARemovedFunctionGetsNoViolation(t *testing.T) {
	w := open(t, Options{})
	purses := Register[purse](w, Range("gold", 0, 10))
	var remove func()
	first, second := 0, 0
	_, err := w.Schedule().OnViolation(func(*Violation) { first++; remove() })
	must(t, err)
	remove, err = w.Schedule().OnViolation(func(*Violation) { second++ })
	must(t, err)
	w.Spawn(purses.With(purse{-1}))
	must(t, w.Step(1))
	w.Spawn(purses.With(purse{-1}))
	must(t, w.Step(1))
	if first != 3 || second != 0 {
		t.Errorf("%d reports, and %d to the one that was removed", first, second)
	}
}

// TestInvariantsAcrossComponents are about entities that have all of them, wherever these live.
func TestInvariantsAcrossComponents(t *testing.T) {
	w := open(t, Options{})
	armors := Register[armor](w, Sparse)
	diaries := Register[diary](w, Range("page", 1, 9))
	fighters := Register[fighter](w, Constraint("hp <= armor.cap"), Constraint("level < diary.page"))
	type guarded struct {
		F *fighter
		A *armor
		P *purse `ecs:"optional"`
	}
	purses := Register[purse](w)
	view := NewView[guarded](w)
	remove, err := view.Holds("rich", "a fighter with armor and a purse has gold", func(g guarded) bool { return g.P == nil || g.P.Gold > 0 })
	must(t, err)
	seen := catchViolations(t, w)
	both := w.Spawn(fighters.With(fighter{HP: 5}), armors.With(armor{3}), purses.With(purse{-1}))
	alone := w.Spawn(fighters.With(fighter{HP: 5, Level: 7}))
	writer := w.Spawn(fighters.With(fighter{Level: 7}), diaries.With(diary{"", 4}))
	want := []string{fmt.Sprintf("a fighter with armor and a purse has gold: %d", both.Index()), fmt.Sprintf("hp <= armor.cap: %d", both.Index()), fmt.Sprintf("level < diary.page: %d", writer.Index())}
	if got := seen.step(t, w); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := seen.step(t, w); len(got) > 0 {
		t.Errorf("again: %v", got)
	}
	must(t, armors.Set(both, armor{9})) // the other component alone is written
	purses.Edit(both).Gold = 2
	must(t, diaries.Set(writer, diary{"", 10}))
	must(t, w.Add(alone, armors.With(armor{1})))
	want = []string{fmt.Sprintf("1 <= page <= 9: %d", writer.Index()), fmt.Sprintf("hp <= armor.cap: %d", alone.Index())}
	if got := seen.step(t, w); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	remove()
	purses.Edit(both).Gold = 0
	if got := seen.step(t, w); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "gold") }) {
		t.Errorf("a rule that was removed: %v", got)
	}
}

// TestStatesAreFollowed from check to check.
func TestStatesAreFollowed(t *testing.T) {
	w := open(t, Options{})
	fighters := Register[fighter](w, Transitions("state", map[string][]string{"idle": {"walk"}, "walk": {"idle", "dead"}}))
	seen := catchViolations(t, w)
	e := w.Spawn(fighters.With(fighter{State: 2})) // any state may be the first
	set := func(state uint8) { fighters.Edit(e).State = state }
	for i, c := range []struct {
		do     func()
		breaks bool
	}{
		{func() {}, false}, {func() { set(2) }, false}, {func() { set(0) }, true}, {func() { set(1) }, false},
		{func() { set(2) }, false}, {func() { set(1) }, true}, {func() { set(2); set(1) }, false},
		{func() { set(2) }, false}, {func() { must(t, w.Remove(e, fighters)); must(t, w.Add(e, fighters.With(fighter{State: 1}))) }, true},
		{func() { must(t, w.Remove(e, fighters)) }, false}, {func() { must(t, w.Add(e, fighters.With(fighter{State: 2}))) }, false},
		{func() { must(t, w.Despawn(e)); e = w.Spawn(fighters.With(fighter{State: 0})) }, false},
		{func() { set(7) }, true}, {func() { set(0) }, true},
	} {
		c.do()
		if got := seen.step(t, w); (len(got) == 1) != c.breaks {
			t.Errorf("step %d: %v", i, seen.list)
		} else if c.breaks && !strings.HasPrefix(seen.list[0].Before, "state = ") {
			t.Errorf("step %d: before is %q", i, seen.list[0].Before)
		}
		must(t, w.Check())
	}
}

// TestViolationsNameTheWriter: a system, one of several at the same time, an inbox, nobody.
func TestViolationsNameTheWriter(t *testing.T) {
	w := open(t, Options{Workers: 2})
	fighters := Register[fighter](w, Tracked, Range("hp", 0, 10))
	armors := Register[armor](w, Range("cap", 0, 10))
	q, other := w.Query(Write(fighters)), w.Query(Write(armors))
	on := ""
	write := func(name string, parallel bool, q *Query, do func(c *Chunk)) System {
		return System{Name: name, Parallel: parallel, Queries: []*Query{q}, Run: func(*Tick) error {
			for c := range q.Chunks() {
				if on == name {
					do(c)
				}
			}
			return nil
		}}
	}
	hurt := func(c *Chunk) { fighters.Mut(c)[0].HP = -1 }
	must(t, w.Schedule().Add(write("first", false, q, hurt), write("second", false, q, hurt), write("third", true, q, hurt), write("fourth", true, other, func(c *Chunk) { armors.Mut(c)[0].Cap = -1 })))
	e := w.Spawn(fighters.With(fighter{HP: 1}), armors.With(armor{1}))
	seen := catchViolations(t, w)
	seen.step(t, w)
	for _, c := range []struct {
		on, system string
		do         func()
	}{
		{"first", "first", nil}, {"second", "second", nil}, {"third", "third", nil}, {"fourth", "fourth", nil},
		{"", "", func() { fighters.Edit(e).HP = -2 }},
		{"", "repair", func() {
			must(t, w.Run("repair", func(t *Tick) error { t.Commands.Add(e, fighters.With(fighter{HP: -3})); return nil }))
		}},
		{"", "", func() { must(t, w.Run("repair", func(t *Tick) error { return nil })); fighters.Edit(e).HP = -2 }},
	} {
		must(t, fighters.Set(e, fighter{HP: 1}))
		must(t, armors.Set(e, armor{1}))
		seen.step(t, w)
		if on = c.on; c.do != nil {
			c.do()
		}
		seen.step(t, w)
		if on = ""; len(seen.list) != 1 || seen.list[0].System != c.system || c.system != "" && seen.list[0].Systems[0] != c.system {
			t.Errorf("%q, want %q: %v", c.on, c.system, seen.list)
			continue
		}
		if v := seen.list[0]; c.on == "first" && (!slices.Equal(v.Systems, []string{"first", "second", "third"}) || v.Before != "hp = 1") {
			t.Errorf("%v, before %q", v.Systems, v.Before)
		}
		if !strings.Contains(seen.list[0].Error(), e.String()) || !errors.Is(seen.list[0], ErrInvariant) {
			t.Error(seen.list[0])
		}
	}
}

// TestReportsAreBounded: a million rows that break a rule make eight reports and a count.
func TestReportsAreBounded(t *testing.T) {
	rows := 1_000_000
	if debugging || raceEnabled {
		rows = 10_000
	}
	w := open(t, Options{})
	fighters := Register[purse](w, Range("gold", 0, 10), Constraint("gold ~= -1"))
	must(t, w.SpawnMany(rows, nil, fighters.With(purse{-1})))
	seen := catchViolations(t, w)
	total := 0
	_, err := w.Schedule().OnTick(func(r *TickReport) { total = r.Violations })
	must(t, err)
	if got := seen.step(t, w); len(got) != 16 || seen.list[0].Count != rows || seen.list[15].Count != rows || total != 2*rows {
		t.Errorf("%d reports, %d rows", len(got), total)
	}
	if got := w.Schedule().Violations(5); len(got) != 10 {
		t.Errorf("%d violations", len(got))
	}
}

// TestStrictInvariants fail the step, and functions that panic do, too.
func TestStrictInvariants(t *testing.T) {
	w := open(t, Options{StrictInvariants: true, MaxViolations: 1})
	bad := false
	fighters := Register[fighter](w, Range("hp", 0, 10), Holds("odd", "is good", func(*fighter) bool {
		if bad {
			panic("bad function")
		}
		return true
	}))
	first := w.Spawn(fighters.With(fighter{HP: -1}))
	for range 2 {
		w.Spawn(fighters.With(fighter{HP: -1}))
	}
	var v *Violation
	if err := w.Step(1); !errors.As(err, &v) || !errors.Is(err, ErrInvariant) || v.Count != 3 {
		t.Error(err)
	}
	must(t, w.Step(1))
	bad = true
	w.Spawn(fighters.With(fighter{}))
	var failed *SystemError
	for range 2 { // until the function is good, what it has not seen waits
		if err := w.Step(1); !errors.As(err, &failed) || failed.System != "odd" {
			t.Error(err)
		}
	}
	must(t, w.Check())
	remove, err := w.Schedule().OnViolation(func(*Violation) {
		if err := w.Despawn(first); !errors.Is(err, ErrIterating) {
			t.Error(err)
		}
		panic("no")
	})
	must(t, err)
	bad = false
	w.Spawn(fighters.With(fighter{HP: 99}))
	if err := w.Step(1); !errors.As(err, &failed) || failed.System != "OnViolation" {
		t.Error(err)
	}
	remove()
	w.Spawn(fighters.With(fighter{}))
	must(t, w.Close())
	if got := w.Schedule().Violations(0); got != nil {
		t.Error(got)
	}
}

// TestWrongInvariants are refused with the reason, and nothing is registered.
func TestWrongInvariants(t *testing.T) {
	for says, rule := range map[string]Invariant{
		"the zero Invariant":           {},
		`has no field "mp"`:            Range("mp", 0, 1),
		"holds no number":              Range("hp", 2, 1),
		"from NaN":                     Range("hp", math.NaN(), 1),
		"which holds no number":        Range("at", 0, 1),
		`it has x, y`:                  Range("at.z", 0, 1),
		"always finite":                Finite("level"),
		"is no comparison":             Constraint("hp"),
		"one of ==":                    Constraint("hp <= max <= 3"),
		`one of ==, ~=, <, <=, > and`:  Constraint("<= 3"),
		"one of ==, ~=":                Constraint("hp = max"),
		"one side must be a field":     Constraint("1 < 2"),
		"no component \"Shield\"":      Constraint("hp < Shield.cap"),
		`"armor" has no field "cup"`:   Constraint("hp < armor.cup"),
		`"state" and "level"`:          Constraint("state < level"),
		"none of idle, walk, dead":     Constraint("state == run"),
		"of different kinds":           Constraint("state == level"),
		"an array cannot be compared":  Constraint("cells == 1"),
		"no number that can be":        Constraint("hp < nan"),
		"compare by == and ~= only":    Constraint("foe < 3"),
		"is no enum":                   Transitions("hp", nil),
		`no state "run"`:               Transitions("state", map[string][]string{"run": nil}),
		`has no state "fly"`:           Transitions("state", map[string][]string{"idle": {"fly"}}),
		"the function is nil":          Holds[fighter]("x", "y", nil),
		"the function is about ecs.ar": Holds("x", "y", func(*armor) bool { return true }),
	} {
		w := open(t, Options{})
		Register[armor](w)
		_, err := TryRegister[fighter](w, rule)
		if err == nil || !strings.Contains(err.Error(), says) || !errors.Is(err, ErrConflict) && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrRange) {
			t.Errorf("%q: %v", says, err)
		}
		if _, known := w.componentNamed("fighter"); known || w.invariants != nil {
			t.Errorf("%q: something is there", says)
		}
	}
	w := open(t, Options{})
	if _, err := TryRegister[diary](w, Transitions("page", nil)); err == nil {
		t.Error("states on the heap")
	}
	if _, err := TryRegister[purse](w, Finite()); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	if _, err := Open(Options{MaxViolations: -1}); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
}

// TestInvariantsOfAnOwner are replaced as a whole; those that stay do not look again.
func TestInvariantsOfAnOwner(t *testing.T) {
	w := open(t, Options{})
	purses := Register[purse](w, Range("gold", -100, 100))
	w.Spawn(purses.With(purse{50}))
	seen := catchViolations(t, w)
	own := func(list ...Invariant) {
		var all []Owned
		for _, i := range list {
			all = append(all, Owned{purses.ID(), i})
		}
		must(t, w.Raw().SetInvariants("a.lua", all))
	}
	for i, c := range []struct {
		list []Invariant
		want int
	}{
		{[]Invariant{Range("gold", 0, 10)}, 1}, {[]Invariant{Range("gold", 0, 10)}, 0}, {[]Invariant{Range("gold", 0, 10), Constraint("gold < 5")}, 1},
		{[]Invariant{Range("gold", 0, 20), Constraint("gold < 5")}, 1}, {nil, 0}, {[]Invariant{Range("gold", 0, 10)}, 1},
	} {
		own(c.list...)
		if got := seen.step(t, w); len(got) != c.want || len(w.invariants.rules) != 1+len(c.list) {
			t.Errorf("%d: %v", i, got)
		} else if c.want > 0 && seen.list[0].Owner != "a.lua" {
			t.Error(seen.list[0].Owner)
		}
	}
	if err := w.Raw().SetInvariants("a.lua", []Owned{{purses.ID(), Range("silver", 0, 1)}}); !errors.Is(err, ErrUnknown) || len(w.invariants.rules) != 2 {
		t.Error(err)
	}
	if err := w.Raw().SetInvariants("a.lua", []Owned{{99, Range("gold", 0, 1)}}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if err := w.Raw().SetInvariants("", nil); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
}

// TestAWorldWithoutInvariantsPaysNothing: nothing is kept and nothing is noted of what writes in it.
func TestAWorldWithoutInvariantsPaysNothing(t *testing.T) {
	w := open(t, Options{})
	purses := Register[purse](w)
	e := w.Spawn(purses.With(purse{1}))
	must(t, w.Schedule().Add(System{Name: "spend", Run: func(*Tick) error { return purses.Set(e, purse{-1}) }}))
	for range 3 {
		must(t, w.Step(1))
	}
	must(t, w.Run("host", func(*Tick) error { return purses.Set(e, purse{-2}) }))
	if w.invariants != nil {
		t.Errorf("it has %+v", w.invariants)
	}
}

// TestInvariantsOfArraysOfStructs: these have no fields that an invariant could name.
func TestInvariantsOfArraysOfStructs(t *testing.T) {
	type wheel struct{ Turns float64 }
	w := open(t, Options{})
	if _, err := TryRegister[struct{ Wheels [2]wheel }](w, Named("Cart"), Range("wheels.turns", 0, 1)); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// TestInvariantsMeanWhatTheyWereDeclaredAs: bounds and constants are rounded as the field is and no other, words are those of
// the field, and each owner's rules of each name, text and function are rules of their own.
func TestInvariantsMeanWhatTheyWereDeclaredAs(t *testing.T) {
	below := float64(float32(0.7)) // a little less than 0.7
	for _, c := range []struct {
		rule       Invariant
		good, evil eachKind
	}{
		{Range("f32", 0.7, 9), eachKind{F32: 0.7}, eachKind{F32: 0.6}},
		{Range("f32", 0, 0.1), eachKind{F32: 0.1}, eachKind{F32: 0.2}},
		{Range("f64", 0.7, 9), eachKind{F64: 0.7}, eachKind{F64: below}},
		{Constraint("f32 >= 0.7"), eachKind{F32: 0.7}, eachKind{F32: 0.6}},
		{Constraint("0.1 >= f32"), eachKind{F32: 0.1}, eachKind{F32: 0.2}},
		{Constraint("f64 >= 0.7"), eachKind{F64: 0.7}, eachKind{F64: below}},
		{Constraint("i8 < u8"), eachKind{U8: 1}, eachKind{}},
		{Constraint("i8 <= u8"), eachKind{}, eachKind{I8: 1}},
		{Constraint("i8 > u8"), eachKind{I8: 1}, eachKind{}},
		{Constraint("i8 >= u8"), eachKind{}, eachKind{U8: 1}},
		{Constraint("on == true"), eachKind{On: true}, eachKind{}},
		{Constraint("false ~= on"), eachKind{On: true}, eachKind{}},
		{Constraint("mood == cross"), eachKind{Mood: 1}, eachKind{}},
		{Constraint("'calm' != mood"), eachKind{Mood: 1}, eachKind{}},
	} {
		w := open(t, Options{})
		all := Register[eachKind](w, c.rule)
		e := w.Spawn(all.With(c.good))
		seen := catchViolations(t, w)
		if got := seen.step(t, w); len(got) > 0 {
			t.Errorf("%s: %v", c.rule.Text(), got)
		}
		must(t, all.Set(e, c.evil))
		if got := seen.step(t, w); len(got) != 1 {
			t.Errorf("%s: %v", c.rule.Text(), got)
		}
	}
	states := map[string][]string{"a": {"c", "b"}, "b": {"a"}, "c": {"a"}, "d": {"a"}}
	for range 20 {
		if text := Transitions("s", states).Text(); text != "s: a -> b, c; b -> a; c -> a; d -> a" {
			t.Fatal(text)
		}
	}

	w := open(t, Options{})
	purses := Register[purse](w)
	w.Spawn(purses.With(purse{-1}))
	seen := catchViolations(t, w)
	poor := func(p *purse) bool { return p.Gold >= 0 }
	for _, owner := range []string{"a.lua", "b.lua"} {
		var list []Owned
		for _, rule := range []Invariant{
			Range("gold", 0, 9), Range("gold", 0, 9), Range("gold", 0, 8), Range("gold", 0, 9).Named("rich"),
			Holds("poor", "is not poor", poor), Holds("poor", "is not poor", poor),
		} {
			list = append(list, Owned{purses.ID(), rule})
		}
		must(t, w.Raw().SetInvariants(owner, list))
	}
	if got := seen.step(t, w); len(got) != 10 { // five of each: one stands there twice
		t.Error(got)
	}
	must(t, w.Raw().SetInvariants("a.lua", nil))
	if n := len(w.invariants.rules); n != 5 {
		t.Errorf("%d rules are left of the other owner", n)
	}
}

// TestInvariantsOutliveMigrations: the field moves, rests while it is gone, and is looked at anew.
func TestInvariantsOutliveMigrations(t *testing.T) {
	w := open(t, Options{})
	id, err := w.define(Schema{Name: "Rune", Fields: []Field{{Name: "n", Kind: F64}, {Name: "s", Kind: Enum, Names: []string{"on", "off"}}}}, false, Range("n", 0, 1), Transitions("s", nil))
	must(t, err)
	e := w.Spawn(w.valueAt(id, nil))
	seen := catchViolations(t, w)
	n := func(v float64) {
		f := w.components[id].schema.Field("n")
		f.Kind.Store(pointerAt(w, e, id, f.Offset), v) // the default of a migration is 0
		w.Raw().Touch(e, id)
	}
	migrate := func(fields ...Field) {
		m := w.Raw().Migrate()
		must(t, m.Component(Schema{Name: "Rune", Fields: fields}, nil))
		must(t, m.Prepare())
		m.Commit()
	}
	n(3)
	if got := seen.step(t, w); len(got) != 1 {
		t.Error(got)
	}
	migrate(Field{Name: "a", Kind: F64}, Field{Name: "n", Kind: F32}, Field{Name: "s", Kind: Enum, Names: []string{"on", "off"}})
	n(3)
	if got := seen.step(t, w); len(got) != 1 {
		t.Errorf("where the field has moved to: %v", got)
	}
	migrate(Field{Name: "a", Kind: F64})
	if got := seen.step(t, w); len(got) != 0 {
		t.Errorf("without the field: %v", got)
	}
	migrate(Field{Name: "n", Kind: F64})
	n(2)
	if got := seen.step(t, w); len(got) != 1 {
		t.Errorf("with the field again: %v", got)
	}
	must(t, w.Check())
}

// TestAStepWithInvariantsAllocatesNothing where they hold.
func TestAStepWithInvariantsAllocatesNothing(t *testing.T) {
	if debugging {
		t.Skip("a debugging build allocates")
	}
	w := open(t, Options{})
	fighters := Register[fighter](w, Range("hp", 0, 10), Finite(), Constraint("hp <= max"), Transitions("state", nil), Holds("x", "y", func(*fighter) bool { return true }))
	q := w.Query(Write(fighters))
	must(t, w.Schedule().Add(System{Name: "write", Queries: []*Query{q}, Run: func(*Tick) error {
		for c := range q.Chunks() {
			fighters.Mut(c)[0].HP = 3
		}
		return nil
	}}))
	for range 100 {
		w.Spawn(fighters.With(fighter{Max: 5}))
	}
	must(t, w.Step(1))
	if n := testing.AllocsPerRun(20, func() { must(t, w.Step(1)) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// pointerAt returns where a byte of a value lies.
func pointerAt(w *World, e Entity, id ComponentID, offset uintptr) unsafe.Pointer {
	return unsafe.Add(w.Raw().Pointer(e, id), offset)
}
