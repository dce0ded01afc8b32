package save

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// adopted is a type that a load is to define in the world.
type adopted struct {
	schema ecs.Schema
	event  bool
	sparse bool
}

// adopts reports whether a component of the save that this world does not have is to be defined in it, and notes
// that. What only a Go type could say cannot be: it stays lost.
func (l *saveLoader) adopts(e *componentEntry, from *columnar) bool {
	if l.options.Adopts == nil || e.Name == "" || e.Mark || e.Relation || e.onHeap() || e.Hidden > 0 || !l.options.Adopts(e.Name, false) {
		return false
	}
	l.adopt(e.Name, from, adopted{sparse: e.Kept == capture.InArenaPool.String()})
	l.note(e.Name, e.Entities, false, "%s: %s, and nothing declared it when this was saved: their values stay, unseen", e.Name, count(e.Entities, "entity has it", "entities have it"))
	return true
}

// adoptsEvent is adopts for an event.
func (l *saveLoader) adoptsEvent(e *eventEntry, from *columnar) bool {
	if l.options.Adopts == nil || e.Name == "" || e.Hidden > 0 || !l.options.Adopts(e.Name, true) {
		return false
	}
	l.adopt(e.Name, from, adopted{event: true})
	return true
}

// adopt notes what is to be defined.
func (l *saveLoader) adopt(name string, from *columnar, a adopted) {
	a.schema = ecs.Schema{Name: name, Version: from.schema.Version, Fields: from.schema.Fields}
	l.report.adopted = append(l.report.adopted, a)
}

// defineAdopted defines what a save was found to need, once all else of it is known to be good.
func defineAdopted(w *ecs.World, list []adopted) error {
	if n := w.Raw().ComponentCount() + len(list); n > ecs.MaxComponents {
		return fmt.Errorf("%w: a world has at most %d component types, and would have %d with those of the save that nothing declares", ecs.ErrConflict, ecs.MaxComponents, n)
	}
	for _, a := range list {
		var err error
		if a.event {
			_, err = w.Raw().DefineEvent(a.schema)
		} else {
			_, err = w.Raw().Define(a.schema, a.sparse)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", a.schema.Name, err)
		}
	}
	return nil
}
