package bindings

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// A type stays in the world when the last file that has declared it is gone, and so do its values: nobody
// sees them until a file declares it again. A save of such a game has them, and no script that
// could declare them is loaded with it. So what scripts keep says which types these were, and a load
// gives them to the world again. What a Go program has declared is never one of them: a save
// that has it, and a program that does not, have lost something.

// Unseen is a type of the world that scripts have declared once, and no file declares any more.
type Unseen struct {
	Event bool // else it is a component
	Name  string
}

// scripted are the types that are in the world because scripts have declared them.
//
// Invariant: gone are those of them that no live script declares, components first, by name, unless stale.
type scripted struct {
	components map[ecs.ComponentID]bool
	events     map[ecs.EventID]bool
	gone       []goneType
	stale      bool
}

// goneType is one of them.
type goneType struct {
	Unseen
	component ecs.ComponentID
	of        ecs.EventID
}

// note notes a type of the world.
func (s *scripted) note(w *ecs.World, x Unseen) {
	s.stale = true
	if id, ok := w.Raw().EventNamed(x.Name); ok && x.Event {
		s.events[id] = true
	}
	if id, ok := w.Raw().ComponentNamed(x.Name); ok && !x.Event {
		s.components[id] = true
	}
}

// look finds those that none of the live scripts declares.
func (s *scripted) look(w *ecs.World, live []*Declarations) {
	declared := map[Unseen]bool{}
	for _, d := range live {
		for _, c := range d.Components {
			declared[Unseen{false, c.Name}] = true
		}
		for _, e := range d.events {
			declared[Unseen{true, e.Name}] = true
		}
	}
	s.gone, s.stale = s.gone[:0], false
	for id := range s.components {
		if x := (Unseen{false, w.Raw().Schema(id).Name}); !declared[x] {
			s.gone = append(s.gone, goneType{Unseen: x, component: id})
		}
	}
	for id := range s.events {
		if x := (Unseen{true, w.Raw().EventSchema(id).Name}); !declared[x] {
			s.gone = append(s.gone, goneType{Unseen: x, of: id})
		}
	}
	slices.SortFunc(s.gone, func(a, b goneType) int {
		if a.Event != b.Event {
			return map[bool]int{false: -1, true: 1}[a.Event]
		}
		return cmp.Compare(a.Name, b.Name)
	})
}

// known reports whether the world has a type.
func (x Unseen) known(w *ecs.World) bool {
	if x.Event {
		_, ok := w.Raw().EventNamed(x.Name)
		return ok
	}
	_, ok := w.Raw().ComponentNamed(x.Name)
	return ok
}

// Unseen lists, after those of a list, the types that none of the live scripts declares and of which there are
// values, or events that wait: by sort and name. A type that the program has bound to one of Go since is not one of them. O(types that are gone) while the scripts stay the same.
func (m *Keeper) Unseen(list []Unseen, live []*Declarations) []Unseen {
	if m.scripted.stale {
		m.scripted.look(m.world, live)
	}
	raw := m.world.Raw()
	for _, x := range m.scripted.gone {
		if x.Event && raw.EventType(x.of) == nil && raw.EventStats(x.of).Waiting > 0 || !x.Event && raw.GoType(x.component) == nil && holders(m.world, x.component) > 0 {
			list = append(list, x.Unseen)
		}
	}
	return list
}

// Adopting makes ready for a world that is about to get unseen types. The function that it returns notes those that have
// come since, as if scripts had declared them here.
func (m *Keeper) Adopting(list []Unseen) (come func()) {
	missing := slices.DeleteFunc(slices.Clone(list), func(x Unseen) bool { return x.known(m.world) })
	return func() {
		for _, x := range missing {
			m.scripted.note(m.world, x)
		}
	}
}
