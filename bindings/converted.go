package bindings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
)

// What Limits.Converted counts beside the bytes themselves: about what each takes in
// nanoseconds. A value that moves over goes through commands, which copy the row twice.
const (
	perConverted = 64
	perMoved     = 1000
	perDropped   = 300
	perNotice    = 8    // for each observer
	perChunk     = 5000 // of rows: one is made for each combination of components, however few rows it has
)

// pieceOfReload is what a reload does to the values of one type.
type pieceOfReload struct {
	does  string // such as: changes the fields of "Health"
	at    diag.Place
	count string // such as: 200,000 entities
	bytes int64
}

// tooMuch is the error of a reload that would convert, move and take away more than
// Limits.Converted allows. Nothing was converted yet.
func (m *migration) tooMuch(list []converted) *diag.Error {
	limit := m.opts.Limits.Converted
	if limit <= 0 || len(m.stay)+len(m.gone) == 0 {
		return nil
	}
	pieces := slices.Concat(m.conversions(list), m.transfers(), m.removals())
	// Rows are copied with all that is in them, however many of their components change.
	_, total := m.world.Raw().RowsWith(reshaped(list)...)
	total = 2*total + perChunk*m.chunks(list)
	var most pieceOfReload
	for _, p := range pieces {
		total += p.bytes
		if p.bytes > most.bytes {
			most = p
		}
	}
	if total <= limit {
		return nil
	}
	return diag.Reached("Converted", "too much: a reload that %s of %s holds a step for too long: it counts as %s of %s bytes; "+
		"keep it as it is and declare another one, which entities get in the course of some ticks, or start the game anew",
		most.does, most.count, diag.Grouped(total), diag.Grouped(limit)).On(most.at)
}

// reshaped returns the components whose fields change.
func reshaped(list []converted) (ids []ecs.ComponentID) {
	for _, t := range list {
		if t.Reshaped() && t.component != nil {
			ids = append(ids, t.component.ID)
		}
	}
	return ids
}

// chunks counts those whose rows are copied because fields of a component change.
func (m *migration) chunks(list []converted) (n int64) {
	var changed []ecs.ComponentRef
	for _, t := range list {
		if t.Reshaped() && t.component != nil && !t.component.Sparse {
			changed = append(changed, t.component.ID)
		}
	}
	if len(changed) == 0 {
		return 0
	}
	for range m.world.Query().Any(changed...).Prefabs().Chunks() {
		n++
	}
	return n
}

// conversions are what becomes of values whose fields change, without the rest of their rows.
func (m *migration) conversions(list []converted) (pieces []pieceOfReload) {
	for _, t := range list {
		if !t.Reshaped() {
			continue
		}
		n, each := int64(t.count), int64(perConverted)
		if t.component == nil {
			each += int64(t.Changes.Size + t.Schema.Size)
		} else {
			n = int64(holders(m.world, t.component.ID))
			each += max(int64(t.Schema.Size)-int64(t.Changes.Size), 0)
		}
		pieces = append(pieces, pieceOfReload{fmt.Sprintf("changes the fields of %q", t.Name), t.Place, diag.Count(int(n), t.of[0], t.of[1]), n * each})
	}
	return pieces
}

// transfers are values that go over to another component.
func (m *migration) transfers() (pieces []pieceOfReload) {
	for _, c := range m.moving() {
		n := holders(m.world, c.From.ID) - m.world.Query(ecs.Read(c.From.ID), ecs.Read(c.ID)).Prefabs().Count()
		observers := m.observersOf(c.Name, c.ID, ecs.OnAdd) + m.observersOf(c.From.Name, c.From.ID, ecs.OnRemove)
		pieces = append(pieces, m.exchanged(c.From.ID, n, perMoved+perNotice*observers, fmt.Sprintf("moves values of %q to %q", c.From.Name, c.Name), c.Place))
	}
	return pieces
}

// removals are values that ecs.drop takes away.
func (m *migration) removals() (pieces []pieceOfReload) {
	for _, name := range slices.Sorted(maps.Keys(m.drops)) {
		if id, ok := m.world.Raw().ComponentNamed(name); ok {
			observers := m.observersOf(name, id, ecs.OnRemove)
			pieces = append(pieces, m.exchanged(id, holders(m.world, id), perDropped+perNotice*observers, fmt.Sprintf("takes away values of %q", name), m.drops[name]))
		}
	}
	return pieces
}

// observersOf counts the observers of a change that a component has once the load is in force.
func (m *migration) observersOf(name string, id ecs.ComponentID, on ecs.Trigger) int {
	n := m.world.Raw().ObserverCount(id, on)
	of := func(scripts []*Declarations) (n int) {
		for _, s := range scripts {
			for _, o := range s.observers {
				if o.comp != nil && o.comp.Name == name && o.on&on != 0 {
					n++
				}
			}
		}
		return n
	}
	return n + of(m.fresh) - of(m.gone)
}

// exchanged is what it takes to give n of the entities that have a component others: each counts so many bytes,
// and all rows twice.
func (m *migration) exchanged(id ecs.ComponentID, n, each int, does string, at diag.Place) pieceOfReload {
	if n == 0 {
		return pieceOfReload{}
	}
	_, bytes := m.world.Raw().RowsWith(id)
	return pieceOfReload{does, at, diag.Count(n, "entity", "entities"), int64(n)*int64(each) + 2*bytes}
}
