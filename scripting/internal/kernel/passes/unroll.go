package passes

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// This file writes short loops out. It is the one pass that makes a kernel larger, and so
// the one with limits.

// Limits of what unroll writes out: turns of a loop, and expressions in all of
// them. An inner loop is written out first and counts as what it has become, so that loops
// in each other cannot multiply. A loop around more work than that costs nothing beside it.
const (
	mostTurns = 16
	mostExprs = 400
)

// unroll writes the turns of short loops over constants one after the other. In
// each of them the index is a number: which element of an array it is, and that
// there is one, is then known, and a body without a loop can go on to become
// vectors. It comes after fold, which makes the bounds numbers.
//
// The form of such a loop is that of lower: the index begins one step early, a
// turn begins with adding the step, and a test against the limit.
func unroll(f *ir.Func) {
	u := &unroller{f: f, single: singles(f), ends: map[int]bool{}}
	all := reads(f.Body)
	ir.Walk(f.Body, func(s *ir.Stmt) {
		u.labels = max(u.labels, s.Label)
		if s.Kind == ir.Loop && len(s.Body) > 0 {
			index := s.Body[0].Local
			u.ends[index] = all[index] == reads(s.Body)[index]
		}
	})
	f.Body = u.list(f.Body)
}

// unroller writes the loops of one function out. Labels in the copies are new, because blocks
// inside of each other may not share one.
type unroller struct {
	f      *ir.Func
	single map[int]bool // locals that have one value from their assignment on
	ends   map[int]bool // by what the first statement of a loop assigns: whether only the loop reads it
	labels int          // the highest that is taken
}

// list unrolls the loops of a list, inner ones first.
func (u *unroller) list(stmts []*ir.Stmt) []*ir.Stmt {
	var out []*ir.Stmt
	for _, s := range stmts {
		s.Body, s.Else = u.list(s.Body), u.list(s.Else)
		if n := len(out); n > 0 {
			if turns, ok := u.countdown(out[n-1], s); ok {
				u.expand(s, turns)
			}
		}
		out = append(out, s)
	}
	return out
}

// countdown returns the values that the index of a loop has in its turns. before is
// the statement in front of it, which must give the index its first value. It recognises
// the form that lower writes and no other: a loop that it does not know stays a loop, which
// is slower and never wrong.
func (u *unroller) countdown(before, s *ir.Stmt) (turns []float64, ok bool) {
	if before.Kind != ir.Set || before.Value.Op != ir.Const || s.Kind != ir.Block || len(s.Body) != 1 {
		return nil, false
	}
	loop := s.Body[0]
	if loop.Kind != ir.Loop || loop.Cost != 0 || len(loop.Body) < 2 {
		return nil, false
	}
	step, test, index := loop.Body[0], loop.Body[1], before.Local
	// The shape of the loop: step, test, body, where only the step assigns the index.
	leaves := test.Kind == ir.If && len(test.Else) == 0 && len(test.Body) == 1 &&
		test.Body[0].Kind == ir.Leave && test.Body[0].Label == s.Label
	if step.Kind != ir.Set || step.Local != index || !leaves || ir.Assigned(loop.Body[2:])[index] {
		return nil, false
	}
	if !u.ends[index] {
		return nil, false // what it ends with is of use
	}
	// Then the turns, by computing step and test for each value of the index.
	exprs := 0
	ir.Exprs(loop.Body, func(*ir.Expr) { exprs++ })
	for value := before.Value.Value; ; turns = append(turns, value) {
		next, known := at(step.Value, index, value)
		done, decided := at(test.Value, index, next)
		if !known || !decided || len(turns) > mostTurns || len(turns)*exprs > mostExprs {
			return nil, false
		}
		if done != 0 {
			return turns, true
		}
		value = next
	}
}

// at computes an expression for a value of the index; false when that takes more.
func at(e *ir.Expr, index int, value float64) (float64, bool) {
	c := copyExpr(e, map[int]float64{index: value})
	foldExpr(c)
	return c.Value, c.Op == ir.Const
}

// expand puts the turns in the place of the loop in its block, which stays as the
// place to leave. Nothing is left of the index: nobody reads it after the loop, and in each
// turn it is a constant.
func (u *unroller) expand(block *ir.Stmt, turns []float64) {
	loop := block.Body[0]
	index := loop.Body[0].Local
	block.Body = nil
	for _, value := range turns {
		t := turn{u, map[int]float64{index: value}, map[int]int{}}
		block.Body = append(block.Body, t.list(loop.Body[2:])...)
	}
}

// turn is one turn of a loop that is being written.
type turn struct {
	*unroller
	known  map[int]float64
	places map[int]int // labels inside, by those of the loop's body
}

// list copies statements with what is known by now. A constant that only they read
// is known from there on.
func (t *turn) list(stmts []*ir.Stmt) []*ir.Stmt {
	var out []*ir.Stmt
	for _, s := range stmts {
		c := *s
		if s.Value != nil {
			c.Value = copyExpr(s.Value, t.known)
			foldExpr(c.Value)
		}
		if s.Kind == ir.Set {
			delete(t.known, s.Local) // a copy of this very statement may be in front of it
			if c.Value.Op == ir.Const && t.single[s.Local] {
				t.known[s.Local] = c.Value.Value
				continue
			}
		}
		t.relabel(&c)
		c.Body, c.Else = t.list(s.Body), t.list(s.Else)
		out = append(out, &c)
	}
	return out
}

// relabel gives a block of the body a label of its own in this turn, and its Leaves, too.
// Labels of blocks around the loop stay as they are.
func (t *turn) relabel(s *ir.Stmt) {
	if s.Kind == ir.Block {
		t.labels++
		t.places[s.Label] = t.labels
	}
	if label, ok := t.places[s.Label]; ok && (s.Kind == ir.Block || s.Kind == ir.Leave) {
		s.Label = label
	}
}

// copyExpr copies a tree; locals that are known become constants.
func copyExpr(e *ir.Expr, known map[int]float64) *ir.Expr {
	if value, ok := known[e.Local]; ok && e.Op == ir.Get {
		return &ir.Expr{Op: ir.Const, Type: e.Type, Value: value}
	}
	c := *e
	c.Args = nil
	for _, a := range e.Args {
		c.Args = append(c.Args, copyExpr(a, known))
	}
	return &c
}

// singles returns the locals that are assigned once, in front of all that read
// them, in the same list: they hold what that assignment gave them wherever they
// are read, turn by turn of a loop around it. Fields and inputs do not count: what is
// in them after the last statement is a result.
//
// It numbers the statements in the order in which they stand, O(size): what comes after
// a statement in its list, with all that is inside, has numbers without a gap.
func singles(f *ir.Func) map[int]bool {
	sets, at := map[int]int{}, 0
	first, last := map[int]int{}, map[int]int{} // by local: the numbers of the statements that read it
	type place struct{ set, end int }           // its assignment, and the end of the list
	places := map[int]*place{}
	var look func([]*ir.Stmt)
	look = func(list []*ir.Stmt) {
		var here []*place
		for _, s := range list {
			at++
			if s.Value != nil {
				s.Value.Walk(func(e *ir.Expr) {
					switch e.Op {
					case ir.Get:
						if first[e.Local] == 0 {
							first[e.Local] = at
						}
						last[e.Local] = at
					case ir.Tee:
						sets[e.Local] += 2 // a value that is used at once, too
					}
				})
			}
			if s.Kind == ir.Set {
				sets[s.Local]++
				p := &place{set: at}
				places[s.Local], here = p, append(here, p)
			}
			look(s.Body)
			look(s.Else)
		}
		for _, p := range here {
			p.end = at
		}
	}
	look(f.Body)
	single := map[int]bool{}
	for local, p := range places {
		if sets[local] == 1 && f.FieldOf(local) == nil && f.InputOf(local) == nil {
			single[local] = first[local] == 0 || first[local] > p.set && last[local] <= p.end
		}
	}
	return single
}

// reads counts how often each local is read. O(size): it is asked once for each loop.
func reads(stmts []*ir.Stmt) map[int]int {
	n := map[int]int{}
	ir.Exprs(stmts, func(e *ir.Expr) {
		if e.Op == ir.Get {
			n[e.Local]++
		}
	})
	return n
}
