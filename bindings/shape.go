package bindings

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
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
	if line, why := entityIndexed(s.Each, "each", eachTakes); why != "" {
		a.m.script.Problems = append(a.m.script.Problems, s.Own(&diag.Error{Line: line, Message: why}))
		return plainShape(s.Each, terms, nil)
	}
	facts := a.m.facts(s.Each)
	lines, known := a.assignments(s, terms, facts)
	if facts.Scalar != nil && known {
		shape := &exec.EachShape{Function: closure(s.Each, facts.Scalar), Written: make([]bool, len(terms)), Lines: lines}
		if shape.Function != nil && scalarShape(shape, s, terms, facts) {
			return shape
		}
	}
	return plainShape(s.Each, terms, lines)
}

// assignments returns by term where fields are assigned; false means that some
// fields do not exist, which it complains about.
func (a *args) assignments(s *exec.System, terms []*decl.Component, facts *EachFacts) ([]map[string]int, bool) {
	lines, known := make([]map[string]int, len(terms)), true
	for i, p := range facts.Params {
		if i == len(terms) {
			a.contextNames(s, p.Uses)
		}
		if i >= len(terms) || len(p.Uses) == 0 {
			continue
		}
		lines[i] = map[string]int{}
		for _, use := range p.Uses {
			if terms[i].Schema.Field(use.Field) == nil {
				a.unknownField(s, terms[i], use.Field, use.Line)
				known = false
			}
			lines[i][use.Field] = use.Assigned
		}
	}
	return lines, known
}

// plainShape passes every component as a table.
func plainShape(f *lua.LFunction, terms []*decl.Component, lines []map[string]int) *exec.EachShape {
	shape := &exec.EachShape{Function: f, Written: make([]bool, len(terms)), Lines: lines}
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
func scalarShape(shape *exec.EachShape, s *exec.System, terms []*decl.Component, facts *EachFacts) bool {
	for i, p := range facts.Params {
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

func scalarTerm(shape *exec.EachShape, s *exec.System, i int, c *decl.Component, p ParamFacts) bool {
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
		arg := exec.EachArg{Kind: exec.ArgScalar, Term: i, Field: f, Line: use.Assigned}
		shape.Args = append(shape.Args, arg)
		if use.Assigned > 0 {
			shape.Results = append(shape.Results, arg)
			shape.Written[i] = true
		}
	}
	return true
}

func (a *args) unknownField(s *exec.System, c *decl.Component, name string, line int) {
	hint := value.Meant(a.L, name, value.FieldNames(c.Schema))
	switch {
	case slices.Contains(exec.ContextFields, name):
		hint = ": " + eachTakes
	case c.Tag():
		hint = ": it is a tag; the query lists it, so it takes a parameter; tags that need none go into with = { }"
	}
	e := s.Own(diag.New("unknown field %q of %q%s", name, c.Name, hint).On("", line))
	a.m.script.Problems = append(a.m.script.Problems, e)
}

// contextNames complains about what ctx does not have, unless the function puts
// it there itself.
func (a *args) contextNames(s *exec.System, uses []FieldUse) {
	for _, use := range uses {
		if name := use.Field; use.Assigned == 0 && !slices.Contains(exec.ContextFields, name) {
			e := exec.ContextLacks(name).On(s.Script, use.Line)
			e.System = s.Name
			a.m.script.Problems = append(a.m.script.Problems, e)
		}
	}
}

func contextArgs(shape *exec.EachShape, p ParamFacts) bool {
	if p.Table {
		shape.Args = append(shape.Args, exec.EachArg{Kind: exec.ArgContext})
		return true
	}
	if len(p.Uses) == 0 {
		return true
	}
	for _, use := range p.Uses {
		kind, ok := map[string]exec.ArgKind{"dt": exec.ArgDT, "time": exec.ArgTime, "tick": exec.ArgTick}[use.Field]
		if !ok || use.Assigned > 0 {
			return false
		}
		shape.Args = append(shape.Args, exec.EachArg{Kind: kind})
	}
	return true
}
