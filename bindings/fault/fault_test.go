package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// columns is a source that knows a column for each instruction, and one part of calls.
type columns struct{}

func (columns) Place(fn *lua.FunctionProto, pc int) diag.Place {
	at := Line(fn, pc)
	at.Column = 100 + pc
	return at
}

func (columns) Name(_ *lua.FunctionProto, _, n int) string { return fmt.Sprintf("part %d", n) }

func (columns) Parameter(*lua.FunctionProto, int, int) int { return 0 }

func (columns) Part(fn *lua.FunctionProto, pc int, part Part) diag.Place {
	if part == Key(1, "x") {
		return diag.Place{Script: fn.SourceName, Line: 9, Column: 7}
	}
	return diag.Place{}
}

// run runs a text in which fail is a function of Go, and returns the error.
func run(t *testing.T, source Source, text string, fail lua.LGFunction) *diag.Error {
	t.Helper()
	L := lua.NewState()
	defer L.Close()
	if source != nil {
		Serve(L, source)
	}
	fn := L.NewFunction(fail)
	L.SetGlobal("fail", fn)
	meta := L.NewTable()
	meta.RawSetString("__call", fn)
	object := L.NewTable()
	lua.SetMetatable(object, meta)
	L.SetGlobal("object", object)
	err := L.DoString(text)
	if err == nil {
		t.Fatalf("no error in %s", text)
	}
	return Caught(err, lua.LValue.String)
}

func raises(part Part) lua.LGFunction {
	return func(L *lua.LState) int {
		RaiseAt(L, part, "why %q", "it")
		return 0
	}
}

// TestPlaces: the place is a line without a source, the instruction's with one, and that of
// a part where the call that is written there has it.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		text   string
		source Source
		part   Part
		line   int
		part9  bool
	}{
		{"local t\nfail({ x = 1 })", nil, Key(1, "x"), 2, false},
		{"local t\nfail({ x = 1 })", columns{}, Key(1, "x"), 9, true},
		{"local t\nfail({ x = 1 })", columns{}, Key(1, "y"), 2, false},
		{"\nobject({ x = 1 })", columns{}, Key(2, "x"), 9, true},  // the object is the first argument
		{"\nobject({ x = 1 })", columns{}, Argument(1), 2, false}, // the object itself
		{"\npcall2 = fail\npcall2({})", columns{}, Key(1, "x"), 9, true},
	} {
		e := run(t, c.source, c.text, raises(c.part))
		if e.Line != c.line || (e.Column == 7) != c.part9 || (e.Column > 0) != (c.source != nil) {
			t.Errorf("%q: at %d:%d, want line %d", c.text, e.Line, e.Column, c.line)
		}
		if e.Message != `why "it"` || len(e.Trace) == 0 {
			t.Errorf("%q: %q, %v", c.text, e.Message, e.Trace)
		}
	}
}

// TestPassKeepsThePlace, and the kind, of an error that is raised again.
func TestPassKeepsThePlace(t *testing.T) {
	first := diag.Reached("Table", "much").On(diag.Place{Script: "a.lua", Line: 3, Column: 5})
	e := run(t, columns{}, "\n\nfail()", func(L *lua.LState) int {
		Pass(L, first, lua.LString("again"))
		return 0
	})
	if e.At() != first.At() || e.Limit != "Table" || !errors.Is(e, diag.ErrLimit) {
		t.Errorf("%+v", e)
	}
}

// TestMistakesOfTheVM: what the VM raises gets the place, our words and the kind.
func TestMistakesOfTheVM(t *testing.T) {
	for text, want := range map[string]string{
		"\nlocal a = {} + 1":     `attempt to perform arithmetic on "part 1", a table value`,
		"\nlocal a = 1 + {}":     `attempt to perform arithmetic on "part 2", a table value`,
		"\nlocal a = -{}":        `attempt to perform arithmetic on "part 1", a table value`,
		"\nlocal a = #nil":       `attempt to get the length of "part 1", a nil value`,
		"\nlocal a = nil a()":    `attempt to call "part 0", a nil value`,
		"\nfor i = 1, {} do end": `a "for" needs numbers, and its last value is `, // "none" or "a table", by the machine
	} {
		e := run(t, columns{}, "fail() "+text, func(L *lua.LState) int { Intercept(L); return 0 })
		if !strings.HasPrefix(e.Message, want) || e.Line != 2 || e.Column < 100 || e.Kind != diag.Fault {
			t.Errorf("%q: %+v, want %q", text, e, want)
		}
	}
}

// TestTraceIsCut in the middle: the innermost and the outermost calls stay.
func TestTraceIsCut(t *testing.T) {
	const kept = 7
	e := run(t, nil, "local function f(n) if n == 0 then fail() end f(n - 1) return 1 end\nf(40)", raises(Argument(1)))
	if len(e.Trace) != 2*kept+1 || e.Trace[kept].Kind != diag.Skipped || e.Trace[2*kept].At.Line != 2 {
		t.Errorf("%d frames: %v", len(e.Trace), e.Trace)
	}
}
