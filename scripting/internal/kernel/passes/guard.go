package passes

import (
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file decides conditions by facts and intervals: those of branches, and those under
// which Lua refuses a change. It adds no arithmetic of its own; prove.go has that.

// guard decides conditions that the branches around them have decided already:
// a component that `if shield then` has found is there for all that stands in
// the branch, an index from a loop over constants is one of the array. And a change
// of the row's own entity to what its fields can hold is one that Lua makes, too.
// What remains is what a row can really stop at.
func guard(f *ir.Func) {
	g := &guarder{prover: newProver(f), decided: map[*ir.Stmt]truth{}}
	walk(g.look, g.at).body(f.Body, noFacts(g.single))
	f.Body = g.settle(f.Body)
}

// guarder is a prover that decides conditions. The decisions are made while the kernel is
// walked and carried out after it: what is known at a place refers to the tree as it was.
type guarder struct {
	prover
	decided map[*ir.Stmt]truth
}

// look notes how a branch goes that can go one way only. A condition that does
// something stays.
func (g *guarder) look(s *ir.Stmt, k *facts) {
	if s.Value != nil {
		g.facts = k
		s.Value.Walk(func(e *ir.Expr) { e.Sure = e.Op == ir.Do && g.accepted(e) })
	}
	if s.Kind != ir.If || matters(s.Value) { // it would have to be evaluated all the same
		return
	}
	if holds, known := g.at(s.Value, k); known {
		g.decided[s] = holds
	}
}

// at decides a condition at a place.
func (g *guarder) at(cond *ir.Expr, k *facts) (holds truth, known bool) {
	g.facts = k
	return g.decide(cond)
}

// settle puts what is left of a decided branch in its place.
func (g *guarder) settle(stmts []*ir.Stmt) []*ir.Stmt {
	var out []*ir.Stmt
	for _, s := range stmts {
		s.Body, s.Else = g.settle(s.Body), g.settle(s.Else)
		holds, known := g.decided[s]
		switch {
		case !known:
			out = append(out, s)
		case bool(holds):
			out = append(out, s.Body...)
		default:
			out = append(out, s.Else...)
		}
		if len(out) > 0 && out[len(out)-1].Leaves() {
			return out
		}
	}
	return out
}

// decide tells how a condition goes for every row that comes to it.
func (g *guarder) decide(cond *ir.Expr) (holds truth, known bool) {
	if key, _, plain := describe(cond); plain {
		if d, known := g.facts.truths[key]; known {
			return d.holds, true
		}
	}
	switch cond.Op {
	case ir.Const:
		return cond.Value != 0, true
	case ir.Do:
		return true, cond.Sure
	case ir.Not:
		holds, known = g.decide(cond.Args[0])
		return !holds, known
	case ir.And, ir.Or:
		return g.join(cond)
	case ir.Lt, ir.Le, ir.Eq, ir.Ne:
		if cond.Args[0].Type == ir.Num {
			return g.compare(cond)
		}
	case ir.Get:
		if e := g.facts.fixed[cond.Local]; e != nil {
			return g.decide(e)
		}
	}
	return false, false
}

// accepted reports whether Lua accepts a change whatever the row holds: it is about
// the row's own entity, and no field can get what it does not hold.
func (g *guarder) accepted(do *ir.Expr) bool {
	call := &g.f.HostCalls[do.HostCall]
	values := do.Args
	if call.AboutEntity() {
		if !g.f.IsOwn(values[0]) {
			return false
		}
		values = values[1:]
	}
	for i, kind := range call.Kinds() {
		if !g.holds(kind, values[i]) {
			return false
		}
	}
	return true
}

// holds reports whether a field of a kind can hold whatever a value may be. What bools and
// enums get needs no look: lower checks it where it is computed, by a Stop or a branch.
func (g *guarder) holds(kind schema.Kind, value *ir.Expr) bool {
	switch kind {
	case schema.F32, schema.F64, schema.Bool, schema.Enum:
		return true
	case schema.Ref:
		if g.f.IsOwn(value) {
			return true
		}
	}
	low, high := kind.Range()
	v := g.of(value, true)
	return v.whole && !v.nan && v.low >= low && v.high <= high
}

// join is and and or: one operand may be enough.
func (g *guarder) join(cond *ir.Expr) (holds truth, known bool) {
	enough := truth(cond.Op == ir.Or)
	a, first := g.decide(cond.Args[0])
	b, second := g.decide(cond.Args[1])
	switch {
	case first && a == enough, second && b == enough:
		return enough, true
	}
	return !enough, first && second
}

// compare decides a comparison by what its operands lie between. A whole number that is
// finite equals its floor; with not-a-number on either side nothing is decided, since it is
// in no order.
func (g *guarder) compare(cond *ir.Expr) (holds truth, known bool) {
	a, b := g.of(cond.Args[0], true), g.of(cond.Args[1], true)
	// lower writes floor(x) == x to ask for a whole number.
	if cond.Op == ir.Eq && isFloor(cond) && b.whole && !b.nan && finite(b) {
		return true, true
	}
	if a.nan || b.nan {
		return false, false
	}
	switch cond.Op {
	case ir.Lt:
		return truth(a.high < b.low), a.high < b.low || a.low >= b.high
	case ir.Le:
		return truth(a.high <= b.low), a.high <= b.low || a.low > b.high
	}
	// Eq and Ne: surely different, or surely one number.
	apart, one := a.high < b.low || b.high < a.low, a.low == a.high && b.low == b.high && a.low == b.low
	return truth(one == (cond.Op == ir.Eq)), apart || one
}

// isFloor recognises floor(x) == x, which holds for whole numbers.
func isFloor(cond *ir.Expr) bool {
	a, b := cond.Args[0], cond.Args[1]
	return a.Op == ir.Floor && b.Op == ir.Get && sameValue(b, a.Args[0])
}
