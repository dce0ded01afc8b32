package bindings

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// A load never throws away what a script has forgotten: values of a component that no
// file declares any more stay with their entities, and what ecs.state holds stays when
// its default is something else by now. The verdict says so, because nobody sees them.

// noteHidden notes what scripts cannot reach any more once the load is accepted.
func (m *Module) noteHidden(stay, gone, fresh []*Script) {
	known := map[string]bool{}
	for _, s := range slices.Concat(stay, fresh) {
		for _, c := range s.Components {
			known[c.Name] = true
			if c.Was != "" {
				known[c.Was] = true // whatever becomes of it is said elsewhere
			}
		}
		for _, d := range s.drops {
			known[d.name] = true
		}
	}
	for _, s := range gone {
		for _, c := range s.Components {
			if known[c.Name] || !c.Ready {
				continue
			}
			known[c.Name] = true
			if n := m.holders(c.ID); n > 0 {
				m.staged.notes = append(m.staged.notes, fmt.Sprintf(
					"%s: %s have it, and no file declares it any more: their values stay, unseen, until one declares %q again; "+
						"if it has another name now, give that the option was = %q; if they can go, ecs.drop(%q)",
					c.Name, heads(n), c.Name, c.Name, c.Name))
			}
		}
	}
}

// noteForgotten notes the state tables that no script names any more.
func (m *Module) noteForgotten(stay, gone, fresh []*Script) {
	known := map[string]bool{}
	for _, s := range slices.Concat(stay, fresh) {
		for _, name := range s.stateNames {
			known[name] = true
		}
	}
	for _, s := range gone {
		for _, name := range s.stateNames {
			t := m.states[name]
			if known[name] || t == nil {
				continue
			}
			known[name] = true
			if k, _ := value.Unwrap(t).Next(lua.LNil); k != lua.LNil {
				m.staged.notes = append(m.staged.notes, fmt.Sprintf(
					"ecs.state %q: no file uses it any more: what it holds stays, unseen, until one does again", name))
			}
		}
	}
}

// noteStates notes the keys of ecs.state that hold something else than what their
// new defaults are.
func (m *Module) noteStates(fresh []*Script) {
	for _, s := range fresh {
		for _, d := range s.states {
			content := value.Unwrap(d.table)
			value.Pairs(d.defaults, func(k, v lua.LValue) {
				held := content.RawGet(k)
				if held == lua.LNil || held.Type() == v.Type() {
					return
				}
				m.staged.notes = append(m.staged.notes, fmt.Sprintf(
					"ecs.state %q in %s: key %s holds a %s and keeps it, the default is a %s now: convert it, or use another key",
					m.stateName(d.table), s.Name, value.Describe(k), held.Type(), v.Type()))
			})
		}
	}
}

// stateName returns the name of a state table.
func (m *Module) stateName(t *lua.LTable) string {
	for name, known := range m.states {
		if known == t {
			return name
		}
	}
	return ""
}
