package ecs

import "unsafe"

// target restricts a query to entities that stand in a relation to one entity.
type target interface {
	// gather appends the candidates to dst, in the order in which a loop has them.
	gather(dst []Entity) []Entity
	// holds reports whether e is one of them. O(1).
	holds(e Entity) bool
}

// sourcesOf is the target of a query for the sources of an entity in a relation.
type sourcesOf struct {
	relation *Relation
	target   Entity
}

func (t *sourcesOf) gather(dst []Entity) []Entity {
	for e := range t.relation.Sources(t.target) {
		dst = append(dst, e)
	}
	return dst
}

func (t *sourcesOf) holds(e Entity) bool {
	return t.target != 0 && t.relation.Target(e) == t.target
}

// ChildrenOf asks for the children of an entity; see SourcesOf.
func (q *Query) ChildrenOf(parent Entity) *Query {
	return q.SourcesOf(q.world.ChildOf(), parent)
}

// SourcesOf asks for entities whose target in a relation is the given one; loops
// have them in the order of the target's sources. The dead and the zero Entity
// have none. Other than the rest of a query, the target may be replaced between
// two loops, by asking again. O(sources) to iterate.
func (q *Query) SourcesOf(r *Relation, target Entity) *Query {
	q.named("SourcesOf", r)
	if t, ok := q.target.(*sourcesOf); ok {
		t.relation, t.target = r, target
		return q
	}
	q.target, q.loop = &sourcesOf{r, target}, unprepared
	return q
}

// Sources asks for entities that have a target in a relation, whoever it is: with
// ChildOf, for those that have a parent. O(entities in the relation) to iterate,
// in the order in which they came into it as sources or targets, or O(matching
// rows) where these are fewer.
func (q *Query) Sources(r *Relation) *Query {
	return q.linked(r, func(l *links) bool { return l.Target != 0 })
}

// Targets asks for entities that are a target in a relation: with ChildOf, for
// those that have children. The cost and the order are those of Sources.
func (q *Query) Targets(r *Relation) *Query {
	return q.linked(r, func(l *links) bool { return l.Count > 0 })
}

// linked asks for entities with links of which something holds.
func (q *Query) linked(r *Relation, keep func(*links) bool) *Query {
	q.named("Sources", r)
	q.where = append(q.where, condition{id: r.id, keep: func(p unsafe.Pointer) bool { return keep((*links)(p)) }})
	return q.With(r)
}
