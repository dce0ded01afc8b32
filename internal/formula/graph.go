package formula

import "fmt"

// kind is what a node's value is.
type kind uint8

const (
	float kind = iota
	whole
	mask
)

// node is an operation of a description, with the nodes that it works on. Operations that
// are equal are one node.
type node struct {
	op   op
	kind kind
	args []*node
	bits uint64 // of a constant, the number of a parameter, the count of a shift
	g    *graph // nil: a constant
	at   int    // its place in the program
}

// graph holds the nodes of a description in the order in which they were made, which is one
// in which they can be computed.
type graph struct {
	nodes []*node
	known map[key]*node
}

// key is what makes operations equal.
type key struct {
	op      op
	bits    uint64
	a, b, c operand
}

// operand names an argument: constants are equal by their bits.
type operand struct {
	n    *node
	bits uint64
	kind kind
}

func constant(k kind, bits uint64) *node { return &node{op: literal, kind: k, bits: bits} }

func apply(o op, args ...*node) *node { return join(o, 0, args) }

func shift(o op, n *node, count int) *node { return join(o, uint64(count), []*node{n}) }

// join returns the node of an operation. It panics for one of constants only, which a
// description should compute itself.
func join(o op, bits uint64, args []*node) *node {
	var g *graph
	var operands [3]operand
	for i, a := range args {
		operands[i] = operand{n: a}
		if a.op == literal {
			operands[i] = operand{bits: a.bits, kind: a.kind}
		} else {
			g = a.g
		}
	}
	if g == nil {
		panic(fmt.Sprintf("formula: %s of constants", operations[o].name))
	}
	k := key{o, bits, operands[0], operands[1], operands[2]}
	if n := g.known[k]; n != nil {
		return n
	}
	n := &node{op: o, kind: operations[o].kind, args: args, bits: bits, g: g}
	if o == choose {
		n.kind = args[0].kind
	}
	g.known[k] = n
	g.nodes = append(g.nodes, n)
	return n
}

// parameter makes the node of the i-th parameter.
func (g *graph) parameter(i int) Float {
	n := &node{op: argument, bits: uint64(i), g: g}
	g.nodes = append(g.nodes, n)
	return Float{n}
}

// live lists what the roots need, without constants, in the order in which they were made. Uses
// counts how often each is an operand or a root.
func (g *graph) live(roots []*node) (list []*node, uses map[*node]int) {
	uses = map[*node]int{}
	var mark func(*node)
	mark = func(n *node) {
		uses[n]++
		if uses[n] == 1 {
			for _, a := range n.args {
				mark(a)
			}
		}
	}
	for _, r := range roots {
		mark(r)
	}
	for _, n := range g.nodes {
		if uses[n] > 0 {
			list = append(list, n)
		}
	}
	return list, uses
}
