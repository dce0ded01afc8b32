package scripting_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// arrayed are the arrays of a component, with what their elements begin as, what an
// element that a list lacks is, and values for them.
var arrayed = []struct {
	name   string
	n      int
	begin  string
	lacks  string
	values []string
}{
	{"xs", 4, "2.5", "0", []string{"1.5", "-3", "0", "1e9"}},
	{"ns", 3, "7", "0", []string{"1", "-3", "0", "100"}},
	{"ons", 5, "true", "false", []string{"true", "false"}},
	{"whos", 2, "0", "0", []string{"e", "0"}},
	{"words", 3, "a", "a", []string{`"a"`, `"b"`, `"c"`}},
}

const arrayedComponent = `
local T = ecs.component("T", { xs = ecs.array(ecs.f64(2.5), 4), ns = ecs.array(ecs.i16(7), 3), ons = ecs.array(ecs.bool(true), 5),
  whos = ecs.array(ecs.entity(), 2), words = ecs.array(ecs.enum("a", "b", "c"), 3), other = ecs.f64() })
local function show(v) if type(v) ~= "table" then return tostring(v) end
  local s = {} for i = 1, #v do s[i] = tostring(v[i]) end return table.concat(s, " ") end
`

// write is one assignment to an array: its text with @ for the row, what it makes of
// the array, and what an error about it says. What is nil is empty.
type write struct {
	text  string
	array int
	given bool // a list: from then on the array is that, which must have no gaps
	then  func(old []string) []string
	fails string
}

// gap returns the first item that is nil before the last one that is not, 0 for none.
func gap(list []string) int {
	first := slices.Index(list, "") + 1
	if first > 0 && slices.ContainsFunc(list[first:], func(s string) bool { return s != "" }) {
		return first
	}
	return 0
}

// writeOf writes one of an array.
func writeOf(r *rand.Rand, k int) write {
	a := arrayed[k]
	at, value := r.IntN(a.n), a.values[r.IntN(len(a.values))]
	plain := strings.Trim(value, `"`)
	if plain == "e" {
		plain = "own"
	}
	if plain == "1e9" {
		plain = "1000000000"
	}
	set := func(v string) func([]string) []string {
		return func(old []string) []string { old[at] = v; return old }
	}
	index := fmt.Sprint(at + 1)
	if r.IntN(2) == 0 {
		index = fmt.Sprintf("p.other + %d", at+1)
	}
	switch r.IntN(6) {
	case 0:
		return write{text: fmt.Sprintf("@.%s[%s] = nil", a.name, index), array: k, then: set("")}
	case 1:
		n := r.IntN(a.n + 1)
		list, become := make([]string, n), make([]string, a.n)
		for i := range n {
			list[i], become[i] = value, plain
		}
		return write{text: fmt.Sprintf("@.%s = { %s }", a.name, strings.Join(list, ", ")), array: k, given: true,
			then: func([]string) []string { return slices.Clone(become) }}
	case 2:
		if r.IntN(4) > 0 {
			break
		}
		key := []string{"0", "-1", fmt.Sprint(a.n + 1), "1.5", "1e300"}[r.IntN(5)]
		text := strings.Replace(key, "1e300", "1e+300", 1)
		return write{text: fmt.Sprintf("@.%s[%s] = %s", a.name, key, value), array: k,
			fails: fmt.Sprintf("field %q of \"T\": index %s is outside of the array: it has 1 to %d", a.name, text, a.n)}
	}
	return write{text: fmt.Sprintf("@.%s[%s] = %s", a.name, index, value), array: k, then: set(plain)}
}

// TestArraysOfRowsAreWhole runs random assignments to arrays in an each function with
// kernels and without, and in ecs.update: an element that is set to nil or that a list
// lacks is 0, and an index outside of the array is an error at its line.
func TestArraysOfRowsAreWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	failed := 0
	for program := range 100 {
		want := make([][]string, len(arrayed))
		for k, a := range arrayed {
			want[k] = slices.Repeat([]string{a.begin}, a.n)
		}
		var lines []string
		fails, line, given := "", 0, make([]int, len(arrayed)) // the line of the list + 1
		for i := range 1 + r.IntN(4) {
			w := writeOf(r, r.IntN(len(arrayed)))
			if lines = append(lines, w.text); w.fails != "" {
				if fails, line = w.fails, i; given[w.array] > 0 {
					line = -1 // found when the list is taken
				}
				break
			}
			if want[w.array] = w.then(want[w.array]); w.given {
				given[w.array] = i + 1
			}
		}
		for k, a := range arrayed {
			if at := gap(want[k]); fails == "" && given[k] > 0 && a.name != "whos" && at > 0 {
				fails, line = fmt.Sprintf("field %q of \"T\": element %d: expected ", a.name, at), -1
			}
			for i := range want[k] {
				want[k][i] = cmp.Or(want[k][i], a.lacks)
			}
		}
		if fails != "" {
			failed++
			for k, a := range arrayed {
				want[k] = slices.Repeat([]string{a.begin}, a.n)
			}
		}
		body := strings.ReplaceAll(strings.Join(lines, "\n"), "@", "p")
		for name, text := range map[string]string{
			"each, compiled where possible": "ecs.system \"s\" { query = { T }, each = function(e, p)\n" + body + "\nend }",
			"each by the Lua machine":       "ecs.system \"s\" { query = { T }, kernel = \"off\", each = function(e, p)\n" + body + "\nend }",
			"a row that is handed on":       "local function f(e, p)\n" + body + "\nend\necs.system \"s\" { query = { T }, kernel = \"off\", each = function(e, p) return f(e, p) end }",
			"ecs.update":                    "local function f(e, p)\n" + body + "\nend\necs.system \"s\" { run = function() for e in ecs.entities(T) do ecs.update(e, T, function(p) f(e, p) end) end end }",
		} {
			host := newGame(t, scripting.Limits{LogLines: -1})
			host.write("a.lua", arrayedComponent+`ecs.on_start(function() ecs.spawn(T) end)
ecs.system "z" { priority = 9, query = { T }, batch = function(b) for i = 1, b.n do local e = b.entities[i]
  for _, f in ipairs { "xs", "ns", "ons", "whos", "words" } do ecs.log((show(ecs.get(e, T, f)):gsub(tostring(e), "own"))) end end end }
`+text)
			if err := host.host.Load(host.folder); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			host.step(1)
			var all []string
			for k := range want {
				all = append(all, strings.Join(want[k], " "))
			}
			if got := host.logs; !slices.Equal(got, all) {
				t.Fatalf("program %d, %s: is %q, want %q\n%s", program, name, got, all, text)
			}
			first := 1 + strings.Count(script(arrayedComponent), "\n") + 3 + strings.Count(text[:strings.Index(text, body)], "\n")
			switch {
			case fails == "" && len(host.errors) > 0:
				t.Fatalf("program %d, %s: %v\n%s", program, name, host.errors[0], text)
			case fails != "" && (len(host.errors) != 1 || line >= 0 && host.errors[0].Line != first+line || !strings.Contains(host.errors[0].Error(), fails)):
				t.Fatalf("program %d, %s: told %v, want %q in line %d\n%s", program, name, host.errors, fails, first+line, text)
			}
		}
	}
	if failed < 10 {
		t.Errorf("only %d programs failed", failed)
	}
}

// TestListsForArraysAreWhole: in values, too, what a list lacks is 0 and no default. Only
// ecs.set sets no more than the elements that its list has.
func TestListsForArraysAreWhole(t *testing.T) {
	host := loaded(t, "a.lua", arrayedComponent+`
local who
ecs.on_start(function() who = ecs.spawn(T { xs = { 1 }, ns = {}, words = { "c" } }) end)
local function look() local c = ecs.get(who, T) return show(c.xs) .. "; " .. show(c.ns) .. "; " .. show(c.ons) .. "; " .. show(c.words) end
ecs.system "s" { run = function(ctx)
  if ctx.tick == 1 then ecs.log(look()) ecs.set(who, T { ons = { false, true } }) ecs.log(look()) end
  if ctx.tick == 2 then ecs.log(look()) ecs.add(who, T { xs = { 5, 6, 7, 8 } }) ecs.set(who, T { xs = { 9 } }) ecs.log(look()) end
  if ctx.tick == 3 then ecs.set(who, T { ns = { 1, nil, 3 } }) end
  if ctx.tick == 4 then ecs.set(who, T { ns = { 1, 2, 3, 4 } }) end
  if ctx.tick == 5 then ecs.set(who, T { ns = { x = 4 } }) end
end }
local late = {}
ecs.system "t" { run = function(ctx)
  if ctx.tick == 6 then late[3] = 3 late[2] = 2 ecs.set(who, T { ns = late }) end
  if ctx.tick == 7 then late = {} late[0] = 1 late[3] = 3 ecs.set(who, T { ns = late }) end
end }`)
	host.step(7)
	want := []string{
		"1 0 0 0; 0 0 0; true true true true true; c a a",
		"1 0 0 0; 0 0 0; false true true true true; c a a",
		"1 0 0 0; 0 0 0; false true true true true; c a a",
		"9 6 7 8; 7 7 7; true true true true true; a a a",
	}
	if !slices.Equal(host.logs, want) {
		t.Errorf("is %q,\nwant %q", host.logs, want)
	}
	for i, message := range []string{"element 2: expected a number, got nil", "the table has 4 elements, the field has room for 3", `the string "x" is no index of the array: it has 1 to 3`,
		"element 1: expected a number, got nil", "index 0 is outside of the array: it has 1 to 3"} {
		if len(host.errors) <= i || !strings.Contains(host.errors[i].Error(), message) {
			t.Errorf("error %d is not %q: %v", i+1, message, host.errors)
		}
	}
}
