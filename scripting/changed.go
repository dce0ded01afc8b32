package scripting

import (
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// PlaceOf returns the place in a script where a command was recorded, as package journal keeps it; nowhere for a
// command that no script of this host has recorded. Of a script that was replaced since, it is the place in
// the text that was. It belongs to the goroutine of the host. O(1).
func (h *Host) PlaceOf(caller ecs.Caller) diag.Place {
	if h.gone() {
		return diag.Place{}
	}
	return fault.OfCaller(h.state, caller.Code, caller.At)
}

// Assigned returns the places in a script where a field is assigned, for the question which line of a system has
// written it: those in the function of the system, or, if there are none, those in the rest of its script, the
// most likely answer of which is a function that the system calls. Field is a name, or a path such as "place.x", of
// which the last name counts. Nothing for a system of Go. It belongs to the goroutine of the host. O(text).
func (h *Host) Assigned(system, field string) (places []diag.Place) {
	if h.gone() {
		return nil
	}
	field = field[strings.LastIndexByte(field, '.')+1:]
	for _, m := range h.live {
		at := slices.IndexFunc(m.script.Systems, func(s *bindings.System) bool { return s.Name == system })
		if at < 0 || m.program == nil {
			continue
		}
		all := m.program.assigned(field)
		if fn := functionOf(m.script.Systems[at]); fn != nil && fn.SourceName == m.name {
			for _, p := range all {
				if p.Line >= fn.LineDefined && p.Line <= fn.LastLineDefined {
					places = append(places, p)
				}
			}
		}
		if len(places) == 0 {
			places = all
		}
	}
	return places
}

// functionOf returns what the function of a system was compiled to; nil if it has none.
func functionOf(s *bindings.System) *lua.FunctionProto {
	for _, fn := range []*lua.LFunction{s.Each, s.Batch, s.Run} {
		if fn != nil {
			return lua.Proto(fn)
		}
	}
	return nil
}

// assigned returns the places where a field of a name is assigned in the text.
func (p *program) assigned(field string) (places []diag.Place) {
	syntax.WalkBlock(p.learned().Tree.Body, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Assign); ok {
			for _, to := range s.Lhs {
				index, ok := to.(*syntax.Index)
				if !ok {
					continue
				}
				if key, ok := index.Key.(*syntax.String); ok && key.Value == field {
					places = append(places, p.place(index.Position()))
				}
			}
		}
		return true
	})
	return places
}
