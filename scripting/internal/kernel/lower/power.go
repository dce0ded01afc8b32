package lower

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// power is a ^ b: a call of the host, but for the two exponents that designers
// write most, where there is a way that gives the same bits.
func (l *lowerer) power(a, b *ir.Expr) *ir.Expr {
	call := func(a *ir.Expr) *ir.Expr {
		return &ir.Expr{Op: ir.Call, Type: ir.Num, Name: "pow", Args: []*ir.Expr{a, b}}
	}
	switch {
	case b.Op == ir.Const && b.Value == 2:
		return l.square(a, call)
	case b.Op == ir.Const && b.Value == 0.5:
		// Go takes the root of what is not negative; -0 is Zero's to deal with.
		base, again := l.twice(a)
		third := *again
		return pick(binary(ir.Le, ir.Constant(0), base), unary(ir.Sqrt, again), call(&third))
	}
	return call(a)
}

// square multiplies where the product is an ordinary number: Go multiplies the
// same digits then. Near the ends of the range it scales first and rounds
// differently.
func (l *lowerer) square(a *ir.Expr, call func(*ir.Expr) *ir.Expr) *ir.Expr {
	const smallest = 1e-300
	base, again := l.twice(a)
	third, fourth := *again, *again
	product, result := l.twice(binary(ir.Mul, base, again))
	compared := *result
	ordinary := binary(ir.And,
		binary(ir.Lt, ir.Constant(smallest), product), binary(ir.Lt, &compared, ir.Constant(math.Inf(1))))
	simple := binary(ir.Or, ordinary, binary(ir.Eq, &third, ir.Constant(0)))
	return pick(simple, result, call(&fourth))
}
