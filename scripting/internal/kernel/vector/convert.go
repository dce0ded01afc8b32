package vector

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file changes the width of vectors. Four float64 are two vectors, the halves of a
// group; Join makes one of float32 of them, Low and High the two of one.

// convert is a vector of numbers of the other precision. Those of fields are
// converted as they are loaded.
func (p *packer) convert(gr laneGroup, n *Node) Vector {
	from := p.operands(gr, 0)
	if !slices.ContainsFunc(from.own(), func(l lane) bool { return !p.loads(l.node, n.Op) }) {
		return p.memory(from.own(), n.Type)
	}
	if n.Op == ir.Narrow {
		return Vector{Form: Join, Type: n.Type, Args: []int{p.pack(from.as(lower)), p.pack(from.as(upper))}}
	}
	form := Low
	if gr.half == upper {
		form = High
	}
	return Vector{Form: form, Type: n.Type, Args: []int{p.pack(from.as(whole))}}
}

// loads reports whether an operand is a field that a load converts.
func (p *packer) loads(id ID, op ir.Op) bool {
	n := &p.g.Nodes[id]
	return n.Leaf == Before && (op == ir.Widen || p.f.Fields[n.Field].Kind != schema.F64)
}

// compares reports whether a node is a comparison of numbers. One of truths has the width
// of whatever they are used with, and needs no conversion.
func (p *packer) compares(n *Node) bool {
	return (n.Op == ir.Lt || n.Op == ir.Le || n.Op == ir.Eq || n.Op == ir.Ne) && p.g.Nodes[n.Args[0]].Type != ir.Bool
}

// comparison is a vector of truths in a plan of float32. What is compared says how
// wide they are; they become as wide as they have to be.
func (p *packer) comparison(gr laneGroup, n *Node) Vector {
	switch single := p.g.Nodes[n.Args[0]].Type == ir.Num32; {
	case single && gr.half == lower:
		return Vector{Form: Low, Type: ir.Bool, Args: []int{p.pack(gr.as(whole))}}
	case single && gr.half == upper:
		return Vector{Form: High, Type: ir.Bool, Args: []int{p.pack(gr.as(whole))}}
	case !single && gr.half == whole:
		return Vector{Form: Join, Type: ir.Bool, Args: []int{p.pack(gr.as(lower)), p.pack(gr.as(upper))}}
	}
	return p.operation(gr, n)
}

// integer makes a vector of whole numbers one of integers. Nobody stores others: a
// field takes no others, and the guard has seen to that.
func (p *packer) integer(v int) int {
	// One constant serves all, and one integer every store of the same number.
	middle := -1
	for i := range p.plan.Values {
		switch have := &p.plan.Values[i]; {
		case have.Form == Whole && have.Args[0] == v:
			return i
		case have.Form == Whole:
			middle = have.Args[1]
		}
	}
	if middle < 0 {
		middle = len(p.plan.Values)
		p.plan.Values = append(p.plan.Values, Vector{Form: Once, Type: ir.Num, Lanes: 2, Scalars: []*ir.Expr{ir.Constant(Middle)}})
	}
	p.plan.Values = append(p.plan.Values, Vector{Form: Whole, Type: ir.Num, Lanes: 2, Args: []int{v, middle}})
	return len(p.plan.Values) - 1
}

// Short reports whether a kind is an integer of up to 32 bits: one that goes to and from
// float64 in vectors, by Whole. Enums are stored as a byte.
func Short(k schema.Kind) bool {
	switch k {
	case schema.I8, schema.U8, schema.I16, schema.U16, schema.I32, schema.U32, schema.Enum:
		return true
	}
	return false
}
