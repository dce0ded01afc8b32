package kernels_test

import (
	"slices"
	"strings"
)

// differs reports whether the program shows a difference.
func (p *program) differs() bool {
	with, d, err := p.parts()
	// What a cut has left without a declaration is another fault, and not a new one.
	return err == nil && d != nil && !strings.Contains(d.text, "unknown name") &&
		!slices.ContainsFunc(slices.Concat(with.ticks...), func(s string) bool { return strings.Contains(s, "unknown name") })
}

// shrink cuts a program down for as long as it is still one of those looked for, at
// most so many times. It returns the smallest that is.
func shrink(p *program, tries int, wanted func(*program) bool) *program {
	best := p
	take := func(c *program) bool {
		if tries--; tries < 0 || !wanted(c) {
			return false
		}
		best = c
		return true
	}
	for again := true; again && tries > 0; {
		again = false
		for _, c := range best.smallerWorlds() {
			if take(c) {
				again = true
				break
			}
		}
		for at := 0; at < best.root.size() && tries > 0; at++ {
			for k := 0; ; k++ {
				c := best.without(at, k)
				if c == nil {
					break
				}
				if take(c) {
					again = true
					k = -1
				}
			}
		}
	}
	return best
}

// smallerWorlds are the same program in less.
func (p *program) smallerWorlds() (list []*program) {
	add := func(change func(*program)) {
		c := *p
		change(&c)
		if c.crowd != p.crowd || c.ticks != p.ticks {
			list = append(list, &c)
		}
	}
	add(func(c *program) { c.ticks = 1 })
	add(func(c *program) { c.ticks = max(1, c.ticks-1) })
	add(func(c *program) { c.crowd.entities /= 4 })
	add(func(c *program) { c.crowd.entities = c.crowd.entities * 3 / 4 })
	add(func(c *program) { c.crowd.kinds = 1 })
	return list
}

// without is the program with the k-th way of making the node at a place smaller,
// nil when there are no more of them.
func (p *program) without(at, k int) *program {
	c := *p
	c.root = p.root.copy()
	var n, above *node
	i := 0
	var find func(m, parent *node)
	find = func(m, parent *node) {
		if n == nil && i == at {
			n, above = m, parent
		}
		i++
		for _, kid := range m.kids {
			find(kid, m)
		}
	}
	find(c.root, nil)
	if n == nil {
		return nil
	}
	if n.sort == block {
		return c.cut(n, k)
	}
	return c.replace(n, above, k)
}

// cut takes statements out of a block: halves, quarters, then single ones.
func (p *program) cut(n *node, k int) *program {
	for length := len(n.kids); length >= 1; length /= 2 {
		count := (len(n.kids) + length - 1) / length
		if k < count {
			from, to := k*length, min((k+1)*length, len(n.kids))
			n.kids = append(n.kids[:from:from], n.kids[to:]...)
			return p
		}
		k -= count
	}
	return nil
}

// replace puts something less in the place of a statement or an expression.
func (p *program) replace(n, above *node, k int) *program {
	if n.sort == statement {
		for _, kid := range n.kids {
			if kid.sort != block {
				continue
			}
			if k == 0 && above != nil && above.sort == block {
				hoist(above, n, kid)
				return p
			}
			k--
		}
		return nil
	}
	var less []*node
	n.walk(func(m *node) {
		if m != n && m.sort != block && m.sort != statement && (m.sort == n.sort || n.sort == truth && m.sort == boolean) {
			less = append(less, m)
		}
	})
	for _, s := range map[sort][]string{number: {"0", "1"}, boolean: {"true", "false"}, truth: {"true", "false", "nil"}, handle: {"e", "0"}}[n.sort] {
		if n.form != s {
			less = append(less, &node{"", n.sort, s, nil})
		}
	}
	if len(n.kids) == 0 {
		less = nil
		if n.sort == number && n.form != "0" && n.form != "1" {
			less = []*node{num("", "0"), num("", "1")}
		}
		if (n.sort == boolean || n.sort == truth) && n.form != "true" && n.form != "false" && n.form != "nil" {
			less = []*node{yes("", "true"), yes("", "false")}
		}
	}
	if k >= len(less) {
		return nil
	}
	*n = *less[k].copy()
	return p
}

// hoist puts the statements of a block in the place of the one that holds it.
func hoist(above, n, inner *node) {
	for i, kid := range above.kids {
		if kid == n {
			kids := append([]*node{}, above.kids[:i]...)
			kids = append(kids, inner.kids...)
			above.kids = append(kids, above.kids[i+1:]...)
			return
		}
	}
}
