package twin

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// note is a notice as the model expects it; kind is -1 for spawns and despawns.
type note struct {
	change   ecs.Trigger
	kind     int
	entity   ecs.Entity
	old      int
	in       bool // the entity passed the filter when it was noted
	filtered bool // told to the observer that has the filter
}

// The filter of one observer, which watches filterKind and entities: those that
// have filterWith and lack filterWithout, a column and a pool.
const filterKind, filterWith, filterWithout = 1, 0, 4

// passes reports whether an entity passes the filter as it is.
func (m *Model) passes(e ecs.Entity) bool {
	t := m.things[e]
	if t == nil || !t.placed || t.prefab {
		return false
	}
	_, with := t.values[filterWith]
	_, without := t.values[filterWithout]
	return with && !without
}

func (m *Model) note(on ecs.Trigger, kind int, e ecs.Entity, old int) {
	if !m.quiet {
		m.notes = append(m.notes, note{change: on, kind: kind, entity: e, old: old, in: m.passes(e)})
	}
}

// deliver returns the notices that observers must get now, in order. What came and has
// gone since is left out, and so is its end. Where nobody observes, what waits since a restore is
// forgotten.
func (m *Model) deliver() []note {
	if m.quiet {
		m.notes = nil
		return nil
	}
	type absence struct {
		entity ecs.Entity
		kind   int
	}
	var told []note
	unseen := map[absence]bool{}
	for _, n := range m.notes {
		gone := absence{n.entity, n.kind}
		came := n.change&(ecs.OnAdd|ecs.OnSpawn) != 0
		switch went := n.change&(ecs.OnRemove|ecs.OnDespawn) != 0; {
		case went && unseen[gone]:
			delete(unseen, gone)
		case !went && !m.there(n):
			unseen[gone] = unseen[gone] || came
		default:
			told = append(told, n)
			if m.tellsFiltered(n, went) {
				n.filtered = true
				told = append(told, n)
			}
		}
	}
	m.notes = nil
	return told
}

// there reports whether a component that came or was set is still there.
func (m *Model) there(n note) bool {
	t := m.things[n.entity]
	if t == nil || n.kind < 0 {
		return t != nil
	}
	_, has := t.values[n.kind]
	return has
}

// tellsFiltered: for an end, the entity must match just before it; for all else, when the
// notice is delivered.
func (m *Model) tellsFiltered(n note, went bool) bool {
	if n.kind != filterKind && n.kind >= 0 {
		return false
	}
	return went && n.in || !went && m.passes(n.entity)
}

// observe adds observers for every kind of change.
func (tw *Twin) observe() error {
	err := tw.watch(ecs.Observer{
		Name: "entities", On: ecs.OnSpawn | ecs.OnDespawn,
		Run: func(_ *ecs.Tick, n ecs.Notice) error { tw.told(-1, n, false); return nil },
	})
	for i, k := range tw.kinds {
		err = errors.Join(err, tw.watch(ecs.Observer{
			Name: fmt.Sprint("kind ", i), On: ecs.OnAdd | ecs.OnSet | ecs.OnRemove, Component: k.id,
			Run: func(_ *ecs.Tick, n ecs.Notice) error { tw.told(i, n, false); return nil },
		}))
	}
	kinds := tw.kinds
	return errors.Join(err, tw.watch(ecs.Observer{
		Name: "filtered", On: ecs.OnAdd | ecs.OnSet | ecs.OnRemove | ecs.OnSpawn | ecs.OnDespawn, Component: kinds[filterKind].id,
		Query: tw.World.Query().With(kinds[filterWith].id).Without(kinds[filterWithout].id),
		Run: func(_ *ecs.Tick, n ecs.Notice) error {
			kind := filterKind
			if n.Trigger&(ecs.OnSpawn|ecs.OnDespawn) != 0 {
				kind = -1
			}
			tw.told(kind, n, true)
			return nil
		},
	}))
}

func (tw *Twin) watch(o ecs.Observer) error {
	tw.watching = append(tw.watching, o.Name)
	return tw.World.Observe(o)
}

// told compares a notice with the one that the model expects next.
func (tw *Twin) told(kind int, n ecs.Notice, filtered bool) {
	if tw.wrong != nil || !tw.Model.known[n.Entity] && tw.Model.things[n.Entity] == nil {
		return // the second is part of a prefab that was refused
	}
	if len(tw.expect) == 0 {
		tw.wrong = fmt.Errorf("observers were told of change %d of %v, kind %d, that nobody made", n.Trigger, n.Entity, kind)
		return
	}
	want := tw.expect[0]
	tw.expect = tw.expect[1:]
	if n.Trigger != want.change || n.Entity != want.entity || kind != want.kind || filtered != want.filtered {
		tw.wrong = fmt.Errorf("observers were told of change %d of %v, kind %d, filtered %v; due was %+v", n.Trigger, n.Entity, kind, filtered, want)
	} else if n.Trigger == ecs.OnRemove && (n.Old == nil || !tw.kinds[kind].holds(n.Old, want.old)) {
		tw.wrong = fmt.Errorf("the removed value of kind %d of %v is not that of %d", kind, n.Entity, want.old)
	}
}
