package scripting_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting"
)

// Types of the host's with names of their own, of which some have methods.
type (
	metres float64
	level  int16
	label  string
	onOff  bool
	steps  uint32
)

func (m metres) Double() float64 { return 2 * float64(m) }
func (l label) String() string   { return "the label " + string(l) }

// core is embedded in gauges, and has the methods that these get of it.
type core struct {
	Deep  int
	Name2 label
}

// Reach is a method of the pointer, Depth one of the value.
func (i *core) Reach(by int) int { i.Deep += by; return i.Deep }
func (i core) Depth() int        { return i.Deep }

// Linked is embedded by a pointer, which may be nil.
type Linked struct{ Far float64 }

// Total is a method that is called on what may be nil.
func (l *Linked) Total() float64 { return l.Far }

// gauge has a field of each kind that a number, a text or a boolean can be, and methods of
// many signatures.
type gauge struct {
	F64    float64
	F32    float32
	I      int
	I8     int8
	I16    level
	I32    int32
	I64    int64
	U      uint
	U8     uint8
	U16    uint16
	U32    steps
	U64    uint64
	Text   string
	Label  label
	Yes    bool
	Flag   onOff
	Wide   metres
	Entity ecs.Entity
	Next   *gauge
	Points []Cell
	Bytes  []byte
	Nums   []float64
	Ints   []int
	Small  [3]int16
	Words  map[string]int
	Levels map[label]level
	Keyed  map[int]string
	Parts  map[string]*Cell
	Error  error
	Raw    any
	Sum    float64 // a method has the name, too, under the small letter
	core
	*Linked
}

func (g *gauge) Get() float64                          { return g.F64 }
func (g *gauge) Set(x float64)                         { g.F64 = x }
func (g *gauge) Count() int                            { return g.I }
func (g *gauge) Title() string                         { return g.Text }
func (g *gauge) SetTitle(s string)                     { g.Text = s }
func (g *gauge) Is(yes bool) bool                      { return yes == g.Yes }
func (g *gauge) Of() ecs.Entity                        { return g.Entity }
func (g *gauge) Aim(e ecs.Entity, at float64) error    { g.Entity = e; return g.Fail(at < 0) }
func (g *gauge) Add(a, b float64) float64              { g.F64 += a + b; return g.F64 }
func (g *gauge) Mix(a float64, n int, yes bool) string { return fmt.Sprint(a, n, yes) }
func (g *gauge) Four(a, b float64, n int8, s label) (int, label) {
	return int(n), s + label(fmt.Sprint(a, b))
}
func (g *gauge) Typed(m metres, l level) metres { return m * metres(l) }
func (g *gauge) Tag(l label) label              { g.Label = l; return l + "!" }
func (g *gauge) Unsigned(n uint, m steps) uint  { return n + uint(m) }
func (g *gauge) Single(x float32) float32       { return x / 3 }
func (g *gauge) Self() *gauge                   { return g }
func (g *gauge) Point(i int) *Cell              { return &g.Points[i] }
func (g *gauge) Take(c *Cell, o *gauge) bool    { return c == nil || o == g }
func (g *gauge) Fail(yes bool) error {
	if yes {
		return errors.New("it must fail")
	}
	return nil
}
func (g *gauge) Both(yes bool) (float64, error) { return 1, g.Fail(yes) }
func (g *gauge) Break(x float64) float64 {
	if x > 1 {
		panic(fmt.Errorf("broken at %g", x))
	}
	return x
}
func (g *gauge) Any(v any) any                             { return v }
func (g *gauge) List(n ...int) int                         { return len(n) }
func (g *gauge) Call(f func(float64) float64) float64      { return f(g.F64) }
func (g gauge) Value() int                                 { return g.I }
func (g *gauge) Asks(c *scripting.Call, x float64) float64 { return x + float64(c.Tick()) }
func (g *gauge) AsksTwo(c *scripting.Call, s string, n int) string {
	return fmt.Sprint(s, n, c.System())
}
func (g *gauge) AsksNone(c *scripting.Call) string { return c.Script() }

// gaugeHost exposes gauges and functions of signatures with all kinds of types.
func gaugeHost(t *testing.T, r *game, lines *[]string) *gauge {
	note := func(v ...any) { *lines = append(*lines, "  Go has "+shown(reflect.ValueOf(v))) }
	g := &gauge{F64: 1, F32: 2, I: 3, Text: "t", Points: make([]Cell, 2), Nums: []float64{1, 2}, Ints: []int{3}, Bytes: []byte("ab"), Words: map[string]int{"a": 1}, Levels: map[label]level{"l": 2}, Keyed: map[int]string{1: "one"}, Parts: map[string]*Cell{"c": {1, 2}}, Error: errors.New("an error"), Raw: 1.5}
	for name, v := range map[string]any{
		"g": g, "copy": gauge{I: 9, Linked: &Linked{5}}, "linked": &gauge{Linked: &Linked{4}, Next: g}, "list": []metres{1, 2}, "levels": []level{1, 2}, "flags": &[2]onOff{true, false}, "words": g.Words, "cells": []Cell{{1, 2}}, "gauges": []*gauge{g, nil},
		"metres": func(a metres) metres { return a * 2 }, "labels": func(a label, b string) label { return a + label(b) }, "single": func(a, b float32) float32 { return a + b }, "eight": func(a int8, b uint8) int { return int(a) + int(b) },
		"mixed": func(x float64, n int, yes bool) float64 { note(x, n, yes); return x }, "mixed2": func(s string, yes bool, x float64) (string, float64) { return s, x }, "four": func(a, b, c, d float64) float64 { return a + b + c + d }, "whole": func(e ecs.Entity, n int, s string) ecs.Entity { note(n, s); return e },
		"cell": func(c *Cell) float64 { return c.Sum() }, "swap": func(c *Cell, x float64) *Cell { c.X = float32(x); return c }, "find": func(n int) *Cell { return &g.Points[n] }, "none": func(x int) *Cell { return nil }, "value": func(c Cell) Cell { c.X++; return c }, "copies": func(g gauge) int { return g.I },
		"flag": func(f onOff, n steps) (onOff, steps) { return !f, n + 1 }, "fails": func(x float32, s string) error { return g.Fail(x > 1) }, "both": func(x float32, n int) (float64, error) { return float64(x), g.Fail(n > 1) }, "breaks": func(x float32, c *Cell) float32 { return x + c.X },
		"again": func(depth int8, f func(int8) float64) float64 { return f(depth) + 1 }, "asks": func(c *scripting.Call, x float32, s string) string { return fmt.Sprint(x, s, c.Tick()) },
	} {
		if err := r.host.Expose(name, v); err != nil {
			t.Fatal(name, err)
		}
	}
	return g
}

// gaugeLine writes a random use of what gaugeHost exposes.
func gaugeLine(rng *rand.Rand) string {
	pick := func(words string) string { list := strings.Fields(words); return list[rng.IntN(len(list))] }
	object := func() string {
		return "h." + pick("g g g g g copy linked linked.next list levels flags words cells cells[1] g.points g.points[1] g.nums g.ints g.small g.words g.levels g.keyed g.parts g.parts.c g.bytes gauges gauges[1] linked.linked")
	}
	key := func() string {
		if rng.IntN(3) == 0 {
			return "[" + pick("1 2 3 0 -1 1.5 0/0 'a' 'l' 'c' 'zz' 'f64' true nil h.g") + "]"
		}
		return "." + pick("F64 f64 F32 I i I8 i8 I16 I32 i64 U u8 U16 u32 U64 Text text label Yes flag wide Entity next Points bytes Nums Ints small words Error raw Sum sum Deep name2 Far linked Get x Y X a l c zz core")
	}
	plain := func() string {
		return pick("1 0 -1 2.5 127 128 300 65536 4294967296 9007199254740992 1e19 1e30 0/0 1/0 -0.0 'x' '' '5' true false nil")
	}
	given := func() string {
		if rng.IntN(6) == 0 {
			return pick("h.g h.g.points[1] h.cells[1] h.copy h.linked {} {1,2} {x=1} print h.none(1)")
		}
		return plain()
	}
	list := func(n int) string {
		parts := []string{}
		for range n {
			parts = append(parts, given())
		}
		return strings.Join(parts, ", ")
	}
	count := func(wants string) int {
		if rng.IntN(5) == 0 {
			return rng.IntN(5)
		}
		return int(wants[0] - '0')
	}
	switch rng.IntN(10) {
	case 0, 1, 2:
		return "return " + object() + key()
	case 3, 4:
		o, k := object(), key()
		return o + k + " = " + given() + " return " + o + k
	case 5, 6:
		name, wants, _ := strings.Cut(pick("metres/1 labels/2 single/2 eight/2 mixed/3 mixed2/3 four/4 whole/3 cell/1 swap/2 find/1 none/1 value/1 copies/1 flag/2 fails/2 both/2 breaks/2 asks/2"), "/")
		return "return h." + name + "(" + list(count(wants)) + ")"
	}
	name, wants, _ := strings.Cut(pick("Get/0 get/0 Set/1 Count/0 title/0 setTitle/1 Is/1 of/0 aim/2 Add/2 add/2 Mix/3 Four/4 Typed/2 Tag/1 Unsigned/2 Single/1 Self/0 Point/1 Take/2 Fail/1 Both/1 Break/1 Any/1 List/3 Call/1 Value/0 asks/1 AsksTwo/2 AsksNone/0 Reach/1 Depth/0 Total/0 Double/0 Sum/0 Scale/1"), "/")
	on := "h." + pick("g g g g linked copy linked.linked g.points[1] gauges[1] cells[1] list")
	return "return " + on + pick(": : : : : : : .") + name + "(" + list(count(wants)) + ")"
}

// TestRandomMembersOfTheHost: fields, items, methods and functions of all kinds of types, used
// right and wrong. The file was written when all of them were used by general reflection.
func TestRandomMembersOfTheHost(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1, Instructions: -1, TickInstructions: -1})
	var lines []string
	g := gaugeHost(t, r, &lines)
	if err := r.host.Expose("said", func(text string) { lines = append(lines, text) }); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(13, 1))
	var text strings.Builder
	text.WriteString(inWords + `local function try(line, f)
  h.said(line)
  h.said("  " .. words(pcall(f)))
end
`)
	for part := range 12 {
		fmt.Fprintf(&text, "ecs.system \"s%02d\" { run = function()\n", part)
		for range 150 {
			line := gaugeLine(rng)
			fmt.Fprintf(&text, "try(%q, function() %s end)\n", line, line)
		}
		text.WriteString("end }\n")
	}
	r.write("a.lua", text.String())
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	for _, err := range r.reported {
		t.Error(err)
	}
	g.Next, g.Raw = nil, nil
	lines = append(lines, "in the end "+shown(reflect.ValueOf(*g)))
	golden.Expect(t, "testdata/host_members.txt", strings.Join(lines, "\n")+"\n")
}

// TestUsesOfTheHostCount: how many uses a system may make of a value of the host before its
// instructions are over. The file was written when all were made by general reflection.
func TestUsesOfTheHostCount(t *testing.T) {
	var lines []string
	for _, use := range []string{
		"x = g.f64", "x = g.Text", "x = g.next", "x = g.deep", "x = g.points[1]", "x = g.nums[1]", "x = g.words.a", "x = g.words.zz", "g.i8 = 5", "g.text = 'a'", "g.nums[1] = 2", "g.words.a = 2",
		"x = g.get", "x = g:get()", "g:set(1)", "x = g:four(1, 2, 3, 'x')", "x = g:asks(1)", "x = g:depth()", "x = h.mixed(1, 2, true)", "x = h.four(1, 2, 3, 4)", "x = pcall(g.set, 1)", "x = pcall(function() g.i8 = 300 end)", "x = pcall(function() return g.zz end)", "x = pcall(g.Break, g, 2)", "x = h.again(1, function(n) return n end)",
	} {
		r := newGame(t, scripting.Limits{Instructions: 30_000})
		gaugeHost(t, r, new([]string))
		n := 0
		if err := r.host.Expose("count", func() { n++ }); err != nil {
			t.Fatal(err)
		}
		r.write("a.lua", `local h = require "host" local g, count = h.g, h.count
ecs.system "s" { run = function() local x while true do `+use+` count() end end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if len(r.errors) != 1 {
			t.Fatal(use, r.errors)
		}
		lines = append(lines, fmt.Sprintf("%s: %d: %s", use, n, r.errors[0].Error()))
	}
	golden.Expect(t, "testdata/host_counts.txt", strings.Join(lines, "\n")+"\n")
}

// TestNestedCallsOfTheHost: a function of the host that is called again before it has returned,
// and one that panics, have arguments of their own in each call.
func TestNestedCallsOfTheHost(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	var held func(float64) float64
	var got []string
	for name, v := range map[string]any{
		"begin": func(f func(float64) float64) float64 { held = f; return f(3) },
		"five": func(a, b float32, c int8, d string, e *Cell) (float64, string) {
			if a == 2 {
				defer func() { _ = recover(); got = append(got, fmt.Sprint("after ", a, b, c, d, e.X)) }()
			}
			if a == 0 {
				panic("the innermost")
			}
			n := held(float64(a) - 1)
			got = append(got, fmt.Sprint(a, b, c, d, e.X))
			return n + float64(b), d
		},
		"cell": &Cell{7, 0},
	} {
		if err := r.host.Expose(name, v); err != nil {
			t.Fatal(err)
		}
	}
	r.write("a.lua", `local h = require "host"
ecs.system "s" { run = function()
  local function f(n)
    local ok, x, s = pcall(h.five, n, n * 10, n + 100, "n" .. n, h.cell)
    return ok and x or -1
  end
  ecs.log(tostring(h.begin(f)))
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(2)
	if len(r.errors) > 0 {
		t.Fatal(r.errors[0])
	}
	once := "1 10 101n17|2 20 102n27|after 2 20 102n27|3 30 103n37"
	if want := once + "|" + once; strings.Join(got, "|") != want {
		t.Errorf("the host has got %q, want %q", strings.Join(got, "|"), want)
	}
	if want := "59|59"; strings.Join(r.logs, "|") != want {
		t.Errorf("scripts have got %q, want %q", strings.Join(r.logs, "|"), want)
	}
}
