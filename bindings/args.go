package bindings

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// args reads the arguments of one builtin. Every builtin goes through it, so
// their errors read alike: "ecs.add: argument 2: expected a component, got nil".
type args struct {
	m    *Module
	L    *lua.LState
	name string
}

// fail raises an error at the line of the caller.
func (a *args) fail(format string, v ...any) {
	a.raise(diag.New(format, v...))
}

// reached raises the error of a limit.
func (a *args) reached(limit, format string, v ...any) { a.raise(diag.Reached(limit, format, v...)) }

// raise raises an error of the function of ecs that was called.
func (a *args) raise(e *Error) {
	e.Message = "ecs." + a.name + ": " + e.Message
	fault.Raise(a.L, e)
}

func (a *args) expected(i int, what string) {
	e := diag.New("argument %d: expected %s, got %s", i, what, value.Describe(a.L.Get(i)))
	if text, ok := a.L.Get(i).(lua.LString); ok {
		e.Names = append(e.Names, string(text))
	}
	a.raise(e)
}

// entity reads a handle that must be alive.
func (a *args) entity(i int) ecs.Entity {
	e := a.handle(i)
	if !a.m.world.Alive(e) {
		a.fail("argument %d: %s", i, a.m.whyDead(e))
	}
	return e
}

// handle reads a number that is 0 or was once a handle of this world, dead or
// alive.
func (a *args) handle(i int) ecs.Entity {
	n, ok := a.L.Get(i).(lua.LNumber)
	if !ok {
		a.expected(i, "an entity")
	}
	e, why := value.ToEntity(float64(n))
	if why == "" && !a.m.ours(e) {
		why = a.m.whyDead(e)
	}
	if why != "" {
		a.fail("argument %d: %s", i, why)
	}
	return e
}

// ours reports whether a handle is 0 or was given out by this world, dead by now or
// not.
func (m *Module) ours(e ecs.Entity) bool {
	return e == 0 || e.Tag() == m.tag && e.Generation() > 0
}

// whyDead explains why a handle is not alive here.
func (m *Module) whyDead(e ecs.Entity) string {
	switch {
	case e == 0:
		return "entity 0 means none"
	case e.Tag() != m.tag && e.Generation() > 0:
		return fmt.Sprintf("entity %v belongs to another world", e)
	case e.Generation() == 0:
		return fmt.Sprintf("the number %d is not an entity", uint64(e))
	}
	return fmt.Sprintf("entity %v is dead", e)
}

func (a *args) number(i int) float64 {
	n, ok := a.L.Get(i).(lua.LNumber)
	if !ok {
		a.expected(i, "a number")
	}
	return float64(n)
}

func (a *args) flag(i int) bool {
	b, ok := a.L.Get(i).(lua.LBool)
	if !ok {
		a.expected(i, "true or false")
	}
	return bool(b)
}

func (a *args) text(i int) string {
	s, ok := a.L.Get(i).(lua.LString)
	if !ok {
		a.expected(i, "a string")
	}
	return string(s)
}

// functionFor is what is said to be expected in place of a value that will not do.
func functionFor(v lua.LValue) string {
	if _, ok := v.(*lua.LFunction); ok {
		return "a function written in Lua, such as function() … end"
	}
	return "a function"
}

func (a *args) function(i int) *lua.LFunction {
	f, ok := a.L.Get(i).(*lua.LFunction)
	if !ok || f.IsG {
		a.expected(i, functionFor(a.L.Get(i)))
	}
	return f
}

// table reads a table argument: its content, if it is a front.
func (a *args) table(i int) *lua.LTable {
	t, ok := value.TableOf(a.L.Get(i))
	if !ok {
		a.notOver(a.L.Get(i))
		a.expected(i, "a table")
	}
	return t
}

// notOver raises an error for a loan that is over.
func (a *args) notOver(v lua.LValue) {
	if t, ok := v.(*lua.LTable); ok && t.Metatable != lua.LNil {
		if why := value.Over(t); why != "" {
			fault.Raisef(a.L, "%s", why)
		}
	}
}

// component reads a component, tag or native component.
func (a *args) component(i int) *decl.Component {
	if ud, ok := a.L.Get(i).(*lua.LUserData); ok {
		if c, ok := ud.Value.(*decl.Component); ok {
			return c
		}
	}
	if s, ok := a.L.Get(i).(lua.LString); ok && a.m.components[string(s)] != nil {
		a.fail("argument %d: expected a component, got the string %q: use the component itself, without quotes", i, string(s))
	}
	a.expected(i, "a component")
	return nil
}

// acting returns the running call; it raises an error at a script's top level.
func (a *args) acting() *tx.Call {
	if a.m.tx.Call == nil {
		a.fail("cannot be used while a script is being loaded: the top level declares, systems act; put it into ecs.on_start(function() … end)")
	}
	return a.m.tx.Call
}

// changing returns the running call for one more change; it raises an error when
// the call has made too many.
func (a *args) changing() *tx.Call {
	c := a.acting()
	a.spend(c)
	return c
}

// declaring returns the script being loaded; it raises an error while systems run.
func (a *args) declaring() *Script {
	if a.m.script == nil {
		a.fail("can only be used at the top level of a script, not while systems run")
	}
	return a.m.script
}

// problem notes a fault of a declaration and goes on, so that one load finds
// as many as it can.
func (a *args) problem(format string, v ...any) {
	e := diag.New(format, v...)
	e.Script, e.Line = fault.Here(a.L)
	a.note(e)
}

// maxProblems is how many faults of one file are told apart.
const maxProblems = 1000

// note adds a fault to those of the file, whose last it is when there are many.
func (a *args) note(e *diag.Error) {
	s := a.m.script
	if len(s.Problems) >= maxProblems {
		a.fail("this is one of more than %s faults of the file: %s", diag.Grouped(maxProblems), e.Message)
	}
	s.Problems = append(s.Problems, e)
}
