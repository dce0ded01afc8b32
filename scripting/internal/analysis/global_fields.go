package analysis

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// GlobalField is a field of a table that a global holds, where the text names it: the floor
// of math.floor. A local that has the table or the field for good stands for it.
//
// Why is every use kept, and not only those that need a value? A text that looks whether
// there is a field, sets one, or hands the table to others may know more of it than we do.
// Whoever reports fields that are missing has to see that no use does.
type GlobalField struct {
	Table, Name string // the name is empty where the table itself is used
	Pos         syntax.Pos
	Need        Need
}

// Need says what becomes of a value.
type Need int

const (
	Anything Need = iota // nil is as good as any other value
	Callable             // it is called
	Numeric              // it is an operand of arithmetic
)

// globalFields finds the fields of global tables of which the text needs a value, and all
// other uses of these tables, in the order of the text.
func globalFields(tree *syntax.Tree, expected map[syntax.FuncID]bool) []GlobalField {
	f := &fieldFinder{names: tree.Names, expected: expected, needed: map[string]bool{}}
	for _, stmt := range tree.Body {
		f.node(stmt)
	}
	return slices.DeleteFunc(f.list, func(use GlobalField) bool { return !f.needed[use.Table] })
}

type fieldFinder struct {
	names    *syntax.Names
	expected map[syntax.FuncID]bool // whose errors somebody waits for
	inside   int                    // how many of these are around the place
	needed   map[string]bool        // the tables of which a field is needed
	list     []GlobalField
}

func (f *fieldFinder) node(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.Local:
		for i, value := range n.Exprs {
			if i >= len(n.Names) || !f.standsFor(n.Names[i], value) {
				f.use(value, Anything)
			}
		}
		return
	case *syntax.Call:
		if n.Func != nil {
			f.use(n.Func, Callable)
			for _, arg := range n.Args {
				f.use(arg, Anything)
			}
			return
		}
	case *syntax.Arithmetic:
		f.use(n.Lhs, Numeric)
		f.use(n.Rhs, Numeric)
		return
	case *syntax.Minus:
		f.use(n.Expr, Numeric)
		return
	case *syntax.Function:
		if f.expected[n.ID] {
			f.inside++
			defer func() { f.inside-- }()
		}
	}
	syntax.Children(node, func(child syntax.Node) {
		if e, ok := child.(syntax.Expr); ok {
			f.use(e, Anything)
			return
		}
		f.node(child)
	})
}

// standsFor reports whether a local has a global's table or a field of it for good, so that
// the uses of the local say what is needed.
func (f *fieldFinder) standsFor(local *syntax.Name, value syntax.Expr) bool {
	v := f.names.Variable(local)
	table, _ := f.field(value)
	return table != "" && v != nil && len(v.Assigned) == 0
}

// use notes an expression, if it is a global or a field of one, and goes into it otherwise.
func (f *fieldFinder) use(e syntax.Expr, need Need) {
	table, name := f.field(f.names.ValueOf(e))
	if table == "" {
		f.node(e)
		return
	}
	if f.inside > 0 {
		need = Anything
	}
	if name != "" && need != Anything {
		f.needed[table] = true
	}
	f.list = append(f.list, GlobalField{table, name, e.Position(), need})
}

// field returns the global, and the field of it, that an expression is for good.
func (f *fieldFinder) field(e syntax.Expr) (table, name string) {
	if index, ok := e.(*syntax.Index); ok {
		key, ok := index.Key.(*syntax.String)
		if !ok || key.Value == "" {
			return "", ""
		}
		e, name = f.names.ValueOf(index.Object), key.Value
	}
	if global, ok := e.(*syntax.Name); ok && f.names.Global(global) {
		return global.Value, name
	}
	return "", ""
}
