package bindings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Keys under which the script host's front end leaves, beside an each function,
// a second form of it. Where the function names fields of a parameter directly
// (p.x) and does nothing else with it, the second form takes those fields as
// parameters and returns the ones that it writes: plain numbers instead of a
// table per row.
//
// The plan is text: for each parameter after the entity, separated by ';', its
// fields, separated by ',', each as name:line, or name:line=line where the second
// is the line of the last assignment. A parameter that is passed whole begins
// with '*'; one that is not used has no fields. A plan without a second form is
// there for the lines.
//
// Under OptionLines it leaves the line of each option, as key:line separated
// by ';', and under KernelFunction the number by which Options.Compile knows the
// function's text.
const (
	RowsFunction = "\x00rows"
	RowsPlan     = "\x00plan"
	OptionLines  = "\x00lines"

	KernelFunction = "\x00kernel"
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
func (a *args) shapeOf(s *System, scalar *lua.LFunction, plan string, complain func(string, ...any)) *eachShape {
	terms := s.query.Terms()
	if n := s.each.Proto.NumParameters; int(n) > len(terms)+2 && s.each.Proto.IsVarArg == 0 {
		complain("each takes %d parameters, the query gives %d: the entity, its components, ctx", n, len(terms)+2)
		return plainShape(s.each, terms, nil)
	}
	if line, why := entityIndexed(s.each, "each", eachTakes); why != "" {
		a.m.script.Problems = append(a.m.script.Problems, s.own(&diag.Error{Line: line, Message: why}))
		return plainShape(s.each, terms, nil)
	}
	lines, known := a.assignments(s, terms, plan)
	if scalar != nil && known {
		shape := &eachShape{function: scalar, written: make([]bool, len(terms)), lines: lines}
		if scalarShape(shape, s, terms, plan) {
			return shape
		}
	}
	return plainShape(s.each, terms, lines)
}

// assignments reads off a plan where fields are assigned; false means that some
// fields do not exist, which it complains about.
func (a *args) assignments(s *System, terms []*decl.Component, plan string) ([]map[string]int, bool) {
	lines, known := make([]map[string]int, len(terms)), true
	for i, uses := range strings.Split(plan, ";") {
		uses = strings.TrimPrefix(uses, "*")
		if i == len(terms) {
			a.contextNames(s, uses)
		}
		if i >= len(terms) || uses == "" {
			continue
		}
		lines[i] = map[string]int{}
		for _, use := range strings.Split(uses, ",") {
			name, line, assigned := parseUse(use)
			if terms[i].Schema.Field(name) == nil {
				a.unknownField(s, terms[i], name, line)
				known = false
			}
			lines[i][name] = assigned
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

// scalarShape follows a plan whose fields all exist; false means that the
// components do not allow it.
func scalarShape(shape *eachShape, s *System, terms []*decl.Component, plan string) bool {
	for i, uses := range strings.Split(plan, ";") {
		switch {
		case i < len(terms):
			if !scalarTerm(shape, s, i, terms[i], uses) {
				return false
			}
		case i == len(terms):
			if !contextArgs(shape, uses) {
				return false
			}
		}
	}
	return true
}

func scalarTerm(shape *eachShape, s *System, i int, c *decl.Component, uses string) bool {
	if strings.HasPrefix(uses, "*") {
		shape.args = append(shape.args, wholeArg(i, c))
		shape.written[i] = !c.Tag()
		return true
	}
	if uses == "" {
		return true
	}
	if slices.Contains(s.query.Optional, c) {
		return false // a row may lack it: only a whole parameter can be nil
	}
	for _, use := range strings.Split(uses, ",") {
		name, _, assigned := parseUse(use)
		f := c.Schema.Field(name)
		if f.Len > 0 || f.Kind == ecs.Struct || f.Kind == ecs.Opaque {
			return false
		}
		arg := eachArg{kind: argScalar, term: i, field: f, line: assigned}
		shape.args = append(shape.args, arg)
		if assigned > 0 {
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
func (a *args) contextNames(s *System, uses string) {
	for _, use := range strings.Split(uses, ",") {
		name, line, assigned := parseUse(use)
		if name != "" && assigned == 0 && !slices.Contains(contextFields, name) {
			a.m.script.Problems = append(a.m.script.Problems, &diag.Error{Script: s.Script, Line: line, System: s.Name, Message: contextLacks(name)})
		}
	}
}

// parseUse reads name:line or name:line=line.
func parseUse(use string) (name string, line, assigned int) {
	name, lines, _ := strings.Cut(use, ":")
	first, last, _ := strings.Cut(lines, "=")
	line, _ = strconv.Atoi(first)
	assigned, _ = strconv.Atoi(last)
	return name, line, assigned
}

func contextArgs(shape *eachShape, uses string) bool {
	if strings.HasPrefix(uses, "*") {
		shape.args = append(shape.args, eachArg{kind: argContext})
		return true
	}
	if uses == "" {
		return true
	}
	for _, use := range strings.Split(uses, ",") {
		name, _, assigned := parseUse(use)
		kind, ok := map[string]argKind{"dt": argDT, "time": argTime, "tick": argTick}[name]
		if !ok || assigned > 0 {
			return false
		}
		shape.args = append(shape.args, eachArg{kind: kind})
	}
	return true
}
