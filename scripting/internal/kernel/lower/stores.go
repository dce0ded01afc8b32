package lower

import (
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file translates assignments to fields, and decides what a field gets of a value.
// Whether an integer field can hold a number is not decided here: package wasm checks that
// at the end of the row, where the last of several assignments is known.

// write assigns a value to a place.
//
// An element with a computed index becomes an assignment to each element: it keeps what it
// has, but for the one. So the code grows with the array, which is why several bounds it.
// The demand comes first, as such an assignment is an error in Lua.
func (l *lowerer) write(s *spot, v val) {
	if !l.usable(s) {
		return
	}
	if s.row.term < 0 {
		l.refuse(s.pos, "a change of what ecs.get has returned")
		return
	}
	l.need(s.row)
	if s.field.Kind == schema.Ref && (v.isNil || v.present != nil) {
		l.clear(s, v.pos)
	}
	e := l.fitting(&s.field, v)
	if l.err != nil {
		return
	}
	if s.index == nil {
		l.store(s, 0, e)
		return
	}
	l.demand(l.inRange(s.index, s.field.Len), "an index may be outside of %s", s.path)
	switch i := int(s.index.Value); {
	case s.index.Op == ir.Const && i >= 1 && i <= s.field.Len:
		l.store(s, i-1, e)
	case s.field.Len > several:
		l.refuse(s.pos, "an array of more than %d elements that is assigned, with an index that is not written out,", several)
	default:
		held := l.keep("value", e)
		for i := range s.field.Len {
			l.store(s, i, pick(binary(ir.Eq, again(s.index), ir.Constant(float64(i+1))), again(held), l.element(s, i)))
		}
	}
}

// store assigns the local of a field and notes that it must be written back. Without Store,
// the assignment would be lost at the end of the row.
func (l *lowerer) store(s *spot, i int, e *ir.Expr) {
	local := l.slot(s, i)
	l.f.FieldOf(local).Store = true
	l.set(local, e)
}

// fitting returns what is stored of a value; its kind has the last word about
// numbers when the row ends.
//
// An entity is the only kind that may be nil, which is 0 in memory. Enums are numbers here,
// checked against the names; a name that may be missing makes the row the VM's.
func (l *lowerer) fitting(f *schema.Field, v val) *ir.Expr {
	switch {
	case f.Kind == schema.Ref && v.isNil:
		return ir.Constant(0)
	case f.Kind == schema.Ref && v.isType(ir.Num) && v.names == nil:
		if v.present != nil {
			return pick(v.present, v.expr, ir.Constant(0))
		}
		return v.expr
	case f.Kind == schema.Enum:
		return l.named(f, v)
	}
	e := l.definite(v)
	if l.err == nil && (e.Type != ir.TypeOf(f.Kind) || v.names != nil) {
		l.refuse(v.pos, "a variable that holds %s in turn", inTurn(ir.TypeOf(f.Kind), nil, e.Type, v.names))
	}
	return e
}

// named returns the place of a name among those of an enum.
//
// A number is refused, even one that would be a place: scripts know names alone.
func (l *lowerer) named(f *schema.Field, v val) *ir.Expr {
	switch {
	case v.text != nil, v.complete(), v.names != nil:
		return l.indexAmong(f.Names, v)
	}
	l.refuse(v.pos, "%q and a value of another kind", f.Name)
	return ir.Constant(0)
}
