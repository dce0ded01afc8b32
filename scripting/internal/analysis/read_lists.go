package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// SealedWrite is an assignment to an element of a list that b:read has given, in a batch
// function that asks for no list of b:write: nothing would store what is assigned.
type SealedWrite struct {
	Pos       syntax.Pos
	Component syntax.Expr // as b:read has got it
	Field     string      // "" where none is named
}

// sealedWrites finds these assignments in the functions that are written out as batch in a
// table. A function that does anything else with its batch than to call its methods, or
// that asks for a list to write, has none: the text does not say which lists those are.
func sealedWrites(tree *syntax.Tree) (list []SealedWrite) {
	expected := expectErrors(tree)
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		if table, ok := node.(*syntax.Table); ok {
			if fn, ok := valueOf(table, "batch").(*syntax.Function); ok && !expected[fn.ID] {
				list = append(list, writesOf(tree.Names, fn, expected)...)
			}
		}
		return true
	})
	return list
}

// writesOf finds the assignments in one function.
func writesOf(names *syntax.Names, fn *syntax.Function, expected map[syntax.FuncID]bool) (list []SealedWrite) {
	params := names.Parameters(fn.ID)
	if len(params) == 0 || len(params[0].Assigned) > 0 {
		return nil
	}
	isBatch := func(e syntax.Expr) bool {
		name, ok := e.(*syntax.Name)
		return ok && names.Variable(name) == params[0]
	}
	var uses, methods int
	writes := false
	var visit func(node syntax.Node)
	visit = func(node syntax.Node) {
		switch n := node.(type) {
		case *syntax.Name:
			if isBatch(n) {
				uses++
			}
		case *syntax.Index:
			if isBatch(n.Object) {
				methods++ // b.n, b.entities
			}
		case *syntax.Call:
			if isBatch(n.Receiver) {
				methods++
				writes = writes || n.Method == "write"
			}
		case *syntax.Function:
			if expected[n.ID] {
				return
			}
		case *syntax.Assign:
			for _, target := range n.Lhs {
				if read := listOf(names, target); read != nil && isBatch(read.Receiver) {
					list = append(list, sealedWrite(target, read))
				}
			}
		}
		syntax.Children(node, visit)
	}
	syntax.Children(fn, visit)
	if writes || uses != methods {
		return nil
	}
	return list
}

// listOf returns the call of b:read whose list a target is an element of, or part of one;
// nil for other targets.
func listOf(names *syntax.Names, target syntax.Expr) *syntax.Call {
	for within := false; ; within = true {
		index, ok := names.ValueOf(target).(*syntax.Index)
		if !ok {
			call, _ := names.ValueOf(target).(*syntax.Call)
			if !within || call == nil || call.Method != "read" || len(call.Args) == 0 {
				return nil
			}
			return call
		}
		target = index.Object
	}
}

func sealedWrite(target syntax.Expr, read *syntax.Call) SealedWrite {
	w := SealedWrite{Pos: target.Position(), Component: read.Args[0]}
	if len(read.Args) > 1 {
		if field, ok := read.Args[1].(*syntax.String); ok {
			w.Field = field.Value
		}
	}
	return w
}
