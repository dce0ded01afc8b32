package passes

import (
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file chooses the precision of each value of a kernel with precision = "f32", and puts
// in the conversions. What float32 gives without being asked for, where it is provably the
// same, is another matter: see package vector, round.go.

// narrow gives a kernel with precision = "f32" its float32 arithmetic.
//
// Each value is one of three things. A float32 is what an f32 field holds and
// what is computed with it. A float64 is what fields hold whose numbers a float32
// does not have: f64, integers of 32 bits and more, handles, counters of the
// script. All else is loose: constants, ctx, captured numbers, small integers and
// what is computed of these alone. It is computed as ever, and rounded once where
// it meets a float32. Where a float32 meets a float64, both are float64.
//
// Functions of the host take and give float64; the result of one that got a
// float32 is rounded.
//
// Why not let every number of the function be a float32? A script that counts, or
// that keeps time in an f64 field, means those digits. And constants and ctx come
// to the same whether they are rounded early or late, but for sums among
// themselves, which no loop has to pay for.
func narrow(f *ir.Func) {
	if !f.Single {
		return
	}
	n := &narrower{f: f, kinds: make([]width, len(f.Locals))}
	for n.settle() { // until no local gets wider
	}
	for i := range f.Fields {
		f.Fields[i].Single = f.Fields[i].Kind == schema.F32
	}
	for i := range f.Locals {
		if f.Locals[i].Type == ir.Num && n.kinds[i] == single {
			f.Locals[i].Type = ir.Num32
		}
	}
	ir.Walk(f.Body, func(s *ir.Stmt) {
		if s.Value == nil {
			return
		}
		n.visit(s.Value)
		if s.Kind == ir.Set {
			coerce(s.Value, f.Locals[s.Local].Type)
		}
	})
}

// width is what narrow knows of a value; where two meet, the greater holds. So widths form
// a chain, and locals only ever rise in it: settle ends after two rounds for each local at
// the most.
type width uint8

const (
	loose width = iota
	single
	double
)

// narrower has the widths of all locals of a kernel. Those of trees follow and are computed
// when they are needed.
type narrower struct {
	f     *ir.Func
	kinds []width // by local
}

// settle raises locals to what is assigned to them; true when one rose. Fields keep the
// width of their kind, whatever is assigned to them: what is stored is rounded there.
func (n *narrower) settle() (rose bool) {
	raise := func(local int, w width) {
		if w > n.kinds[local] {
			n.kinds[local], rose = w, true
		}
	}
	// A counter of the script means all its digits.
	for i := range n.f.Inputs {
		if n.f.Inputs[i].Store {
			raise(n.f.Inputs[i].Local, double)
		}
	}
	for i := range n.f.Fields {
		raise(n.f.Fields[i].Local, widthOf(n.f.Fields[i].Kind))
	}
	ir.Walk(n.f.Body, func(s *ir.Stmt) {
		if s.Kind == ir.Set && n.f.FieldOf(s.Local) == nil {
			raise(s.Local, n.of(s.Value))
		}
	})
	ir.Exprs(n.f.Body, func(e *ir.Expr) {
		if e.Op == ir.Tee {
			raise(e.Local, n.of(e.Args[0]))
		}
	})
	return rose
}

// widthOf returns the width of what a field holds.
func widthOf(k schema.Kind) width {
	switch k {
	case schema.F32:
		return single
	case schema.F64, schema.I32, schema.U32, schema.I64, schema.U64, schema.Ref:
		return double
	}
	return loose
}

// of returns the width of a number; that of a truth or a place is loose.
func (n *narrower) of(e *ir.Expr) width {
	args := e.Args
	switch e.Op {
	case ir.Get, ir.Tee:
		return n.kinds[e.Local]
	case ir.Load:
		return widthOf(e.Kind)
	case ir.Ask, ir.Invoke, ir.Number:
		return double
	case ir.Random, ir.Draw:
		return loose
	case ir.Pick:
		args = args[:2]
	}
	w := loose
	if e.Type == ir.Num {
		for _, a := range args {
			w = max(w, n.of(a))
		}
	}
	return w
}

// visit rewrites the operands of a tree, and then the tree itself, so that its
// type is the one that its width asks for.
func (n *narrower) visit(e *ir.Expr) {
	w := n.of(e)
	// The value of a comparison is a truth, which is loose: what counts is what it compares.
	if e.Op == ir.Lt || e.Op == ir.Le || e.Op == ir.Eq || e.Op == ir.Ne {
		w = max(n.of(e.Args[0]), n.of(e.Args[1])) // of what is compared
	}
	for _, a := range e.Args {
		n.visit(a)
	}
	want := ir.Num
	switch {
	case e.Op == ir.Tee:
		want = n.f.Locals[e.Local].Type
	case w == single && (e.Op.Arithmetic() || e.Op == ir.Pick || e.Op == ir.Eq || e.Op == ir.Ne):
		want = ir.Num32
	}
	for _, a := range e.Args {
		coerce(a, want)
	}
	switch {
	case e.Type != ir.Num:
	case e.Op == ir.Get:
		e.Type = n.f.Locals[e.Local].Type
	case want == ir.Num32:
		e.Type = want
	case w == single:
		coerce(e, ir.Num32)
	}
}

// coerce makes a number of one type a number of another; all else stays. A constant is
// rounded here, once, and not for each row.
func coerce(e *ir.Expr, t ir.Type) {
	inner := *e
	switch {
	case e.Type == ir.Num && t == ir.Num32 && e.Op == ir.Const:
		e.Value, e.Type = float64(float32(e.Value)), t
	case e.Type == ir.Num && t == ir.Num32:
		*e = ir.Expr{Op: ir.Narrow, Type: t, Args: []*ir.Expr{&inner}}
	case e.Type == ir.Num32 && t == ir.Num:
		*e = ir.Expr{Op: ir.Widen, Type: t, Args: []*ir.Expr{&inner}}
	}
}
