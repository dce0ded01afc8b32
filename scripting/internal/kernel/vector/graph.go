package vector

import (
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file holds the graph: nodes, and how one is made without making it twice. flatten.go
// makes a graph of a kernel, and round.go another one of a graph.

// ID names a node of a graph. Operands come before what is made of them.
type ID int32

// none stands for no node.
const none ID = -1

// Leaf says what a node without operands stands for; the zero Leaf is an
// operation.
type Leaf uint8

// The leaves.
const (
	Before  Leaf = iota + 1 // what Field held when the row began
	Uniform                 // Source, the same for all rows: a constant, ctx, a local set once
)

// Node is one value of one row. Args that an operation does not have are empty.
type Node struct {
	Op     ir.Op // of operations
	Type   ir.Type
	Name   string // of Call
	Args   [3]ID
	Leaf   Leaf
	Field  int      // of Before
	Source *ir.Expr // of Uniform: without operands
	line   int      // of the text, where it is computed first
	fixed  bool     // it is the same for all rows
}

// Graph is a body as values. No two of its nodes compute the same, as far as their keys
// tell: equality of numbers is equality of nodes. It belongs to one call of New.
type Graph struct {
	Nodes []Node
	Final map[int]ID // by field that the body assigns: what it holds when the row ends
	Rare  ID         // whether the row does what vectors cannot do; then nothing else here is right
	Line  int        // where that begins, 0 if it is about what fields can hold
	known map[key]ID
	line  int // of the nodes that are made
}

// key tells nodes apart. Constants are told apart by their bits: 0 and -0 are two.
type key struct {
	op    ir.Op
	t     ir.Type
	args  [3]ID
	leaf  Leaf
	which int // field, local, or column
	name  string
	bits  uint64
}

// add returns the node of a key, a new one if there is none. Nodes are numbered as they are
// made, so operands have lower numbers than what is made of them: whoever goes through the
// nodes in order needs no recursion.
func (g *Graph) add(k key, n Node) ID {
	if id, ok := g.known[k]; ok {
		return id
	}
	id := ID(len(g.Nodes))
	n.line, n.fixed = g.line, g.settles(&n)
	g.Nodes = append(g.Nodes, n)
	g.known[k] = id
	return id
}

// before is the node of a field's value when the row begins.
func (g *Graph) before(f *ir.Func, field int) ID {
	t := inLanes(f.Fields[field].Type())
	return g.add(key{leaf: Before, which: field}, Node{Leaf: Before, Field: field, Type: t, Args: [3]ID{none, none, none}})
}

// uniform is the node of an expression without operands.
func (g *Graph) uniform(e *ir.Expr) ID {
	k := key{leaf: Uniform, op: e.Op, t: e.Type}
	switch e.Op {
	case ir.Const:
		k.bits = math.Float64bits(e.Value)
	case ir.Present:
		k.which = e.Column
	default:
		k.which = e.Local
	}
	return g.add(k, Node{Leaf: Uniform, Source: e, Type: e.Type, Args: [3]ID{none, none, none}})
}

// op is the node of an operation; a choice between equal nodes needs no node. What it
// simplifies is only about truths, which are exact. It matters, because the conditions of
// paths are made of many that are constant.
func (g *Graph) op(op ir.Op, t ir.Type, args ...ID) ID {
	switch op {
	case ir.Not:
		if n := &g.Nodes[args[0]]; n.Op == ir.Not && n.Leaf == 0 {
			return n.Args[0]
		}
	case ir.And, ir.Or:
		for i := range 2 {
			if truth, ok := g.constant(args[i]); ok {
				if truth == (op == ir.Or) {
					return args[i]
				}
				return args[1-i]
			}
		}
	case ir.Pick:
		return g.pick(t, args[2], args[0], args[1])
	}
	// Operands keep their order: which not-a-number comes out of a sum depends on it.
	k := key{op: op, t: t, args: [3]ID{none, none, none}}
	copy(k.args[:], args)
	return g.add(k, Node{Op: op, Type: t, Args: k.args})
}

// call is the node of a function of Lua's library.
func (g *Graph) call(name string, args ...ID) ID {
	k := key{op: ir.Call, t: ir.Num, name: name, args: [3]ID{none, none, none}}
	copy(k.args[:], args)
	return g.add(k, Node{Op: ir.Call, Type: ir.Num, Name: name, Args: k.args})
}

// pick is a if cond holds, else b. A condition that is turned around turns the sides around,
// so that what a later pass recognises has one form.
func (g *Graph) pick(t ir.Type, cond, a, b ID) ID {
	if truth, ok := g.constant(cond); ok {
		if truth {
			return a
		}
		return b
	}
	if a == b {
		return a
	}
	if n := &g.Nodes[cond]; n.Leaf == 0 && n.Op == ir.Not {
		cond, a, b = n.Args[0], b, a
	}
	k := key{op: ir.Pick, t: t, args: [3]ID{a, b, cond}}
	return g.add(k, Node{Op: ir.Pick, Type: t, Args: k.args})
}

// constant returns what a truth is known to be.
func (g *Graph) constant(id ID) (truth, ok bool) {
	n := &g.Nodes[id]
	return n.Leaf == Uniform && n.Source.Value != 0, n.Leaf == Uniform && n.Source.Op == ir.Const
}

// truth is the node of a boolean constant.
func (g *Graph) truth(v bool) ID { return g.uniform(ir.Truth(v)) }

// needs reports whether vectors are only for rows that have a column: it is
// optional, and one of its fields is loaded.
func (g *Graph) needs(f *ir.Func, column int) bool {
	return f.Columns[column].Optional && slices.ContainsFunc(f.Fields, func(field ir.Field) bool { return field.Column == column })
}

// fixed reports whether a node is the same for all rows.
func (g *Graph) fixed(id ID) bool { return g.Nodes[id].fixed }

// settles reports whether a new node is fixed: whether all that it is made of is.
func (g *Graph) settles(n *Node) bool {
	if n.Leaf != 0 {
		return n.Leaf == Uniform
	}
	return !slices.ContainsFunc(n.Args[:], func(a ID) bool { return a != none && !g.fixed(a) })
}

// Expr writes a node that is the same for all rows as an expression, for once;
// nil if it has more parts than room. A graph shares nodes and an expression does not, so
// what is small here may be as large there as two to the power of its depth.
func (g *Graph) Expr(id ID, room *int) *ir.Expr {
	if *room--; *room < 0 {
		return nil
	}
	n := &g.Nodes[id]
	if n.Leaf == Uniform {
		source := *n.Source
		return &source
	}
	e := &ir.Expr{Op: n.Op, Type: n.Type, Name: n.Name}
	for _, a := range n.Args {
		if a == none {
			break
		}
		arg := g.Expr(a, room)
		if arg == nil {
			return nil
		}
		e.Args = append(e.Args, arg)
	}
	return e
}

// readers counts the nodes that have a node as an operand. O(nodes): it is asked once for
// each place that is stored.
func (g *Graph) readers(id ID) int {
	n := 0
	for i := range g.Nodes {
		if slices.Contains(g.Nodes[i].Args[:], id) {
			n++
		}
	}
	return n
}
