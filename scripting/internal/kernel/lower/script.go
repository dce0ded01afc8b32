package lower

import (
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file looks through the text of a file once, before any of its functions is
// translated. What is found here depends on the text alone, so it is shared by all systems
// of the file, and by those of other files that call its functions.

// ScriptFacts are what the text of one file says about its functions. Nothing in it is written
// after Study.
type ScriptFacts struct {
	names             *syntax.Names
	functions         map[syntax.FuncID]*function
	overwritesLibrary int // line where the text may change the library, 0: nowhere
	failed            error
}

// Failed stands for a script that Study could not look through: none of its functions
// has a translation, for that reason.
func Failed(why error) *ScriptFacts { return &ScriptFacts{failed: why} }

// function is one of them.
//
// indexed decides how arrays are read: one of which no element is assigned may stay in
// memory, see elementAt. It holds the last names of paths only, so it may count an
// assignment to another field of that name.
type function struct {
	expr *syntax.Function
	// indexed are the names of fields of which it, or a function inside of it, assigns
	// elements.
	indexed map[string]bool
	size    int // how many statements it makes at the least, see sizes
}

// captures reports whether a variable is one of those around the function. Functions are
// numbered in the order of the text, and those inside of one follow it up to LastID.
func (f *function) captures(v *syntax.Variable) bool {
	return v != nil && (v.Function < f.expr.ID || v.Function > f.expr.LastID)
}

// Study looks through the tree of a script for what lowering its functions will need.
//
// O(text). Sizes are summed up after all functions are known, as a call may stand before
// its callee.
func Study(tree *syntax.Tree) *ScriptFacts {
	s := &ScriptFacts{names: tree.Names, functions: map[syntax.FuncID]*function{}}
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

// study goes through a tree. A node is visited once, with all functions around it at hand:
// what an inner function assigns counts for those around it, too, since they may call it.
type study struct {
	script *ScriptFacts
	inside []*function // around the current place
}

// node tells assignments from all else, because the same name means different things there:
// the target is written, and what is in it is read.
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

// read looks at an expression whose value is asked for, and at all other statements. math.x
// is a use that changes nothing. Any other mention of math or of _G may hand the table to
// somebody who changes it, so it counts as an overwrite.
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

// overwrite notes the first such line, which the refusal shows. Lines count from 1, and 0
// means that there is none.
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
