package kerneltest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file counts what drawn kernels have, so that a test can demand that each operation
// came up at each place where it may stand: a judge that never sees an operation says
// nothing of it.

// Place says where an operation stands in a kernel.
type Place string

// The places.
const (
	Assigned  Place = "assigned"
	Condition Place = "condition"
	Operand   Place = "operand"
	Optional  Place = "optional operand" // of a lazy operation
	Noted     Place = "noted value"
	Once      Place = "once"
)

// Coverage counts which operations a few kernels have, and where.
type Coverage map[ir.Op]map[Place]int

// Add counts those of a kernel.
func (c Coverage) Add(f *ir.Func) {
	c.list(f.Once, true)
	c.list(f.Body, false)
}

// list counts the operations of statements; those of what runs once have a place of their own.
func (c Coverage) list(stmts []*ir.Stmt, once bool) {
	ir.Walk(stmts, func(s *ir.Stmt) {
		switch {
		case s.Value == nil:
		case once:
			c.expr(s.Value, Once)
		case s.Kind == ir.If:
			c.expr(s.Value, Condition)
		default:
			c.expr(s.Value, Assigned)
		}
	})
}

// expr counts an operation and its operands. Where it stands says which code writes it: a
// condition may become a jump, an optional operand stands in a branch.
func (c Coverage) expr(e *ir.Expr, at Place) {
	if c[e.Op] == nil {
		c[e.Op] = map[Place]int{}
	}
	c[e.Op][at]++
	for i, a := range e.Args {
		switch {
		case at == Once:
			c.expr(a, Once)
		case e.Op == ir.Do:
			c.expr(a, Noted)
		case e.Lazy && i != e.First():
			c.expr(a, Optional)
		default:
			c.expr(a, Operand)
		}
	}
}

// String lists the operations, each with its places.
func (c Coverage) String() string {
	var b strings.Builder
	for _, op := range slices.Sorted(maps.Keys(c)) {
		name := op.String()
		switch op {
		case ir.Const:
			name = "constant"
		case ir.Get:
			name = "local"
		}
		fmt.Fprintf(&b, "%-8s", name)
		for _, at := range []Place{Assigned, Condition, Operand, Optional, Noted, Once} {
			fmt.Fprintf(&b, " %s %d", at, c[op][at])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
