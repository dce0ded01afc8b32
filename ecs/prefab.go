package ecs

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// Prefab is a template: the components that a new entity gets, and its
// children. A prefab is a value of the program, not of the world; changing it
// does not touch entities made from it before. Templates that live in the world
// are prefab entities: see MarkPrefab.
type Prefab struct {
	Name string
	// Base is what the prefab inherits from, or nil: its values, over which those
	// of the prefab win, and its children. A child of the prefab inherits from
	// the child of the base that has the same name, in whose place it stands; all
	// others come after the base's. Bases have bases; ErrCycle is the error for one that
	// leads to itself.
	Base     *Prefab
	Values   []Value
	Children []Prefab
}

// maxPrefab bounds the bases of a prefab and the generations below it. More are
// taken to be circular.
const maxPrefab = 256

// SpawnPrefab records an entity made from p, children and all. The overrides
// replace the prefab's values of the same components, or add to them. Where a
// base leads to itself, the zero Entity comes back, nothing is made and Apply
// reports ErrCycle; for a nil prefab it reports ErrConflict.
func (c *Commands) SpawnPrefab(p *Prefab, overrides ...Value) Entity {
	if p == nil {
		c.refuse(fmt.Errorf("%w: no prefab to spawn: it is nil", ErrConflict))
		return 0
	}
	if p.inherits(0) {
		whole, err := p.resolve(0)
		if err != nil {
			c.refuse(err)
			return 0
		}
		p = &whole
	}
	if len(p.Children) > 0 {
		entities, values := p.count()
		c.ops, c.reserved = slices.Grow(c.ops, 2*entities), slices.Grow(c.reserved, entities)
		c.values, c.data = slices.Grow(c.values, values), slices.Grow(c.data, values) // a word each, or more
	}
	return c.spawnResolved(p, overrides)
}

// spawnResolved records an entity and its children; the prefab has no base.
func (c *Commands) spawnResolved(p *Prefab, overrides []Value) Entity {
	c.scratch = append(append(c.scratch[:0], p.Values...), overrides...)
	e := c.Spawn(c.scratch...)
	if e == 0 {
		return 0 // no room, and so none for children
	}
	c.nameSpawn(p.Name)
	for i := range p.Children {
		c.SetParent(c.spawnResolved(&p.Children[i], nil), e)
	}
	return e
}

// count returns how many entities are made of a prefab without a base, and how many values they
// are given.
func (p *Prefab) count() (entities, values int) {
	entities, values = 1, len(p.Values)
	for i := range p.Children {
		e, v := p.Children[i].count()
		entities, values = entities+e, values+v
	}
	return entities, values
}

// inherits reports whether a prefab or one below it has a base, or is so deep
// that it must be looked at closely.
func (p *Prefab) inherits(depth int) bool {
	if p.Base != nil || depth > maxPrefab {
		return true
	}
	for i := range p.Children {
		if p.Children[i].inherits(depth + 1) {
			return true
		}
	}
	return false
}

// resolve returns the prefab with all that it and those below it inherit, and no
// bases.
func (p *Prefab) resolve(depth int) (Prefab, error) {
	if depth > maxPrefab {
		return Prefab{}, fmt.Errorf("%w: prefab %q has more than %d bases or generations above it", ErrCycle, p.Name, maxPrefab)
	}
	whole := Prefab{Name: p.Name}
	if p.Base != nil {
		base, err := p.Base.resolve(depth + 1)
		if err != nil {
			return Prefab{}, err
		}
		whole.Values, whole.Children = base.Values, base.Children
	}
	whole.Values = append(slices.Clip(whole.Values), p.Values...)
	own := make([]Prefab, len(p.Children))
	for i := range p.Children {
		var err error
		if own[i], err = p.Children[i].resolve(depth + 1); err != nil {
			return Prefab{}, err
		}
	}
	whole.adopt(own)
	return whole, nil
}

// adopt puts each of the children in the place of the inherited one that has its
// name and is not taken, from which it inherits in turn, or after all others. All
// are resolved.
func (p *Prefab) adopt(children []Prefab) {
	all, taken := slices.Clone(p.Children), map[int]bool{}
	for _, child := range children {
		i := slices.IndexFunc(p.Children, func(o Prefab) bool { return o.Name == child.Name && o.Name != "" })
		if i < 0 || taken[i] {
			all = append(all, child)
			continue
		}
		taken[i] = true
		all[i].Values = append(slices.Clip(all[i].Values), child.Values...)
		all[i].adopt(child.Children)
	}
	p.Children = all
}

// SpawnPrefab makes an entity from p at once, children and all. The error wraps
// ErrCycle, ErrConflict for a nil prefab, or those of TrySpawn; nothing is left
// behind then.
func (w *World) SpawnPrefab(p *Prefab, overrides ...Value) (Entity, error) {
	if err := w.refuseChange(); err != nil {
		return 0, err
	}
	c := w.NewCommands()
	e := c.SpawnPrefab(p, overrides...)
	made := slices.Clone(c.reserved)
	if err := c.Apply(); err != nil {
		made = slices.DeleteFunc(made, func(e Entity) bool { return !w.Alive(e) })
		return 0, errors.Join(err, w.despawnAll(made...))
	}
	return e, nil
}

// Instantiate makes n copies of an entity and all below it, and returns the
// copies of that entity itself, in order. The overrides replace its components or
// add to them, as for Spawn; those below it are copied as they are. It is meant
// for prefab entities and works for any other; the copies are no prefabs.
//
// Values are copied as Go assigns them. Handles in them, and relations, that name
// an entity of the tree name its copy in the copies, as described for Transfer;
// all other handles and relations stay. The copies of the top have no parent.
// Rules and hooks of components apply as for Spawn, before handles are renamed.
//
// The error wraps ErrDead, ErrIterating, ErrRange for a negative n, or what
// SpawnMany returns; nothing is left behind then, though hooks may have been
// called for copies that came and went when room ran out. The cost is that of one
// SpawnMany for each entity of the tree, and of the links.
func (w *World) Instantiate(e Entity, n int, overrides ...Value) ([]Entity, error) {
	switch {
	case !w.placed(e):
		return nil, w.deadError(e)
	case w.locks > 0:
		return nil, ErrIterating
	case n < 0:
		return nil, fmt.Errorf("%w: %d instances of %v", ErrRange, n, e)
	case n == 0:
		return nil, nil
	}
	m := treeCopy{world: w, n: n, index: map[Entity]int{}}
	m.read(e, overrides)
	if room := w.slots.Room(); n > room/len(m.nodes) {
		return nil, w.entityLimitError(fmt.Sprintf(", %d instances of %d do not fit", n, len(m.nodes)))
	}
	notices := w.notices.waiting()
	if err := m.make(); err != nil {
		w.annul(m.made, notices)
		return nil, err
	}
	w.committed("instantiating", e)
	return m.made[:n:n], nil
}

// treeCopy is a tree that is being copied.
type treeCopy struct {
	world *World
	n     int // copies
	nodes []treeNode
	index map[Entity]int // of a node's entity
	made  []Entity       // the i-th copy of node k is at k*n + i
}

// treeNode is one entity of the tree and what its copies are given.
type treeNode struct {
	entity Entity
	values []Value
}

// read takes stock of the tree below e.
func (m *treeCopy) read(e Entity, overrides []Value) {
	for node := range m.world.ChildOf().DepthFirst(e) {
		m.index[node] = len(m.nodes)
		m.nodes = append(m.nodes, treeNode{node, m.world.contents(node)})
	}
	top := &m.nodes[0]
	top.values = append(top.values, overrides...)
}

// contents returns the components of e that can be given to other entities, taken
// out of where they lie: they move when others come.
func (w *World) contents(e Entity) []Value {
	var values []Value
	for _, c := range w.components {
		if p := c.find(e); p != nil && c.reserved == "" {
			values = append(values, c.copyOut(p))
		}
	}
	return values
}

// make makes the copies, or returns an error with some of them made.
func (m *treeCopy) make() error {
	for i := range m.nodes {
		if err := m.world.allows(m.nodes[i].values); err != nil {
			return err
		}
	}
	m.made = make([]Entity, 0, m.n*len(m.nodes))
	keep := func(c *Chunk) { m.made = append(m.made, c.Entities()...) }
	for i := range m.nodes {
		if err := m.world.SpawnMany(m.n, keep, m.nodes[i].values...); err != nil {
			return err
		}
	}
	for k := range m.nodes {
		m.rename(k)
	}
	for _, r := range m.world.relations {
		if err := m.link(r); err != nil {
			return err
		}
	}
	return nil
}

// copyOf returns the i-th copy of an entity of the tree; others are themselves.
func (m *treeCopy) copyOf(e Entity, i int) Entity {
	if k, ok := m.index[e]; ok {
		return m.made[k*m.n+i]
	}
	return e
}

// rename turns the handles in the copies of a node that name others of the tree.
func (m *treeCopy) rename(k int) {
	for v := range m.nodes[k].values {
		value := &m.nodes[k].values[v]
		if !m.names(value) {
			continue
		}
		for i, e := range m.made[k*m.n : (k+1)*m.n] {
			r := refs{replace: func(e Entity) Entity { return m.copyOf(e, i) }}
			r.value(value.of, value.of.find(e))
		}
	}
}

// names reports whether a value names an entity of the tree.
func (m *treeCopy) names(v *Value) bool {
	if !v.of.holds() {
		return false
	}
	found := false
	r := refs{replace: func(e Entity) Entity {
		_, within := m.index[e]
		found = found || within
		return e
	}}
	r.value(v.of, v.data())
	return found
}

// link puts the copies into a relation as the nodes are in it: among each other
// all at once, and then after the sources of targets outside of the tree.
func (m *treeCopy) link(r *Relation) error {
	plan := m.plan(r)
	if err := m.linkRoom(r, len(plan)); err != nil {
		return err
	}
	for _, p := range plan {
		for i := range m.n {
			l := links{Count: p.links.Count}
			for _, f := range [...]struct{ to, from *Entity }{
				{&l.Target, &p.links.Target}, {&l.First, &p.links.First}, {&l.Last, &p.links.Last},
				{&l.Prev, &p.links.Prev}, {&l.Next, &p.links.Next},
			} {
				if *f.from != 0 {
					*f.to = m.copyOf(*f.from, i)
				}
			}
			r.admit(m.made[p.node*m.n+i], &l)
		}
	}
	if r == m.world.ChildOf() {
		return nil // the top's parent is left out
	}
	return m.linkOutside(r)
}

// admit gives an entity that has no links yet those that others count on.
func (r *Relation) admit(e Entity, l *links) {
	if err := r.links.reserve(e); err != nil {
		panic(err) // room was made before: a bug in this package
	}
	r.links.put(e, unsafe.Pointer(l))
	if l.Target != 0 {
		r.count++
		r.world.reports.linked(r, e, l.Target, 0)
	}
}

// linkRoom makes room for the links of all copies in one relation.
func (m *treeCopy) linkRoom(r *Relation, nodes int) error {
	rm := reservation{world: m.world}
	for _, e := range m.made {
		rm.last = max(rm.last, e.Index())
	}
	rm.pool(r.links, nodes*m.n)
	return rm.undo(rm.err)
}

// planned are the links of one node, in terms of the tree's entities.
type planned struct {
	node  int
	links links
}

// plan works out the links within the tree, those with others left out.
func (m *treeCopy) plan(r *Relation) []planned {
	plan, at := []planned{}, map[Entity]int{}
	of := func(e Entity) *links {
		if _, known := at[e]; !known {
			at[e] = len(plan)
			plan = append(plan, planned{node: m.index[e]})
		}
		return &plan[at[e]].links
	}
	for k := range m.nodes {
		target := m.nodes[k].entity
		for source := range r.Sources(target) {
			if _, within := m.index[source]; !within {
				continue
			}
			of(source)
			t, s := of(target), of(source)
			s.Target, s.Prev = target, t.Last
			if t.Last != 0 {
				of(t.Last).Next = source
			} else {
				t.First = source
			}
			t.Last = source
			t.Count++
		}
	}
	return plan
}

// linkOutside gives the copies the targets that their nodes have outside of the
// tree.
func (m *treeCopy) linkOutside(r *Relation) error {
	for k := range m.nodes {
		target := r.Target(m.nodes[k].entity)
		if _, within := m.index[target]; within || target == 0 {
			continue
		}
		for i := range m.n {
			if err := r.copyLink(m.made[k*m.n+i], target); err != nil {
				return err
			}
		}
	}
	return nil
}

// A prefab entity is an entity that is marked as one, with all below it in the
// hierarchy: a template that lives in the world, can be edited there like any
// other entity, and is found by no query that does not ask for prefabs. Instances
// are copies of the whole tree.
//
// Invariant: the children of a prefab entity are prefab entities.

// prefabMark is the name of the tag that prefab entities have.
const prefabMark = "Prefab"

// MarkPrefab makes a prefab of a living entity and all below it. Those that are
// prefabs already stay so; there is no way back, but instances are ordinary
// entities. The error wraps ErrDead, ErrIterating, ErrArenaFull, or ErrConflict
// when the world has no component number left for the mark, and nothing has
// changed then. O(entities × their components).
func (w *World) MarkPrefab(e Entity) error {
	switch {
	case !w.placed(e):
		return w.deadError(e)
	case w.locks > 0:
		return ErrIterating
	}
	var tree []Entity
	for node := range w.ChildOf().DepthFirst(e) {
		tree = append(tree, node)
	}
	return w.markAll(tree)
}

// Prefabs asks for prefab entities too, which queries pass over otherwise.
func (q *Query) Prefabs() *Query {
	q.prefabs, q.loop = true, unprepared
	return q
}

// hasPrefabs reports whether any prefab entity lives. O(archetypes of such).
func (w *World) hasPrefabs() bool {
	for _, a := range w.templates {
		if a.count > 0 {
			return true
		}
	}
	return false
}

// checkPrefabs: the archetypes of prefab entities are all known, and the children
// of a prefab entity are prefab entities.
func (w *World) checkPrefabs() error {
	known := 0
	for _, a := range w.archetypes {
		if a.prefab {
			known++
		}
	}
	if known != len(w.templates) {
		return fmt.Errorf("%d archetypes are of prefabs, %d are known", known, len(w.templates))
	}
	for _, a := range w.templates {
		for _, c := range a.chunks {
			for _, e := range c.Entities() {
				for child := range w.Children(e) {
					if !w.isPrefab(child) {
						return fmt.Errorf("%v is a prefab, its child %v is not", e, child)
					}
				}
			}
		}
	}
	return nil
}

// markAll marks entities; room is made for all of them before the first moves.
func (w *World) markAll(es []Entity) error {
	if err := w.makeMark(); err != nil {
		return err
	}
	r, need := reservation{world: w}, map[*archetype]int{}
	var order []*archetype
	for _, e := range es {
		from, _ := w.find(e)
		if from.prefab {
			continue
		}
		to, err := w.archetypeWith(from, w.mark.id)
		if err != nil {
			return err
		}
		if need[to]++; need[to] == 1 {
			order = append(order, to)
		}
	}
	for _, to := range order {
		r.rows(to, need[to])
	}
	for _, e := range es {
		from, record := w.find(e)
		if from.prefab || r.err != nil {
			continue
		}
		to, err := w.archetypeWith(from, w.mark.id)
		var c *Chunk
		if err == nil {
			c, err = to.reserve(&w.store)
		}
		if r.err = err; err == nil {
			w.move(e, record, from, to, c)
			w.reports.marked(e, w.mark.id)
		}
	}
	if r.err == nil {
		w.committed("marking as a prefab", es[0]) // a family is one when all are marked
	}
	return r.undo(r.err)
}

// makeMark registers the mark when it is first needed, under no name that others
// could find.
func (w *World) makeMark() error {
	if w.mark != nil {
		return nil
	}
	c := &component{schema: &Schema{Name: prefabMark, Align: 1}}
	if err := w.enlist(c); err != nil {
		return err
	}
	c.reserve("MarkPrefab")
	w.mark = c
	return nil
}
