package passes

import (
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file finds equal trees and computes them once: what compilers call elimination of
// common subexpressions, by value numbers that are texts. And it makes one operation of the sine
// and the cosine of an angle, most of whose work is the same.

// share computes equal trees once. Only operands in the same order count as
// equal: which not-a-number comes out of a sum depends on it.
//
// It walks the kernel in the order in which it runs and remembers, for every
// tree that surely has run, where it stands. A second one like it becomes a
// read of a local, and the first one sets that local.
func share(f *ir.Func) {
	s := &sharer{f: f, version: map[int]int{}, seen: map[string]*ir.Expr{}}
	s.block(f.Body)
}

// sharer knows what surely has been computed at the place at hand. A key names each local
// with the number of assignments to it so far, so an assignment makes all keys with it
// unreachable, and none has to be looked for.
type sharer struct {
	f       *ir.Func
	version map[int]int         // of locals: counts assignments, so that keys differ
	seen    map[string]*ir.Expr // by key of a tree: the place that surely has been computed
	added   []string            // keys of seen, in the order in which they came
}

// block shares within a list. What a branch computes is of use inside of it, and what stands
// before it, too.
func (s *sharer) block(stmts []*ir.Stmt) {
	for _, st := range stmts {
		switch st.Kind {
		case ir.Set:
			s.expr(st.Value, true)
			s.version[st.Local]++
		case ir.If:
			s.expr(st.Value, true)
			s.inner(st.Body)
			s.inner(st.Else)
		case ir.Loop:
			s.outdate(st.Body) // by an earlier turn
			s.inner(st.Body)
		case ir.Block:
			s.inner(st.Body)
		}
	}
}

// inner walks statements that may not run, or not to their end: what they
// compute is of no use after them. What they have added to seen is taken out again: a copy
// of seen for each list would take time by the square of the body's size.
func (s *sharer) inner(stmts []*ir.Stmt) {
	before := len(s.added)
	s.block(stmts)
	for _, key := range s.added[before:] {
		delete(s.seen, key)
	}
	s.added = s.added[:before]
	s.outdate(stmts)
}

// outdate gives the locals that statements assign another number, so that no key from before
// them, or from inside, is equal to one after them.
func (s *sharer) outdate(stmts []*ir.Stmt) {
	for local := range ir.Assigned(stmts) {
		s.version[local]++
	}
}

// expr shares e or its operands. sure says that e is evaluated whenever control
// comes here.
func (s *sharer) expr(e *ir.Expr, sure bool) {
	if len(e.Args) == 0 {
		return
	}
	if e.Op == ir.Tee {
		s.expr(e.Args[0], sure)
		s.version[e.Local]++
		return
	}
	// The largest tree first: what is inside of one that is shared goes with it.
	key := ""
	if !matters(e) {
		key = keyOf(e, s.local)
		first := s.seen[key]
		if first == nil {
			first = s.partner(e, key)
		}
		if first != nil {
			*e = ir.Expr{Op: ir.Get, Type: e.Type, Local: s.keep(first)}
			return
		}
	}
	s.operands(e, sure)
	if key != "" && sure {
		s.remember(key, e)
	}
}

func (s *sharer) remember(key string, e *ir.Expr) {
	s.seen[key] = e
	s.added = append(s.added, key)
}

// partners are functions of an angle which take less together.
var partners = map[string]string{ir.Sine: ir.Cosine, ir.Cosine: ir.Sine}

// partner is where the value of e comes from if e is a sine and the cosine of its angle has been
// computed, or the other way around: it makes one operation of both. Nil: there is no such thing.
func (s *sharer) partner(e *ir.Expr, key string) *ir.Expr {
	other, ok := partners[e.Name]
	if e.Op != ir.Call || !ok {
		return nil
	}
	call := *e
	call.Name = other
	first := s.seen[keyOf(&call, s.local)]
	if first == nil {
		return nil
	}
	if first.Op == ir.Tee {
		first = first.Args[0]
	}
	if first.Op == ir.Call {
		first.Op, first.Local, first.Cosine = ir.Sincos, s.f.NewLocal("shared", ir.Num), s.f.NewLocal("shared", ir.Num)
	}
	kept := &ir.Expr{Op: ir.Tee, Type: ir.Num, Local: first.Local} // stands for the local that has it
	if e.Name == ir.Cosine {
		kept.Local = first.Cosine
	}
	s.remember(key, kept)
	return kept
}

// local names what a local holds now, for keyOf.
func (s *sharer) local(key []byte, local int) []byte {
	return strconv.AppendInt(append(byNumber(key, local), '@'), int64(s.version[local]), 10)
}

// operands shares in the operands, the one that surely runs first. What a lazy operation may
// leave out is never the first of equal trees.
func (s *sharer) operands(e *ir.Expr, sure bool) {
	first := e.First()
	s.expr(e.Args[first], sure)
	for i, a := range e.Args {
		if i != first {
			s.expr(a, sure && !e.Lazy)
		}
	}
}

// keep makes the first of equal trees leave its value in a local. A tree that has been kept
// is a Tee already, and any number of others may read its local.
func (s *sharer) keep(first *ir.Expr) int {
	switch {
	case first.Op == ir.Tee || first.Op == ir.Sincos && first.Name == ir.Sine:
		return first.Local
	case first.Op == ir.Sincos:
		return first.Cosine
	}
	inner := *first
	local := s.f.NewLocal("shared", first.Type)
	*first = ir.Expr{Op: ir.Tee, Type: inner.Type, Args: []*ir.Expr{&inner}, Local: local}
	return local
}
