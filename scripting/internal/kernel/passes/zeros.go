package passes

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file takes out Zeros by what holds for a local everywhere; follow.go goes on with what
// holds at a place. Both answer two questions: can a value be -0 (minus), and can anybody see
// whether it is (shows)?

// zeros takes out the Zeros that nobody can see: where the value is never -0, or
// where what is done with it does not depend on the sign of a zero.
//
// It does that in two steps, because what the first one knows of a local may hold
// only thanks to a Zero that the second one would take out. So the second one relies
// on nothing that does.
func zeros(f *ir.Func) {
	// First what is never -0, Zeros counted; then, with nothing that relies on them, what
	// nobody sees.
	z := signs{f: f}
	z.findNever()
	z.sweep()
	z = signs{f: f, bare: true}
	z.findNever()
	z.findHidden()
	z.sweep()
	follow(f)
}

// signs is what is known of the signs of zeros.
type signs struct {
	f      *ir.Func
	bare   bool         // a Zero is no reason for anything
	never  map[int]bool // locals that are never -0; sums that grow in a loop are such
	hidden map[int]bool // locals of which nobody sees whether they are -0 or 0
}

// own returns the locals that nobody outside of the kernel sees.
func (z *signs) own() map[int]bool {
	set := map[int]bool{}
	for local := range z.f.Locals {
		set[local] = z.f.FieldOf(local) == nil && z.f.InputOf(local) == nil
	}
	return set
}

// findNever finds the locals that no assignment makes -0, as long as no other of them
// is.
func (z *signs) findNever() {
	z.never = z.own()
	for again := true; again; {
		again = false
		ir.Assignments(z.f.Body, func(local int, e *ir.Expr) {
			if z.never[local] && z.minus(e) {
				z.never[local], again = false, true
			}
		})
	}
}

// findHidden finds the locals that are read only where the sign of a zero cannot be
// seen.
func (z *signs) findHidden() {
	z.hidden = z.own()
	for again := true; again; {
		again = false
		z.each(func(e *ir.Expr, visible bool) {
			if e.Op == ir.Get && visible && z.hidden[e.Local] {
				z.hidden[e.Local], again = false, true
			}
		})
	}
}

// sweep takes out the Zeros of which nobody can see whether they are there. What is inside
// of one may be another.
func (z *signs) sweep() {
	z.each(func(e *ir.Expr, visible bool) {
		for e.Op == ir.Zero && (!visible || !z.minus(e.Args[0])) {
			*e = *e.Args[0]
		}
	})
}

// each calls visit for all expressions, outer before inner, with whether the sign of a
// zero that comes out of them can be seen.
func (z *signs) each(visit func(e *ir.Expr, visible bool)) {
	ir.Walk(z.f.Body, func(s *ir.Stmt) {
		if s.Value != nil {
			z.tree(s.Value, s.Kind != ir.Set || !z.hidden[s.Local], visit)
		}
	})
}

// tree is each for one tree: whether a sign shows is known from outside in.
func (z *signs) tree(e *ir.Expr, visible bool, visit func(e *ir.Expr, visible bool)) {
	visit(e, visible)
	for i, a := range e.Args {
		z.tree(a, z.shows(e, i, visible), visit)
	}
}

// shows reports whether the sign of a zero that is an operand can be seen. visible
// says that of the operation.
func (z *signs) shows(e *ir.Expr, i int, visible bool) bool {
	switch e.Op {
	case ir.Zero, ir.Abs, ir.Lt, ir.Le, ir.Eq, ir.Ne:
		return false
	case ir.Call, ir.Do, ir.Ask:
		return true
	case ir.Invoke:
		return true
	case ir.Tee:
		return visible || !z.hidden[e.Local]
	case ir.Div:
		return visible || i == 1 // by -0 is something else than by 0
	case ir.Add: // to what is not -0, 0 and -0 add nothing
		return visible && !(z.bare && !z.minus(e.Args[1-i]))
	case ir.Sub:
		return visible && !(z.bare && i == 1 && !z.minus(e.Args[0]))
	}
	return visible
}

// minus reports whether a value can be -0. A sum is -0 only if both of its operands
// are, a difference only if the first is.
func (z *signs) minus(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const:
		return e.Value == 0 && math.Signbit(e.Value)
	case ir.Zero:
		return z.bare && z.minus(e.Args[0])
	case ir.Abs, ir.Mod:
		return false
	case ir.Get:
		return !z.never[e.Local]
	case ir.Add:
		return z.minus(e.Args[0]) && z.minus(e.Args[1])
	case ir.Sub:
		return z.minus(e.Args[0])
	case ir.Mul: // a square has no sign
		return hasTee(e) || keyOf(e.Args[0], byNumber) != keyOf(e.Args[1], byNumber)
	case ir.Pick:
		return z.minus(e.Args[0]) || z.minus(e.Args[1])
	}
	return true
}
