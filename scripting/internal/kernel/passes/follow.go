package passes

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file takes out Zeros by what locals hold at a place. zeros.go, which it goes on from,
// knows only what holds for a local everywhere, and so nothing of fields.

// follow takes out more Zeros by what locals hold at a place, fields among them. It
// walks the kernel in the order in which it runs, and what it knows of a local is
// about the value without the Zeros that it has taken out.
func follow(f *ir.Func) {
	z := &sweeper{signs: signs{f: f}, teed: map[int]bool{}}
	ir.Exprs(f.Body, func(e *ir.Expr) {
		if e.Op == ir.Tee {
			z.teed[e.Local] = true
		}
	})
	// Inputs and floats may be -0 when a row begins: a host, or another kernel, has made them.
	begin := &clean{}
	for i := range f.Fields {
		if f := &f.Fields[i]; f.Kind != schema.F64 && f.Kind != schema.F32 {
			z.assign(f.Local, true, begin)
		}
	}
	w := flow[clean, *clean]{at: z.look}
	w.body(f.Body, begin)
}

// clean are the locals that surely do not hold -0 at a place. Integer fields are among them
// when the row begins: no integer is -0.
type clean struct{ ir.LocalSet }

// clone, forget and meet make clean a state of flow.
func (c *clean) clone() *clean     { return &clean{c.Clone()} }
func (c *clean) forget(local int)  { c.Remove(local) }
func (c *clean) meet(other *clean) { c.Keep(other.LocalSet) }

// sweeper takes out Zeros.
type sweeper struct {
	signs
	teed map[int]bool // locals that are assigned inside of expressions: nothing is known of them
}

// look takes the Zeros out of a statement, and notes what its local holds after it. The value
// is judged as it is then, without the Zeros that are gone.
func (z *sweeper) look(s *ir.Stmt, now *clean) {
	if s.Value != nil {
		z.strip(s.Value, true, now)
	}
	if s.Kind == ir.Set {
		z.assign(s.Local, !mayBeMinusZero(s.Value, now), now)
	}
}

// assign notes whether a local holds no -0 from here on.
func (z *sweeper) assign(local int, never bool, now *clean) {
	if never && !z.teed[local] {
		now.Add(local)
	} else {
		now.forget(local)
	}
}

// strip works on a tree. visible says that the sign of a zero that comes out of it
// can be seen. In a sum it cannot where the other operand is never -0, and in a
// difference, of the second operand, where the first is not.
func (z *sweeper) strip(e *ir.Expr, visible bool, now *clean) {
	for e.Op == ir.Zero && (!visible || !mayBeMinusZero(e.Args[0], now)) {
		*e = *e.Args[0]
	}
	for i, a := range e.Args {
		seen := z.shows(e, i, visible)
		if e.Op == ir.Add || e.Op == ir.Sub && i == 1 {
			seen = seen && mayBeMinusZero(e.Args[1-i], now)
		}
		z.strip(a, seen, now)
	}
}

// mayBeMinusZero reports whether a value can be -0. A sum is -0 only if both of
// its operands are, a difference only if the first is. The time since the last
// tick never is.
func mayBeMinusZero(e *ir.Expr, now *clean) bool {
	switch e.Op {
	case ir.Get:
		return !now.Has(e.Local)
	case ir.Zero:
		return false
	case ir.Add:
		return mayBeMinusZero(e.Args[0], now) && mayBeMinusZero(e.Args[1], now)
	case ir.Sub:
		return mayBeMinusZero(e.Args[0], now)
	case ir.Mul: // a square has no sign
		square := !hasTee(e) && keyOf(e.Args[0], byNumber) == keyOf(e.Args[1], byNumber)
		return !square && mayBeNegative(e)
	case ir.Pick:
		return mayBeMinusZero(e.Args[0], now) || mayBeMinusZero(e.Args[1], now)
	}
	return mayBeNegative(e)
}

// mayBeNegative reports whether a value can have the sign of a negative one, -0
// included; what not-a-number has does not matter. It is asked where a product or a quotient
// could be -0, for which one operand must have that sign.
func mayBeNegative(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const:
		return math.Signbit(e.Value)
	case ir.DT, ir.Tick, ir.Abs:
		return false
	case ir.Zero, ir.Sqrt:
		return mayBeNegative(e.Args[0])
	case ir.Add, ir.Mul, ir.Div:
		return mayBeNegative(e.Args[0]) || mayBeNegative(e.Args[1])
	}
	return true
}
