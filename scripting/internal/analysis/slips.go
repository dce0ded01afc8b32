package analysis

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Slip is a place of a function that fails whenever a call comes there, as the text alone says.
type Slip struct {
	Kind SlipKind
	Pos  syntax.Pos
	Of   syntax.Expr // Joined: the operand; Looped: what stands after in; Fielded: what has no such field; else what is called
	Name string      // the field or the method
}

// SlipKind is the kind of a slip.
type SlipKind uint8

// The kinds.
const (
	Joined  SlipKind = iota // .. with what is neither a text nor a number
	Looped                  // for … in over what is no function
	Dotted                  // a call with a dot of a function that is declared with a colon, and needs its self
	Yielded                 // a coroutine is to yield, and none is running
	Fielded                 // a field of what ecs.spawn and others return, or of what is declared
)

// slip notes the slips of one node. Those of a call with a dot wait until all methods are known.
func (r *reacher) slip(node syntax.Node) {
	if r.fn == nil || max(r.base, r.at) == Never {
		return
	}
	switch n := node.(type) {
	case *syntax.Concat:
		if operand := r.joinsNot(n); operand != nil {
			r.slips = append(r.slips, Slip{Kind: Joined, Pos: Start(operand), Of: operand})
		}
	case *syntax.GenericFor:
		if first := at(n.Exprs, 0); first != nil && r.loopsNot(first) {
			r.slips = append(r.slips, Slip{Kind: Looped, Pos: Start(first), Of: first})
		}
	case *syntax.Index:
		if key, ok := n.Key.(*syntax.String); ok && (r.returned(n.Object, Entities) || r.mayBeDeclared(n.Object)) {
			r.slips = append(r.slips, Slip{Kind: Fielded, Pos: n.Pos, Of: n.Object, Name: key.Value})
		}
	case *syntax.Call:
		if n.Func == nil {
			if r.returned(n.Receiver, Entities) {
				r.slips = append(r.slips, Slip{Kind: Fielded, Pos: n.Pos, Of: n.Receiver, Name: n.Method})
			}
			return
		}
		switch index, ok := r.names.ValueOf(n.Func).(*syntax.Index); {
		case !ok:
		case r.yields(index) && r.alone[r.fn.ID]:
			r.slips = append(r.slips, Slip{Kind: Yielded, Pos: n.Pos, Of: n.Func})
		case n.Func == syntax.Expr(index) && r.withoutSelf(n):
			r.dotted = append(r.dotted, n)
		}
	}
}

// joinsNot returns the operand with which a run of .. fails: nil or a truth value, written out or by the name of a
// local. It is nil if there is none, or if another one may have a metatable that joins it.
func (r *reacher) joinsNot(n *syntax.Concat) (fails syntax.Expr) {
	for _, operand := range operands(n) {
		switch r.names.ValueOf(operand).(type) {
		case *syntax.Nil, *syntax.True, *syntax.False:
			fails = operand
		case *syntax.String, *syntax.Number:
		default:
			return nil
		}
	}
	return fails
}

// loopsNot reports whether for … in cannot call a value: nil, a number, a text, or a table that has no metatable,
// since nobody else gets it.
func (r *reacher) loopsNot(e syntax.Expr) bool {
	switch r.names.ValueOf(e).(type) {
	case *syntax.Nil, *syntax.True, *syntax.False, *syntax.String, *syntax.Number:
		return true
	case *syntax.Table:
		if _, named := e.(*syntax.Name); !named {
			return true
		}
		table := r.own(e)
		return table != nil && table != r.exported()
	}
	return false
}

// exported is the table that the text returns, nil for none.
func (s *settled) exported() *syntax.Table {
	if s.exports == nil {
		return nil
	}
	table, _ := s.names.ValueOf(s.exports).(*syntax.Table)
	return table
}

// Entities are the functions of ecs that return an entity, or nil.
var Entities = []string{"spawn", "find", "parent"}

// declarations are those that return what has no fields.
var declarations = []string{"component", "tag", "native", "event", "native_event"}

// returned reports whether a value is what one of some functions of ecs has returned.
func (r *reacher) returned(e syntax.Expr, by []string) bool {
	call, ok := r.names.ValueOf(e).(*syntax.Call)
	return ok && call.Func != nil && slices.Contains(by, ecsFunction(r.names, call.Func))
}

// mayBeDeclared reports whether a value is what this script has declared, or a field of a required module, which may be
// what another one has.
func (r *reacher) mayBeDeclared(e syntax.Expr) bool {
	if index, ok := r.names.ValueOf(e).(*syntax.Index); ok {
		module, ok := required(r.names, r.names.ValueOf(index.Object))
		return ok && module != "ecs" && module != "host"
	}
	return r.returned(e, declarations)
}

// yields recognises coroutine.yield, of the global.
func (r *reacher) yields(e *syntax.Index) bool {
	table, isName := e.Object.(*syntax.Name)
	key, isKey := e.Key.(*syntax.String)
	return isName && isKey && key.Value == "yield" && table.Value == "coroutine" && r.names.Global(table) && !r.unsure
}

// yieldsUnsurely reports whether the text may set coroutine.yield, or asks whether a coroutine runs: it does anything
// with the global coroutine but to read a field of it that is named, or reads one of those that tell.
func yieldsUnsurely(tree *syntax.Tree) (unsure bool) {
	read := map[syntax.Expr]bool{}
	object := func(e syntax.Expr) *syntax.Index {
		index, ok := e.(*syntax.Index)
		if !ok {
			return nil
		}
		if name, ok := index.Object.(*syntax.Name); !ok || name.Value != "coroutine" {
			return nil
		}
		return index
	}
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			for _, target := range n.Lhs {
				unsure = unsure || object(target) != nil
			}
		case *syntax.FunctionStmt:
			unsure = unsure || object(n.Target) != nil
		case *syntax.Index:
			if object(n) != nil {
				key, _ := n.Key.(*syntax.String)
				read[n.Object] = key != nil && key.Value != "running" && key.Value != "isyieldable"
			}
		case *syntax.Name:
			unsure = unsure || n.Value == "_G" || n.Value == "coroutine" && !read[n]
		}
		return true
	})
	return unsure
}

// withoutSelf reports whether the first argument of a call has no fields.
func (r *reacher) withoutSelf(n *syntax.Call) bool {
	if len(n.Args) == 0 {
		return true
	}
	v, known := r.literal(n.Args[0])
	_, isText := v.(string)
	return known && !isText
}

// alone finds the functions that systems and the world call, and no coroutine: those that are written out in
// the table of a system, or given to a function that declares what is called later.
func alone(tree *syntax.Tree) map[syntax.FuncID]bool {
	found := map[syntax.FuncID]bool{}
	give := func(e syntax.Expr) {
		if fn, ok := e.(*syntax.Function); ok {
			found[fn.ID] = true
		}
	}
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		n, ok := node.(*syntax.Call)
		if !ok {
			return true
		}
		outer, _ := n.Func.(*syntax.Call)
		options, written := at(n.Args, len(n.Args)-1).(*syntax.Table)
		switch name := ecsFunction(tree.Names, n.Func); {
		case written && (name == "system" || outer != nil && ecsFunction(tree.Names, outer.Func) == "system"):
			for _, field := range options.Fields {
				give(field.Value)
			}
		case slices.Contains(callers, name):
			for _, arg := range n.Args {
				give(arg)
			}
		}
		return true
	})
	return found
}

// callers are the functions of ecs that get a function which the world calls.
var callers = []string{"on_start", "on_add", "on_set", "on_remove", "on_spawn", "on_despawn", "on_error", "on_reload", "on_unload", "handler"}

// dots finds which of the calls with a dot fail: nobody else gets the table, the text sets the field once, to a
// function that is declared with a colon, and each call of that takes a field of self.
func (r *reacher) dots(tree *syntax.Tree) {
	if len(r.dotted) == 0 {
		return
	}
	type field struct {
		of   *syntax.Variable
		name string
	}
	methods, sets := map[field]*syntax.Function{}, map[field]int{}
	set := func(target syntax.Expr) {
		if index, ok := target.(*syntax.Index); ok {
			sets[field{variable(r.names, index.Object), keyText(index.Key)}]++
		}
	}
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.FunctionStmt:
			if set(n.Target); n.Target == nil {
				m := field{variable(r.names, n.Receiver), n.Method}
				methods[m], sets[m] = n.Func, sets[m]+1
			}
		case *syntax.Assign:
			for _, target := range n.Lhs {
				set(target)
			}
		}
		return true
	})
	for _, call := range r.dotted {
		index := call.Func.(*syntax.Index)
		v := variable(r.names, index.Object)
		m := field{v, keyText(index.Key)}
		fn, table := methods[m], r.own(index.Object)
		if v == nil || fn == nil || sets[m] != 1 || table == nil || r.computed[v] || table == r.exported() || !r.takesSelf(fn) {
			continue
		}
		r.slips = append(r.slips, Slip{Kind: Dotted, Pos: index.Pos, Of: index.Object, Name: m.name})
	}
}

// keyText returns the text that a key is, "" for others.
func keyText(key syntax.Expr) string {
	if text, ok := key.(*syntax.String); ok {
		return text.Value
	}
	return ""
}

// takesSelf reports whether each call of a method names a field of its self, or sets one.
func (r *reacher) takesSelf(fn *syntax.Function) (takes bool) {
	self := r.names.Parameters(fn.ID)[0]
	if len(self.Assigned) > 0 {
		return false
	}
	var visit func(node syntax.Node)
	visit = func(node syntax.Node) {
		switch n := node.(type) {
		case *syntax.Function:
			return
		case *syntax.Index:
			_, sometimes := r.found[n]
			takes = takes || !sometimes && variable(r.names, n.Object) == self
		}
		syntax.Children(node, visit)
	}
	for _, stmt := range fn.Body {
		visit(stmt)
	}
	return takes
}
