package lower

import (
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Script is what the text of one file says about its functions.
type Script struct {
	names             *syntax.Names
	functions         map[syntax.FuncID]*function
	overwritesLibrary int // line where the text may change the library, 0: nowhere
	failed            error
}

// Failed stands for a script that Study could not look through: none of its functions
// has a translation, for that reason.
func Failed(why error) *Script { return &Script{failed: why} }

// function is one of them.
type function struct {
	expr *syntax.Function
	// indexed are the names of fields of which it, or a function inside of it, assigns
	// elements.
	indexed map[string]bool
	size    int // how many statements it makes at the least, see sizes
}

// captures reports whether a variable is one of those around the function.
func (f *function) captures(v *syntax.Variable) bool {
	return v != nil && (v.Function < f.expr.ID || v.Function > f.expr.LastID)
}

// Study looks through the tree of a script for what lowering its functions will need.
func Study(tree *syntax.Tree) *Script {
	s := &Script{names: tree.Names, functions: map[syntax.FuncID]*function{}}
	st := &study{script: s}
	for _, stmt := range tree.Body {
		st.node(stmt)
	}
	sizes := sizes{s.names, map[*syntax.Function]int{}}
	for _, id := range slices.Sorted(maps.Keys(s.functions)) { // in one order: calls in a circle end where they began
		s.functions[id].size = sizes.function(s.functions[id].expr)
	}
	return s
}

// study goes through a tree.
type study struct {
	script *Script
	inside []*function // around the current place
}

func (st *study) node(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.Assign:
		for _, value := range n.Rhs {
			st.node(value)
		}
		for _, target := range n.Lhs {
			st.assign(target)
		}
	case *syntax.FunctionStmt:
		if n.Target != nil {
			st.assign(n.Target)
		} else {
			st.node(n.Receiver)
		}
		st.node(n.Func)
	case *syntax.Function:
		fn := &function{expr: n, indexed: map[string]bool{}}
		st.script.functions[n.ID] = fn
		st.inside = append(st.inside, fn)
		syntax.Children(n, st.node)
		st.inside = st.inside[:len(st.inside)-1]
	default:
		st.read(node)
	}
}

// read looks at an expression whose value is asked for, and at all other statements.
func (st *study) read(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.Name:
		if st.isLibrary(n) {
			st.overwrite(n.Line()) // handed on, to whoever
		}
	case *syntax.Index:
		id, isName := n.Object.(*syntax.Name)
		_, isKey := n.Key.(*syntax.String)
		if isName && isKey && id.Value == "math" && st.isLibrary(id) {
			return // read by name
		}
	}
	syntax.Children(node, st.node)
}

// assign is the target of an assignment.
func (st *study) assign(target syntax.Expr) {
	switch t := target.(type) {
	case *syntax.Name:
		if st.isLibrary(t) {
			st.overwrite(t.Line())
		}
	case *syntax.Index:
		if id, ok := t.Object.(*syntax.Name); ok && st.isLibrary(id) {
			st.overwrite(id.Line())
		}
		if array, ok := t.Object.(*syntax.Index); ok {
			st.index(array.Key)
		}
		syntax.Children(t, st.node)
	}
}

// index notes a field of which an element is assigned.
func (st *study) index(field syntax.Expr) {
	if key, ok := field.(*syntax.String); ok {
		for _, fn := range st.inside {
			fn.indexed[key.Value] = true
		}
	}
}

func (st *study) overwrite(line int) {
	if st.script.overwritesLibrary == 0 {
		st.script.overwritesLibrary = max(line, 1)
	}
}

// isLibrary reports whether a name means a global whose fields are taken for what they
// are at the start: those of math, unless the text can reach the table in other ways.
func (st *study) isLibrary(name *syntax.Name) bool {
	return (name.Value == "math" || name.Value == "_G") && st.script.names.Global(name)
}
