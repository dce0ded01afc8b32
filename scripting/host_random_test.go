package scripting_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting"
)

// Plot is a type of the host's with a field of each kind that scripts may meet.
type Plot struct {
	Name   string
	Width  float64
	Level  int8
	Open   bool
	Tagged uint16 `luar:"tag"`
	Hidden int    `luar:"-"`
	Cell   Cell
	Near   *Cell
	Cells  []Cell
	Grid   [2][2]int
	Counts map[string]int
	Any    any
	Call   func(float64) float64
	Cell2  struct{ Deep Cell }
	Cell3
	secret int
}

// Cell is a part of a plot.
type Cell struct{ X, Y float32 }

// Cell3 is embedded in plots.
type Cell3 struct{ Z int }

// Sum and Scale are methods of a value and of a pointer.
func (c Cell) Sum() float64        { return float64(c.X + c.Y) }
func (c *Cell) Scale(by float32)   { c.X *= by; c.Y *= by }
func (p *Plot) Find(i int) *Cell   { return &p.Cells[i] }
func (p *Plot) Fails(t bool) error { return map[bool]error{true: errors.New("it is so")}[t] }
func (p Plot) String() string      { return "the plot " + p.Name }

// Row is a list with a method.
type Row []int

// Total is the sum of the items.
func (r Row) Total() (sum int) {
	for _, n := range r {
		sum += n
	}
	return sum
}

// shown writes a value as Go has it, without addresses.
func shown(v reflect.Value) string {
	parts := []string{}
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return "&" + shown(v.Elem())
	case reflect.Func:
		return fmt.Sprint("func ", v.IsNil())
	case reflect.Map:
		for k, item := range v.Seq2() {
			parts = append(parts, shown(k)+"="+shown(item))
		}
		slices.Sort(parts)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			parts = append(parts, shown(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			parts = append(parts, shown(v.Field(i)))
		}
	default:
		return fmt.Sprintf("%s(%v)", v.Type(), v)
	}
	return v.Type().String() + "{" + strings.Join(parts, " ") + "}"
}

// plotHost exposes values and functions of many types. What the functions get is noted.
func plotHost(t *testing.T, r *game, lines *[]string) {
	note := func(v ...any) { *lines = append(*lines, "  Go has "+shown(reflect.ValueOf(v))) }
	plot := &Plot{Name: "one", Cells: make([]Cell, 2), Counts: map[string]int{"a": 1}, Near: &Cell{1, 2}, secret: 3}
	for name, v := range map[string]any{
		"plot": plot, "copy": *plot, "cell": Cell{1, 2}, "list": []int{1, 2, 3}, "row": Row{1, 2}, "words": []string{"a"}, "array": &[3]int8{1, 2, 3},
		"fixed": [2]string{"x", "y"}, "map": map[string]float64{"a": 1}, "any": map[any]any{}, "ints": map[int]string{1: "a"}, "number": 7, "text": "t", "yes": true,
		"take": func(v ...any) { note(v...) }, "numbers": func(a float64, b int8, c uint, d float32) float64 { note(a, b, c, d); return a },
		"add": func(a, b float64) float64 { return a + b }, "texts": func(a string, b []byte) (string, int) { note(a, b); return a, len(b) }, "flip": func(b bool) bool { return !b },
		"cells": func(c []Cell, m map[string]Cell, p *Cell) int { note(c, m, p); return len(c) }, "plots": func(p Plot) { note(p) }, "point": func(p *Plot) *Plot { return p },
		"each": func(f func(int, *Cell) (float64, string)) string { x, s := f(3, plot.Near); return fmt.Sprint(x, s) }, "calls": func(f any) { note(f.(func(...any) []any)(1, "x", plot)...) },
		"make": func(n int) func(int) int { return func(m int) int { return n + m } }, "nothing": func() {}, "mixed": func(v any) any { return v },
		"many": func(first int, rest ...string) int { note(first, rest); return len(rest) }, "panics": func(c *Cell) float32 { return c.X }, "either": func(b bool) (int, error) { return 1, plot.Fails(b) },
		"bits": func() complex64 { return 1 }, "whole": func(n int) int { return n }, "called": func(s string) string { return s + "!" }, "twice": func(s string, n float64) { note(s, n) },
	} {
		if err := r.host.Expose(name, v); err != nil {
			t.Fatal(err)
		}
	}
}

// plotLine writes a random use of what plotHost exposes.
func plotLine(rng *rand.Rand) string {
	pick := func(words string) string { list := strings.Fields(words); return list[rng.IntN(len(list))] }
	object := func() string {
		return "h." + pick("plot plot plot plot.Cell plot.near plot.cells plot.Cells[1] plot.grid plot.grid[2] plot.counts plot.cell2.deep plot.any copy copy.cell copy.Cells cell list row words array fixed map any ints number text take plot.Find mixed(h.plot) make(2) bits()")
	}
	key := func() string {
		if rng.IntN(3) == 0 {
			return "[" + pick("1 2 3 0 -1 1.5 'a' 'zz' true {} nil h.list h.plot") + "]"
		}
		return "." + pick("Name name Width level Level open tag Tagged Hidden Cell cell Near near Cells Grid counts Any any Call Z z secret X x Y Sum sum Find Total a zz")
	}
	given := func() string {
		if rng.IntN(3) == 0 {
			return object()
		}
		return []string{"1", "0", "-1", "2.5", "300", "1e30", "0/0", "'x'", "'5'", "true", "nil", "{}", "{ 1, 2 }", "{ x = 1, Y = 2 }", "{ X = 'no' }", "{ { x = 1 }, { y = 2 } }", "{ a = { x = 1 } }", "{ a = 1, b = 2 }",
			"function(...) said('called', ...) return 1.5, 'r' end", "function() error('mine') end", "{ name = 'n', level = 3, cell = { x = 1 }, near = { x = 2 }, cells = { { x = 3 } } }", "{ [1] = 'a', x = 2 }", "print"}[rng.IntN(23)]
	}
	list := func(n int) string {
		parts := []string{}
		for range n {
			parts = append(parts, given())
		}
		return strings.Join(parts, ", ")
	}
	switch rng.IntN(12) {
	case 0, 1:
		return "return " + object() + key()
	case 2, 3:
		return object() + key() + " = " + given()
	case 4, 5, 6, 7:
		name, wants, _ := strings.Cut(pick("take/2 numbers/4 add/2 texts/2 flip/1 cells/3 plots/1 point/1 each/1 calls/1 make/1 nothing/0 mixed/1 many/3 panics/1 either/1 whole/1 called/1 twice/2"), "/")
		n := rng.IntN(4)
		if rng.IntN(4) > 0 {
			n = int(wants[0] - '0')
		}
		return "return h." + name + "(" + list(n) + ")"
	case 8:
		return "return " + object() + ":" + pick("Sum sum Scale scale Find find Fails Total String") + "(" + list(rng.IntN(3)) + ")"
	case 9:
		return "return #" + object() + ", tostring(" + object() + "), type(" + object() + ")"
	case 10:
		return "return " + object() + " == " + object() + ", " + object() + " ~= h.plot.near"
	}
	return "return " + pick("- # not") + " " + object() + ", " + object() + " " + pick(".. + < ^") + " " + object()
}

// inWords begins scripts that say what they get from the host.
const inWords = `local h = require "host"
local function words(...)
  local all = {}
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    all[i] = type(v) == "function" and "a function" or tostring(v)
  end
  return table.concat(all, ", ")
end
`

// TestRandomUsesOfTheHost: what scripts do with values of the host, right and wrong, and what
// the host gets of it. The file was written when all values went through gopher-luar.
func TestRandomUsesOfTheHost(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	var lines []string
	plotHost(t, r, &lines)
	if err := r.host.Expose("said", func(text string) { lines = append(lines, text) }); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(12, 1))
	var text strings.Builder
	text.WriteString(inWords + `local function said(...) h.said("  " .. words(...)) end
local function try(line, f)
  h.said(line)
  said(pcall(f))
end
ecs.on_start(function()
`)
	for range 400 {
		line := plotLine(rng)
		fmt.Fprintf(&text, "try(%q, function() %s end)\n", line, line)
	}
	text.WriteString("end)\n")
	r.write("a.lua", text.String())
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	golden.Expect(t, "testdata/host_values.txt", strings.Join(lines, "\n")+"\n")
}
