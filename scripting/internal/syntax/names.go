package syntax

import (
	"maps"
	"slices"
)

// What each name means: the scopes of Lua. One resolver goes through a tree once, when
// it is parsed; Tree.Visible goes through it again, only for a message. All later
// stages ask Names and have
// no scopes of their own.

// Variable is a local, a parameter or the variable of a loop.
type Variable struct {
	Name     string
	Pos      Pos
	Function FuncID // in which it is declared
	Value    Expr   // with which it is declared; nil where none stands for it alone
	Assigned []Expr // after its declaration, in the order of the text; nil where no expression stands for it alone
	Captured bool   // a function inside of its own names it

	final Expr // what it is for good, see ValueOf
}

// Global is a name that is no variable, at one place.
type Global struct {
	Name string
	Pos  Pos
	Set  bool // it is assigned there
}

// Names are what the names of a tree mean, and which jumps leave captured variables.
//
// What stands in a branch that a literal condition rules out is not looked at: it is
// not compiled, and may name what it likes. Its names mean nothing.
//
// This is the only place in which the scopes of Lua are known. Whoever has a name of the
// tree asks here.
type Names struct {
	Globals    []Global
	of         map[*Name]*Variable // nil for globals
	parameters map[FuncID][]*Variable
	jumps      jumps
}

// Variable returns the variable that a name declares, or means where it is used; nil for
// globals.
func (n *Names) Variable(name *Name) *Variable { return n.of[name] }

// Global reports whether a name means a global where it is used.
// It is false for a name in a branch that is never compiled: nothing is known of it.
func (n *Names) Global(use *Name) bool {
	v, known := n.of[use]
	return known && v == nil
}

// Visible returns the names that could stand at the place of a name: the variables in
// scope there, and the globals that the text sets anywhere. It goes through the whole text.
func (t *Tree) Visible(at Pos) []string {
	r := newResolver()
	r.at = at
	r.block(t.Body, nil)
	for _, g := range t.Names.Globals {
		if g.Set {
			r.visible = append(r.visible, g.Name)
		}
	}
	slices.Sort(r.visible)
	return slices.Compact(r.visible)
}

// DeclaredAfter returns the line after a place in which the text declares a name for
// everything below, or sets it as a global, for the first time; 0 where it does not.
// It serves the message about a name that is used above its declaration. Only
// locals at the top level count: a later local of the same function is not found.
func (t *Tree) DeclaredAfter(name string, at Pos) (line int) {
	note := func(declared string, pos Pos) {
		if declared == name && pos.Line() > at.Line() && (line == 0 || pos.Line() < line) {
			line = pos.Line()
		}
	}
	for _, stmt := range t.Body {
		switch s := stmt.(type) {
		case *Local:
			for _, n := range s.Names {
				note(n.Value, n.Pos)
			}
		case *LocalFunction:
			note(s.Name.Value, s.Name.Pos)
		}
	}
	for _, g := range t.Names.Globals {
		if g.Set {
			note(g.Name, g.Pos)
		}
	}
	return line
}

// ValueOf returns what an expression is for good: of a local that is assigned nothing after
// its declaration, that with which it is declared; any other expression itself. It is nil
// for a local of which nothing is known.
func (n *Names) ValueOf(e Expr) Expr {
	name, ok := e.(*Name)
	if !ok || n.of[name] == nil {
		return e
	}
	return n.of[name].final
}

// Parameters returns the parameters of a function, self included.
func (n *Names) Parameters(id FuncID) []*Variable { return n.parameters[id] }

// namesOf resolves the names of statements.
func namesOf(script string, body []Stmt) (*Names, []*Error) {
	r := newResolver()
	r.script = script
	r.block(body, nil)
	r.settle()
	r.finals()
	return r.names, r.faults
}

// finals finds what variables are for good, once it is known which of them are assigned.
// What a local is declared with names only variables that are declared before it, so each
// takes one step, however long a chain of locals is.
func (r *resolver) finals() {
	for _, v := range r.variables {
		if len(v.Assigned) == 0 {
			v.final = r.names.ValueOf(v.Value)
		}
	}
}

// fail notes a fault that only shows when it is known what names and labels mean.
func (r *resolver) fail(at Pos, format string, args ...any) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, errorAt(r.script, at, format, args...))
	}
}

// maxLocals is how many registers the VM has for the locals of a function. Temporary
// values need some of them, too: then the compiler reports that there are none left.
const maxLocals = 200

// scope is a block and its variables so far.
type scope struct {
	outer     *scope
	function  FuncID
	loop      Stmt // whose body this is, nil for other blocks
	variables map[string]*Variable
	declared  int    // variables so far, those of which another took the name included
	newest    string // the last of them
	captured  bool   // a variable of it is
	labels    map[string]label
}

// A resolver goes through a tree in the order in which Lua declares.
type resolver struct {
	script   string // its name, for faults
	names    *Names
	scope    *scope
	function FuncID
	breaks   []*jump
	gotos    []*jump
	live     int      // variables of the function that are visible
	faults   []*Error // of labels and of the number of locals
	at       Pos      // of the name for which the variables in scope are listed, see Visible
	visible  []string // these

	variables []*Variable // all, in the order in which they are declared
}

func newResolver() *resolver {
	return &resolver{names: &Names{of: map[*Name]*Variable{}, parameters: map[FuncID][]*Variable{}}}
}

// open begins a block, shut ends it. What has been declared in a block is forgotten
// then, but for the Variables that names lead to.
func (r *resolver) open(loop Stmt) {
	r.scope = &scope{outer: r.scope, function: r.function, loop: loop}
}

func (r *resolver) shut() {
	r.live -= r.scope.declared
	r.scope = r.scope.outer
}

// declare declares variables of whose values nothing is known: those of loops.
func (r *resolver) declare(names ...*Name) {
	for _, name := range names {
		r.add(name, nil)
	}
}

// add declares a variable with its value.
// A second declaration of a name in a block hides the first one. Both count, as both
// have a register.
func (r *resolver) add(name *Name, value Expr) *Variable {
	v := &Variable{Name: name.Value, Pos: name.Pos, Function: r.function, Value: value}
	if r.scope.variables == nil {
		r.scope.variables = map[string]*Variable{}
	}
	r.scope.variables[v.Name] = v
	r.scope.declared++
	r.scope.newest = v.Name
	if r.live++; r.live == maxLocals+1 {
		r.fail(name.Pos, "more than %d locals at once in one function: put some of them into a table, or into a function or a do block of their own", maxLocals)
	}
	r.names.of[name] = v
	r.variables = append(r.variables, v)
	return v
}

// use notes what a name means, and returns its variable.
// It takes O(blocks around the name), which maxNesting and maxElseifs bound.
func (r *resolver) use(name *Name) *Variable {
	r.names.of[name] = nil
	if name.Pos == r.at {
		r.list()
	}
	for s := r.scope; s != nil; s = s.outer {
		if v := s.variables[name.Value]; v != nil {
			inner := v.Function != r.function
			v.Captured, s.captured = v.Captured || inner, s.captured || inner
			r.names.of[name] = v
			return v
		}
	}
	return nil
}

// list notes the variables in scope.
func (r *resolver) list() {
	for s := r.scope; s != nil; s = s.outer {
		r.visible = slices.AppendSeq(r.visible, maps.Keys(s.variables))
	}
}

// block resolves a block of its own. loop is the statement whose body it is, nil for
// others.
func (r *resolver) block(body []Stmt, loop Stmt) {
	r.open(loop)
	r.stmts(body)
	r.shut()
}

func (r *resolver) stmts(body []Stmt) {
	last := len(body) // after the statements that are no labels
	for ; last > 0; last-- {
		if _, ok := body[last-1].(*Label); !ok {
			break
		}
	}
	for i, stmt := range body {
		if l, ok := stmt.(*Label); ok {
			r.label(l, i < last)
		}
		r.stmt(stmt)
	}
}

// stmt resolves a statement. The order is that of Lua: the values of a local come
// before its names, a local function before its body, and an assignment's values before
// its targets.
func (r *resolver) stmt(stmt Stmt) {
	switch s := stmt.(type) {
	case *Assign:
		r.exprs(s.Rhs)
		for i, target := range s.Lhs {
			r.assign(target, item(s.Rhs, i))
		}
	case *Local:
		r.exprs(s.Exprs)
		for i, name := range s.Names {
			r.add(name, item(s.Exprs, i))
		}
	case *LocalFunction:
		r.add(s.Name, s.Func)
		r.expr(s.Func)
	case *FunctionStmt:
		if s.Target != nil {
			r.assign(s.Target, s.Func)
		} else {
			r.expr(s.Receiver)
		}
		r.expr(s.Func)
	case *CallStmt:
		r.expr(s.Call)
	case *Return:
		r.exprs(s.Exprs)
	case *Break:
		r.breaks = append(r.breaks, r.breakJump(s))
	case *Goto:
		r.gotos = append(r.gotos, &jump{stmt: s, from: r.scope, active: r.active()})
	case *Label: // see stmts
	default:
		r.branch(stmt)
	}
}

// branch resolves statements with blocks.
func (r *resolver) branch(stmt Stmt) {
	switch s := stmt.(type) {
	case *Do:
		r.block(s.Body, nil)
	case *If:
		isTrue, known := Truth(s.Condition)
		r.expr(s.Condition)
		if !known || isTrue {
			r.block(s.Then, nil)
		}
		if !known || !isTrue {
			r.block(s.Else, nil)
		}
	case *While:
		if isTrue, known := Truth(s.Condition); known && !isTrue {
			return
		}
		r.expr(s.Condition)
		r.block(s.Body, s)
	case *Repeat:
		r.open(s)
		r.stmts(s.Body)
		r.expr(s.Condition)
		r.shut()
	case *NumberFor:
		r.expr(s.Init)
		r.expr(s.Limit)
		if s.Step != nil {
			r.expr(s.Step)
		}
		r.loop(s.Body, s, s.Name)
	case *GenericFor:
		r.exprs(s.Exprs)
		r.loop(s.Body, s, s.Names...)
	}
}

// loop resolves the body of a for, which has three variables that no script can name.
func (r *resolver) loop(body []Stmt, loop Stmt, names ...*Name) {
	r.open(loop)
	r.scope.declared = 3
	r.live += 3
	r.declare(names...)
	r.stmts(body)
	r.shut()
}

// assign resolves the target of an assignment.
func (r *resolver) assign(target, value Expr) {
	name, ok := target.(*Name)
	if !ok {
		r.expr(target)
		return
	}
	if v := r.use(name); v != nil {
		v.Assigned = append(v.Assigned, value)
		return
	}
	r.names.Globals = append(r.names.Globals, Global{name.Value, name.Pos, true})
}

// item returns the i-th expression of a list, nil where the list is shorter.
func item(list []Expr, i int) Expr {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// exprs resolves a list.
func (r *resolver) exprs(list []Expr) {
	for _, e := range list {
		r.expr(e)
	}
}

// expr resolves an expression. The right side of an and or an or that a literal decides
// is left out, as foldConstants leaves it out of what is compiled.
func (r *resolver) expr(expr Expr) {
	switch e := expr.(type) {
	case *Name:
		if r.use(e) == nil {
			r.names.Globals = append(r.names.Globals, Global{e.Value, e.Pos, false})
		}
		return
	case *Function:
		r.inner(e)
		return
	case *Logical:
		r.expr(e.Lhs)
		if isTrue, known := Truth(e.Lhs); !known || isTrue == (e.Operator == "and") {
			r.expr(e.Rhs)
		}
		return
	}
	Children(expr, func(part Node) { r.expr(part.(Expr)) })
}

// inner resolves a function. Its parameters stand in the block of its body, in the
// order of registers, self first. Blocks of it see those around it: this is how a
// capture is noticed.
func (r *resolver) inner(fn *Function) {
	around, live := r.function, r.live
	r.function, r.live = fn.ID, 0
	r.open(nil)
	params := fn.Params
	if fn.Self {
		params = append([]*Name{{Pos: fn.Pos, Value: "self"}}, params...)
	}
	for _, name := range params {
		r.names.parameters[fn.ID] = append(r.names.parameters[fn.ID], r.add(name, nil))
	}
	r.stmts(fn.Body)
	r.shut()
	r.function, r.live = around, live
}
