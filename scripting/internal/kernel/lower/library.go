package lower

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file translates the functions of math, and both generators of random numbers. A
// function is one of three: computed by instructions that give the same bits as Go's,
// called in the host, or put together of several operations here. Bits are the measure,
// because a kernel must leave what the VM would have left.

// hosted are the functions that a kernel calls in the host, with the number of their
// arguments. The host runs the very function of Go that the VM runs. deg and rad are here,
// too, for the same reason.
var hosted = map[string]int{
	"acos": 1, "asin": 1, "atan": 1, "atan2": 2, "cos": 1, "cosh": 1, "deg": 1, "exp": 1, "fmod": 2, "ldexp": 2,
	"log": 1, "log10": 1, "pow": 2, "rad": 1, "sin": 1, "sinh": 1, "tan": 1, "tanh": 1,
}

// parted are those with two results: a function of the host for each.
//
// A call of the host returns one number. So the function is called twice with an argument
// that is held in a local.
var parted = map[string][2]string{
	"modf": {"modf.whole", "modf.fraction"}, "frexp": {"frexp.fraction", "frexp.exponent"},
}

// computed are those that it computes itself. WebAssembly and Go both round these as IEEE
// 754 says, to the last bit.
var computed = map[string]ir.Op{"abs": ir.Abs, "ceil": ir.Ceil, "floor": ir.Floor, "sqrt": ir.Sqrt}

// arity returns how many arguments a function looks at; 0 for those that differ.
func arity(name string) int {
	if computed[name] != 0 || parted[name][0] != "" {
		return 1
	}
	return hosted[name]
}

// mathematics translates the call of a function of math.
//
// All arguments are translated, and must be numbers, even those that the function ignores:
// they may have something to do. Too few are an error in Lua, and refused here.
func (l *lowerer) mathematics(name string, e *syntax.Call) []val {
	args := l.numbers(e.Args, "a call with")
	if n := arity(name); n > 0 && len(args) > n {
		args = args[:n] // the others are ignored
	}
	switch {
	case l.err != nil:
		return []val{nothing()}
	case (name == "floor" || name == "ceil") && len(args) == 1 && maySignal(args[0]):
		return one(l.round(computed[name], args[0]))
	case computed[name] != 0 && len(args) == 1:
		return one(unary(computed[name], args[0]))
	case name == "pow" && len(args) == 2:
		return one(l.power(args[0], args[1]))
	case hosted[name] > 0 && len(args) == hosted[name]:
		return one(&ir.Expr{Op: ir.Call, Type: ir.Num, Name: name, Args: args})
	case parted[name][0] != "" && len(args) == 1:
		x := l.keep("parted", args[0])
		call := func(name string) val {
			return val{expr: &ir.Expr{Op: ir.Call, Type: ir.Num, Name: name, Args: []*ir.Expr{again(x)}}}
		}
		return []val{call(parted[name][0]), call(parted[name][1])}
	case (name == "max" || name == "min") && len(args) > 0:
		return one(l.extreme(name, args))
	case name == "random" && len(args) <= 2:
		return one(l.fraction(args))
	}
	l.refuse(e.Position(), "math.%s with %d arguments", name, len(args))
	return []val{nothing()}
}

// fraction is math.random: a fraction, or a whole number from a range, by way of
// the fraction.
//
// The steps are those of the VM, in its order: the fraction is drawn first, and the range
// is checked after that. A row with a range that the VM refuses is the VM's from its
// beginning, with the state of the generator as it was before.
func (l *lowerer) fraction(args []*ir.Expr) *ir.Expr {
	drawn := l.keep("random", &ir.Expr{Op: ir.Random, Type: ir.Num})
	if len(args) == 0 {
		return drawn
	}
	low, high := ir.Constant(1), args[0]
	if len(args) == 2 {
		low, high = l.floored(args[0]), args[1]
	}
	high = l.floored(high)
	length := l.keep("length", binary(ir.Sub, again(high), again(low)))
	finite := binary(ir.And, binary(ir.Le, ir.Constant(0), again(length)), binary(ir.Lt, again(length), ir.Constant(math.Inf(1))))
	l.demand(binary(ir.And, finite, binary(ir.Ne, again(high), ir.Constant(0))), "a range may be empty, or end with 0")
	steps := unary(ir.Floor, binary(ir.Mul, drawn, binary(ir.Add, again(length), ir.Constant(1))))
	return l.extreme("min", []*ir.Expr{binary(ir.Add, steps, low), high})
}

// A constant is floored here, so that the check of the range becomes one of constants.
func (l *lowerer) floored(e *ir.Expr) *ir.Expr {
	if e.Op == ir.Const {
		return ir.Constant(math.Floor(e.Value))
	}
	return l.keep("floor", unary(ir.Floor, e))
}

// draw is ecs.random.
//
// The world's generator takes whole numbers between -2^53 and 2^53 and no range longer than
// that: all of them are exact as float64, and the difference is, too. Rows with anything
// else are the VM's, which says what is wrong. Draw relies on these demands, see package
// wasm.
func (l *lowerer) draw(e *syntax.Call) *ir.Expr {
	const most = 1 << 53
	args := l.numbers(e.Args, "a call with")
	switch {
	case len(args) == 0:
		return l.keep("random", &ir.Expr{Op: ir.Random, Type: ir.Num})
	case len(args) > 2:
		l.refuse(e.Position(), "ecs.random with %d arguments", len(args))
	}
	if l.err != nil {
		return ir.Constant(0)
	}
	low, high := ir.Constant(1), l.keep("high", args[len(args)-1])
	if len(args) == 2 {
		low = l.keep("low", args[0])
		high = l.keep("high", high)
	}
	whole := func(e *ir.Expr) *ir.Expr { return binary(ir.Eq, unary(ir.Floor, again(e)), again(e)) }
	small := binary(ir.And, binary(ir.Le, ir.Constant(-most), again(low)), binary(ir.Lt, again(high), ir.Constant(most)))
	ordered := binary(ir.And, binary(ir.Le, again(low), again(high)),
		binary(ir.Lt, binary(ir.Sub, again(high), again(low)), ir.Constant(most)))
	l.demand(binary(ir.And, binary(ir.And, small, ordered), binary(ir.And, whole(low), whole(high))), "ecs.random may get no range of whole numbers")
	return l.keep("random", &ir.Expr{Op: ir.Draw, Type: ir.Num, Args: []*ir.Expr{again(low), again(high)}})
}

// one is the result of a function that gives one number.
func one(e *ir.Expr) []val { return []val{{expr: e}} }

// maySignal reports whether a value can be a signalling not-a-number: one that comes
// from memory as it is, or that a function of the host has given back as it got it.
// Arithmetic makes it a quiet one.
//
// It decides about a few instructions more for floor and ceil, and so returns true for all
// that it does not know.
func maySignal(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const, ir.DT, ir.Time, ir.Tick, ir.Random, ir.Draw,
		ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Sqrt, ir.Zero:
		return false
	case ir.Neg, ir.Abs, ir.Floor, ir.Ceil, ir.Tee:
		return maySignal(e.Args[0])
	case ir.Pick:
		return maySignal(e.Args[0]) || maySignal(e.Args[1])
	}
	return true
}

// round is math.floor or math.ceil of what may be a signalling not-a-number: Go
// gives it back as it is.
func (l *lowerer) round(op ir.Op, e *ir.Expr) *ir.Expr {
	first, second := l.twice(e)
	third, fourth := *second, *second
	rounded := pick(binary(ir.Eq, &third, &fourth), unary(op, first), second)
	rounded.Lazy = false // the condition reads what the first operand leaves
	return rounded
}

// extreme is math.max or math.min: the first argument, unless a later one is
// truly greater or less; not-a-number never is.
func (l *lowerer) extreme(name string, args []*ir.Expr) *ir.Expr {
	best := args[0]
	for _, next := range args[1:] {
		challenger, again := l.twice(next)
		champion, still := l.twice(best)
		better := binary(ir.Lt, still, again)
		if name == "min" {
			better = binary(ir.Lt, again, still)
		}
		best = pick(better, challenger, champion)
		best.Lazy = false // the condition reads what the other two leave
	}
	return best
}

// twice returns two uses of one value, of which the first runs first.
func (l *lowerer) twice(e *ir.Expr) (first, second *ir.Expr) {
	if e.Op == ir.Const || e.Op == ir.Get {
		copied := *e
		return e, &copied
	}
	held := l.f.NewLocal("held", e.Type)
	l.f.Locals[held].Brief = true
	return &ir.Expr{Op: ir.Tee, Type: e.Type, Args: []*ir.Expr{e}, Local: held}, l.get(held)
}

// power is a ^ b. The exponents that designers write most have a shorter way: package formula
// defines these powers as what stands here, for all numbers. Of not-a-number all powers but
// that of 0 are one not-a-number.
func (l *lowerer) power(a, b *ir.Expr) *ir.Expr {
	if b.Op == ir.Const {
		switch b.Value {
		case 2:
			base, held := l.twice(a)
			return l.ofNumber(held, binary(ir.Mul, base, again(held)))
		case -1:
			base, held := l.twice(a)
			return l.ofNumber(held, binary(ir.Div, ir.Constant(1), base))
		case 0.5:
			return l.root(a)
		}
	}
	return &ir.Expr{Op: ir.Call, Type: ir.Num, Name: "pow", Args: []*ir.Expr{a, b}}
}

// ofNumber is a power of x, or not-a-number where x is not-a-number.
func (l *lowerer) ofNumber(x, power *ir.Expr) *ir.Expr {
	e := pick(binary(ir.Eq, x, again(x)), power, ir.Constant(math.NaN()))
	e.Lazy = false // the condition reads what the power leaves
	return e
}

// root is a ^ 0.5, which differs from the square root for -0 and below it.
func (l *lowerer) root(a *ir.Expr) *ir.Expr {
	base, held := l.twice(a)
	below := pick(binary(ir.Eq, held, ir.Constant(math.Inf(-1))), ir.Constant(math.Inf(1)), ir.Constant(math.NaN()))
	root := pick(binary(ir.Le, ir.Constant(0), again(held)), zero(unary(ir.Sqrt, base)), below)
	root.Lazy = false // the condition reads what the root leaves
	return root
}
