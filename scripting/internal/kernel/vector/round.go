package vector

import (
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file rewrites a graph in float32 where that is the same to the bit. What it takes for
// the sign of zero, for conditions and for bounds of whole numbers is in roundzero.go.

// rounder writes a graph anew, with float32 in the place of float64 where the
// result is provably the same to the bit: twice as many go into a vector.
//
// A value of float64 is exact if it is a float32 whatever the row holds: f32
// fields, integers of 16 bits, and what does not round when it is computed of
// these. Compared and chosen from, they are the same in either precision.
//
// A value is near if rounding it to float32, as a store does, gives what float32
// arithmetic gives at once. That is so for one sum, difference, product, quotient or
// square root of exact values: rounding to p digits by way of q ≥ 2p+2 digits is
// rounding once, and 53 ≥ 2·24+2 (S. Figueroa, When is double rounding innocuous?,
// SIGNUM Newsletter 30, 1995). It is so, too, where results are too small for all
// digits of a float32: they only have fewer then. Of two such operations, one after
// the other, it is not so.
//
// Rounding keeps order. So what is chosen for being less is the same before and
// after it, and so is which side of zero a value is on, if it does not vanish: not
// zero, but rounded to it.
//
// Each question (exact, near, wide, stays, span) is asked once for each node and its answer
// kept, so rounding takes time in proportion to the graph.
type rounder struct {
	f        *ir.Func
	from, to *Graph
	exacts   map[ID]ID
	nears    map[ID]ID
	wides    map[ID]ID
	staying  map[ID]bool
	spans    map[ID]spanned
}

// round returns the graph in float32, where that is the same, and the fields of
// kind f32 that keep float64, each with what is in the way. The graph is nil where
// nothing would be float32.
func round(f *ir.Func, g *Graph) (single *Graph, wide map[int]string) {
	r := &rounder{f: f, from: g, exacts: map[ID]ID{}, nears: map[ID]ID{}, wides: map[ID]ID{}, staying: map[ID]bool{}, spans: map[ID]spanned{}}
	r.to = &Graph{known: map[key]ID{}, Final: map[int]ID{}, Line: g.Line}
	wide = map[int]string{}
	found := false
	for i := range f.Fields { // in a fixed order, so that nodes have one
		id, stored := g.Final[i]
		switch {
		case !stored:
		case f.Fields[i].Kind != schema.F32:
			r.to.Final[i] = r.any(id)
		case g.Nodes[id].Leaf == Before && g.Nodes[id].Field == i:
			found = true // as it was
		default:
			if near := r.near(id); near != none {
				r.to.Final[i], found = near, true
				break
			}
			r.to.Final[i] = r.to.op(ir.Narrow, ir.Num32, r.wide(id))
			wide[i] = r.obstacle(r.culprit(id))
		}
	}
	r.to.Rare = r.truth(g.Rare)
	if !found || len(r.to.Final) == 0 {
		return nil, wide
	}
	return r.to, wide
}

// memo returns what is noted for a node, or finds it out. A node has no result while it
// is worked on, which is never looked at: graphs have no circles.
func memo(m map[ID]ID, id ID, find func(ID) ID) ID {
	if known, ok := m[id]; ok {
		return known
	}
	m[id] = none
	m[id] = find(id)
	return m[id]
}

// any rewrites a value that keeps its type.
func (r *rounder) any(id ID) ID {
	if r.from.Nodes[id].Type == ir.Bool {
		return r.truth(id)
	}
	return r.wide(id)
}

// exact returns a value as a float32 that is the same number; none if it may not
// be one.
func (r *rounder) exact(id ID) ID { return memo(r.exacts, id, r.findExact) }

// findExact finds the float32 that is the same number, by what a node is: a field that holds
// one, a constant, or an operation that gives one for operands that are exact.
func (r *rounder) findExact(id ID) ID {
	n := &r.from.Nodes[id]
	switch n.Leaf {
	case Before:
		switch kind := r.f.Fields[n.Field].Kind; {
		case kind == schema.F32:
			return r.to.add(key{leaf: Before, which: n.Field, t: ir.Num32}, Node{Leaf: Before, Field: n.Field, Type: ir.Num32, Args: n.Args})
		case small(r.f, n.Field):
			return r.to.op(ir.Narrow, ir.Num32, r.wide(id))
		}
		return none
	case Uniform:
		if c, ok := r.constant(id); ok && float64(float32(c)) == c {
			return r.single(c)
		}
		return none
	}
	switch n.Op {
	case ir.Neg, ir.Abs, ir.Floor, ir.Ceil, ir.Zero:
		return r.rebuild(n, r.exact)
	case ir.Add, ir.Sub, ir.Mul:
		if _, ok := r.span(id); ok {
			return r.rebuild(n, r.exact)
		}
	case ir.Pick:
		return r.choice(n, r.exact)
	}
	return none
}

// rebuild is the same operation on float32; none if one of its operands has no such form.
func (r *rounder) rebuild(n *Node, operand func(ID) ID) ID {
	var args []ID
	for _, a := range n.Args {
		if a == none {
			break
		}
		arg := operand(a)
		if arg == none {
			return none
		}
		args = append(args, arg)
	}
	return r.to.op(n.Op, ir.Num32, args...)
}

// choice is a choice between float32 by the condition that it had: rounding a choice is
// choosing between what is rounded.
func (r *rounder) choice(n *Node, operand func(ID) ID) ID {
	a, b := operand(n.Args[0]), operand(n.Args[1])
	if a == none || b == none {
		return none
	}
	return r.to.pick(ir.Num32, r.truth(n.Args[2]), a, b)
}

// near returns the float32 that a value is rounded to, computed in float32; none if
// there is no proof for that.
func (r *rounder) near(id ID) ID { return memo(r.nears, id, r.findNear) }

// findNear finds the float32 that a value is rounded to. At most one operation that rounds may
// lie between it and exact values.
func (r *rounder) findNear(id ID) ID {
	if same := r.exact(id); same != none {
		return same
	}
	n := &r.from.Nodes[id]
	if r.from.fixed(id) { // rounded once for all rows
		return r.to.op(ir.Narrow, ir.Num32, r.wide(id))
	}
	switch n.Op {
	case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Sqrt:
		return r.rebuild(n, r.exact)
	case ir.Neg, ir.Abs:
		return r.rebuild(n, r.near)
	case ir.Zero:
		return r.positive(n.Args[0])
	case ir.Pick:
		if least := r.least(n); least != none {
			return least
		}
		return r.choice(n, r.near)
	}
	return none
}

// culprit returns the operation that keeps a value from being near, for the report: the
// value itself, or what it passes on unrounded.
func (r *rounder) culprit(id ID) ID {
	n := &r.from.Nodes[id]
	switch n.Op {
	case ir.Neg, ir.Abs, ir.Zero, ir.Pick:
		for _, a := range n.Args[:2] {
			if a != none && r.near(a) == none {
				return r.culprit(a)
			}
		}
	}
	return id
}

// least is a choice for being less, greater, equal or not, made after the rounding. Where the
// numbers have become equal, it does not matter which it is, if they are no zeros,
// which have signs.
func (r *rounder) least(n *Node) ID {
	cond := &r.from.Nodes[n.Args[2]]
	a, b := n.Args[0], n.Args[1]
	compared := cond.Args[0] == a && cond.Args[1] == b || cond.Args[0] == b && cond.Args[1] == a
	if !compared || !r.stays(a) || !r.stays(b) {
		return none
	}
	// Compared after the rounding: order is kept, but for what has become equal.
	x, y := r.near(cond.Args[0]), r.near(cond.Args[1])
	if x == none || y == none {
		return none
	}
	return r.to.pick(ir.Num32, r.to.op(cond.Op, ir.Bool, x, y), r.near(a), r.near(b))
}

// stays reports that a near value does not vanish: if it is not zero, it is not
// rounded to zero.
func (r *rounder) stays(id ID) bool {
	known, ok := r.staying[id]
	if !ok {
		known = r.findStays(id)
		r.staying[id] = known
	}
	return known
}

// findStays asks each operation how small its result can be. Of float32 the smallest is 2 to
// the power of -149, and half of it is rounded to zero.
func (r *rounder) findStays(id ID) bool {
	if r.exact(id) != none {
		return true
	}
	n := &r.from.Nodes[id]
	switch n.Op {
	case ir.Neg, ir.Abs, ir.Zero:
		return r.stays(n.Args[0])
	case ir.Pick:
		return r.stays(n.Args[0]) && r.stays(n.Args[1])
	case ir.Add, ir.Sub, ir.Sqrt: // a sum of float32 is a multiple of the smallest
		return r.near(id) != none
	case ir.Mul: // the smallest by more than a half is more than a half of it
		c, _, ok := r.scaled(n)
		return ok && math.Abs(c) > 0.5 && r.near(id) != none
	case ir.Div:
		c, ok := r.constant(n.Args[1])
		return ok && math.Abs(c) < 2 && r.near(id) != none
	}
	c, ok := r.constant(id)
	return ok && float32(c) != 0
}

// scaled returns the constant and the other operand of a product.
func (r *rounder) scaled(n *Node) (c float64, other int, ok bool) {
	for i := range 2 {
		if c, ok = r.constant(n.Args[i]); ok {
			return c, 1 - i, true
		}
	}
	return 0, 0, false
}

// constant returns the number that a node is, if it is a constant.
func (r *rounder) constant(id ID) (float64, bool) {
	n := &r.from.Nodes[id]
	if n.Leaf != Uniform || n.Source.Op != ir.Const || n.Type == ir.Bool {
		return 0, false
	}
	return n.Source.Value, true
}

// single is a float32 constant.
func (r *rounder) single(c float64) ID {
	return r.to.uniform(&ir.Expr{Op: ir.Const, Type: ir.Num32, Value: c})
}

// obstacle says why an operation rounds to something else in float32.
func (r *rounder) obstacle(id ID) string {
	n := &r.from.Nodes[id]
	why := "in float32 it would be rounded twice"
	for _, a := range n.Args {
		if a == none || r.from.Nodes[a].Type == ir.Bool || r.exact(a) != none {
			continue
		}
		operand := &r.from.Nodes[a]
		switch c, ok := r.constant(a); {
		case ok:
			why = fmt.Sprintf("%v is no float32", c)
		case operand.Leaf == Before:
			why = fmt.Sprintf("%s is no float32", r.f.Locals[r.f.Fields[operand.Field].Local].Name)
		}
	}
	if n.line > 0 {
		why = fmt.Sprintf("line %d: %s", n.line, why)
	}
	return why
}
