package kernel_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// The components of all tests here: a Body has a field of every kind that
// matters, a Motion two numbers.
var (
	bodySchema   = layout("body", ecs.F64, "x", ecs.F64, "y", ecs.U8, "n", ecs.I64, "wide", ecs.Bool, "ok", ecs.F32, "r")
	motionSchema = layout("motion", ecs.F64, "x", ecs.F64, "y")

	// Those of functions over float32, some of which ask for precision = "f32".
	spotSchema  = layout("spot", ecs.F32, "x", ecs.F32, "y")
	driftSchema = layout("drift", ecs.F32, "x", ecs.F32, "y")
)

func layout(name string, kindsAndNames ...any) ecs.Schema {
	s := ecs.Schema{Name: name}
	for i := 0; i < len(kindsAndNames); i += 2 {
		s.Fields = append(s.Fields, ecs.Field{Kind: kindsAndNames[i].(ecs.Kind), Name: kindsAndNames[i+1].(string)})
	}
	if err := s.Layout(); err != nil {
		panic(err)
	}
	return s
}

// before is the text above every function of these tests.
const before = `
local speed, on = 2.5, true
local floor = math.floor
local count = 0
count = count + 1
x { query = 1, each = `

// translate makes programs of the each functions of a script.
func translate(text string) ([]*kernel.Translation, error) {
	tree, err := syntax.Parse("test.lua", []byte(text), syntax.Options{})
	if err != nil {
		return nil, err
	}
	study := kernel.Study(tree)
	var programs []*kernel.Translation
	var first error
	for _, each := range analysis.Of(tree).Each {
		sig := &kernel.Signature{
			System: "test", Captured: value, Library: library, Global: value,
			Terms: []kernel.Term{term(bodySchema), term(motionSchema)},
		}
		fitting(sig, text)
		p, err := kernel.Translate(study, each.Function.ID, sig)
		if err != nil && first == nil {
			first = err
		}
		if err == nil {
			programs = append(programs, p)
		}
	}
	return programs, first
}

// fitting gives a function the components that its parameters are named for.
func fitting(sig *kernel.Signature, text string) {
	for head, second := range map[string]ecs.Schema{"function(e, spot, drift": driftSchema, "function(e, spot, body": bodySchema} {
		if strings.Contains(text, head) {
			sig.Single, sig.Terms = strings.Contains(text, `precision = "f32"`), []kernel.Term{term(spotSchema), term(second)}
		}
	}
}

func term(s ecs.Schema) kernel.Term {
	return kernel.Term{Name: s.Name, Fields: s.Fields, Stride: s.Size}
}

func value(name string) kernel.Resolved {
	switch name {
	case "speed":
		return kernel.Resolved{Kind: kernel.Number, Number: 2.5}
	case "on":
		return kernel.Resolved{Kind: kernel.Truth, Number: 1}
	case "floor":
		return library(name)
	}
	return kernel.Resolved{Name: "the captured " + name}
}

func library(name string) kernel.Resolved {
	if name == "huge" {
		return kernel.Resolved{Kind: kernel.Number, Number: 1e999 * 0}
	}
	return kernel.Resolved{Kind: kernel.Builtin, Name: "math." + name}
}

// wats are the kernels of which the instructions are kept, too: the others would
// say nothing new.
var wats = []string{"integrate", "loop", "spring", "single", "rounded", "timer", "mixed", "ways", "wrap", "wide"}

// TestGolden compares what becomes of small functions with the files beside
// them: the intermediate form, and the instructions.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		programs, err := translate(before + string(text) + "}")
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		base := strings.TrimSuffix(file, ".lua")
		golden.Expect(t, base+".ir", programs[0].IR())
		if slices.Contains(wats, filepath.Base(base)) {
			golden.Expect(t, base+".wat", programs[0].Text())
		}
	}
}

// TestRefusals holds the words for what has no translation, and the line.
func TestRefusals(t *testing.T) {
	const first = 6 // line of the function's head
	for body, want := range map[string]string{
		`p.x = nil`:                            "nil",
		"\np.x = 'a' .. 'b' == p.x and 1 or 2": "string concatenation",
		`p.x = 'a'`:                            "a string",
		`p.x = p.x .. 1`:                       "string concatenation",
		`p.x = #p`:                             "# of anything but a list or an array field",
		`local t = {}`:                         "a table that is made here",
		`p.x = function() end`:                 "a function as a value",
		`local function f() f() end f()`:       "a function that calls itself",
		`function p.x() end`:                   "a function that is assigned",
		"local function f()\nreturn 'x' .. 1 end p.x = f()": "string concatenation",
		`print(p.x)`:                           `a call of "print"`,
		`ecs.despawn(e)`:                       "a call of ecs.despawn",
		`p:move()`:                             "a call of a method",
		`p.x = math.atan2(1)`:                  "math.atan2 with 1 arguments",
		`p.x = math.max()`:                     "math.max with 0 arguments",
		`p.x = ctx.name`:                       `"name" of ctx`,
		`ctx.dt = 1`:                           "an assignment into a table",
		`p.x = count`:                          "the captured count",
		`count = 2`:                            `an assignment to "count", a local of the script that holds something else than a number,`,
		`total = 2`:                            `an assignment to the global "total"`,
		`p = 2`:                                `an assignment to "p", which is a parameter or more than a number,`,
		`p.x = total`:                          `the global "total"`,
		`p.name = 2`:                           `the unknown field "name"`,
		`local a = 1 a = true`:                 "a variable that holds numbers and booleans in turn",
		`local a a = p.x > 1`:                  "a variable that begins as nil and gets booleans later",
		`local a = nil a = p.x > 1`:            "a variable that begins as nil and gets booleans later",
		`p.ok = 1`:                             "a variable that holds numbers and booleans in turn",
		`p.x = p.ok and p.x`:                   "a value that is a number for some rows and a boolean for others",
		`p.x = p.ok + 1`:                       "arithmetic on a boolean",
		`p.ok = p.ok < 1`:                      "order with a boolean",
		`p.x = -p.ok`:                          "minus a boolean",
		`p.x = math.abs(p.ok)`:                 "a call with a boolean",
		`for i = 1, true do end`:               "a loop from, to or by a boolean",
		`for k in pairs(p) do end`:             "for … in",
		`::again:: p.x = 1 goto again`:         "a label in the middle of a block",
		`repeat goto done; ::done:: until p.x`: "a label at the end of repeat",
	} {
		_, err := translate(before + "function(e, p, v, ctx)\n" + body + "\nend }")
		line := first + strings.Count(body, "\n") + 1 // of the body's last line
		var refusal *kernel.Refusal
		if !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Message(), want+" is not available in kernels") || refusal.Line() != line {
			t.Errorf("%s\n  %v, want line %d: %s is not available in kernels", body, err, line, want)
		}
	}
}

// TestMeddling holds that a script that could change math has no kernels that
// use it, and that others do.
func TestMeddling(t *testing.T) {
	for text, fine := range map[string]bool{
		``:                               true,
		`local x = math.sin(1)`:          true,
		`math.floor = 1`:                 false,
		`function math.floor() end`:      false,
		`math = nil`:                     false,
		`local m = math`:                 false,
		`f(math)`:                        false,
		`_G.math.floor = 1`:              false,
		`local k = "a" math[k] = 1`:      false,
		`local math = {} math.floor = 1`: true, // another one, in another scope
	} {
		_, err := translate("do " + text + " end\n" + before + "function(e, p) p.x = math.floor(p.x) end }")
		if (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSafe holds what is proven to fit, and what is not.
func TestSafe(t *testing.T) {
	for body, safe := range map[string]bool{
		`p.x = p.x + 1`:                true,
		`p.r = p.x`:                    true,
		`p.n = 255`:                    true,
		`p.n = 256`:                    false,
		`p.n = 1.5`:                    false,
		`p.n = p.n`:                    true,
		`p.n = p.n + 1`:                false,
		`p.n = math.min(p.n + 1, 255)`: true,
		`p.n = math.min(255, p.n + 1)`: true,
		`p.n = math.max(p.n - 1, 0)`:   true,
		`p.n = floor(math.max(0, math.min(255, p.x)))`:                   true,
		`p.n = floor(math.min(255, math.max(p.x, 0)))`:                   true,  // of not-a-number, 255
		`p.n = floor(math.min(math.max(p.x, 0), 255))`:                   false, // not-a-number comes through
		`p.n = math.max(0, math.min(255, p.x))`:                          false,
		`if p.x > 1 then p.n = 3 else p.n = p.n * 0 end`:                 true,
		`local a = p.n a = a + 1 p.n = a`:                                false,
		`local a = math.min(p.n * 2, 200) p.n = a`:                       true,
		`p.n = p.ok and 1 or 0`:                                          true,
		`p.wide = 1`:                                                     false,
		`for i = 1, 10 do p.x = p.x + i end`:                             true,
		`for i = 1, 10 do for k = 1, 10 do p.x = p.x + i end end`:        true,
		`for i = 1, 100 do for k = 1, 100 do p.x = p.x + i end end`:      false,
		`for i = 1, 1000 do p.x = p.x + i end`:                           true,
		`for i = 1, 1001 do p.x = p.x + i end`:                           false,
		`for i = 1000, 1, -1 do p.x = p.x + i end`:                       true,
		`for i = 1001, 1, -1 do p.x = p.x + i end`:                       false,
		`for i = 1, 100 do for k = 1, 10 do p.x = p.x + i end end`:       true,
		`for i = 1, 91 do for k = 1, 11 do p.x = p.x + i end end`:        false,
		`for i = 1, p.x do p.y = i end`:                                  false,
		`while p.x > 0 do p.x = p.x - 1 end`:                             false,
		`while p.x > 0 do for i = 1, 9 do p.x = p.x - 1 end end`:         false,
		`repeat p.x = p.x - 1 until p.x < 0`:                             false,
		`for i = 1, 0, 0 do p.x = i end`:                                 false,
		`for i = 9007199254740992, 9007199254740993, 0.1 do p.x = i end`: false,
		`p.n = v.x > 0 and math.min(p.n + 1, 9) or math.max(p.n - 1, 0)`: true,
	} {
		programs, err := translate(before + "function(e, p, v, ctx)\n" + body + "\nend }")
		if err != nil {
			t.Errorf("%s: %v", body, err)
		} else if programs[0].Safe() != safe {
			t.Errorf("%s: safe is %t\n%s", body, !safe, programs[0].IR())
		}
	}
}

// FuzzTranslate holds that no text makes the compiler panic, and that what it
// makes is always a valid module.
func FuzzTranslate(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.lua")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{
		"function(e, p) while true do end p.x = 1 end", "function(e, p) repeat local a = p.x until a > 1 end",
		"function(e, p) for i = 1, 2, 0 do break end end", "function(e, ...) end", "function() end",
		"function(e, p, p) p.x = 1 end", "function(e, p) p.x = p.ok and 1 or p.ok and 2 or 3 % p.n ^ 2 end",
		"function(e, p) if p.x then elseif not p.y then return 1 else goto a end ::a:: end",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		programs, err := translate(before + text + "}")
		var refusal *kernel.Refusal
		var fault *syntax.Error
		if err != nil && !errors.As(err, &refusal) && !errors.As(err, &fault) {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(programs) == 0 {
			return
		}
		memory := arena(t)
		e := open(t, memory)
		for _, p := range programs {
			if _, err := kernel.New(p, e, nil); err != nil {
				t.Fatalf("%v\n%s\n%s\n%s", err, text, p.IR(), p.Text())
			}
		}
	})
}

// TestEnginesShareModules holds that equal kernels are compiled once and live
// until the last is closed.
func TestEnginesShareModules(t *testing.T) {
	memory := arena(t)
	e := open(t, memory)
	texts := []string{"p.x = p.x + 1", "p.x = p.x + 1", "p.x = p.x + 2"}
	var kernels []*kernel.Kernel
	for _, text := range texts {
		programs, err := translate(before + "function(e, p) " + text + " end }")
		if err != nil {
			t.Fatal(err)
		}
		k, err := kernel.New(programs[0], e, nil)
		if err != nil {
			t.Fatal(err)
		}
		kernels = append(kernels, k)
	}
	var counts []int
	for _, k := range kernels {
		counts = append(counts, e.Modules())
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if counts = append(counts, e.Modules()); !slices.Equal(counts, []int{2, 2, 1, 0}) {
		t.Errorf("modules while closing: %v", counts)
	}
}
