package passes

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file bounds numbers by intervals, and proves with them that a field always gets what
// its kind holds. guard.go decides conditions by the same intervals; facts.go has what the
// branches around a place say.

// prove finds integer fields that need no check. A field's kind bounds what is
// loaded; if every assignment, under the assumption that all fields of its kind
// keep their bounds, gives a whole number inside them, the assumption holds.
//
// That is sound by induction over the assignments in the order in which they run: the first
// that broke a bound would have been computed from values within theirs. Fields are doubted
// until no more fall, and each round walks the body. Fields that fall one after the other, as
// each gets what the next one holds, would make many rounds: then no bound is trusted.
func prove(f *ir.Func) {
	const mostRounds = 20
	p := newProver(f)
	for i := range f.Fields {
		field := &f.Fields[i]
		if low, high := field.Range(); field.Store && low < high {
			field.Proven = true
		}
	}
	for round := 1; p.doubt(); round++ {
		if round == mostRounds {
			for i := range f.Fields {
				f.Fields[i].Proven = f.Fields[i].Proven && f.Fields[i].AsHandle
			}
			return
		}
	}
}

// prover trusts the fields that are Proven, so far.
type prover struct {
	f      *ir.Func
	single map[int]*ir.Expr // by local: the only value that it ever gets
	bounds map[int]interval // by such a local: of that value; as long as the same fields are trusted
	facts  *facts           // of the place at hand
}

func newProver(f *ir.Func) prover {
	p := prover{f: f, single: map[int]*ir.Expr{}, bounds: map[int]interval{}}
	p.findSingles()
	return p
}

// interval is what is known of a number: what it lies between unless it is
// not-a-number, which it may be with nan. whole says that it is an integer.
type interval struct {
	low, high float64
	whole     bool
	nan       bool
}

// everything is what is known of a number of which nothing is known.
func everything() interval {
	return interval{low: math.Inf(-1), high: math.Inf(1), nan: true}
}

// findSingles finds the locals that are no fields and are assigned once. To read one is to
// compute its value, wherever that is: an interval of it can be had through the local.
func (p *prover) findSingles() {
	times := map[int]int{}
	ir.Assignments(p.f.Body, func(local int, e *ir.Expr) {
		times[local]++
		p.single[local] = e
	})
	for local, n := range times {
		if n > 1 || p.f.FieldOf(local) != nil || p.f.InputOf(local) != nil {
			delete(p.single, local)
		}
	}
}

// doubt takes the trust from fields that an assignment may break; true when
// that has changed what others rely on.
func (p *prover) doubt() (changed bool) {
	clear(p.bounds)
	w := walk(func(s *ir.Stmt, k *facts) {
		if s.Kind != ir.Set {
			return
		}
		field := p.f.FieldOf(s.Local)
		if field == nil || !field.Proven || field.AsHandle { // of entities, see handles
			return
		}
		p.facts = k
		low, high := field.Range()
		if v := p.of(s.Value, true); v.nan || !v.whole || v.low < low || v.high > high {
			field.Proven, changed = false, true
		}
	}, undecided)
	w.body(p.f.Body, noFacts(p.single))
	return changed
}

// undecided is for those who bound numbers only.
func undecided(*ir.Expr, *facts) (truth, bool) { return false, false }

// of bounds the value of an expression. here says that it is evaluated at the place at hand,
// so that the facts of the place hold for the locals that it reads.
func (p *prover) of(e *ir.Expr, here bool) interval {
	switch e.Op {
	case ir.Const:
		if math.IsNaN(e.Value) { // which the script has captured: no bound may be one
			return everything()
		}
		return interval{e.Value, e.Value, e.Value == math.Trunc(e.Value), false}
	case ir.Get:
		return p.local(e.Local, here)
	case ir.Tee, ir.Zero:
		return p.of(e.Args[0], here)
	case ir.Floor, ir.Ceil: // of bounds that are whole afterwards; of infinities, themselves
		v := p.of(e.Args[0], here)
		return interval{math.Floor(v.low), math.Ceil(v.high), true, v.nan}
	case ir.Add, ir.Sub, ir.Mul:
		return exact(e, p.of(e.Args[0], here), p.of(e.Args[1], here))
	case ir.Mod:
		return rest(p.of(e.Args[0], here), p.of(e.Args[1], here))
	case ir.Widen:
		return p.of(e.Args[0], here)
	case ir.Narrow:
		return within(p.of(e.Args[0], here), mostOf(ir.Num32))
	case ir.Pick:
		return p.pick(e, here)
	}
	return everything()
}

// local bounds what a local holds. What is known at the place at hand holds for
// the locals that it names, not for those that these were computed from: they may
// have changed since.
func (p *prover) local(local int, here bool) interval {
	v := p.anywhere(local)
	if here && p.facts != nil {
		if known, ok := p.facts.spans[local]; ok {
			return v.narrowed(known)
		}
	}
	return v
}

// anywhere bounds what a local holds wherever it is read. That of a single value is found
// once: locals that each name the one before many times would take a time without end.
func (p *prover) anywhere(local int) interval {
	if f := p.f.FieldOf(local); f != nil {
		if low, high := f.Range(); low < high && (f.Proven || !f.Store) {
			return interval{low, high, true, false}
		}
		return everything()
	}
	value := p.single[local]
	if value == nil {
		return everything()
	}
	if span, ok := p.f.Spans[local]; ok {
		return interval{span.Low, span.High, true, false}
	}
	if known, ok := p.bounds[local]; ok {
		return known
	}
	p.bounds[local] = everything() // until it is known: a value may lead back to its local by a loop
	p.bounds[local] = p.of(value, false)
	return p.bounds[local]
}

// narrowed is v, of which more is known.
func (v interval) narrowed(known interval) interval {
	v.low, v.high, v.nan = max(v.low, known.low), min(v.high, known.high), v.nan && known.nan
	if v.whole { // 0 < n is 1 <= n
		v.low, v.high = math.Ceil(v.low), math.Floor(v.high)
	}
	v.whole = v.whole || v.low == v.high && v.low == math.Trunc(v.low) && !v.nan
	return v
}

// finite reports whether an interval ends on both sides. Where it does not, sums and products
// of its bounds may be not-a-number, which bounds nothing.
func finite(v interval) bool { return !math.IsInf(v.low, 0) && !math.IsInf(v.high, 0) }

// rest bounds a % b for whole numbers and a b above zero: what is left has its
// sign, and is less.
func rest(a, b interval) interval {
	if !a.whole || !b.whole || a.nan || b.nan || !finite(a) || !finite(b) || b.low < 1 {
		return everything()
	}
	return interval{0, b.high - 1, true, false}
}

// mostOf is up to where all whole numbers of a type are exact: 2 to the number of digits of
// its mantissa. Sums and products of whole numbers below it have no rounding.
func mostOf(t ir.Type) float64 {
	if t == ir.Num32 {
		return 1 << 24
	}
	return 1 << 53
}

// within is what is known of whole numbers after rounding: they stay what they
// are where the type holds all of them.
func within(v interval, most float64) interval {
	if !v.whole || v.nan || !(v.low >= -most && v.high <= most) {
		return everything()
	}
	return v
}

// exact bounds a sum or product of whole numbers small enough to have no
// rounding.
func exact(e *ir.Expr, a, b interval) interval {
	if !a.whole || !b.whole || a.nan || b.nan {
		return everything()
	}
	var v interval
	switch e.Op {
	case ir.Add:
		v = interval{a.low + b.low, a.high + b.high, true, false}
	case ir.Sub:
		v = interval{a.low - b.high, a.high - b.low, true, false}
	default: // the bounds of a product are among those of the bounds
		w, x, y, z := a.low*b.low, a.low*b.high, a.high*b.low, a.high*b.high
		v = interval{min(w, x, y, z), max(w, x, y, z), true, false}
	}
	return within(v, mostOf(e.Type))
}

// pick bounds a choice. Where the condition compares the two that it chooses
// from, as math.min and math.max do, the result is bounded by both.
func (p *prover) pick(e *ir.Expr, here bool) interval {
	a, b := p.of(e.Args[0], here), p.of(e.Args[1], here)
	v := interval{min(a.low, b.low), max(a.high, b.high), a.whole && b.whole, a.nan || b.nan} // either
	cond := e.Args[2]
	if cond.Op == ir.Eq && sameValue(cond.Args[0], cond.Args[1]) && cond.Args[0].Type == ir.Num && !p.of(cond.Args[0], here).nan {
		return a // it equals itself: the other is for not-a-number
	}
	if cond.Op != ir.Lt {
		return v
	}
	// The first is taken only where it compares, so it is a number there. The second
	// is not-a-number or after the first, if that is none.
	less := sameValue(cond.Args[0], e.Args[0]) && sameValue(cond.Args[1], e.Args[1])
	more := sameValue(cond.Args[0], e.Args[1]) && sameValue(cond.Args[1], e.Args[0])
	if !less && !more {
		return v
	}
	v.nan = b.nan
	low, high := b.low, b.high
	if !a.nan {
		low, high = max(low, a.low), min(high, a.high)
	}
	if less {
		v.high = high
	} else {
		v.low = low
	}
	return v
}

// sameValue reports whether a condition's operand is the value chosen from.
func sameValue(operand, choice *ir.Expr) bool {
	switch {
	case operand.Op == ir.Const && choice.Op == ir.Const:
		return operand.Value == choice.Value
	case operand.Op != ir.Get:
		return false
	}
	return (choice.Op == ir.Get || choice.Op == ir.Tee) && operand.Local == choice.Local
}
