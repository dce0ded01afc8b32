package lower

import (
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file translates calls. There is no call in a kernel but those of the host: a
// function of a script is put in the place of its call, as often as it is called. That is
// why a kernel has bounds for its size, see size.go. Functions of the library are in
// library.go, and those of ecs in api.go.

// calls translates a call and returns all of its results.
//
// A function that the text names is an input of the kernel: rely has it run only while the
// name still leads to the same one.
func (l *lowerer) calls(e *syntax.Call) []val {
	v := l.callee(e)
	if l.err != nil {
		return []val{nothing()}
	}
	l.rely(v)
	switch {
	case v.Kind == Code:
		return l.inline(v.Code, e)
	case strings.HasPrefix(v.Name, "ecs."):
		return l.api(strings.TrimPrefix(v.Name, "ecs."), e)
	case v.Takes > 0:
		return l.exposed(&v, e)
	case v.Name == "assert":
		return l.assert(e)
	}
	return l.mathematics(strings.TrimPrefix(v.Name, "math."), e)
}

// callee returns the function that a call calls.
//
// What is called is found before the arguments are translated. That is the order of the VM,
// too, and the difference could be seen only if an argument replaced the function: a kernel
// assigns numbers and booleans alone.
//
// A call of print, ecs.log or error makes the refusal rare: such a line stands where few
// rows come to, so the branch with it is not worth a note about speed. See ir.Fallback.
func (l *lowerer) callee(e *syntax.Call) Resolved {
	what, instead := "a call of a function without a name", ""
	switch f := e.Func.(type) {
	case nil:
		what, instead = "a call of a method", "call a local function with what it needs"
	case *syntax.Name:
		what = "a call of \"" + f.Value + "\""
	case *syntax.Index:
		what = "a call of a function in a table"
		id, isName := f.Object.(*syntax.Name)
		key, isKey := f.Key.(*syntax.String)
		if isName && isKey {
			what = "a call of " + id.Value + "." + key.Value
		}
	}
	v, ok := Resolved{}, e.Func != nil
	if ok {
		v, ok = l.resolve(e.Func)
	}
	if l.err == nil && (!ok || v.Kind != Code && (v.Kind != Builtin || v.Takes == 0 && !callable(v.Name))) {
		if ok && v.Kind == Builtin && strings.HasPrefix(v.Name, "ecs.draw.") {
			what = "a call of " + v.Name
		}
		l.refuseFor(e.Position(), instead, "%s", what)
		l.err.rare = ok && v.Kind == Builtin && (v.Name == "ecs.log" || v.Name == "print" || v.Name == "error")
	}
	return v
}

// callable reports whether a function of a library can be called from kernels. It is the
// one list of them beside apis and the tables of library.go, and calls counts on it:
// whatever passes here has a case there.
func callable(name string) bool {
	if rest, ok := strings.CutPrefix(name, "math."); ok {
		return computed[rest] != 0 || hosted[rest] > 0 || parted[rest][0] != "" || rest == "max" || rest == "min" || rest == "random"
	}
	rest, ok := strings.CutPrefix(name, "ecs.")
	return ok && apis[rest] || name == "assert"
}

// assert gives back what it gets. A row for which that is false or nil is the VM's,
// which raises the error.
//
// The value is held in locals first. It is read twice, by the demand and as the result, and
// must be evaluated once.
func (l *lowerer) assert(e *syntax.Call) []val {
	if len(e.Args) == 0 {
		l.refuse(e.Position(), "assert without arguments")
		return []val{nothing()}
	}
	v := l.hold(l.value(e.Args[0]))
	out := []val{v}
	for _, a := range e.Args[1:] {
		if s, ok := a.(*syntax.String); ok {
			out = append(out, val{text: &s.Value, pos: s.Pos})
		} else {
			l.refuse(a.Position(), "a message of assert that is not written out")
		}
	}
	l.demand(v.truth(), "assert may fail")
	return out
}

// inlined is a function of a script in the place of a call of it.
//
// They form a chain from the innermost call outwards, by outer, which ends in the each
// function. mark saves each of them, for a branch that is given up may have added results.
type inlined struct {
	code    *Function
	pos     syntax.Pos // of the call
	outer   *inlined
	label   int // behind its body
	returns int // that were translated so far
	results []result
}

// result is where a return leaves one value. The local holds the value and present says
// whether there is one. Both are cleared before each run of the body, see results, because
// the call may stand in a loop.
type result struct {
	local, present int
	names          []string
	nilled         bool // some return leaves none
}

// outermost returns the place in the each function that led here. A refusal points there,
// as its reader has the text of the system at hand.
func (c *inlined) outermost() syntax.Pos {
	for c.outer != nil {
		c = c.outer
	}
	return c.pos
}

// inline puts the body of a function in the place of its call.
//
// The steps have an order. The arguments are translated in the state of the caller, and the
// parameters are declared in that of the callee, because the state says what names mean. The
// size is looked at before the body is translated, so that a refusal costs nothing, see
// CompileBudget.least.
//
// Recursion is found by Key, which stands for the text of a function. So two closures of
// one text count as one, and the chain is at most as deep as there are functions in the
// scripts.
//
// The body returns by leaving its block. To those around it no row has left then, so left
// is restored: statements after the call are as unconditional as before it.
func (l *lowerer) inline(code *Function, e *syntax.Call) []val {
	fn := code.Script.functions[code.ID]
	if fn == nil {
		l.refuse(e.Position(), "a call of a function in %s, at which the compiler failed (%v),", code.File, code.Script.failed)
		return []val{nothing()}
	}
	for c := l.call; c != nil; c = c.outer {
		if c.code.Key == code.Key {
			l.refuse(e.Position(), "a function that calls itself")
			return []val{nothing()}
		}
	}
	if fn.expr.Vararg {
		l.refuse(e.Position(), "a call of a function with ...")
	}
	args := l.arguments(e.Args)
	if l.err != nil {
		return []val{nothing()}
	}
	before := l.extent()
	if least := l.sig.Budget.least(fn, code.Key); !before.plus(least).fits() { // known before anything is made of it
		l.unmade = least
		l.oversized(e.Position())
		return []val{nothing()}
	}
	caller := l.funcState
	l.funcState = funcState{
		script: code.Script, fn: fn, captured: code.Captured, library: code.Library, global: code.Global,
		call: &inlined{code: code, pos: e.Position(), outer: caller.call, label: l.label()},
	}
	for i, param := range code.Script.names.Parameters(code.ID) {
		v := val{isNil: true, pos: e.Pos}
		if i < len(args) {
			v = args[i]
		}
		l.declare(param, v)
	}
	call, left := l.call, l.left
	body := l.list(func() { l.stmts(fn.expr.Body) })
	if l.err != nil && l.err.whole {
		l.sig.Budget.learn(code.Key, before, l.extent().plus(l.unmade))
	}
	l.left = left // its returns lead to the place after the call
	l.funcState = caller
	return l.results(call, body)
}

// results emits a body with what its returns leave set to nothing before.
//
// A value is surely there only if no row can come to the end of the body without a return,
// and no return left nil. Otherwise it may be nil, and whoever needs it asks present.
func (l *lowerer) results(call *inlined, body []*ir.Stmt) []val {
	open := len(body) == 0 || !body[len(body)-1].Leaves()
	var out []val
	for i := range call.results {
		r := &call.results[i]
		zero := ir.Constant(0)
		zero.Type = l.f.Locals[r.local].Type
		l.set(r.local, zero)
		l.set(r.present, ir.Truth(false))
		v := val{expr: l.get(r.local), names: r.names}
		if open || r.nilled {
			v.present = l.get(r.present)
		}
		out = append(out, v)
	}
	l.emit(&ir.Stmt{Kind: ir.Block, Label: call.label, Body: body})
	return out
}

// giveBack is return in a function that is called. What it gives nothing to is nothing
// already, see results.
//
// The first return with an i-th value decides which type the i-th result has. Later ones
// must fit, as a local of a kernel has one type.
func (l *lowerer) giveBack(s *syntax.Return) {
	values := l.expand(s.Exprs)
	if l.err != nil {
		return
	}
	c := l.call
	for i, v := range values {
		if i == len(c.results) {
			v = l.solid(v)
			r := result{local: -1, present: l.f.NewLocal("returned?", ir.Bool), names: v.names, nilled: c.returns > 0} // earlier returns had fewer
			t := ir.Num
			if v.expr != nil {
				t = v.expr.Type
			}
			r.local = l.f.NewLocal("returned", t)
			c.results = append(c.results, r)
		}
		l.giveOne(&c.results[i], v)
	}
	for i := len(values); i < len(c.results); i++ {
		c.results[i].nilled = true
	}
	c.returns++
	l.leave(c.label)
}

// giveOne stores one value of a return. A nil stores nothing: results has set present to
// false. Names must be the same list, since the local holds a place in it.
func (l *lowerer) giveOne(r *result, v val) {
	v = l.solid(v)
	if v.isNil {
		r.nilled = true
		return
	}
	if l.err == nil && (v.expr.Type != l.f.Locals[r.local].Type || strings.Join(v.names, "\x00") != strings.Join(r.names, "\x00")) {
		l.refuse(v.pos, "a function that returns values of several kinds")
	}
	if l.err != nil {
		return
	}
	present := ir.Truth(true)
	if v.present != nil {
		r.nilled, present = true, v.present
	}
	l.set(r.local, v.expr)
	l.set(r.present, present)
}

// arguments translates those of a call of a script's function: rows and ctx may
// be handed on as they are.
//
// The context is accepted at the end of the list alone. In front of other arguments it is
// refused, as the name of a table is.
func (l *lowerer) arguments(exprs []syntax.Expr) []val {
	var out []val
	plain := exprs
	for len(plain) > 0 { // the context is no value
		id, ok := plain[len(plain)-1].(*syntax.Name)
		if b := (*binding)(nil); ok {
			if b = l.lookup(id); b != nil && b.kind == isContext {
				plain = plain[:len(plain)-1]
				out = append([]val{{context: true}}, out...)
				continue
			}
		}
		break
	}
	return append(l.expand(plain), out...)
}

// closure makes a value of a function that is written inside of the function that is
// translated. It is put in the place of its calls as others are. What it names around it
// is what stands there when it is called, as in Lua, since a variable of the text is one
// variable of the kernel; those of a loop's turn it cannot outlive, because it is no value
// that could be kept.
func (l *lowerer) closure(e *syntax.Function) val {
	return val{thing: &Resolved{
		Kind: Code, Name: "a function as a value",
		Code: &Function{
			Script: l.script, File: l.file(), ID: e.ID, Key: e, Captured: l.captured, Library: l.library, Global: l.global,
		},
	}}
}

// file is that of the text which is being read; empty for the each function itself.
func (l *lowerer) file() string {
	if l.call != nil {
		return l.call.code.File
	}
	return ""
}

// localFunction is local function name. It sees itself.
func (l *lowerer) localFunction(name *syntax.Name, e *syntax.Function) {
	l.bindings[l.script.names.Variable(name)] = &binding{kind: isValue, value: *l.closure(e).thing}
}
