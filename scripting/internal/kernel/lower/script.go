package lower

import "github.com/yuin/gopher-lua/ast"

// Script is what the text of one file says about its functions.
type Script struct {
	wanted            []*function // the each functions
	all               []*function
	overwritesLibrary int // line where the text may change the library, 0: nowhere
	failed            error
}

// Failed stands for a script that Study could not look through: none of its functions
// has a translation, for that reason.
func Failed(why error) *Script { return &Script{failed: why} }

// function is one of them.
type function struct {
	expr   *ast.FunctionExpr
	params []string             // self included
	outer  map[string]*variable // locals of the script around it that it names
	nilled map[string]bool      // names that it assigns nil to
	texts  map[string][]string  // that it gives to a name
	// reassigned are the names to which it assigns other things after their declaration.
	reassigned map[string]bool
	// indexed are the names of fields of which it, or a function inside of it, assigns
	// elements.
	indexed map[string]bool
	// negative is a place in its own text where -0 is a constant, nil if there is none.
	negative ast.Expr
}

// find returns the function with that place in the text, nil if there is none or
// several: the Lua machine knows no more of a function than its lines.
func (s *Script) find(f *Function) *function {
	var found *function
	for _, fn := range s.all {
		if fn.expr.Line() != f.Line || fn.expr.LastLine() != f.LastLine || len(fn.params) != f.Params {
			continue
		}
		if found != nil {
			return nil
		}
		found = fn
	}
	return found
}

// variable is a local of the script.
type variable struct {
	depth   int // of functions, where it is declared
	changed int // line of an assignment other than its declaration
}

// Study looks through the tree of a script, which nobody may have changed since
// it was parsed, for what lowering the functions will need. Functions are known
// by their place in the list from then on.
func Study(stmts []ast.Stmt, functions []*ast.FunctionExpr) *Script {
	s := &Script{}
	st := &study{script: s, functions: map[*ast.FunctionExpr]*function{}}
	st.block(stmts)
	for _, expr := range functions {
		s.wanted = append(s.wanted, st.functions[expr])
	}
	return s
}

// study resolves names.
type study struct {
	script    *Script
	functions map[*ast.FunctionExpr]*function
	scope     *names
	inside    []enclosing // functions around the current place
	depth     int         // of functions
}

// enclosing is a function that is being read.
type enclosing struct {
	fn    *function
	depth int // inside it
}

// names is one block's locals, and those around it.
type names struct {
	outer *names
	of    map[string]*variable
}

func (st *study) open() { st.scope = &names{st.scope, map[string]*variable{}} }
func (st *study) shut() { st.scope = st.scope.outer }

func (st *study) declare(list ...string) {
	for _, name := range list {
		st.scope.of[name] = &variable{depth: st.depth}
	}
}

// find returns the local of that name, nil for a global. The functions that the
// place is in are told of what they capture.
func (st *study) find(name string) *variable {
	for s := st.scope; s != nil; s = s.outer {
		v := s.of[name]
		if v == nil {
			continue
		}
		for _, in := range st.inside {
			if v.depth < in.depth {
				in.fn.outer[name] = v
			}
		}
		return v
	}
	return nil
}

func (st *study) block(stmts []ast.Stmt, locals ...string) {
	st.open()
	st.declare(locals...)
	st.stmts(stmts)
	st.shut()
}

func (st *study) stmts(stmts []ast.Stmt) {
	for _, s := range stmts {
		st.stmt(s)
	}
}

func (st *study) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		st.exprs(s.Rhs...)
		for i, target := range s.Lhs {
			st.assign(target)
			if i < len(s.Rhs) {
				st.clear(target, s.Rhs[i])
			}
			if id, ok := target.(*ast.IdentExpr); ok {
				st.reassignText(id.Value, i, s.Rhs)
			}
		}
	case *ast.LocalAssignStmt:
		if s.LastLine() != 0 { // local function
			st.declare(s.Names...)
			st.exprs(s.Exprs...)
			return
		}
		st.exprs(s.Exprs...)
		st.declare(s.Names...)
		for i, name := range s.Names {
			if i < len(s.Exprs) {
				st.assignText(name, s.Exprs[i])
			}
		}
	case *ast.FuncCallStmt:
		st.expr(s.Expr)
	case *ast.ReturnStmt:
		st.exprs(s.Exprs...)
	case *ast.IfStmt:
		st.expr(s.Condition)
		st.block(s.Then)
		st.block(s.Else)
	case *ast.DoBlockStmt:
		st.block(s.Stmts)
	case *ast.FuncDefStmt:
		st.definition(s)
	default:
		st.loop(s)
	}
}

func (st *study) loop(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.WhileStmt:
		st.expr(s.Condition)
		st.block(s.Stmts)
	case *ast.RepeatStmt:
		st.open()
		st.stmts(s.Stmts)
		st.expr(s.Condition)
		st.shut()
	case *ast.NumberForStmt:
		st.exprs(s.Init, s.Limit)
		if s.Step != nil {
			st.expr(s.Step)
		}
		st.block(s.Stmts, s.Name)
	case *ast.GenericForStmt:
		st.exprs(s.Exprs...)
		st.block(s.Stmts, s.Names...)
	}
}

// definition is function a.b.c() or function a:b().
func (st *study) definition(s *ast.FuncDefStmt) {
	if s.Name.Func != nil {
		st.assign(s.Name.Func)
		st.function(s.Func)
		return
	}
	st.expr(s.Name.Receiver)
	st.function(s.Func, "self")
}

// assign is the target of an assignment.
func (st *study) assign(target ast.Expr) {
	switch t := target.(type) {
	case *ast.IdentExpr:
		if v := st.find(t.Value); v != nil {
			v.changed = max(t.Line(), 1)
		} else if isLibrary(t.Value) {
			st.overwrite(t.Line())
		}
	case *ast.AttrGetExpr:
		if id, ok := t.Object.(*ast.IdentExpr); ok && isLibrary(id.Value) && st.find(id.Value) == nil {
			st.overwrite(id.Line())
		}
		if array, ok := t.Object.(*ast.AttrGetExpr); ok {
			st.index(array.Key)
		}
		st.exprs(t.Object, t.Key)
	}
}

// index notes a field of which an element is assigned.
func (st *study) index(field ast.Expr) {
	if key, ok := field.(*ast.StringExpr); ok {
		for _, in := range st.inside {
			in.fn.indexed[key.Value] = true
		}
	}
}

// clear notes a name that is assigned nil.
func (st *study) clear(target, value ast.Expr) {
	id, isName := target.(*ast.IdentExpr)
	if _, isNil := value.(*ast.NilExpr); isName && isNil {
		for _, in := range st.inside {
			in.fn.nilled[id.Value] = true
		}
	}
}

func (st *study) overwrite(line int) {
	if st.script.overwritesLibrary == 0 {
		st.script.overwritesLibrary = max(line, 1)
	}
}

// isLibrary reports whether a global's fields are taken for what they are at the
// start: those of math, unless the text can reach the table in other ways.
func isLibrary(name string) bool { return name == "math" || name == "_G" }

func (st *study) exprs(list ...ast.Expr) {
	for _, e := range list {
		st.expr(e)
	}
}

func (st *study) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IdentExpr:
		if st.find(e.Value) == nil && isLibrary(e.Value) {
			st.overwrite(e.Line()) // handed on, to whoever
		}
	case *ast.AttrGetExpr:
		id, isName := e.Object.(*ast.IdentExpr)
		_, isKey := e.Key.(*ast.StringExpr)
		if isName && isKey && id.Value == "math" && st.find("math") == nil {
			return // read by name
		}
		st.exprs(e.Object, e.Key)
	case *ast.FunctionExpr:
		st.function(e)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				st.expr(f.Key)
			}
			st.expr(f.Value)
		}
	case *ast.FuncCallExpr:
		if e.Func != nil {
			st.expr(e.Func)
		} else {
			st.expr(e.Receiver)
		}
		st.exprs(e.Args...)
	case *ast.ArithmeticOpExpr, *ast.UnaryMinusOpExpr:
		st.operator(e)
	default:
		st.exprs(operands(e)...)
	}
}

// operator is one that the compiler of the Lua machine computes where it can.
func (st *study) operator(e ast.Expr) {
	if _, constant := literal(e); !constant {
		st.exprs(operands(e)...)
	} else if n := len(st.inside); n > 0 && isNegativeZero(e) {
		st.inside[n-1].fn.negative = e
	}
}

// operands returns those of an operator.
func operands(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.LogicalOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.RelationalOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.StringConcatOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.ArithmeticOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.UnaryMinusOpExpr:
		return []ast.Expr{e.Expr}
	case *ast.UnaryNotOpExpr:
		return []ast.Expr{e.Expr}
	case *ast.UnaryLenOpExpr:
		return []ast.Expr{e.Expr}
	}
	return nil
}

func (st *study) function(f *ast.FunctionExpr, more ...string) {
	st.depth++
	fn := &function{
		expr: f, params: append(more, f.ParList.Names...), outer: map[string]*variable{}, nilled: map[string]bool{}, indexed: map[string]bool{},
		texts: map[string][]string{}, reassigned: map[string]bool{},
	}
	st.functions[f] = fn
	st.script.all = append(st.script.all, fn)
	st.inside = append(st.inside, enclosing{fn, st.depth})
	st.block(f.Stmts, fn.params...)
	st.inside = st.inside[:len(st.inside)-1]
	st.depth--
}
