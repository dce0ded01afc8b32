package twin

import (
	"fmt"
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// reported is a world as the reports of its changes tell it: see Raw.OnChange. Nothing else is known to it, so
// that a change without a report, and a report without a change, makes it differ from the world.
type reported struct {
	remove  func() // the function that gets the reports; nil while nobody gets them
	has     map[ecs.Entity]map[ecs.ComponentID]bool
	targets map[sourceIn]ecs.Entity
	wrong   error // a report that cannot be
}

// sourceIn is an entity in a relation.
type sourceIn struct {
	relation *ecs.Relation
	source   ecs.Entity
}

// report begins or ends the reports.
func (tw *Twin) report(on bool) error {
	r := &tw.reported
	if r.remove != nil {
		r.remove()
		r.remove = nil
	}
	if !on {
		return nil
	}
	r.read(tw)
	remove, err := tw.World.Raw().OnChange(func(c *ecs.RawChange) {
		if r.wrong == nil {
			r.wrong = r.take(c)
		}
	})
	r.remove = remove
	return err
}

// read makes it what the world is, for what no report tells.
func (r *reported) read(tw *Twin) {
	r.has, r.targets, r.wrong = map[ecs.Entity]map[ecs.ComponentID]bool{}, map[sourceIn]ecs.Entity{}, nil
	for e := range tw.World.Entities() {
		if of := tw.components(e); !tw.reserved(e) {
			r.has[e] = of
		}
		for _, l := range tw.relations {
			if target := l.Target(e); target != 0 {
				r.targets[sourceIn{l, e}] = target
			}
		}
	}
}

// reserved reports whether an entity has no place yet: that it comes is reported when it gets one.
func (tw *Twin) reserved(e ecs.Entity) bool {
	return tw.Model.things[e] != nil && !tw.Model.things[e].placed
}

// components returns what an entity has, but for what relations keep.
func (tw *Twin) components(e ecs.Entity) map[ecs.ComponentID]bool {
	of := map[ecs.ComponentID]bool{}
	for _, id := range tw.World.Raw().Components(e, nil) {
		if !slices.ContainsFunc(tw.relations, func(r *ecs.Relation) bool { return r.ID() == id }) {
			of[id] = true
		}
	}
	return of
}

// take takes a report.
func (r *reported) take(c *ecs.RawChange) error {
	of, alive := r.has[c.Entity]
	if alive == (c.Kind == ecs.OnSpawn) && c.Kind != 0 {
		return fmt.Errorf("%v of kind %b, which is there: %v", c.Entity, c.Kind, alive)
	}
	switch c.Kind {
	case 0:
		r.targets[sourceIn{c.Relation, c.Entity}] = c.Target
		return nil
	case ecs.OnSpawn:
		of = map[ecs.ComponentID]bool{}
		r.has[c.Entity] = of
	case ecs.OnDespawn:
		delete(r.has, c.Entity)
		maps.DeleteFunc(r.targets, func(l sourceIn, _ ecs.Entity) bool { return l.source == c.Entity })
	}
	for _, id := range c.Components {
		if of[id] == (c.Kind == ecs.OnSpawn || c.Kind == ecs.OnAdd) {
			return fmt.Errorf("%v: component %d in a report of kind %b; it was there: %v", c.Entity, id, c.Kind, of[id])
		}
		if c.Kind == ecs.OnRemove {
			delete(of, id)
		} else {
			of[id] = true
		}
	}
	return nil
}

// compareReported compares the world with its reports.
func (tw *Twin) compareReported() error {
	r := &tw.reported
	if r.remove == nil {
		return nil
	}
	if r.wrong != nil {
		return fmt.Errorf("a report: %w", r.wrong)
	}
	for e := range tw.World.Entities() {
		if tw.reserved(e) {
			continue
		}
		if of := tw.components(e); !maps.Equal(of, r.has[e]) {
			return fmt.Errorf("%v has %v, and by the reports %v", e, of, r.has[e])
		}
		for _, l := range tw.relations {
			if target := l.Target(e); target != r.targets[sourceIn{l, e}] {
				return fmt.Errorf("%v has the target %v in %q, and by the reports %v", e, target, l.Name(), r.targets[sourceIn{l, e}])
			}
		}
	}
	for e := range r.has {
		if !tw.World.Alive(e) {
			return fmt.Errorf("%v is alive by the reports", e)
		}
	}
	return nil
}
