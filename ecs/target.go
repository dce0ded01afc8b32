package ecs

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
	if t, ok := q.target.(*sourcesOf); ok {
		t.relation, t.target = r, target
		return q
	}
	q.target, q.ready = &sourcesOf{r, target}, false
	return q
}
