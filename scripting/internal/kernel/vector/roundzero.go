package vector

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file is the second half of the rounder: what happens to zeros, which may come into
// being by the rounding itself, to comparisons, and to whole numbers that a float32 holds.

// positive is a value without the sign of zero, in float32: what ir.Zero makes of the value
// in float64, rounded. A product or a quotient that vanishes keeps its sign, because in
// float64 it is no zero, so Zero leaves it alone and rounding makes -0 of it.
func (r *rounder) positive(id ID) ID {
	n := &r.from.Nodes[id]
	switch {
	case r.stays(id):
		return r.zero(r.near(id))
	case n.Op == ir.Mul:
		if c, other, ok := r.scaled(n); ok {
			return r.signed(n, other, c)
		}
		return r.vanishing(n, func(a, b ID) ID { return r.to.op(ir.Or, ir.Bool, r.isZero(a), r.isZero(b)) })
	case n.Op == ir.Div:
		if c, ok := r.constant(n.Args[1]); ok {
			return r.signed(n, 0, c)
		}
		return r.vanishing(n, func(a, b ID) ID {
			endless := r.to.op(ir.Eq, ir.Bool, r.to.op(ir.Abs, ir.Num32, b), r.single(math.Inf(1)))
			return r.to.op(ir.Or, ir.Bool, r.isZero(a), endless)
		})
	}
	return none
}

// zero adds 0 to a float32; none of none.
func (r *rounder) zero(id ID) ID {
	if id == none {
		return none
	}
	return r.to.op(ir.Zero, ir.Num32, id)
}

// isZero is whether a float32 is zero of either sign.
func (r *rounder) isZero(id ID) ID { return r.to.op(ir.Eq, ir.Bool, id, r.single(0)) }

// signed is a product with a constant c, or a quotient by it, that is 0 where the
// other operand is zero of either sign: that one loses its sign before. Where c is
// below zero, both change their signs.
func (r *rounder) signed(n *Node, other int, c float64) ID {
	x := r.exact(n.Args[other])
	if x == none || float64(float32(c)) != c || c == 0 || math.IsInf(c, 0) {
		return none
	}
	if c > 0 {
		x = r.zero(x)
	} else {
		x = r.to.op(ir.Sub, ir.Num32, r.single(0), x)
	}
	args := []ID{x, r.single(math.Abs(c))}
	if other == 1 {
		args[0], args[1] = args[1], args[0]
	}
	return r.to.op(n.Op, ir.Num32, args...)
}

// vanishing is a product or quotient that is 0 without a sign where that is what it
// is in float64, and keeps its sign where it only vanishes: 0 is added to the one and
// -0 to the other.
func (r *rounder) vanishing(n *Node, isZero func(a, b ID) ID) ID {
	a, b := r.exact(n.Args[0]), r.exact(n.Args[1])
	if a == none || b == none {
		return none
	}
	plain := r.to.op(n.Op, ir.Num32, a, b)
	sign := r.to.pick(ir.Num32, isZero(a, b), r.single(0), r.single(math.Copysign(0, -1)))
	return r.to.op(ir.Add, ir.Num32, plain, sign)
}

// wide rewrites a number that stays a float64. Its leaves may be float32 that are widened,
// which is exact.
func (r *rounder) wide(id ID) ID { return memo(r.wides, id, r.findWide) }

// findWide rewrites a node with operands that are wide.
func (r *rounder) findWide(id ID) ID {
	n := r.from.Nodes[id]
	switch {
	case n.Leaf == Uniform:
		return r.to.uniform(n.Source)
	case n.Leaf == Before && r.f.Fields[n.Field].Kind != schema.F32:
		return r.to.add(key{leaf: Before, which: n.Field}, Node{Leaf: Before, Field: n.Field, Type: n.Type, Args: n.Args})
	case n.Leaf == Before:
		return r.to.op(ir.Widen, ir.Num, r.exact(id))
	case n.Op == ir.Pick:
		return r.to.pick(ir.Num, r.truth(n.Args[2]), r.wide(n.Args[0]), r.wide(n.Args[1]))
	}
	var args []ID
	for _, a := range n.Args {
		if a != none {
			args = append(args, r.wide(a))
		}
	}
	if n.Op == ir.Call {
		return r.to.call(n.Name, args...)
	}
	return r.to.op(n.Op, ir.Num, args...)
}

// truth rewrites a condition. Whatever precision it is compared in, it is the same truth.
func (r *rounder) truth(id ID) ID {
	return memo(r.wides, id, func(id ID) ID {
		n := r.from.Nodes[id]
		switch {
		case n.Leaf == Uniform:
			return r.to.uniform(n.Source)
		case n.Leaf == Before:
			return r.to.add(key{leaf: Before, which: n.Field}, Node{Leaf: Before, Field: n.Field, Type: n.Type, Args: n.Args})
		case r.from.Nodes[n.Args[0]].Type != ir.Bool:
			return r.compare(&n)
		}
		var args []ID
		for _, a := range n.Args {
			if a != none {
				args = append(args, r.truth(a))
			}
		}
		return r.to.op(n.Op, ir.Bool, args...)
	})
}

// compare is a comparison of float32 if both sides are exact; a constant that is not exact
// gives way to the one next to it that no float32 lies between. What stays may be
// compared with zero after the rounding.
func (r *rounder) compare(n *Node) ID {
	a, b := r.exact(n.Args[0]), r.exact(n.Args[1])
	// Where c is no float32 and x is one, x < c is x < the next float32 above c, and x <= c is
	// x <= the next one below.
	order := n.Op == ir.Lt || n.Op == ir.Le
	for i, exact := range [2]ID{a, b} {
		c, ok := r.constant(n.Args[1-i])
		switch {
		case a != none && b != none || !ok:
		case order && exact != none && c == c:
			a, b = exact, r.single(beside(c, (n.Op == ir.Lt) == (i == 0)))
			if i == 1 {
				a, b = b, a
			}
		case c == 0 && r.stays(n.Args[i]):
			a, b = r.near(n.Args[0]), r.near(n.Args[1])
		}
	}
	if a != none && b != none {
		return r.to.op(n.Op, ir.Bool, a, b)
	}
	return r.to.op(n.Op, ir.Bool, r.wide(n.Args[0]), r.wide(n.Args[1]))
}

// beside returns the float32 next to a number that is no float32, above or below it.
func beside(c float64, above bool) float64 {
	v := float32(c)
	switch {
	case above && float64(v) < c:
		v = math.Nextafter32(v, float32(math.Inf(1)))
	case !above && float64(v) > c:
		v = math.Nextafter32(v, float32(math.Inf(-1)))
	}
	return float64(v)
}

// small reports whether all that a field can hold is a float32.
func small(f *ir.Func, field int) bool {
	switch f.Fields[field].Kind {
	case schema.I8, schema.U8, schema.I16, schema.U16, schema.Enum:
		return true
	}
	return false
}

// span bounds a whole number that a float32 holds exactly; false if it is not one, or if
// a number that it is computed of is not one.
func (r *rounder) span(id ID) (s ir.Span, ok bool) {
	known, looked := r.spans[id]
	if !looked {
		known.Span, known.ok = r.findSpan(id)
		r.spans[id] = known
	}
	return known.Span, known.ok
}

// spanned is what span has found out.
type spanned struct {
	ir.Span
	ok bool
}

// findSpan bounds a node by its operands: the sums and products of whole numbers up to 2 to
// the power of 24 are whole numbers, and exact as long as they are up to that, too.
func (r *rounder) findSpan(id ID) (s ir.Span, ok bool) {
	n := &r.from.Nodes[id]
	if c, ok := r.constant(id); ok {
		return within(ir.Span{Low: c, High: c}, c == math.Trunc(c))
	}
	switch {
	case n.Leaf == Before && small(r.f, n.Field):
		if s.Low, s.High = r.f.Fields[n.Field].Range(); s.Low == s.High {
			s.High = math.MaxUint8 // an enum
		}
		return s, true
	case n.Leaf != 0 || n.Type == ir.Bool:
		return s, false
	}
	a, ok := r.span(n.Args[0])
	if !ok || n.Op == ir.Zero || n.Op == ir.Floor || n.Op == ir.Ceil {
		return a, ok
	}
	if n.Op == ir.Neg {
		return ir.Span{Low: -a.High, High: -a.Low}, true
	}
	if n.Args[1] == none {
		return s, false
	}
	b, ok := r.span(n.Args[1])
	switch n.Op {
	case ir.Add:
		return within(ir.Span{Low: a.Low + b.Low, High: a.High + b.High}, ok)
	case ir.Sub:
		return within(ir.Span{Low: a.Low - b.High, High: a.High - b.Low}, ok)
	case ir.Mul:
		w, x, y, z := a.Low*b.Low, a.Low*b.High, a.High*b.Low, a.High*b.High
		return within(ir.Span{Low: min(w, x, y, z), High: max(w, x, y, z)}, ok)
	case ir.Pick:
		return within(ir.Span{Low: min(a.Low, b.Low), High: max(a.High, b.High)}, ok)
	}
	return s, false
}

// within reports whether a float32 holds all whole numbers of a span.
func within(s ir.Span, ok bool) (ir.Span, bool) {
	const most = 1 << 24
	return s, ok && s.Low >= -most && s.High <= most
}
