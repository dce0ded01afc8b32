package lower

import (
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/yuin/gopher-lua/ast"
)

// Signature is what a loaded script knows about one each function.
type Signature struct {
	System string
	Line   int    // of the function, as the Lua machine knows it
	Terms  []Term // of the query: the parameters after the entity
	// Captured returns the value of a local of the script that the function
	// captures and that never changes.
	Captured func(name string) Value
	// Library returns a field of the global table math.
	Library func(name string) Value
}

// Term is one parameter: a component.
type Term struct {
	Name   string
	Fields []ecs.Field
	Stride uintptr // bytes from one row to the next
	Away   string  // why no kernel can reach it; empty: it can
}

// Value is what a name outside of the function stands for.
type Value struct {
	Kind   ValueKind
	Number float64
	Truth  bool
	Name   string // of a Builtin, as in "math.floor"; of Other, what it is
}

// ValueKind says what a Value is.
type ValueKind uint8

// The kinds of values.
const (
	Other ValueKind = iota // of no use in a kernel
	Number
	Truth
	Builtin
)

// Refusal says why a function has no kernel.
type Refusal struct {
	Line int
	What string // a noun: "a string"
}

// Error returns the reason with its line.
func (r *Refusal) Error() string { return fmt.Sprintf("line %d: %s", r.Line, r.Message()) }

// Message returns the reason without its line.
func (r *Refusal) Message() string { return r.What + " is not available in kernels" }

// Lower translates the function with that place in the list that Study got. The
// error is a *Refusal.
func (s *Script) Lower(id int, sig *Signature) (*ir.Func, error) {
	if id < 0 || id >= len(s.functions) || s.functions[id].expr.Line() != sig.Line {
		return nil, &Refusal{What: "a function that is not written out in its system's table"}
	}
	fn := s.functions[id]
	l := &lowerer{script: s, fn: fn, sig: sig, f: &ir.Func{Name: sig.System}, columns: map[int]int{}, fields: map[fieldKey]int{}}
	l.open()
	l.parameters(fn.expr)
	l.collectFields(fn.expr.Stmts)
	l.f.Body = l.list(func() { l.stmts(fn.expr.Stmts) })
	if l.err != nil {
		return nil, l.err
	}
	return l.f, nil
}

// lowerer translates one function. After the first refusal it goes on without
// effect, so that nothing has to look for it at every step.
type lowerer struct {
	script *Script
	fn     *function
	sig    *Signature
	f      *ir.Func
	err    *Refusal

	out     []*ir.Stmt // the list that is being written
	scope   *scope
	columns map[int]int // index of a term's column
	fields  map[fieldKey]int
	labels  int // given out so far
	breaks  []int
	trips   int // of the counted loops around this place; 0: some loop is not
}

type fieldKey struct {
	term int
	name string
}

// scope is a block's names, and those around it.
type scope struct {
	outer  *scope
	names  map[string]binding
	labels map[string]int // of goto
}

// binding is what a name stands for inside the function.
type binding struct {
	kind  bindingKind
	index int // local or term
}

type bindingKind uint8

const (
	isLocal bindingKind = iota + 1
	isEntity
	isTerm
	isContext
)

func (l *lowerer) refuse(line int, format string, v ...any) {
	if l.err == nil {
		l.err = &Refusal{Line: max(line, l.fn.expr.Line()), What: fmt.Sprintf(format, v...)}
	}
}

func (l *lowerer) open() {
	l.scope = &scope{outer: l.scope, names: map[string]binding{}, labels: map[string]int{}}
}

func (l *lowerer) shut() { l.scope = l.scope.outer }

func (l *lowerer) lookup(name string) (binding, bool) {
	for s := l.scope; s != nil; s = s.outer {
		if b, ok := s.names[name]; ok {
			return b, true
		}
	}
	return binding{}, false
}

func (l *lowerer) parameters(f *ast.FunctionExpr) {
	if f.ParList.HasVargs {
		l.refuse(f.Line(), "...")
	}
	for i, name := range f.ParList.Names {
		b := binding{kind: isTerm, index: i - 1}
		switch {
		case i == 0:
			b.kind = isEntity
		case i == len(l.sig.Terms)+1:
			b.kind = isContext
		case i > len(l.sig.Terms)+1:
			l.refuse(f.Line(), "a parameter that nothing is passed for")
			return
		}
		l.scope.names[name] = b
	}
}

// list collects what write emits.
func (l *lowerer) list(write func()) []*ir.Stmt {
	outer := l.out
	l.out = nil
	write()
	inner := l.out
	l.out = outer
	return inner
}

func (l *lowerer) emit(s *ir.Stmt) { l.out = append(l.out, s) }

func (l *lowerer) set(local int, e *ir.Expr) {
	l.emit(&ir.Stmt{Kind: ir.Set, Local: local, Value: e})
}

func (l *lowerer) get(local int) *ir.Expr {
	return &ir.Expr{Op: ir.Get, Type: l.f.Locals[local].Type, Local: local}
}

// collectFields finds the fields that the function names and which of them it
// assigns, so that they come first among the locals.
func (l *lowerer) collectFields(stmts []ast.Stmt) {
	c := &collector{l: l}
	c.block(stmts)
}

// field returns the local that stands for a field of a term.
func (l *lowerer) field(term int, name string, line int) int {
	if i, ok := l.fields[fieldKey{term, name}]; ok {
		return i
	}
	t := &l.sig.Terms[term]
	f := l.usable(t, name, line)
	if f == nil {
		return -1
	}
	column, ok := l.columns[term]
	if !ok {
		column = len(l.f.Columns)
		l.columns[term] = column
		l.f.Columns = append(l.f.Columns, ir.Column{Name: t.Name, Term: term, Stride: uint32(t.Stride)})
	}
	added := ir.Field{Column: column, Kind: f.Kind, Offset: uint32(f.Offset)}
	i := l.f.NewLocal(t.Name+"."+name, added.Type())
	l.f.Fields = append(l.f.Fields, added)
	l.fields[fieldKey{term, name}] = i
	return i
}

// usable returns a field that a kernel can work with.
func (l *lowerer) usable(t *Term, name string, line int) *ecs.Field {
	if t.Away != "" {
		l.refuse(line, "%q: %s, it", t.Name, t.Away)
		return nil
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.Name != name:
			continue
		case f.Len > 0:
			l.refuse(line, "the array %q", name)
		case f.Kind < ecs.Bool || f.Kind > ecs.F64:
			l.refuse(line, "%q, a field of kind %s,", name, f.Kind)
		case t.Stride > math.MaxUint32:
			l.refuse(line, "a component of this size")
		default:
			return f
		}
		return nil
	}
	l.refuse(line, "the unknown field %q", name)
	return nil
}
