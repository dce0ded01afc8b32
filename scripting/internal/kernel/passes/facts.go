package passes

import (
	"maps"
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// facts are what is known at one place of a kernel, from the branches that lead
// there: conditions that hold or do not, and what locals lie between.
//
// Invariant: a fact is about what its locals hold now. An assignment to one of
// them ends it.
type facts struct {
	truths map[string]truth // by the text of the condition
	spans  map[int]interval // by local
	about  map[string][]int // locals that a condition reads
	fixed  map[int]*ir.Expr // locals that stand for a condition that never changes
}

// truth is whether a condition holds.
type truth bool

// noFacts is what is known at the beginning. Of the single values of locals, those
// that no local is in never change: whether the rows have a component.
func noFacts(single map[int]*ir.Expr) *facts {
	k := &facts{truths: map[string]truth{}, spans: map[int]interval{}, about: map[string][]int{}, fixed: map[int]*ir.Expr{}}
	for local, e := range single {
		if _, locals, plain := describe(e); plain && len(locals) == 0 && e.Type == ir.Bool {
			k.fixed[local] = e
		}
	}
	return k
}

func (k *facts) clone() *facts {
	return &facts{maps.Clone(k.truths), maps.Clone(k.spans), maps.Clone(k.about), k.fixed}
}

// forget ends what is known of a local.
func (k *facts) forget(local int) {
	delete(k.spans, local)
	for key, locals := range k.about {
		for _, l := range locals {
			if l == local {
				delete(k.truths, key)
				delete(k.about, key)
				break
			}
		}
	}
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
	k.truths[key], k.about[key] = holds, locals
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
		case e.Op == ir.Tee || e.Outside():
			plain = false
		}
	})
	return keyOf(cond, strconv.Itoa), locals, plain
}

// narrow notes what a comparison that holds, or does not, says of a local that is
// compared with a constant. Not-a-number is in no order, and equal to nothing: a
// local of which an order does not hold may be one.
func (k *facts) narrow(cond *ir.Expr, holds truth) {
	if len(cond.Args) != 2 || cond.Args[0].Type != ir.Num {
		return
	}
	a, b := cond.Args[0], cond.Args[1]
	above := a.Op == ir.Const && b.Op == ir.Get // the local is the greater one
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

// bound notes that a local lies between two numbers.
func (k *facts) bound(local int, v interval) {
	old, known := k.spans[local]
	if !known {
		old = everything()
	}
	k.spans[local] = interval{low: max(old.low, v.low), high: min(old.high, v.high), nan: old.nan && v.nan}
}

// meet keeps what both know; nil is a place where control never comes.
func meet(a, b *facts) *facts {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	for key, holds := range a.truths {
		if other, known := b.truths[key]; !known || other != holds {
			delete(a.truths, key)
			delete(a.about, key)
		}
	}
	for local, v := range a.spans {
		w, known := b.spans[local]
		if !known {
			delete(a.spans, local)
			continue
		}
		a.spans[local] = interval{low: min(v.low, w.low), high: max(v.high, w.high), nan: v.nan || w.nan}
	}
	return a
}

// walker goes through a kernel and knows at each statement what leads there.
type walker struct {
	visit  func(s *ir.Stmt, k *facts)
	decide func(cond *ir.Expr, k *facts) (holds truth, known bool)
	exits  map[int]*facts // by label: what all Leaves know
}

// body returns what is known behind a list, nil when control never comes there.
func (w *walker) body(stmts []*ir.Stmt, k *facts) *facts {
	for _, s := range stmts {
		if k == nil {
			return nil
		}
		k = w.stmt(s, k)
	}
	return k
}

func (w *walker) stmt(s *ir.Stmt, k *facts) *facts {
	k.taken(s) // what an operand is after this is not what it was before
	w.visit(s, k)
	switch s.Kind {
	case ir.Set:
		k.forget(s.Local)
		w.copied(s, k)
	case ir.If:
		then, otherwise := k, k.clone()
		then.learn(s.Value, true)
		otherwise.learn(s.Value, false)
		then.taken(s)
		otherwise.taken(s)
		return meet(w.body(s.Body, then), w.body(s.Else, otherwise))
	case ir.Block:
		delete(w.exits, s.Label)
		end := w.body(s.Body, k)
		return meet(end, w.exits[s.Label])
	case ir.Loop:
		for local := range ir.Assigned(s.Body) {
			k.forget(local) // the second turn begins with what the first leaves
		}
		w.body(s.Body, k)
		return nil
	case ir.Leave:
		w.exits[s.Label] = meet(w.exits[s.Label], k)
		return nil
	case ir.Stop:
		return nil
	}
	return k
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
func (w *walker) copied(s *ir.Stmt, k *facts) {
	e := s.Value
	if e.Type == ir.Bool {
		if holds, known := w.decide(e, k); known {
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
