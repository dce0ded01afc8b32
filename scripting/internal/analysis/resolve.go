package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Variable is a local, a parameter or the variable of a loop.
type Variable struct {
	Name     string
	Pos      syntax.Pos
	Function syntax.FuncID // in which it is declared
	Value    syntax.Expr   // with which it is declared; nil where none stands for it alone
	Assigned bool          // it is assigned after its declaration
	Captured bool          // a function inside of its own names it

	computed bool // a field with a computed name is assigned
}

// Global is a name that is no variable, at one place.
type Global struct {
	Name string
	Pos  syntax.Pos
	Set  bool // it is assigned there
}

// Names are what the names of a text mean.
//
// What stands in a branch that a literal condition rules out is not looked at: it is
// not compiled, and may name what it likes.
type Names struct {
	Globals []Global
	Fields  []ModuleField
	of      map[*syntax.Name]*Variable
}

// Variable returns what a name means where it is used, nil for globals.
func (n *Names) Variable(use *syntax.Name) *Variable { return n.of[use] }

// namesOf resolves the names of a tree.
func namesOf(tree *syntax.Tree) *Names {
	r := resolver{names: &Names{of: map[*syntax.Name]*Variable{}}}
	r.block(tree.Body)
	r.names.Fields = r.certain()
	return r.names
}

// scope is a block and its variables so far.
type scope struct {
	outer     *scope
	variables map[string]*Variable
}

type resolver struct {
	names    *Names
	scope    *scope
	function syntax.FuncID
	fields   []fieldUse
}

func (r *resolver) open() { r.scope = &scope{outer: r.scope} }
func (r *resolver) shut() { r.scope = r.scope.outer }

func (r *resolver) declare(names ...*syntax.Name) {
	for _, name := range names {
		r.add(&Variable{Name: name.Value, Pos: name.Pos, Function: r.function})
	}
}

func (r *resolver) add(v *Variable) {
	if r.scope.variables == nil {
		r.scope.variables = map[string]*Variable{}
	}
	r.scope.variables[v.Name] = v
}

func (r *resolver) find(name string) *Variable {
	for s := r.scope; s != nil; s = s.outer {
		if v := s.variables[name]; v != nil {
			v.Captured = v.Captured || v.Function != r.function
			return v
		}
	}
	return nil
}

func (r *resolver) block(body []syntax.Stmt, names ...*syntax.Name) {
	r.open()
	r.declare(names...)
	r.stmts(body)
	r.shut()
}

func (r *resolver) stmts(body []syntax.Stmt) {
	for _, stmt := range body {
		r.stmt(stmt)
	}
}

func (r *resolver) stmt(stmt syntax.Stmt) {
	switch s := stmt.(type) {
	case *syntax.Assign:
		r.exprs(s.Rhs)
		for _, target := range s.Lhs {
			r.assign(target)
		}
	case *syntax.Local:
		r.exprs(s.Exprs)
		for i, name := range s.Names {
			v := &Variable{Name: name.Value, Pos: name.Pos, Function: r.function}
			if i < len(s.Exprs) {
				v.Value = s.Exprs[i]
			}
			r.add(v)
		}
	case *syntax.LocalFunction:
		r.add(&Variable{Name: s.Name.Value, Pos: s.Name.Pos, Function: r.function, Value: s.Func})
		r.expr(s.Func)
	case *syntax.FunctionStmt:
		if s.Target != nil {
			r.assign(s.Target)
		} else {
			r.expr(s.Receiver)
			r.field(s.Receiver, s.Method, s.Receiver.Position(), true)
		}
		r.expr(s.Func)
	case *syntax.CallStmt:
		r.expr(s.Call)
	case *syntax.Return:
		r.exprs(s.Exprs)
	default:
		r.branch(stmt)
	}
}

// branch resolves statements with blocks.
func (r *resolver) branch(stmt syntax.Stmt) {
	switch s := stmt.(type) {
	case *syntax.Do:
		r.block(s.Body)
	case *syntax.If:
		isTrue, known := truth(s.Condition)
		r.expr(s.Condition)
		if !known || isTrue {
			r.block(s.Then)
		}
		if !known || !isTrue {
			r.block(s.Else)
		}
	case *syntax.While:
		if isTrue, known := truth(s.Condition); known && !isTrue {
			return
		}
		r.expr(s.Condition)
		r.block(s.Body)
	case *syntax.Repeat:
		r.open()
		r.stmts(s.Body)
		r.expr(s.Condition)
		r.shut()
	case *syntax.NumberFor:
		r.expr(s.Init)
		r.expr(s.Limit)
		if s.Step != nil {
			r.expr(s.Step)
		}
		r.block(s.Body, s.Name)
	case *syntax.GenericFor:
		r.exprs(s.Exprs)
		r.block(s.Body, s.Names...)
	}
}

// assign resolves the target of an assignment.
func (r *resolver) assign(target syntax.Expr) {
	switch t := target.(type) {
	case *syntax.Name:
		if v := r.find(t.Value); v != nil {
			v.Assigned = true
			r.names.of[t] = v
			return
		}
		r.names.Globals = append(r.names.Globals, Global{t.Value, t.Pos, true})
	case *syntax.Index:
		r.expr(t.Object)
		r.expr(t.Key)
		if key, ok := t.Key.(*syntax.String); ok {
			r.field(t.Object, key.Value, t.Pos, true)
		} else if name, ok := t.Object.(*syntax.Name); ok && r.names.of[name] != nil {
			r.names.of[name].computed = true
		}
	}
}

func (r *resolver) exprs(list []syntax.Expr) {
	for _, e := range list {
		r.expr(e)
	}
}

func (r *resolver) expr(expr syntax.Expr) {
	switch e := expr.(type) {
	case *syntax.Name:
		if v := r.find(e.Value); v != nil {
			r.names.of[e] = v
			return
		}
		r.names.Globals = append(r.names.Globals, Global{e.Value, e.Pos, false})
		return
	case *syntax.Index:
		if key, ok := e.Key.(*syntax.String); ok {
			r.expr(e.Object)
			r.field(e.Object, key.Value, e.Pos, false)
			return
		}
	case *syntax.Call:
		if e.Func == nil {
			r.expr(e.Receiver)
			r.field(e.Receiver, e.Method, e.Pos, false)
			r.exprs(e.Args)
			return
		}
	case *syntax.Function:
		r.inner(e)
		return
	case *syntax.Logical:
		r.expr(e.Lhs)
		if isTrue, known := truth(e.Lhs); !known || isTrue == (e.Operator == "and") {
			r.expr(e.Rhs)
		}
		return
	}
	syntax.Children(expr, func(part syntax.Node) { r.expr(part.(syntax.Expr)) })
}

func (r *resolver) inner(fn *syntax.Function) {
	around := r.function
	r.function = fn.ID
	r.open()
	if fn.Self {
		r.add(&Variable{Name: "self", Pos: fn.Pos, Function: fn.ID})
	}
	r.declare(fn.Params...)
	r.stmts(fn.Body)
	r.shut()
	r.function = around
}

// truth tells whether an expression that is written out in literals counts as true;
// others are unknown.
func truth(expr syntax.Expr) (isTrue, known bool) {
	switch e := expr.(type) {
	case *syntax.True, *syntax.Number, *syntax.String:
		return true, true
	case *syntax.False, *syntax.Nil:
		return false, true
	case *syntax.Not:
		isTrue, known = truth(e.Expr)
		return !isTrue, known
	case *syntax.Logical:
		isTrue, known = truth(e.Lhs)
		if known && isTrue == (e.Operator == "and") {
			return truth(e.Rhs)
		}
		return isTrue, known
	}
	return false, false
}
