package vector

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file runs a body once with nodes in the place of numbers: both arms of a branch, each
// with what its locals hold there, and then one state of both, by choices. rare.go has the
// arms that are not run at all.

// state is what locals hold at a place, by local; none: it has no value there.
type state []ID

// path is how control comes to a place: if cond holds, with what locals hold then.
type path struct {
	cond  ID
	state state
}

// paths are how control leaves a list of statements: at its end, nil when it never
// comes there, and to the ends of blocks around it. Of the conditions, which count
// from the list's begin, exactly one holds.
type paths struct {
	end    *path
	leaves map[int]*path // by label
}

// flattener runs a body with nodes in the place of numbers.
type flattener struct {
	f     *ir.Func
	g     *Graph
	path  ID           // whether control comes to the statement at hand
	line  int          // of it
	steps int          // left
	once  map[int]bool // locals that are assigned once for all rows
	why   string
}

// patience is how many expressions a flattener looks at before it gives up. Those
// after an early return count for each path on which control comes there. It bounds the
// nodes, too, and so the time of everything that comes after.
const patience = 4000

// flatten makes the graph of a kernel. Why is not empty when it has none.
func flatten(f *ir.Func) (g *Graph, why string) {
	g = &Graph{known: map[key]ID{}, Final: map[int]ID{}}
	fl := &flattener{f: f, g: g, steps: patience, path: g.truth(true), once: ir.Assigned(f.Once)}
	g.Rare = g.truth(false)
	begin := slices.Repeat(state{none}, len(f.Locals))
	for i := range f.Fields {
		begin[f.Fields[i].Local] = g.before(f, i)
	}
	// A row ends at the end of the body, or where it is left; both are joined to one state.
	out := fl.list(f.Body, begin)
	row := fl.join(out.leaves[ir.Row], out.end)
	if fl.why != "" {
		return nil, fl.why
	}
	for i := range f.Fields {
		if f.Fields[i].Store {
			fl.final(i, row.state[f.Fields[i].Local])
		}
	}
	if always, ok := g.constant(g.Rare); ok && always {
		fl.refuse("no row is without what vectors cannot do")
	}
	return g, fl.why
}

// final notes what a field holds when the row ends, and has the guard hold for a row in
// which the field's kind cannot hold that: a scalar row would stop there. One that is as it was need not
// be stored, but for a float32 by itself: storing it makes a signalling
// not-a-number a quiet one.
func (fl *flattener) final(i int, v ID) {
	field := &fl.f.Fields[i]
	if v == fl.g.before(fl.f, i) && (field.Kind != schema.F32 || field.Single) {
		return
	}
	low, high := field.Range()
	switch {
	// A float64 cannot tell all integers of 64 bits apart, and there is no lane for an int64.
	case field.Kind.Size() == 8 && field.Kind != schema.F64:
		fl.line = 0
		fl.refuse("%s is an integer of 64 bits", fl.f.Locals[field.Local].Name)
		return
	case field.Checked():
		g := fl.g
		bound := func(b float64) ID { return g.uniform(ir.Constant(b)) }
		whole := g.op(ir.Eq, ir.Bool, g.op(ir.Floor, ir.Num, v), v)
		inside := g.op(ir.And, ir.Bool, g.op(ir.Le, ir.Bool, bound(low), v), g.op(ir.Le, ir.Bool, v, bound(high)))
		g.Rare = g.op(ir.Or, ir.Bool, g.Rare, g.op(ir.Not, ir.Bool, g.op(ir.And, ir.Bool, inside, whole)))
	}
	fl.g.Final[i] = v
}

// refuse keeps the first reason why there is no graph. After it the flattener goes on without
// effect, and what its methods return is not looked at.
func (fl *flattener) refuse(format string, v ...any) {
	if fl.why == "" {
		fl.why = fmt.Sprintf(format, v...)
		if fl.line > 0 {
			fl.why = fmt.Sprintf("line %d: %s", fl.line, fl.why)
		}
	}
}

// list runs statements; begin is not kept.
func (fl *flattener) list(stmts []*ir.Stmt, begin state) paths {
	now := &path{fl.g.truth(true), slices.Clone(begin)}
	out := paths{leaves: map[int]*path{}}
	path := fl.path
	defer func() { fl.path = path }()
	for _, s := range stmts {
		if now == nil || fl.why != "" {
			break
		}
		if s.Line > 0 {
			fl.line, fl.g.line = s.Line, s.Line
		}
		fl.path = fl.g.op(ir.And, ir.Bool, path, now.cond)
		step := fl.stmt(s, now.state)
		for label, w := range step.leaves {
			w.cond = fl.g.op(ir.And, ir.Bool, now.cond, w.cond)
			out.leaves[label] = fl.join(out.leaves[label], w)
		}
		if step.end != nil {
			step.end.cond = fl.g.op(ir.And, ir.Bool, now.cond, step.end.cond)
		}
		now = step.end
	}
	out.end = now
	return out
}

// stmt runs a statement. now is its own to change, and to give away.
func (fl *flattener) stmt(s *ir.Stmt, now state) paths {
	end := &path{fl.g.truth(true), now}
	switch s.Kind {
	case ir.Set:
		if why := fl.hard(s); why != "" {
			fl.refuse("%s", why)
		}
		v := fl.expr(s.Value, now)
		now[s.Local] = v
		return paths{end: end}
	case ir.If:
		return fl.branch(s, now)
	case ir.Block:
		inner := fl.list(s.Body, now)
		left := inner.leaves[s.Label]
		delete(inner.leaves, s.Label)
		return paths{fl.join(left, inner.end), inner.leaves}
	case ir.Leave:
		return paths{leaves: map[int]*path{s.Label: end}}
	default:
		fl.refuse("%s", fl.hard(s))
	}
	return paths{end: end}
}

// branch runs both arms, unless one of them is known not to be taken, or not by rows that
// go in vectors. Where control comes out of both, what a local holds is
// chosen by the condition itself: it tells the arms apart.
func (fl *flattener) branch(s *ir.Stmt, now state) paths {
	cond := fl.expr(s.Value, now)
	if fl.why != "" {
		return paths{}
	}
	not := fl.g.op(ir.Not, ir.Bool, cond)
	if arm, known := fl.arm(s, cond, not); known {
		return fl.list(arm, now)
	}
	path := fl.path
	fl.path = fl.g.op(ir.And, ir.Bool, path, cond)
	out := fl.list(s.Body, now)
	fl.path = fl.g.op(ir.And, ir.Bool, path, not)
	other := fl.list(s.Else, now)
	out.end = fl.choose(cond, not, out.end, other.end)
	// A block may be left from one arm or from both.
	for label := range other.leaves {
		if out.leaves[label] == nil {
			out.leaves[label] = nil // those of the first arm alone are there already
		}
	}
	for label, w := range out.leaves {
		out.leaves[label] = fl.choose(cond, not, w, other.leaves[label])
	}
	return out
}

// choose joins the paths out of two arms to one place. cond tells which arm a row went
// through, so it tells as well whose locals hold; the paths' own conditions only say
// whether control came out of the arm there.
func (fl *flattener) choose(cond, not ID, a, b *path) *path {
	g := fl.g
	switch {
	case a == nil && b == nil:
		return nil
	case b == nil:
		return &path{g.op(ir.And, ir.Bool, cond, a.cond), a.state}
	case a == nil:
		return &path{g.op(ir.And, ir.Bool, not, b.cond), b.state}
	}
	all := g.pick(ir.Bool, cond, a.cond, b.cond)
	return &path{all, fl.merge(cond, a.state, b.state)}
}

// join joins two paths to one place, of which at most one is taken: to the end of a block,
// from a Leave and from its last statement. Then the condition of one of them has to tell.
func (fl *flattener) join(a, b *path) *path {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &path{fl.g.op(ir.Or, ir.Bool, a.cond, b.cond), fl.merge(a.cond, a.state, b.state)}
}

// merge is a where cond holds, else b. A local that only one of them knows is not
// read after this place.
func (fl *flattener) merge(cond ID, a, b state) state {
	both := slices.Clone(a)
	for local, y := range b {
		switch x := a[local]; {
		case x == none || y == none:
			both[local] = none
		case x != y:
			both[local] = fl.g.pick(inLanes(fl.f.Locals[local].Type), cond, x, y)
		}
	}
	return both
}

// expr returns the node of an expression.
func (fl *flattener) expr(e *ir.Expr, now state) ID {
	if fl.steps--; fl.steps < 0 {
		fl.refuse("too many paths through the function")
	}
	if fl.why != "" {
		return none
	}
	if len(e.Args) == 0 {
		return fl.leaf(e, now)
	}
	if e.Op == ir.Number { // it is one in a vector
		return fl.expr(e.Args[0], now)
	}
	if why := hardOp(e); why != "" {
		fl.refuse("%s", why)
		return none
	}
	var args [3]ID
	first := e.First()
	for i := range e.Args {
		if i == 0 { // what it assigns, the others may read
			args[first] = fl.expr(e.Args[first], now)
		}
		if i != first {
			args[i] = fl.operand(e, i, now)
		}
	}
	if fl.why != "" {
		return none
	}
	if e.Op == ir.Tee {
		now[e.Local] = args[0]
		return args[0]
	}
	if e.Op == ir.Sincos { // the plan finds out by itself which angles have both
		now[e.Local], now[e.Cosine] = fl.g.call(ir.Sine, args[0]), fl.g.call(ir.Cosine, args[0])
		return fl.g.call(e.Name, args[0])
	}
	if e.Op == ir.Call {
		return fl.g.call(e.Name, args[:len(e.Args)]...)
	}
	return fl.g.op(e.Op, inLanes(e.Type), args[:len(e.Args)]...)
}

// leaf returns the node of an expression without operands: what a local holds at this place,
// or what is the same for all rows. What else has no operands is nothing for vectors.
func (fl *flattener) leaf(e *ir.Expr, now state) ID {
	switch e.Op {
	case ir.Get:
		if in := fl.f.InputOf(e.Local); in != nil && in.Store {
			fl.refuse("it depends on the rows before")
			return none
		}
		if id := now[e.Local]; id != none {
			return id
		}
		if e.Type == ir.Handle {
			fl.refuse("an entity that is the same for all rows")
			return none
		}
		if !fl.once[e.Local] && fl.f.InputOf(e.Local) == nil {
			fl.refuse("a value that is not there yet")
			return none
		}
		return fl.g.uniform(e)
	case ir.Present:
		if fl.g.needs(fl.f, e.Column) { // rows without it do not go by the plan
			return fl.g.truth(true)
		}
		return fl.g.uniform(e)
	case ir.Const:
		if e.Type == ir.Handle {
			return fl.g.uniform(ir.Constant(e.Value))
		}
		return fl.g.uniform(e)
	case ir.DT, ir.Time, ir.Tick:
		return fl.g.uniform(e)
	}
	fl.refuse("%s", hardOp(e))
	return none
}

// inLanes is the type of a value in a vector. Entities are numbers there: nothing is
// looked up, and two of them are equal if their numbers are.
func inLanes(t ir.Type) ir.Type {
	if t == ir.Handle {
		return ir.Num
	}
	return t
}

// operand returns the node of an operand that is not the first. What a lazy one assigns
// may be assigned only sometimes: no pass makes such a thing, and it has no plan.
func (fl *flattener) operand(e *ir.Expr, i int, now state) ID {
	if e.Lazy {
		e.Args[i].Walk(func(inner *ir.Expr) {
			if inner.Assigns() {
				fl.refuse("a value that is kept only where it is needed")
			}
		})
	}
	return fl.expr(e.Args[i], now)
}
