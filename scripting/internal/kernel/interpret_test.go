package kernel_test

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// machine runs the form between the stages for one row, as plainly as it can: what
// the stages after it make of a kernel is another's concern. It knows what a row
// computes of its own fields, and nothing of other entities.
type machine struct {
	f      *ir.Func
	values []float64 // by local; truths are 0 and 1
	steps  int       // turns of loops that are left
}

// The time of these rows, in seconds and ticks.
const rowDT, rowTime, rowTick = 0.25, 40, 160

// signal says where control goes after a statement.
type signal struct {
	leaving bool
	label   int
	stopped bool // the row is left as it was
}

// row is what the fields of one row hold, by their offsets.
type row [48]float64

// interpret returns what the fields hold after a row; false if it stops, or a check
// of a field fails. What has not been assigned yet is a number that nobody asks for.
func interpret(f *ir.Func, before row) (after row, done bool) {
	m := &machine{f: f, values: make([]float64, len(f.Locals)), steps: 500}
	for i := range m.values {
		m.values[i] = -777.25
	}
	for i := range f.Fields {
		m.values[f.Fields[i].Local] = before[f.Fields[i].Offset]
	}
	m.list(f.Once)
	if m.list(f.Body).stopped {
		return before, false
	}
	after = before
	for i := range f.Fields {
		field := &f.Fields[i]
		v := m.values[field.Local]
		if field.Checked() && !holds(field.Kind, v) {
			return before, false
		}
		if field.Kind == ecs.F32 {
			v = float64(float32(v))
		}
		after[field.Offset] = v
	}
	return after, true
}

// holds reports whether an integer field holds a number.
func holds(kind ecs.Kind, v float64) bool {
	low, high := kind.Range()
	return v == math.Trunc(v) && v >= low && v <= high
}

func (m *machine) list(stmts []*ir.Stmt) (to signal) {
	for _, s := range stmts {
		if to = m.stmt(s); to.leaving || to.stopped {
			return to
		}
	}
	return signal{}
}

func (m *machine) stmt(s *ir.Stmt) signal {
	switch s.Kind {
	case ir.Set:
		m.values[s.Local] = m.expr(s.Value)
	case ir.If:
		if m.expr(s.Value) != 0 {
			return m.list(s.Body)
		}
		return m.list(s.Else)
	case ir.Block:
		if to := m.list(s.Body); !to.leaving || to.label != s.Label {
			return to
		}
	case ir.Loop:
		for ; m.steps > 0; m.steps-- {
			if to := m.list(s.Body); to.leaving || to.stopped {
				return to
			}
		}
		return signal{stopped: true}
	case ir.Leave:
		return signal{leaving: true, label: s.Label}
	case ir.Stop:
		return signal{stopped: true}
	}
	return signal{}
}

// expr evaluates a tree, operands in order.
func (m *machine) expr(e *ir.Expr) float64 {
	var x [3]float64
	switch {
	case e.Op == ir.Get:
		return m.values[e.Local]
	case e.Lazy && e.Op == ir.Pick:
		if m.expr(e.Args[2]) != 0 {
			return m.expr(e.Args[0])
		}
		return m.expr(e.Args[1])
	case e.Lazy:
		if first := m.expr(e.Args[0]); (first != 0) == (e.Op == ir.Or) {
			return first
		}
		return m.expr(e.Args[1])
	}
	for i, a := range e.Args {
		x[i] = m.expr(a)
	}
	v := m.operate(e, x)
	if e.Op == ir.Tee {
		m.values[e.Local] = v
	}
	if e.Type == ir.Num32 {
		v = float64(float32(v))
	}
	return v
}

func (m *machine) operate(e *ir.Expr, x [3]float64) float64 {
	switch e.Op {
	case ir.Const:
		return e.Value
	case ir.Tee, ir.Widen, ir.Narrow:
		return x[0]
	case ir.DT:
		return rowDT
	case ir.Time:
		return rowTime
	case ir.Tick:
		return rowTick
	case ir.Add:
		return x[0] + x[1]
	case ir.Sub:
		return x[0] - x[1]
	case ir.Mul:
		return x[0] * x[1]
	case ir.Div:
		return x[0] / x[1]
	case ir.Mod:
		return rest(x[0], x[1])
	case ir.Neg:
		return -x[0]
	case ir.Abs:
		return math.Abs(x[0])
	case ir.Ceil:
		return math.Ceil(x[0])
	case ir.Floor:
		return math.Floor(x[0])
	case ir.Sqrt:
		return math.Sqrt(x[0])
	case ir.Zero:
		return x[0] + 0
	case ir.Call: // any function will do that depends on its name
		return math.Sin(x[0]+2*x[1]) + float64(e.Name[len(e.Name)-1])
	case ir.Pick:
		if x[2] != 0 {
			return x[0]
		}
		return x[1]
	}
	if decide(e.Op, x[0], x[1]) {
		return 1
	}
	return 0
}

func decide(op ir.Op, a, b float64) bool {
	switch op {
	case ir.Lt:
		return a < b
	case ir.Le:
		return a <= b
	case ir.Eq:
		return a == b
	case ir.Ne:
		return a != b
	case ir.And:
		return a != 0 && b != 0
	case ir.Or:
		return a != 0 || b != 0
	case ir.Not:
		return a == 0
	}
	panic(op) // no test here makes such a kernel
}

// rest is Lua's %.
func rest(a, b float64) float64 {
	v := math.Mod(a, b)
	if b > 0 && v < 0 || b < 0 && v > 0 {
		v += b
	}
	return v
}
