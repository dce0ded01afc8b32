package lower

import (
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/yuin/gopher-lua/ast"
)

// name translates a name that stands alone.
func (l *lowerer) name(e *ast.IdentExpr) *ir.Expr {
	b, inside := l.lookup(e.Value)
	switch {
	case b.kind == isLocal:
		return l.get(b.index)
	case inside:
		l.refuse(e.Line(), "%q as a whole", e.Value)
		return ir.Constant(0)
	}
	return l.constant(e.Line(), "the global "+e.Value, l.outside(e))
}

// outside returns what a name outside of the function stands for.
func (l *lowerer) outside(e *ast.IdentExpr) Value {
	v := l.fn.outer[e.Value]
	switch {
	case v == nil:
		return Value{Name: "the global \"" + e.Value + "\""}
	case v.changed > 0:
		l.refuse(e.Line(), "%q, which line %d changes,", e.Value, v.changed)
		return Value{}
	}
	return l.sig.Captured(e.Value)
}

// constant makes an expression of a value.
func (l *lowerer) constant(line int, name string, v Value) *ir.Expr {
	switch v.Kind {
	case Number:
		return ir.Constant(v.Number)
	case Truth:
		return ir.Truth(v.Truth)
	case Other:
		if v.Name != "" {
			name = v.Name
		}
	}
	l.refuse(line, "%s", name)
	return ir.Constant(0)
}

// attribute translates p.x, ctx.dt and math.pi.
func (l *lowerer) attribute(e *ast.AttrGetExpr) *ir.Expr {
	if term, name, ok := l.termField(e); ok {
		if i := l.field(term, name, e.Line()); i >= 0 {
			return l.get(i)
		}
		return ir.Constant(0)
	}
	id, isName := e.Object.(*ast.IdentExpr)
	key, isKey := e.Key.(*ast.StringExpr)
	if isName && isKey {
		b, inside := l.lookup(id.Value)
		switch {
		case b.kind == isContext:
			return l.uniform(key.Value, e.Line())
		case !inside && l.isMath(id):
			return l.constant(e.Line(), "math."+key.Value, l.library(e, key.Value))
		}
		l.refuse(e.Line(), "%q of %q", key.Value, id.Value)
		return ir.Constant(0)
	}
	l.refuse(e.Line(), "a table")
	return ir.Constant(0)
}

func (l *lowerer) isMath(id *ast.IdentExpr) bool {
	return id.Value == "math" && l.fn.outer["math"] == nil
}

// library returns a field of math, if the script leaves it alone.
func (l *lowerer) library(e ast.Expr, name string) Value {
	if at := l.script.meddles; at > 0 {
		l.refuse(e.Line(), "math, which line %d may change,", at)
		return Value{}
	}
	return l.sig.Library(name)
}

func (l *lowerer) uniform(name string, line int) *ir.Expr {
	op := map[string]ir.Op{"dt": ir.DT, "time": ir.Time, "tick": ir.Tick}[name]
	if op == 0 {
		l.refuse(line, "%q of ctx", name)
		return ir.Constant(0)
	}
	return &ir.Expr{Op: op, Type: ir.Num}
}

// hosted are the functions that a kernel calls in the host, with the number of
// their arguments.
var hosted = map[string]int{
	"acos": 1, "asin": 1, "atan": 1, "atan2": 2, "cos": 1, "cosh": 1, "deg": 1, "exp": 1, "fmod": 2,
	"log": 1, "log10": 1, "pow": 2, "rad": 1, "sin": 1, "sinh": 1, "tan": 1, "tanh": 1,
}

// inlined are those that it computes itself.
var inlined = map[string]ir.Op{"abs": ir.Abs, "ceil": ir.Ceil, "floor": ir.Floor, "sqrt": ir.Sqrt}

// call translates the call of a function of the library.
func (l *lowerer) call(e *ast.FuncCallExpr) *ir.Expr {
	name := l.callee(e)
	if l.err != nil {
		return ir.Constant(0)
	}
	args := make([]*ir.Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = l.number(a, "a call with")
	}
	switch {
	case (name == "floor" || name == "ceil") && len(args) == 1 && maySignal(args[0]):
		return l.round(inlined[name], args[0])
	case inlined[name] != 0 && len(args) == 1:
		return unary(inlined[name], args[0])
	case hosted[name] > 0 && len(args) == hosted[name]:
		return &ir.Expr{Op: ir.Call, Type: ir.Num, Name: name, Args: args}
	case (name == "max" || name == "min") && len(args) > 0:
		return l.extreme(name, args)
	}
	l.refuse(e.Line(), "math.%s with %d arguments", name, len(args))
	return ir.Constant(0)
}

// callee returns the name of the function of math that a call calls.
func (l *lowerer) callee(e *ast.FuncCallExpr) string {
	var v Value
	what := "a call of a method"
	switch f := e.Func.(type) {
	case *ast.IdentExpr:
		what = "a call of \"" + f.Value + "\""
		if _, inside := l.lookup(f.Value); !inside {
			v = l.outside(f)
		}
	case *ast.AttrGetExpr:
		what = "a call of a function in a table"
		id, isName := f.Object.(*ast.IdentExpr)
		key, isKey := f.Key.(*ast.StringExpr)
		if isName && isKey {
			what = "a call of " + id.Value + "." + key.Value
			if _, inside := l.lookup(id.Value); !inside && l.isMath(id) {
				v = l.library(e, key.Value)
			}
		}
	}
	name, known := v.Name, false
	if v.Kind == Builtin && len(name) > 5 && name[:5] == "math." {
		name = name[5:]
		known = inlined[name] != 0 || hosted[name] > 0 || name == "max" || name == "min"
	}
	if !known {
		l.refuse(e.Line(), "%s", what)
	}
	return name
}

// maySignal reports whether a value can be a signalling not-a-number: one that
// comes straight from memory. All that computes makes it a quiet one.
func maySignal(e *ir.Expr) bool {
	switch e.Op {
	case ir.Get:
		return true
	case ir.Neg, ir.Abs, ir.Floor, ir.Ceil, ir.Tee:
		return maySignal(e.Args[0])
	case ir.Pick:
		return maySignal(e.Args[0]) || maySignal(e.Args[1])
	}
	return false
}

// round is math.floor or math.ceil of what may be a signalling not-a-number: Go
// gives it back as it is.
func (l *lowerer) round(op ir.Op, e *ir.Expr) *ir.Expr {
	first, second := l.twice(e)
	third, fourth := *second, *second
	rounded := pick(binary(ir.Eq, &third, &fourth), unary(op, first), second)
	rounded.Lazy = false // the condition reads what the first operand leaves
	return rounded
}

// extreme is math.max or math.min: the first argument, unless a later one is
// truly greater or less; not-a-number never is.
func (l *lowerer) extreme(name string, args []*ir.Expr) *ir.Expr {
	best := args[0]
	for _, next := range args[1:] {
		challenger, again := l.twice(next)
		champion, still := l.twice(best)
		better := binary(ir.Lt, still, again)
		if name == "min" {
			better = binary(ir.Lt, again, still)
		}
		best = pick(better, challenger, champion)
		best.Lazy = false // the condition reads what the other two leave
	}
	return best
}

// twice returns two uses of one value, of which the first runs first.
func (l *lowerer) twice(e *ir.Expr) (first, second *ir.Expr) {
	if e.Op == ir.Const || e.Op == ir.Get {
		copied := *e
		return e, &copied
	}
	held := l.f.NewLocal("held", e.Type)
	return &ir.Expr{Op: ir.Tee, Type: e.Type, Args: []*ir.Expr{e}, Local: held}, l.get(held)
}
