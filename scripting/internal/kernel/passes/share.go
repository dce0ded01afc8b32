package passes

import (
	"fmt"
	"maps"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// share computes equal trees once. Only operands in the same order count as
// equal: which not-a-number comes out of a sum depends on it.
//
// It walks the kernel in the order in which it runs and remembers, for every
// tree that surely has run, where it stands. A second one like it becomes a
// read of a local, and the first one sets that local.
func share(f *ir.Func) {
	s := &sharer{f: f, version: map[int]int{}}
	s.block(f.Body, map[string]*ir.Expr{})
}

type sharer struct {
	f       *ir.Func
	version map[int]int // of locals: counts assignments, so that keys differ
}

// have maps a tree's key to the place that surely has been computed.
type have = map[string]*ir.Expr

func (s *sharer) block(stmts []*ir.Stmt, seen have) {
	for _, st := range stmts {
		switch st.Kind {
		case ir.Set:
			s.expr(st.Value, seen, true)
			s.version[st.Local]++
		case ir.If:
			s.expr(st.Value, seen, true)
			s.inner(st.Body, seen)
			s.inner(st.Else, seen)
		case ir.Loop:
			s.outdate(st.Body) // by an earlier turn
			s.inner(st.Body, seen)
		case ir.Block:
			s.inner(st.Body, seen)
		}
	}
}

// inner walks statements that may not run, or not to their end: what they
// compute is of no use after them.
func (s *sharer) inner(stmts []*ir.Stmt, seen have) {
	s.block(stmts, maps.Clone(seen))
	s.outdate(stmts)
}

func (s *sharer) outdate(stmts []*ir.Stmt) {
	for local := range ir.Assigned(stmts) {
		s.version[local]++
	}
}

// expr shares e or its operands. sure says that e is evaluated whenever control
// comes here.
func (s *sharer) expr(e *ir.Expr, seen have, sure bool) {
	if len(e.Args) == 0 {
		return
	}
	if e.Op == ir.Tee {
		s.expr(e.Args[0], seen, sure)
		s.version[e.Local]++
		return
	}
	key := ""
	if !matters(e) {
		key = keyOf(e, func(l int) string { return fmt.Sprintf("%d@%d", l, s.version[l]) })
		if first := seen[key]; first != nil {
			*e = ir.Expr{Op: ir.Get, Type: e.Type, Local: s.keep(first)}
			return
		}
	}
	s.operands(e, seen, sure)
	if key != "" && sure {
		seen[key] = e
	}
}

func (s *sharer) operands(e *ir.Expr, seen have, sure bool) {
	first := e.First()
	s.expr(e.Args[first], seen, sure)
	for i, a := range e.Args {
		if i != first {
			s.expr(a, seen, sure && !e.Lazy)
		}
	}
}

// keep makes the first of equal trees leave its value in a local.
func (s *sharer) keep(first *ir.Expr) int {
	if first.Op == ir.Tee {
		return first.Local
	}
	inner := *first
	local := s.f.NewLocal("shared", first.Type)
	*first = ir.Expr{Op: ir.Tee, Type: inner.Type, Args: []*ir.Expr{&inner}, Local: local}
	return local
}
