package lower

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file translates loops. The IR has one loop, without a condition, and a way out of
// it; all of Lua's loops are made of these by cycle. What a turn costs is in loop_cost.go,
// and loops over lists are in tables.go.

// maxTrips is how often the body of counted loops, one inside the other, may run for them
// to need no fuel: some microseconds. A kernel cannot be interrupted, and this is how much
// one row may take without being counted.
const maxTrips = 1000

// cycle writes a loop that break leaves. trips is how often its body runs, 0
// when nobody knows.
//
// Each turn that leads to another one takes fuel: least, which is what it takes the
// VM at the very least.
//
// The body gets the label of the block around the loop, by which leaveUnless leaves it;
// break in the text finds the same label in breaks. Inside of the body, loops is greater
// than 0, so nothing there is unconditional, see mistakes.go.
//
// trips is restored after the body, since it is the product of the loops around a place and
// not of those before it.
func (l *lowerer) cycle(trips int, least int, body func(exit int)) {
	exit, outer := l.label(), l.trips
	l.breaks = append(l.breaks, exit)
	l.trips = l.tripsInside(trips)
	l.loops++
	bounded := l.trips > 0
	inner := &ir.Stmt{Kind: ir.Loop}
	inner.Body = l.list(func() { body(exit) })
	if inner.Turns = trips; !bounded {
		inner.Cost, inner.Turns = least+int(l.copying(inner.Body)), 0
	}
	l.trips = outer
	l.loops--
	l.breaks = l.breaks[:len(l.breaks)-1]
	l.emit(&ir.Stmt{Kind: ir.Block, Label: exit, Body: []*ir.Stmt{inner}})
}

// tripsInside multiplies; 0 when that is more than what needs no fuel.
//
// A loop inside of one that takes fuel has 0 around it, and so takes fuel, too.
func (l *lowerer) tripsInside(trips int) int {
	if l.loops > 0 {
		trips *= l.trips
	}
	if trips > maxTrips {
		return 0
	}
	return trips
}

// leaveUnless writes: if not cond, leave.
func (l *lowerer) leaveUnless(cond *ir.Expr, exit int) {
	l.emit(&ir.Stmt{Kind: ir.If, Value: not(cond), Body: []*ir.Stmt{{Kind: ir.Leave, Label: exit}}})
}

// while is translated with its condition inside of the loop: what the condition has to do
// is done in each turn.
func (l *lowerer) while(s *syntax.While) {
	if isTrue, known := syntax.Truth(s.Condition); known && !isTrue {
		return
	}
	l.cycle(0, l.turn(s.Body, s.Condition), func(exit int) {
		l.leaveUnless(l.condition(s.Condition), exit)
		l.block(s.Body)
	})
}

// repeat: the condition sees the locals of the body.
//
// So the body is translated by stmts and not by block, and the condition after it in the
// same list. A label at the end of the body would be a block that ends before the
// condition.
func (l *lowerer) repeat(s *syntax.Repeat) {
	if n := len(s.Body); n > 0 && isLabel(s.Body[n-1]) {
		l.refuse(s.Body[n-1].Position(), "a label at the end of repeat")
		return
	}
	l.cycle(0, l.turn(s.Body, s.Condition), func(exit int) {
		l.stmts(s.Body)
		l.leaveUnless(not(l.condition(s.Condition)), exit)
	})
}

// counted is for i = a, b, c. As in Lua, the index starts one step early and the
// sum decides, roundings included; the variable is a copy.
//
// The bounds are evaluated once, before the first turn, and held: the body may assign the
// variables that they name. An assignment to the variable of the loop does not reach the
// index.
func (l *lowerer) counted(s *syntax.NumberFor) {
	exprs := []syntax.Expr{s.Init, s.Limit}
	if s.Step != nil {
		exprs = append(exprs, s.Step)
	}
	bounds := l.bounds(exprs)
	if l.err != nil {
		return
	}
	if s.Step == nil {
		bounds = append(bounds, ir.Constant(1))
	}
	trips := countTrips(bounds)
	limit, step := l.steady("limit", bounds[1]), l.steady("step", bounds[2])
	index := l.f.NewLocal(s.Name.Value+"~index", ir.Num)
	l.set(index, zero(binary(ir.Sub, bounds[0], step())))
	l.cycle(trips, l.turn(s.Body, nil), func(exit int) {
		l.set(index, zero(binary(ir.Add, l.get(index), step())))
		l.leaveUnless(goesOn(l.get(index), limit, step), exit)
		low, high := span(bounds)
		l.steps(s.Name, l.get(index), low, high)
		l.block(s.Body)
	})
}

// steps binds the variable of a loop, a copy of its index. It is a whole number
// from low to high; nothing is known of it when low is greater.
//
// The span lets passes prove that an index is inside of an array and that a field can hold
// the value. It holds for the local as long as nothing else assigns it, which the pass
// checks.
func (l *lowerer) steps(name *syntax.Name, index *ir.Expr, low, high float64) {
	v := l.f.NewLocal(name.Value, ir.Num)
	l.set(v, index)
	l.bindings[l.script.names.Variable(name)] = &binding{kind: isLocal, local: v, present: -1}
	if low <= high {
		l.f.Spans[v] = ir.Span{Low: low, High: high}
	}
}

// span is what the index of a loop over whole constants lies between: those that
// are counted without rounding. 1, 0 is nothing.
//
// A span that is not taken says nothing, so a loop with other bounds is only slower.
func span(bounds []*ir.Expr) (low, high float64) {
	const most = 1 << 24 // where a float32 counts, too
	for _, b := range bounds {
		if b.Op != ir.Const || b.Value != math.Trunc(b.Value) || math.Abs(b.Value) > most {
			return 1, 0
		}
	}
	low, high = bounds[0].Value, bounds[1].Value
	if bounds[2].Value < 0 {
		low, high = high, low
	}
	return low, high
}

// bounds translates the numbers of a loop. Each of them is held if one after it has
// something to do, as in any list of operands.
func (l *lowerer) bounds(exprs []syntax.Expr) []*ir.Expr {
	var bounds []*ir.Expr
	for _, v := range l.sequence(exprs, func(e syntax.Expr) []val { return one(l.number(e, "a loop from, to or by")) }) {
		bounds = append(bounds, v.expr)
	}
	return bounds
}

// steady keeps a value for several uses: each call of what it returns is one. A constant is
// copied, because passes see through one and not through a local that holds one.
func (l *lowerer) steady(name string, e *ir.Expr) func() *ir.Expr {
	if e.Op == ir.Const {
		return func() *ir.Expr { copied := *e; return &copied }
	}
	local := l.f.NewLocal(name, e.Type)
	l.set(local, e)
	return func() *ir.Expr { return l.get(local) }
}

// goesOn is (step > 0 and index <= limit) or (step <= 0 and index >= limit).
//
// With a step that is written out, which is nearly all loops, one comparison is left. A
// step of 0 counts as going down, as in the VM and such a loop is left to fuel, once it
// begins.
func goesOn(index *ir.Expr, limit, step func() *ir.Expr) *ir.Expr {
	if s := step(); s.Op == ir.Const {
		switch {
		case s.Value > 0:
			return binary(ir.Le, index, limit())
		case s.Value <= 0:
			return binary(ir.Le, limit(), index)
		}
		return ir.Truth(false) // not a number
	}
	again := *index
	up := binary(ir.And, binary(ir.Lt, ir.Constant(0), step()), binary(ir.Le, index, limit()))
	down := binary(ir.And, binary(ir.Le, step(), ir.Constant(0)), binary(ir.Le, limit(), &again))
	return binary(ir.Or, up, down)
}

// countTrips runs a loop over constants to see how often; 0 is too often or
// unknown. A loop that never runs counts as one that runs once.
//
// It adds up as the loop does, because roundings of a fraction decide about the last turn.
// O(maxTrips).
func countTrips(bounds []*ir.Expr) int {
	for _, b := range bounds {
		if b.Op != ir.Const {
			return 0
		}
	}
	limit, step := bounds[1].Value, bounds[2].Value
	n := 0
	for i := bounds[0].Value - step + step; step > 0 && i <= limit || step <= 0 && i >= limit; i += step {
		if n++; n > maxTrips {
			return 0
		}
	}
	return max(n, 1)
}
