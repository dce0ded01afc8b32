package lower

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Script is what the text of one file says about its functions.
type Script struct {
	functions         map[syntax.FuncID]*function
	overwritesLibrary int // line where the text may change the library, 0: nowhere
	failed            error
}

// Failed stands for a script that Study could not look through: none of its functions
// has a translation, for that reason.
func Failed(why error) *Script { return &Script{failed: why} }

// function is one of them.
type function struct {
	expr   *syntax.Function
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
	negative syntax.Expr
}

// variable is a local of the script.
type variable struct {
	depth   int // of functions, where it is declared
	changed int // line of an assignment other than its declaration
}

// Study looks through the tree of a script for what lowering its functions will need.
func Study(tree *syntax.Tree) *Script {
	s := &Script{functions: map[syntax.FuncID]*function{}}
	st := &study{script: s}
	st.block(tree.Body)
	return s
}

// study resolves names.
type study struct {
	script *Script
	scope  *names
	inside []enclosing // functions around the current place
	depth  int         // of functions
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
// place is in note what they capture.
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

func (st *study) block(stmts []syntax.Stmt, locals ...string) {
	st.open()
	st.declare(locals...)
	st.stmts(stmts)
	st.shut()
}

func (st *study) stmts(stmts []syntax.Stmt) {
	for _, s := range stmts {
		st.stmt(s)
	}
}

func (st *study) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Assign:
		st.exprs(s.Rhs...)
		for i, target := range s.Lhs {
			st.assign(target)
			if i < len(s.Rhs) {
				st.clear(target, s.Rhs[i])
			}
			if id, ok := target.(*syntax.Name); ok {
				st.reassignText(id.Value, i, s.Rhs)
			}
		}
	case *syntax.Local:
		st.exprs(s.Exprs...)
		names := syntax.Texts(s.Names)
		st.declare(names...)
		for i, name := range names {
			if i < len(s.Exprs) {
				st.assignText(name, s.Exprs[i])
			}
		}
	case *syntax.LocalFunction:
		st.declare(s.Name.Value)
		st.expr(s.Func)
	case *syntax.CallStmt:
		st.expr(s.Call)
	case *syntax.Return:
		st.exprs(s.Exprs...)
	case *syntax.If:
		st.expr(s.Condition)
		st.block(s.Then)
		st.block(s.Else)
	case *syntax.Do:
		st.block(s.Body)
	case *syntax.FunctionStmt:
		st.definition(s)
	default:
		st.loop(s)
	}
}

func (st *study) loop(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.While:
		st.expr(s.Condition)
		st.block(s.Body)
	case *syntax.Repeat:
		st.open()
		st.stmts(s.Body)
		st.expr(s.Condition)
		st.shut()
	case *syntax.NumberFor:
		st.exprs(s.Init, s.Limit)
		if s.Step != nil {
			st.expr(s.Step)
		}
		st.block(s.Body, s.Name.Value)
	case *syntax.GenericFor:
		st.exprs(s.Exprs...)
		st.block(s.Body, syntax.Texts(s.Names)...)
	}
}

// definition is function a.b.c() or function a:b().
func (st *study) definition(s *syntax.FunctionStmt) {
	if s.Target != nil {
		st.assign(s.Target)
		st.function(s.Func)
		return
	}
	st.expr(s.Receiver)
	st.function(s.Func, "self")
}

// assign is the target of an assignment.
func (st *study) assign(target syntax.Expr) {
	switch t := target.(type) {
	case *syntax.Name:
		if v := st.find(t.Value); v != nil {
			v.changed = max(t.Line(), 1)
		} else if isLibrary(t.Value) {
			st.overwrite(t.Line())
		}
	case *syntax.Index:
		if id, ok := t.Object.(*syntax.Name); ok && isLibrary(id.Value) && st.find(id.Value) == nil {
			st.overwrite(id.Line())
		}
		if array, ok := t.Object.(*syntax.Index); ok {
			st.index(array.Key)
		}
		st.exprs(t.Object, t.Key)
	}
}

// index notes a field of which an element is assigned.
func (st *study) index(field syntax.Expr) {
	if key, ok := field.(*syntax.String); ok {
		for _, in := range st.inside {
			in.fn.indexed[key.Value] = true
		}
	}
}

// clear notes a name that is assigned nil.
func (st *study) clear(target, value syntax.Expr) {
	id, isName := target.(*syntax.Name)
	if _, isNil := value.(*syntax.Nil); isName && isNil {
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

func (st *study) exprs(list ...syntax.Expr) {
	for _, e := range list {
		st.expr(e)
	}
}

func (st *study) expr(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Name:
		if st.find(e.Value) == nil && isLibrary(e.Value) {
			st.overwrite(e.Line()) // handed on, to whoever
		}
	case *syntax.Index:
		id, isName := e.Object.(*syntax.Name)
		_, isKey := e.Key.(*syntax.String)
		if isName && isKey && id.Value == "math" && st.find("math") == nil {
			return // read by name
		}
		st.exprs(e.Object, e.Key)
	case *syntax.Function:
		st.function(e)
	case *syntax.Table:
		for _, f := range e.Fields {
			if f.Key != nil {
				st.expr(f.Key)
			}
			st.expr(f.Value)
		}
	case *syntax.Call:
		if e.Func != nil {
			st.expr(e.Func)
		} else {
			st.expr(e.Receiver)
		}
		st.exprs(e.Args...)
	case *syntax.Arithmetic, *syntax.Minus:
		st.operator(e)
	default:
		st.exprs(operands(e)...)
	}
}

// operator is one that the compiler of the VM computes where it can.
func (st *study) operator(e syntax.Expr) {
	if _, constant := literal(e); !constant {
		st.exprs(operands(e)...)
	} else if n := len(st.inside); n > 0 && isNegativeZero(e) {
		st.inside[n-1].fn.negative = e
	}
}

// operands returns those of an operator.
func operands(e syntax.Expr) []syntax.Expr {
	switch e := e.(type) {
	case *syntax.Logical:
		return []syntax.Expr{e.Lhs, e.Rhs}
	case *syntax.Comparison:
		return []syntax.Expr{e.Lhs, e.Rhs}
	case *syntax.Concat:
		return []syntax.Expr{e.Lhs, e.Rhs}
	case *syntax.Arithmetic:
		return []syntax.Expr{e.Lhs, e.Rhs}
	case *syntax.Minus:
		return []syntax.Expr{e.Expr}
	case *syntax.Not:
		return []syntax.Expr{e.Expr}
	case *syntax.Length:
		return []syntax.Expr{e.Expr}
	}
	return nil
}

func (st *study) function(f *syntax.Function, more ...string) {
	st.depth++
	fn := &function{
		expr: f, params: append(more, syntax.Texts(f.Params)...), outer: map[string]*variable{}, nilled: map[string]bool{}, indexed: map[string]bool{},
		texts: map[string][]string{}, reassigned: map[string]bool{},
	}
	st.script.functions[f.ID] = fn
	st.inside = append(st.inside, enclosing{fn, st.depth})
	st.block(f.Body, fn.params...)
	st.inside = st.inside[:len(st.inside)-1]
	st.depth--
}
