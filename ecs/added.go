package ecs

import (
	"fmt"
	"slices"
	"weak"
)

// additions is what a query with Added has to yield: for each of its components,
// the entities that got it since the last loop, in order.
//
// Invariant: places[i][slot] is 1 + the position of the entry for component i
// and the entity that last got it in that slot, or 0; entries that no place
// leads to are of dead entities and will be passed over. So there are at most
// two entries for a component and a living entity, and some.
//
// Why beside the observers and not as one? An observer is told when its turn
// comes and can act; this only notes that something came, in a few nanoseconds,
// and costs nothing for components that no such query asks for.
type additions struct {
	ids     []ComponentID
	entries []addition
	places  [][]uint32
	taken   []Entity // by slot, while take runs: it has that one already
}

// addition: an entity got the component of an index of ids.
type addition struct {
	entity Entity
	which  int
}

// Added yields only entities that got one of the components, and have it still,
// since this query was last iterated, or made: spawned with it, given it, or
// given it again after it was taken away. Other than Changed, it is exact. A
// loop has them in the order in which they got the first of the components; a
// loop that ends early has looked at all.
//
// The world notes additions for such a query until it is closed, or found
// unreachable by the collector: at most some entries for each living entity.
func (q *Query) Added(hs ...ComponentRef) *Query {
	if q.added == nil {
		q.added = &additions{}
	}
	for _, h := range hs {
		c := q.named("Added", h)
		id := c.id
		if slices.Contains(q.added.ids, id) {
			continue
		}
		q.added.ids = append(q.added.ids, id)
		q.added.places = append(q.added.places, nil)
		c.added = append(c.added, weak.Make(q.added))
	}
	q.world.rewatch()
	q.loop = unprepared
	return q
}

// Close ends the noting of additions for a query with Added at once; from then
// on it yields none. For other queries it does nothing.
func (q *Query) Close() {
	if q.added == nil {
		return
	}
	for _, id := range q.added.ids {
		q.world.components[id].forget(q.added)
	}
	*q.added = additions{}
	q.world.rewatch()
}

// noteAdded tells the queries that ask for it that e gets the component.
func (c *component) noteAdded(w *World, e Entity) {
	for _, p := range c.added {
		if a := p.Value(); a != nil {
			a.note(w, c.id, e)
		} else {
			c.forget(nil) // of a query that nobody has any more
		}
	}
}

// forget drops one of those who wait for additions, and all that are gone.
func (c *component) forget(gone *additions) {
	c.added = slices.DeleteFunc(slices.Clone(c.added), func(p weak.Pointer[additions]) bool {
		a := p.Value()
		return a == nil || a == gone
	})
}

func (a *additions) note(w *World, id ComponentID, e Entity) {
	which := slices.Index(a.ids, id)
	for int(e.Index()) >= len(a.places[which]) {
		a.places[which] = append(a.places[which], make([]uint32, max(64, len(a.places[which])))...)
	}
	at := &a.places[which][e.Index()]
	if *at != 0 && a.entries[*at-1].entity == e {
		return
	}
	if len(a.entries) > 2*len(a.ids)*w.Len()+64 {
		a.compact(w)
	}
	a.entries = append(a.entries, addition{e, which})
	*at = uint32(len(a.entries))
}

// compact drops the entries of the dead.
func (a *additions) compact(w *World) {
	kept := a.entries[:0]
	for i, n := range a.entries {
		at := &a.places[n.which][n.entity.Index()]
		switch {
		case *at != uint32(i+1):
		case w.Alive(n.entity):
			kept = append(kept, n)
			*at = uint32(len(kept))
		default:
			*at = 0
		}
	}
	a.entries = kept
}

// take appends the entities that were added to dst, each once, and forgets them.
func (a *additions) take(w *World, dst []Entity) []Entity {
	for _, n := range a.entries {
		slot := n.entity.Index()
		a.places[n.which][slot] = 0
		if !w.has(n.entity, a.ids[n.which]) {
			continue
		}
		for int(slot) >= len(a.taken) {
			a.taken = append(a.taken, make([]Entity, max(64, len(a.taken)))...)
		}
		if a.taken[slot] != n.entity {
			a.taken[slot] = n.entity
			dst = append(dst, n.entity)
		}
	}
	for _, e := range dst {
		a.taken[e.Index()] = 0
	}
	a.entries = a.entries[:0]
	return dst
}

// checkAdditions checks what queries wait for, each with its first component.
func (c *component) checkAdditions() error {
	for _, p := range c.added {
		if a := p.Value(); a != nil && a.ids[0] == c.id {
			if err := a.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// check: every entry that a place leads to is of that place, and no two places
// lead to one.
func (a *additions) check() error {
	led := 0
	for which, places := range a.places {
		for slot, at := range places {
			if at == 0 {
				continue
			}
			if led++; int(at) > len(a.entries) {
				return fmt.Errorf("additions: slot %d leads past the %d entries", slot, len(a.entries))
			}
			if n := a.entries[at-1]; n.which != which || int(n.entity.Index()) != slot {
				return fmt.Errorf("additions: slot %d leads to the entry of %v, component %d, and is of component %d", slot, n.entity, n.which, which)
			}
		}
	}
	if led > len(a.entries) || len(a.places) != len(a.ids) {
		return fmt.Errorf("additions: %d places lead to %d entries, of %d components", led, len(a.entries), len(a.ids))
	}
	return nil
}
