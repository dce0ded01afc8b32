package ecs

import "fmt"

// ranked is a pool whose rows can be moved among each other: row i is the i-th
// in the order of iteration.
type ranked interface {
	pool
	// locate returns the page of a row, and the row in it.
	locate(i int) (*Chunk, int)
	swap(i, j int)
	// bring swaps the row of e, which is there, with row i.
	bring(e Entity, i int)
}

// group keeps some pools in step.
//
// Invariants: the entities that are in all of the pools are the first n rows of
// each, in the same order; a pool is in at most one group.
type group struct {
	pools []ranked
	n     int
}

// Group keeps the pools of components in step: the entities that have them all
// are the first rows of each, in one order. A query for just these components
// then iterates them as plain columns, without looking anything up. It costs two
// swaps in each pool when an entity gets the last of the components or loses the
// first. A group lasts as long as its world. O(rows) to make.
//
// The error wraps ErrIterating, or ErrConflict for fewer than two components,
// for one that is not pooled or not by this package, and for one that is in
// another group or world; making the same group again is no error.
func (w *World) Group(hs ...ComponentRef) error {
	if w.locks > 0 {
		return ErrIterating
	}
	g := &group{}
	same := len(hs) > 0
	var first *component
	for i, h := range hs {
		c, err := w.resolve(h)
		if err != nil {
			return err
		}
		if i == 0 {
			first = c
		}
		p, ok := c.pool.(ranked)
		switch {
		case !ok:
			return fmt.Errorf("%w: component %q cannot be grouped: register it with ecs.Sparse", ErrConflict, c.schema.Name)
		case g.has(c):
			return fmt.Errorf("%w: component %q is named twice", ErrConflict, c.schema.Name)
		}
		same = same && c.group != nil && c.group == first.group && len(c.group.pools) == len(hs)
		if !same && (c.group != nil || i > 0 && first.group != nil) {
			return fmt.Errorf("%w: component %q, or one named before it, is in another group", ErrConflict, c.schema.Name)
		}
		g.pools = append(g.pools, p)
	}
	if len(hs) < 2 {
		return fmt.Errorf("%w: a group needs two components at least", ErrConflict)
	}
	if !same {
		g.found()
		w.committed("grouping pools", 0)
	}
	return nil
}

// found takes hold of the pools and puts the rows that are there in step.
func (g *group) found() {
	first := g.pools[0]
	for _, p := range g.pools {
		p.of().group = g
		if p.len() < first.len() {
			first = p
		}
	}
	for i := range first.len() {
		c, row := first.locate(i)
		g.enter(c.Entities()[row])
	}
}

func (g *group) has(c *component) bool {
	for _, p := range g.pools {
		if p.of() == c {
			return true
		}
	}
	return false
}

// full reports whether e is in all of the pools.
func (g *group) full(e Entity) bool {
	for _, p := range g.pools {
		if p.find(e) == nil {
			return false
		}
	}
	return true
}

// enter takes e, which has just come to one of the pools, in if it is complete.
func (g *group) enter(e Entity) {
	if g.full(e) {
		for _, p := range g.pools {
			p.bring(e, g.n)
		}
		g.n++
	}
}

// leave takes e out, if it is in, before it leaves one of the pools.
func (g *group) leave(e Entity) {
	if g.full(e) {
		g.n--
		for _, p := range g.pools {
			p.bring(e, g.n)
		}
	}
}

// swap exchanges two rows in every pool.
func (g *group) swap(i, j int) {
	for _, p := range g.pools {
		p.swap(i, j)
	}
}

// check: the first rows agree, and no entity behind them is in all pools.
func (g *group) check() error {
	for _, p := range g.pools {
		name := p.of().schema.Name
		if p.of().group != g || p.len() < g.n {
			return fmt.Errorf("pool %q: its group has %d rows of %d, or is another", name, g.n, p.len())
		}
		for i := range p.len() {
			e := handleAt(p, i)
			if i < g.n && handleAt(g.pools[0], i) != e {
				return fmt.Errorf("pool %q: row %d is entity %v, the group has another there", name, i, e)
			}
			if i >= g.n && g.full(e) {
				return fmt.Errorf("pool %q: row %d of entity %v belongs into the group", name, i, e)
			}
		}
	}
	return nil
}

func handleAt(p ranked, i int) Entity {
	c, row := p.locate(i)
	return c.Entities()[row]
}
