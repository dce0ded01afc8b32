package scripting

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// slip returns the error of a place that fails whenever a call comes there; nil where that is not certain after all.
func (c *callCheck) slip(s *analysis.Slip) *Error {
	switch s.Kind {
	case analysis.Joined:
		return diag.New("attempt to concatenate %s: only texts and numbers can be joined, and tostring(…) makes a text of any other value", c.words(s.Of))
	case analysis.Looped:
		return diag.NoIterator(c.words(s.Of), c.kind(s.Of))
	case analysis.Yielded:
		return diag.New("attempt to yield from outside a coroutine: only a function that coroutine.create or coroutine.wrap was given can yield, and what it calls")
	case analysis.Dotted:
		object := s.Of.(*syntax.Name).Value
		return diag.New("%q is declared with a colon and needs the table as its self: call it with a colon, %s:%s(…)", object+"."+s.Name, object, s.Name)
	case analysis.Fielded:
		return c.fielded(s)
	}
	return nil
}

// fielded is the error of a field of an entity, or of what a script declares.
func (c *callCheck) fielded(s *analysis.Slip) *Error {
	if call, ok := c.text.Tree.Names.ValueOf(s.Of).(*syntax.Call); ok && call.Func != nil && slices.Contains(analysis.Entities, c.function(call.Func)) {
		return diag.New("attempt to index %q, a number value, with key %q: it is an entity, and entities are numbers: ecs.get(entity, Component) reads what it has, ecs.set and ecs.update change that", c.text.parts().Name(s.Pos, -1), s.Name)
	}
	return c.Fieldless(c.value(s.Of).LValue, s.Name)
}

// words returns a value as messages name it: "list", a table value.
func (c *callCheck) words(e syntax.Expr) string {
	words := "a " + c.kind(e) + " value"
	if name, ok := e.(*syntax.Name); ok {
		words = diag.Format("%q, ", name.Value) + words
	}
	return words
}

// kind returns the name of the type that an expression has for good.
func (c *callCheck) kind(e syntax.Expr) string {
	e = c.text.ValueOf(e)
	if _, isTable := e.(*syntax.Table); isTable {
		return lua.LTTable.String()
	}
	return c.value(e).Type().String()
}
