package kerneltest

import (
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file draws expressions of each type. They end by depth: an operand has one less than
// its operation, and at 0 there are only locals and constants.

// expr draws an expression of a type.
func (d *Draw) expr(t ir.Type, depth int) *ir.Expr {
	switch t {
	case ir.Bool:
		return d.truth(depth)
	case ir.Num32:
		return d.single(depth)
	case ir.Handle:
		return d.handle(depth)
	}
	return d.number(depth)
}

// any reads a local of a type; nil if none has a value.
func (d *Draw) any(t ir.Type) *ir.Expr {
	list := d.have[t]
	if len(list) == 0 {
		return nil
	}
	return d.get(list[d.r.IntN(len(list))])
}

// op makes an operation, whose type follows from its operands.
func (d *Draw) op(op ir.Op, args ...*ir.Expr) *ir.Expr {
	e := &ir.Expr{Op: op, Type: op.Gives(), Args: args}
	if e.Type == 0 || e.Type == ir.Num && op.Arithmetic() {
		if len(args) > 0 {
			e.Type = args[0].Type
		}
	}
	return e
}

// number draws a Num, now and then one that was drawn before: its locals may have other
// values by then. Below depth 0 it is one that is the same for all rows.
func (d *Draw) number(depth int) *ir.Expr {
	if n := len(d.drawn); n > 0 && depth > 0 && d.chance(5) {
		if e := d.drawn[max(0, n-1-d.r.IntN(6))]; d.readable(e) {
			return copied(e)
		}
	}
	e := d.fresh(depth)
	if depth > 0 && len(e.Args) > 0 && d.readable(e) {
		d.drawn = append(d.drawn, e)
	}
	return e
}

// readable reports whether all locals of an expression have values here, and that it sets no local.
func (d *Draw) readable(e *ir.Expr) bool {
	ok := true
	e.Walk(func(e *ir.Expr) {
		ok = ok && !e.Assigns() && (e.Op != ir.Get || slices.Contains(d.have[e.Type], e.Local))
	})
	return ok
}

// copied copies a tree: nodes belong to one place each.
func copied(e *ir.Expr) *ir.Expr {
	c := *e
	c.Args = nil
	for _, a := range e.Args {
		c.Args = append(c.Args, copied(a))
	}
	return &c
}

// fresh draws a Num. Results of arithmetic get a Zero, as lower writes it; without it a
// kernel would have a -0 that no script can have, and zeros would be judged by it.
func (d *Draw) fresh(depth int) *ir.Expr {
	if depth < 0 {
		return ir.Constant(float64(d.r.IntN(9)) / 2)
	}
	if e := d.any(ir.Num); e != nil && (depth == 0 || d.chance(3)) {
		return e
	}
	if depth == 0 || d.chance(5) {
		if d.chance(5) {
			return d.op([]ir.Op{ir.DT, ir.Time, ir.Tick}[d.r.IntN(3)])
		}
		return ir.Constant(math.Abs(someNumber(d.r)))
	}
	zero := func(e *ir.Expr) *ir.Expr { return d.op(ir.Zero, e) }
	switch d.r.IntN(14) {
	case 0, 1, 2, 3:
		op := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod}[d.r.IntN(5)]
		return zero(d.op(op, d.number(depth-1), d.number(depth-1)))
	case 4:
		return zero(d.op(ir.Neg, d.number(depth-1)))
	case 5, 6:
		return zero(d.op([]ir.Op{ir.Abs, ir.Ceil, ir.Floor, ir.Sqrt}[d.r.IntN(4)], d.number(depth-1)))
	case 7:
		return d.mathematics(depth)
	case 8, 9:
		return d.pick(d.number(depth-1), d.number(depth-1), depth)
	case 10: // a value that is used twice
		held := d.f.NewLocal("held", ir.Num)
		d.f.Locals[held].Brief = true
		tee := d.op(ir.Tee, d.number(depth-1))
		tee.Local = held
		return zero(d.op([]ir.Op{ir.Mul, ir.Add}[d.r.IntN(2)], tee, d.get(held)))
	case 11:
		if len(d.f.Lists) > 0 {
			return d.op(ir.Item, d.number(depth-1))
		}
	case 12:
		if e := d.any(ir.Num32); e != nil {
			return d.op(ir.Widen, d.single(depth-1))
		}
	case 13:
		if e := d.any(ir.Handle); e != nil {
			return d.op(ir.Number, d.handle(depth-1))
		}
	}
	return d.number(depth - 1)
}

// functions are those of Lua's library that kernels call, with one argument or two. deg is not
// described by a formula.
var functions = [...][]string{
	{"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "deg"},
	{"atan2", "pow", "fmod", "ldexp"},
}

// mathematics draws a call of the library, or two of the same angle.
func (d *Draw) mathematics(depth int) *ir.Expr {
	if d.chance(5) {
		return d.angle(depth)
	}
	e := d.op(ir.Call, d.number(depth-1))
	if d.chance(3) {
		e.Args = append(e.Args, d.number(depth-1))
	}
	names := functions[len(e.Args)-1]
	e.Name = names[d.r.IntN(len(names))]
	return e
}

// angle draws the sine and the cosine of an angle, in either order: what a pass may make one
// operation of, or, if typed, that operation.
func (d *Draw) angle(depth int) *ir.Expr {
	names, x := [2]string{ir.Sine, ir.Cosine}, d.number(depth-1)
	if d.chance(2) {
		names[0], names[1] = names[1], names[0]
	}
	sum := func(a, b *ir.Expr) *ir.Expr { return d.op(ir.Zero, d.op(ir.Add, a, b)) }
	if !d.typed {
		a := d.op(ir.Call, x)
		a.Name = names[0]
		if !d.readable(x) {
			return a
		}
		b := d.op(ir.Call, copied(x))
		b.Name = names[1]
		return sum(a, b)
	}
	both := d.op(ir.Sincos, x)
	both.Name, both.Local, both.Cosine = names[0], d.f.NewLocal("sine", ir.Num), d.f.NewLocal("cosine", ir.Num)
	d.f.Locals[both.Local].Brief, d.f.Locals[both.Cosine].Brief = true, true
	return sum(both, d.get(map[string]int{ir.Sine: both.Local, ir.Cosine: both.Cosine}[names[1]]))
}

// pick chooses between two values, lazily now and then.
func (d *Draw) pick(a, b *ir.Expr, depth int) *ir.Expr {
	e := d.op(ir.Pick, a, b, d.truth(depth-1))
	e.Lazy = d.chance(2)
	return e
}

// single draws a Num32.
func (d *Draw) single(depth int) *ir.Expr {
	if e := d.any(ir.Num32); e != nil && (depth <= 0 || d.chance(3)) {
		return e
	}
	if depth <= 0 || d.chance(4) {
		return d.op(ir.Narrow, d.number(max(depth-1, 0)))
	}
	switch d.r.IntN(5) {
	case 0:
		return d.op([]ir.Op{ir.Neg, ir.Abs, ir.Ceil, ir.Floor, ir.Sqrt, ir.Zero}[d.r.IntN(6)], d.single(depth-1))
	case 1:
		return d.pick(d.single(depth-1), d.single(depth-1), depth)
	}
	return d.op([]ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Div}[d.r.IntN(4)], d.single(depth-1), d.single(depth-1))
}

// handle draws a Handle. There is no way to one but a field, a load and 0.
func (d *Draw) handle(depth int) *ir.Expr {
	e := d.any(ir.Handle)
	switch {
	case e == nil || d.chance(8):
		return ir.Nobody()
	case depth > 0 && d.chance(4):
		return d.pick(d.handle(depth-1), d.handle(depth-1), depth)
	}
	return e
}

// truth draws a Bool. Comparisons are the most frequent, since branches, vectors and jumps
// all begin with one.
func (d *Draw) truth(depth int) *ir.Expr {
	if e := d.any(ir.Bool); e != nil && (depth <= 0 || d.chance(4)) {
		return e
	}
	if depth <= 0 {
		return d.op(ir.Lt, d.number(0), d.number(0))
	}
	switch d.r.IntN(10) {
	case 0, 1:
		e := d.op([]ir.Op{ir.And, ir.Or}[d.r.IntN(2)], d.truth(depth-1), d.truth(depth-1))
		e.Lazy = d.chance(2)
		return e
	case 2:
		return d.op(ir.Not, d.truth(depth-1))
	case 3:
		e := d.op(ir.Present)
		e.Column = 1
		return e
	case 4:
		if d.any(ir.Handle) != nil {
			return d.op([]ir.Op{ir.Eq, ir.Ne}[d.r.IntN(2)], d.handle(depth-1), d.handle(depth-1))
		}
	case 5:
		if d.any(ir.Num32) != nil {
			return d.op([]ir.Op{ir.Lt, ir.Le, ir.Eq, ir.Ne}[d.r.IntN(4)], d.single(depth-1), d.single(depth-1))
		}
	case 6:
		return d.pick(d.truth(depth-1), d.truth(depth-1), depth)
	case 7:
		return d.op([]ir.Op{ir.Eq, ir.Ne}[d.r.IntN(2)], d.truth(depth-1), d.truth(depth-1))
	}
	return d.op([]ir.Op{ir.Lt, ir.Le, ir.Eq, ir.Ne}[d.r.IntN(4)], d.number(depth-1), d.number(depth-1))
}
