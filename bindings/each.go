package bindings

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// shapeOf decides how an each function is called. It complains about fields
// that do not exist, with the line that names them.
func (a *args) shapeOf(s *exec.System, complain func(string, ...any)) *exec.EachShape {
	terms := s.Query.Terms()
	if n := s.Each.Proto.NumParameters; int(n) > len(terms)+2 && s.Each.Proto.IsVarArg == 0 {
		complain("each takes %d parameters, the query gives %d: the entity, its components, ctx", n, len(terms)+2)
		return plainShape(s.Each, terms, nil)
	}
	if e := entityIndexed(a.L, s.Each, "each", eachTakes); e != nil {
		a.script.Problems = append(a.script.Problems, s.Own(e))
		return plainShape(s.Each, terms, nil)
	}
	text := a.textOf(s.Each)
	places, known := a.assignments(s, terms, text)
	if text.Scalar != nil && known {
		shape := &exec.EachShape{Function: facts.SecondForm(s.Each, text.Scalar), Written: make([]bool, len(terms)), Places: places}
		if shape.Function != nil && scalarShape(shape, s, terms, text) {
			return shape
		}
	}
	return plainShape(s.Each, terms, places)
}

// assignments returns by term where fields are assigned; false means that some
// fields do not exist, which it complains about.
func (a *args) assignments(s *exec.System, terms []*decl.Component, text *facts.Each) ([]map[string]diag.Place, bool) {
	places, known := make([]map[string]diag.Place, len(terms)), true
	for i, p := range text.Params {
		if i == len(terms) {
			a.contextNames(s, p.Uses)
		}
		if i >= len(terms) || len(p.Uses) == 0 {
			continue
		}
		places[i] = map[string]diag.Place{}
		for _, use := range p.Uses {
			if terms[i].Schema.Field(use.Field) == nil {
				a.unknownField(s, terms[i], use.Field, use.At)
				known = false
			}
			places[i][use.Field] = use.Assigned
		}
	}
	return places, known
}

// plainShape passes every component as a table.
func plainShape(f *lua.LFunction, terms []*decl.Component, places []map[string]diag.Place) *exec.EachShape {
	shape := &exec.EachShape{Function: f, Written: make([]bool, len(terms)), Places: places}
	for i, c := range terms {
		shape.Args = append(shape.Args, wholeArg(i, c))
		shape.Written[i] = !c.Tag()
	}
	shape.Args = append(shape.Args, exec.EachArg{Kind: exec.ArgContext})
	return shape
}

func wholeArg(term int, c *decl.Component) exec.EachArg {
	if c.Tag() {
		return exec.EachArg{Kind: exec.ArgTag, Term: term}
	}
	return exec.EachArg{Kind: exec.ArgRow, Term: term}
}

// scalarShape is that of a second form whose fields all exist; false means that the
// components do not allow it.
func scalarShape(shape *exec.EachShape, s *exec.System, terms []*decl.Component, text *facts.Each) bool {
	for i, p := range text.Params {
		switch {
		case i < len(terms):
			if !scalarTerm(shape, s, i, terms[i], p) {
				return false
			}
		case i == len(terms):
			if !contextArgs(shape, p) {
				return false
			}
		}
	}
	return true
}

func scalarTerm(shape *exec.EachShape, s *exec.System, i int, c *decl.Component, p facts.Param) bool {
	if p.Table {
		shape.Args = append(shape.Args, wholeArg(i, c))
		shape.Written[i] = !c.Tag()
		return true
	}
	if len(p.Uses) == 0 {
		return true
	}
	if slices.Contains(s.Query.Optional, c) {
		return false // a row may lack it: only a whole parameter can be nil
	}
	for _, use := range p.Uses {
		f := c.Schema.Field(use.Field)
		if f.Len > 0 || f.Kind == ecs.Struct || f.Kind == ecs.Opaque {
			return false
		}
		arg := exec.EachArg{Kind: exec.ArgScalar, Term: i, Field: f, At: use.Assigned}
		shape.Args = append(shape.Args, arg)
		if use.Assigned.Line > 0 {
			shape.Results = append(shape.Results, arg)
			shape.Written[i] = true
		}
	}
	return true
}

func (a *args) unknownField(s *exec.System, c *decl.Component, name string, at diag.Place) {
	hint := value.Meant(a.L, name, value.FieldNames(c.Schema))
	switch {
	case slices.Contains(exec.ContextFields, name):
		hint = ": " + eachTakes
	case c.Tag():
		hint = ": it is a tag; the query lists it, so it takes a parameter; tags that need none go into with = { }"
	}
	e := s.Own(diag.New("unknown field %q of %q%s", name, c.Name, hint).On(at))
	a.script.Problems = append(a.script.Problems, e)
}

// contextNames complains about what ctx does not have, unless the function puts
// it there itself.
func (a *args) contextNames(s *exec.System, uses []facts.Use) {
	for _, use := range uses {
		if name := use.Field; use.Assigned.Line == 0 && !slices.Contains(exec.ContextFields, name) {
			e := exec.ContextLacks(name).On(use.At)
			e.System = s.Name
			a.script.Problems = append(a.script.Problems, e)
		}
	}
}

func contextArgs(shape *exec.EachShape, p facts.Param) bool {
	if p.Table {
		shape.Args = append(shape.Args, exec.EachArg{Kind: exec.ArgContext})
		return true
	}
	if len(p.Uses) == 0 {
		return true
	}
	for _, use := range p.Uses {
		kind, ok := map[string]exec.ArgKind{"dt": exec.ArgDT, "time": exec.ArgTime, "tick": exec.ArgTick}[use.Field]
		if !ok || use.Assigned.Line > 0 {
			return false
		}
		shape.Args = append(shape.Args, exec.EachArg{Kind: kind})
	}
	return true
}

// The first parameter of an each function, and of an observer, is the entity. Whoever
// forgets it asks a number for a field, and nothing in "attempt to index a number
// value" says so. Where every call comes there, before anything that it decides, the text
// alone shows it, and so it is reported at the load. After a branch it is not: a function
// that has other callers, too, may have asked what it got.

// eachTakes, observerGets and notifiedOf say what such functions get.
const (
	eachTakes    = "each takes the entity, then the query's components in order, then ctx"
	observerGets = "it takes the entity, then the fields, then ctx"
	notifiedOf   = "it takes the entity, then ctx"
)

// entityIndexed finds where a function asks its first parameter for a field before it
// branches for the first time, and says what is wrong with it. whose is what the function
// is called, takes what it gets.
func entityIndexed(L *lua.LState, f *lua.LFunction, whose, takes string) *diag.Error {
	p := f.Proto
	if p.NumParameters == 0 || len(p.DbgLocals) == 0 {
		return nil
	}
	pc, key := bytecode.Indexed(p, 0)
	if pc < 0 {
		return nil
	}
	has := "and has no fields"
	if name, ok := key.(lua.LString); ok {
		has = diag.Format("which has no field %q", string(name))
	}
	return diag.New("the first parameter of %s, %q, is the entity, a number, %s: %s", whose, p.DbgLocals[0].Name, has, takes).On(fault.Instruction(L, p, pc))
}

// textOf returns what the text says of a function over rows.
func (m *core) textOf(fn *lua.LFunction) *facts.Each {
	if m.opts.Source != nil && fn != nil {
		if known := m.opts.Source.Each(fn.Proto); known != nil {
			return known
		}
	}
	return &facts.Each{}
}

// optionPlaces returns the places of the options of the table with which the running
// call declares a system.
func (a *args) optionPlaces(t *lua.LTable) map[string]facts.Option {
	if a.opts.Source == nil {
		return nil
	}
	var functions []*lua.FunctionProto
	for _, key := range []string{"each", "batch", "run"} {
		if fn, ok := t.RawGetString(key).(*lua.LFunction); ok && !fn.IsG {
			functions = append(functions, fn.Proto)
		}
	}
	caller, pc := frame(a.L, 1)
	return a.opts.Source.Options(caller, pc, functions)
}

// frame returns the function of a level of the stack, and the instruction at which it
// is; nil when that is no function of a script.
func frame(L *lua.LState, level int) (*lua.FunctionProto, int) {
	if f := vmstate.Running(L).Outside(level); f != nil && !f.Fn.IsG {
		return f.Fn.Proto, f.At()
	}
	return nil, 0
}

// keepQuery counts what the query of a system lists, and the code that its each
// function may become.
func (a *args) keepQuery(s *exec.System) {
	q := s.Query
	if q == nil {
		return
	}
	if s.Each != nil && s.Compiled.Mode != exec.KernelOff {
		a.keep(decl.PerKernel)
	}
	n := len(q.List)
	for _, list := range q.Parts() {
		n += len(*list)
	}
	a.keep(decl.PerTerm * int64(n))
}
