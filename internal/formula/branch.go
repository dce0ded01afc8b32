package formula

// side is one of the two sides of a branch; the zero value is outside of all branches.
type side struct {
	of    *node // the choice
	which int   // the argument
}

// sides says for each node in which side of which branch it is needed, and nowhere else.
func (p *Program) sides() map[*node]side {
	within, known := map[*node]side{}, map[*node]bool{}
	need := func(n *node, at side) {
		if known[n] {
			at = common(within, within[n], at)
		}
		within[n], known[n] = at, true
	}
	for _, r := range p.results {
		need(r, side{})
	}
	if p.guard != nil {
		need(p.guard, side{})
	}
	for i := len(p.nodes) - 1; i >= 0; i-- { // users come before what they use
		n := p.nodes[i]
		for k, a := range n.args {
			if n.op == choose && n.bits == branch && k < 2 {
				need(a, side{n, k})
			} else {
				need(a, within[n])
			}
		}
	}
	return within
}

// common returns the innermost side that two sides are in.
func common(within map[*node]side, a, b side) side {
	around := map[side]bool{}
	for ; a.of != nil; a = within[a.of] {
		around[a] = true
	}
	for ; b.of != nil; b = within[b.of] {
		if around[b] {
			return b
		}
	}
	return side{}
}
