package vector

import "slices"

// This file holds groups: the lanes of a vector before it is made, and the halves that a
// plan with two widths needs.

// lane is a node in one of a plan's rows; row 0 for what is the same in all, so that two
// lanes with the same value are equal.
type lane struct {
	row  int
	node ID
}

// laneGroup is what one vector holds: all lanes of a plan or, where a plan of float32
// has float64 besides, one half of them.
type laneGroup struct {
	all  []lane
	half half
}

// half says which lanes of a group a vector holds. Truths have either width: that
// of the numbers that they are used with.
type half uint8

const (
	whole half = iota
	lower
	upper
)

// own returns the lanes that the vector holds.
func (gr laneGroup) own() []lane {
	switch n := len(gr.all) / 2; gr.half {
	case lower:
		return gr.all[:n]
	case upper:
		return gr.all[n:]
	}
	return gr.all
}

// as returns another part of the same group.
func (gr laneGroup) as(h half) laneGroup { return laneGroup{gr.all, h} }

// vectorKey tells vectors apart: halves of different groups may be the same. It has room for
// the most lanes that a vector has, so that it can be the key of a map.
type vectorKey struct {
	own    [4]lane
	halved bool
}

// paired is a group whose other half, if it has one, is computed in the same way:
// what has nothing in common with it is not needed, and its own lanes stand there
// twice.
func (p *packer) paired(gr laneGroup) laneGroup {
	// A whole group has no other half; lanes that differ in kind make no vector of their own.
	own := gr.own()
	if gr.half == whole || !slices.ContainsFunc(gr.all, func(l lane) bool { return !p.alike(l.node, own[0].node) }) {
		return gr
	}
	return laneGroup{slices.Concat(own, own), gr.half}
}

// alike reports whether two nodes are made in the same way. A comparison of the one
// precision is not made as one of the other.
func (p *packer) alike(a, b ID) bool {
	x, y := &p.g.Nodes[a], &p.g.Nodes[b]
	if x.Leaf != y.Leaf || x.Op != y.Op || x.Name != y.Name || x.Type != y.Type {
		return false
	}
	return !p.compares(x) && !p.compares(y) || p.g.Nodes[x.Args[0]].Type == p.g.Nodes[y.Args[0]].Type
}

// operands returns the i-th operand of each lane.
func (p *packer) operands(gr laneGroup, i int) laneGroup {
	out := make([]lane, len(gr.all))
	for k, l := range gr.all {
		out[k] = lane{l.row, p.g.Nodes[l.node].Args[i]}
	}
	return laneGroup{out, gr.half}
}
