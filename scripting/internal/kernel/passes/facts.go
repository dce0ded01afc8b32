package passes

import (
	"maps"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file keeps what the branches around a place say of conditions and locals. guard
// decides conditions by it, and prove narrows intervals; flow.go is how both go through a
// kernel.

// facts are what is known at one place of a kernel, from the branches that lead
// there: conditions that hold or do not, and what locals lie between.
//
// Invariant: a fact is about what its locals hold now. An assignment to one of
// them ends it.
//
// Each branch copies them, so there are at most mostKnown of each kind: beyond that, nothing
// more is learned. Without that bound a function of nothing but branches by which rows leave
// would take time by the square of their number.
type facts struct {
	truths map[string]decision // by the key of the condition, see keyOf
	spans  map[int]interval    // by local
	fixed  map[int]*ir.Expr    // locals that stand for a condition that never changes
}

// mostKnown is far more than what the branches around a place say in a function that people
// have written.
const mostKnown = 64

// decision is whether a condition holds, and the locals that it reads.
type decision struct {
	holds  truth
	locals []int
}

// truth is whether a condition holds.
type truth bool

// noFacts is what is known at the beginning. Of the single values of locals, those
// that no local is in never change: whether the rows have a component.
func noFacts(single map[int]*ir.Expr) *facts {
	k := &facts{truths: map[string]decision{}, spans: map[int]interval{}, fixed: map[int]*ir.Expr{}}
	for local, e := range single {
		if e.Type != ir.Bool {
			continue
		}
		if _, locals, plain := describe(e); plain && len(locals) == 0 {
			k.fixed[local] = e
		}
	}
	return k
}

// clone copies what may grow or shrink on one arm only. fixed is the same everywhere.
func (k *facts) clone() *facts {
	return &facts{maps.Clone(k.truths), maps.Clone(k.spans), k.fixed}
}

// forget ends what is known of a local.
func (k *facts) forget(local int) {
	delete(k.spans, local)
	maps.DeleteFunc(k.truths, func(_ string, d decision) bool { return slices.Contains(d.locals, local) })
}

// learn notes that a condition holds, or does not, and what follows from that.
func (k *facts) learn(cond *ir.Expr, holds truth) {
	switch {
	case cond.Op == ir.Not:
		k.learn(cond.Args[0], !holds)
		return
	case cond.Op == ir.And && bool(holds), cond.Op == ir.Or && !bool(holds):
		k.learn(cond.Args[0], holds)
		k.learn(cond.Args[1], holds)
		return
	}
	key, locals, plain := describe(cond)
	if !plain {
		return
	}
	if len(k.truths) < mostKnown {
		k.truths[key] = decision{holds, locals}
	}
	if k.narrow(cond, holds); cond.Op == ir.Get && k.fixed[cond.Local] != nil {
		k.learn(k.fixed[cond.Local], holds)
	}
}

// describe returns a text for a condition and the locals that it reads; false
// for one that does more than look at them.
func describe(cond *ir.Expr) (key string, locals []int, plain bool) {
	plain = true
	cond.Walk(func(e *ir.Expr) {
		switch {
		case e.Op == ir.Get:
			locals = append(locals, e.Local)
		case e.Op == ir.Tee || e.External():
			plain = false
		}
	})
	if plain {
		key = keyOf(cond, byNumber)
	}
	return key, locals, plain
}

// narrow notes what a comparison that holds, or does not, says of a local that is
// compared with a constant. Not-a-number is in no order, and equal to nothing: a
// local of which an order does not hold may be one.
func (k *facts) narrow(cond *ir.Expr, holds truth) {
	if len(cond.Args) != 2 || cond.Args[0].Type != ir.Num {
		return
	}
	a, b := cond.Args[0], cond.Args[1]
	// The constant may stand on either side; afterwards a is the local and b the constant.
	above := a.Op == ir.Const // the local is the greater one
	if above {
		a, b = b, a
	}
	if a.Op != ir.Get || b.Op != ir.Const || math.IsNaN(b.Value) {
		return
	}
	v := interval{low: math.Inf(-1), high: math.Inf(1), nan: !bool(holds)}
	switch {
	case cond.Op == ir.Eq && bool(holds), cond.Op == ir.Ne && !bool(holds):
		v = interval{low: b.Value, high: b.Value}
	case cond.Op != ir.Lt && cond.Op != ir.Le:
		return
	case above == bool(holds): // at least so much
		if v.low = b.Value; (cond.Op == ir.Lt) == bool(holds) {
			v.low = math.Nextafter(v.low, math.Inf(1))
		}
	default:
		if v.high = b.Value; (cond.Op == ir.Lt) == bool(holds) {
			v.high = math.Nextafter(v.high, math.Inf(-1))
		}
	}
	k.bound(a.Local, v)
}

// bound notes that a local lies between two numbers, besides what is known of it already.
func (k *facts) bound(local int, v interval) {
	old, known := k.spans[local]
	if !known {
		if len(k.spans) == mostKnown {
			return
		}
		old = everything()
	}
	k.spans[local] = interval{low: max(old.low, v.low), high: min(old.high, v.high), nan: old.nan && v.nan}
}

// meet keeps what both know: of an interval, the least that has both in it.
func (k *facts) meet(other *facts) {
	maps.DeleteFunc(k.truths, func(key string, d decision) bool {
		there, known := other.truths[key]
		return !known || there.holds != d.holds
	})
	for local, v := range k.spans {
		w, known := other.spans[local]
		if !known {
			delete(k.spans, local)
			continue
		}
		k.spans[local] = interval{low: min(v.low, w.low), high: max(v.high, w.high), nan: v.nan || w.nan}
	}
}

// walk returns what goes through a kernel with facts. visit sees each statement and what
// leads there; decide finds out about conditions that locals stand for.
func walk(visit func(s *ir.Stmt, k *facts), decide func(cond *ir.Expr, k *facts) (holds truth, known bool)) *flow[facts, *facts] {
	return &flow[facts, *facts]{
		at: func(s *ir.Stmt, k *facts) {
			// The value is evaluated before the assignment, and its Tees before both arms: what
			// is known of their locals ends first, even if an operand still reads the old value.
			k.taken(s)
			if visit(s, k); s.Kind == ir.Set {
				k.forget(s.Local)
				k.copied(s, decide)
			}
		},
		arm: func(s *ir.Stmt, taken bool, k *facts) {
			k.learn(s.Value, truth(taken))
			k.taken(s)
		},
	}
}

// taken ends what is known of locals that a statement's value assigns.
func (k *facts) taken(s *ir.Stmt) {
	if s.Value == nil {
		return
	}
	s.Value.Walk(func(e *ir.Expr) {
		if e.Op == ir.Tee {
			k.forget(e.Local)
		}
	})
}

// copied notes what is known of the value of an assignment: a boolean local stands
// for a condition that may be decided, a number may be another's, or a constant.
func (k *facts) copied(s *ir.Stmt, decide func(cond *ir.Expr, k *facts) (holds truth, known bool)) {
	e := s.Value
	if e.Type == ir.Bool {
		if holds, known := decide(e, k); known {
			k.learn(&ir.Expr{Op: ir.Get, Type: ir.Bool, Local: s.Local}, holds)
		}
		return
	}
	switch {
	case e.Op == ir.Const && !math.IsNaN(e.Value):
		k.bound(s.Local, interval{low: e.Value, high: e.Value})
	case e.Op == ir.Get && e.Local != s.Local:
		if v, known := k.spans[e.Local]; known {
			k.bound(s.Local, v)
		}
	}
}
