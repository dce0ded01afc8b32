package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Transfer moves a living entity with its components to another world and returns
// its handle there; the old handle is dead. TransferTree takes all below it in
// the hierarchy along.
//
// Components are matched by name, and must be the same there: the same Go type,
// or the same fields where one side has none. They may be stored otherwise.
// Values with Go pointers are copied as Go assigns them. Entity fields that name
// who moves too are turned into the new handles, all others into 0. Relations
// between those that move are kept, in order, under their names; links with those
// that stay end, unless a relation refuses that its targets die. Children that stay
// become roots.
//
// Entity fields are reached in structs and arrays, and in types with Go pointers
// in exported fields and slices; not in maps, and not through pointers and interfaces.
//
// Observers of both worlds get their part: the end in this one, the beginning in
// the other. The error wraps ErrDead or ErrIterating; ErrUnknown, naming every
// component and relation that the other world lacks; ErrConflict, naming those
// that differ there or who refuses; or what TrySpawn returns there. Nothing has
// changed then in either world, though hooks there may have been called for
// entities that came and went when room ran out. O(entities × component types).
func (w *World) Transfer(e Entity, to *World) (Entity, error) {
	return w.transfer(e, to, false)
}

// TransferTree is Transfer for an entity and all that are below it.
func (w *World) TransferTree(e Entity, to *World) (Entity, error) {
	return w.transfer(e, to, true)
}

// transfer moves an entity, and with tree all below it.
func (w *World) transfer(e Entity, to *World, tree bool) (Entity, error) {
	switch {
	case !w.placed(e):
		return 0, w.deadError(e)
	case to == nil:
		return 0, fmt.Errorf("%w: %v is to move to a nil world", ErrConflict, e)
	case to.closed():
		return 0, fmt.Errorf("%v is to move: %w", e, ErrClosed)
	case w.locks > 0 || to.locks > 0:
		return 0, ErrIterating
	case w == to:
		return 0, fmt.Errorf("%w: %v is to move to the world that it is in", ErrConflict, e)
	}
	m := transferPlan{from: w, to: to, moves: map[Entity]Entity{}}
	m.gather(e, tree)
	if err := errors.Join(m.match(), m.matchRelations(), m.refusal()); err != nil {
		return 0, err
	}
	if err := m.arrive(); err != nil {
		m.rollBack()
		return 0, err
	}
	m.leave()
	return m.moves[e], nil
}

// transferPlan is one move from a world to another.
type transferPlan struct {
	from, to   *World
	order      []Entity // who moves, parents before children
	moves      map[Entity]Entity
	components []*component // of the other world, by number in this one; nil for those that no entity here has
	relations  []*Relation  // of the other world, by index in this one; nil for those without links
	notices    queueMark    // in the other world before
	made       []Entity
}

// gather lists the entities that move.
func (m *transferPlan) gather(e Entity, tree bool) {
	m.order = []Entity{e}
	if tree {
		m.order = m.order[:0]
		for e := range m.from.ChildOf().DepthFirst(e) {
			m.order = append(m.order, e)
		}
	}
	for _, e := range m.order {
		m.moves[e] = 0
	}
}

// match finds the other world's component for each that moves.
func (m *transferPlan) match() error {
	m.components = make([]*component, len(m.from.components))
	var missing, other []string
	for id, c := range m.from.components {
		if c.reserved != "" || !slices.ContainsFunc(m.order, func(e Entity) bool { return m.from.has(e, ComponentID(id)) }) {
			continue
		}
		there, ok := m.to.names[c.schema.Name]
		switch {
		case !ok:
			missing = append(missing, fmt.Sprintf("%q", c.schema.Name))
		case !c.same(m.to.components[there]):
			other = append(other, fmt.Sprintf("%q", c.schema.Name))
		default:
			m.components[id] = m.to.components[there]
		}
	}
	return errors.Join(
		complaint(missing, ErrUnknown, "the other world has no component"),
		complaint(other, ErrConflict, "in the other world something else is component"))
}

// complaint makes an error of names, if there are any.
func complaint(names []string, sentinel error, says string) error {
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s %s", sentinel, says, strings.Join(names, ", "))
}

// same reports whether values of c can be copied to o.
func (c *component) same(o *component) bool {
	if c.heap || o.heap || c.typ != nil && o.typ != nil {
		return c.typ == o.typ && c.typ != nil
	}
	return c.schema.Same(o.schema)
}

// matchRelations finds the other world's relation for each that links some of
// those who move.
func (m *transferPlan) matchRelations() error {
	m.relations = make([]*Relation, len(m.from.relations))
	var missing []string
	for i, r := range m.from.relations {
		if !slices.ContainsFunc(m.order, func(e Entity) bool { return m.moving(r.Target(e)) }) {
			continue
		}
		if m.relations[i] = m.to.relationNamed(r.name); m.relations[i] == nil {
			missing = append(missing, fmt.Sprintf("%q", r.name))
		}
	}
	return complaint(missing, ErrUnknown, "the other world has no relation")
}

func (m *transferPlan) moving(e Entity) bool { _, ok := m.moves[e]; return ok }

// refusal says who of those that stay does not let their target go.
func (m *transferPlan) refusal() error {
	for _, r := range m.from.relations {
		for _, e := range m.order {
			for source := range r.Sources(e) {
				if r.options.OnDespawn == Refuse && !m.moving(source) {
					return r.refuses(e, source)
				}
			}
		}
	}
	return nil
}

// arrive makes the entities in the other world.
func (m *transferPlan) arrive() error {
	m.notices = m.to.notices.waiting()
	m.from.locks++ // what is given lies there: hooks of the other world must not move it
	defer func() { m.from.locks-- }()
	given := make([][]Value, len(m.order))
	for i, e := range m.order {
		for id, c := range m.components {
			if p := m.from.pointer(e, ComponentID(id)); c != nil && p != nil {
				given[i] = append(given[i], c.valueAt(p))
			}
		}
		if err := m.to.allows(given[i]); err != nil {
			return err
		}
	}
	for i, e := range m.order {
		made, err := m.to.TrySpawn(given[i]...)
		if err != nil {
			return err
		}
		m.made, m.moves[e] = append(m.made, made), made
	}
	m.rename()
	if err := m.relate(); err != nil {
		return err
	}
	return m.mark()
}

// mark makes prefab entities of those that were.
func (m *transferPlan) mark() error {
	var marked []Entity
	for _, e := range m.order {
		if m.from.isPrefab(e) {
			marked = append(marked, m.moves[e])
		}
	}
	if len(marked) == 0 {
		return nil
	}
	return m.to.markAll(marked)
}

// rename turns the handles in the new values into those of the other world.
func (m *transferPlan) rename() {
	r := refs{replace: func(e Entity) Entity { return m.moves[e] }}
	for _, c := range m.components {
		if c == nil || !c.holds() {
			continue
		}
		for _, e := range m.made {
			if p := c.find(e); p != nil {
				r.value(c, p)
			}
		}
	}
}

// relate links the new entities as the old ones are, each target's sources in
// their order.
func (m *transferPlan) relate() error {
	for i, r := range m.relations {
		if r == nil {
			continue
		}
		from, put := m.from.relations[i], r.Set
		if from.options.Acyclic {
			put = r.copyLink
		}
		for _, target := range m.order {
			for source := range from.Sources(target) {
				if !m.moving(source) {
					continue
				}
				if err := put(m.moves[source], m.moves[target]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// rollBack ends what was made in the other world before something did not fit;
// observers get no notice of it.
func (m *transferPlan) rollBack() {
	m.to.annul(m.made, m.notices)
}

// leave ends the old ones, children first.
func (m *transferPlan) leave() {
	for _, e := range slices.Backward(m.order) {
		m.from.end(e)
	}
	m.from.committed("moving to another world", m.order[0])
	m.to.committed("moving from another world", m.made[0])
}
