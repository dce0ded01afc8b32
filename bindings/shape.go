package bindings

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// eachShape says how an each function is called: what each of its parameters
// is, and what it returns.
type eachShape struct {
	function *lua.LFunction
	args     []eachArg
	results  []eachArg        // scalars that come back
	written  []bool           // by term
	lines    []map[string]int // by term: where a field is last assigned
}

type argKind uint8

const (
	argScalar  argKind = iota // one field of a term
	argRow                    // a table with the fields of a term
	argTag                    // true where the row has the tag
	argContext                // the ctx table
	argDT                     // one number of ctx
	argTime
	argTick
)

// eachArg is one parameter.
type eachArg struct {
	kind  argKind
	term  int
	field *ecs.Field
	line  int // of the last assignment, for results
}

// writes reports whether the function may write a term.
func (s *eachShape) writes(term int) bool { return s.written[term] }

// shapeOf decides how an each function is called. It complains about fields
// that do not exist, with the line that names them.
func (a *args) shapeOf(s *System, complain func(string, ...any)) *eachShape {
	terms := s.query.Terms()
	if n := s.each.Proto.NumParameters; int(n) > len(terms)+2 && s.each.Proto.IsVarArg == 0 {
		complain("each takes %d parameters, the query gives %d: the entity, its components, ctx", n, len(terms)+2)
		return plainShape(s.each, terms, nil)
	}
	if line, why := entityIndexed(s.each, "each", eachTakes); why != "" {
		a.m.script.Problems = append(a.m.script.Problems, s.own(&diag.Error{Line: line, Message: why}))
		return plainShape(s.each, terms, nil)
	}
	facts := a.m.facts(s.each)
	lines, known := a.assignments(s, terms, facts)
	if facts.Scalar != nil && known {
		shape := &eachShape{function: closure(s.each, facts.Scalar), written: make([]bool, len(terms)), lines: lines}
		if shape.function != nil && scalarShape(shape, s, terms, facts) {
			return shape
		}
	}
	return plainShape(s.each, terms, lines)
}

// assignments returns by term where fields are assigned; false means that some
// fields do not exist, which it complains about.
func (a *args) assignments(s *System, terms []*decl.Component, facts *EachFacts) ([]map[string]int, bool) {
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
func plainShape(f *lua.LFunction, terms []*decl.Component, lines []map[string]int) *eachShape {
	shape := &eachShape{function: f, written: make([]bool, len(terms)), lines: lines}
	for i, c := range terms {
		shape.args = append(shape.args, wholeArg(i, c))
		shape.written[i] = !c.Tag()
	}
	shape.args = append(shape.args, eachArg{kind: argContext})
	return shape
}

func wholeArg(term int, c *decl.Component) eachArg {
	if c.Tag() {
		return eachArg{kind: argTag, term: term}
	}
	return eachArg{kind: argRow, term: term}
}

// scalarShape is that of a second form whose fields all exist; false means that the
// components do not allow it.
func scalarShape(shape *eachShape, s *System, terms []*decl.Component, facts *EachFacts) bool {
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

func scalarTerm(shape *eachShape, s *System, i int, c *decl.Component, p ParamFacts) bool {
	if p.Table {
		shape.args = append(shape.args, wholeArg(i, c))
		shape.written[i] = !c.Tag()
		return true
	}
	if len(p.Uses) == 0 {
		return true
	}
	if slices.Contains(s.query.Optional, c) {
		return false // a row may lack it: only a whole parameter can be nil
	}
	for _, use := range p.Uses {
		f := c.Schema.Field(use.Field)
		if f.Len > 0 || f.Kind == ecs.Struct || f.Kind == ecs.Opaque {
			return false
		}
		arg := eachArg{kind: argScalar, term: i, field: f, line: use.Assigned}
		shape.args = append(shape.args, arg)
		if use.Assigned > 0 {
			shape.results = append(shape.results, arg)
			shape.written[i] = true
		}
	}
	return true
}

func (a *args) unknownField(s *System, c *decl.Component, name string, line int) {
	hint := value.Meant(a.L, name, value.FieldNames(c.Schema))
	switch {
	case slices.Contains(contextFields, name):
		hint = ": " + eachTakes
	case c.Tag():
		hint = ": it is a tag; the query lists it, so it takes a parameter; tags that need none go into with = { }"
	}
	e := s.own(&diag.Error{Line: line, Message: diag.Format("unknown field %q of %q%s", name, c.Name, hint)})
	a.m.script.Problems = append(a.m.script.Problems, e)
}

// contextNames complains about what ctx does not have, unless the function puts
// it there itself.
func (a *args) contextNames(s *System, uses []FieldUse) {
	for _, use := range uses {
		if name := use.Field; use.Assigned == 0 && !slices.Contains(contextFields, name) {
			a.m.script.Problems = append(a.m.script.Problems, &diag.Error{Script: s.Script, Line: use.Line, System: s.Name, Message: contextLacks(name)})
		}
	}
}

func contextArgs(shape *eachShape, p ParamFacts) bool {
	if p.Table {
		shape.args = append(shape.args, eachArg{kind: argContext})
		return true
	}
	if len(p.Uses) == 0 {
		return true
	}
	for _, use := range p.Uses {
		kind, ok := map[string]argKind{"dt": argDT, "time": argTime, "tick": argTick}[use.Field]
		if !ok || use.Assigned > 0 {
			return false
		}
		shape.args = append(shape.args, eachArg{kind: kind})
	}
	return true
}
