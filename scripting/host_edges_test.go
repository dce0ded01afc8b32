package scripting_test

import (
	"errors"
	"math"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// typedError is an error whose methods expect a value.
type typedError struct{ text string }

func (e *typedError) Error() string { return e.text }
func (e *typedError) Unwrap() error { return errors.New(e.text) }

// manyErrors is an error that is a list.
type manyErrors []error

func (manyErrors) Error() string { return "many" }

// TestTypedNilIsAnError: an error that is not nil to Go fails the call, though it has no value; nobody asks
// it for its text then.
func TestTypedNilIsAnError(t *testing.T) {
	for text, value := range map[string]any{
		"*scripting_test.typedError":  func() error { var e *typedError; return e },
		"scripting_test.manyErrors":   func() (int, error) { return 1, manyErrors(nil) },
		"*scripting_test.typedError ": func(f func(), a, b, c, d float64) (float64, error) { var e *typedError; return 1, e },
	} {
		r := newGame(t, scripting.Limits{})
		if err := r.host.Expose("save", value); err != nil {
			t.Fatal(err)
		}
		call := "host.save()"
		if text[len(text)-1] == ' ' {
			text, call = text[:len(text)-1], "host.save(function() end, 1, 2, 3, 4)"
		}
		r.write("a.lua", `local host = require "host" ecs.system "s" { run = function() `+call+` end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		e := r.wantError(`a.lua:2:`, "host.save: ", "a nil "+text)
		if e.GoStack != "" || errors.Is(e, scripting.ErrLimit) {
			t.Errorf("%v: %s", e, e.GoStack)
		}
	}
}

// narrow has places of a single precision, and what is embedded and may be nil.
type narrow struct {
	F32  float32
	List []float32
	Map  map[string]float32
	F    float64
	*Inside
}

// Inside is embedded.
type Inside struct {
	Next float64
	Part struct{ X int }
	*Deeper
}

// Deeper is embedded in what is embedded.
type Deeper struct{ Last string }

// TestNumbersBeyondSinglePrecision: a float32 rounds a number, and one that would become infinite in it is an
// error, wherever it is stored or given.
func TestNumbersBeyondSinglePrecision(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	s := &narrow{F32: 1, List: []float32{1}, Map: map[string]float32{}}
	got := []float32{}
	for name, value := range map[string]any{
		"s": s, "one": func(x float32) float32 { got = append(got, x); return x }, "all": func(list []float32) { got = append(got, list...) },
		"many": func(list ...float32) { got = append(got, list...) }, "two": func(x float32, y int8) float32 { got = append(got, x); return x },
		"table": func(s *narrow) { got = append(got, s.F32) },
		"back":  func(f func() float32) float32 { return f() },
	} {
		if err := r.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	r.write("a.lua", `local host = require "host"
local function refuses(call)
  local ok, why = pcall(call)
  assert(not ok and string.find(tostring(why), "expected a number from -3.4028235e+38 to 3.4028235e+38, or an infinite one, got", 1, true), tostring(why))
end
ecs.system "a" { run = function(ctx)
  for _, x in ipairs { 1e300, -1e300, 3.4028236e38, -3.5e38 } do
    refuses(function() host.s.F32 = x end)
    refuses(function() host.s.list[1] = x end)
    refuses(function() host.s.map.a = x end)
    refuses(function() host.one(x) end)
    refuses(function() host.two(x, 1) end)
    refuses(function() host.many(1, x) end)
    refuses(function() host.all { 1, x } end)
    refuses(function() host.table { F32 = x } end)
    refuses(function() host.back(function() return x end) end)
  end
  host.s.F = 1e300
  for _, x in ipairs { 0.1, 3.4028234e38, -3.4028234e38, 1e-300, 1/0, -1/0, 0/0 } do
    host.s.F32 = x host.s.list[1] = x host.s.map.a = x host.one(x) host.two(x, 1) host.many(x) host.all { x } host.table { F32 = x } host.back(function() return x end)
  end
  ecs.log("done")
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	r.wantLog("done")
	want := []float32{0.1, 3.4028234e38, -3.4028234e38, 0, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	n := 0
	for _, x := range got {
		if y := want[n/5%len(want)]; x == y || x != x && y != y {
			n++
		}
	}
	if !math.IsNaN(float64(s.F32)) || s.F != 1e300 || n < 5*len(want) {
		t.Errorf("%v, %v", s.F32, got)
	}
}

// TestFieldsOfANilEmbeddedPointer: they have a message in words of a script, and none of Go's reflection.
func TestFieldsOfANilEmbeddedPointer(t *testing.T) {
	for text, want := range map[string]string{
		`local x = host.s.Next`:     "the host's narrow: Next: it is a field of Inside, which is nil here: use it only where Inside is not nil",
		`local x = host.s.next`:     "the host's narrow: next: it is a field of Inside, which is nil here: use it only where Inside is not nil",
		`host.s.Next = 5`:           "the host's narrow: Next: it is a field of Inside, which is nil here: use it only where Inside is not nil",
		`local x = host.s.part.x`:   "the host's narrow: part: it is a field of Inside, which is nil here: use it only where Inside is not nil",
		`local x = host.whole.Last`: "the host's narrow: Last: it is a field of Deeper, which is nil here: use it only where Deeper is not nil",
		`host.whole.Last = "x"`:     "the host's narrow: Last: it is a field of Deeper, which is nil here: use it only where Deeper is not nil",
		`assert(host.s.Inside == nil and host.whole.Next == 6 + i and host.whole.part.x == i - 1) host.whole.Next = 7 + i host.whole.part.x = i`: "",
	} {
		r := newGame(t, scripting.Limits{})
		for name, value := range map[string]any{"s": &narrow{}, "whole": &narrow{Inside: &Inside{Next: 7}}} {
			if err := r.host.Expose(name, value); err != nil {
				t.Fatal(err)
			}
		}
		r.write("a.lua", `local host = require "host" ecs.system "s" { run = function() for i = 1, 3 do `+text+` end end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if want == "" {
			if n := r.host.Faults().Total; n != 0 {
				t.Errorf("%s: %v", text, r.host.Faults().Recent)
			}
			continue
		}
		if e := r.wantError("a.lua:2", want); e.GoStack != "" {
			t.Errorf("%s: a panic: %s", text, e.GoStack)
		}
	}
}
