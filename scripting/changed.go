package scripting

import (
	"maps"
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

// Assigned returns the places in scripts where a field is assigned, for the question which line of a system has written
// it: those in the function of the system, or, if there are none, those in functions that it may call: outside of all
// systems, in its own script, or else in the others. Field is a name, or a path such as "place.x", of which the last name
// counts; an item of a list of that name counts as well, as batch functions assign it. Nothing for a system of Go. It
// belongs to the goroutine of the host. O(texts).
func (h *Host) Assigned(system, field string) (places []diag.Place) {
	if h.gone() {
		return nil
	}
	field = field[strings.LastIndexByte(field, '.')+1:]
	found := false
	for _, m := range h.live {
		at := slices.IndexFunc(m.script.Systems, func(s *bindings.System) bool { return s.Name == system })
		if found = found || at >= 0; at < 0 || m.program == nil {
			continue
		}
		all := m.program.assigned(field)
		if fn := functionOf(m.script.Systems[at]); fn != nil && fn.SourceName == m.name {
			places = slices.DeleteFunc(slices.Clone(all), func(p diag.Place) bool { return !within(fn, p) })
		}
		if len(places) == 0 {
			places = m.outside(all)
		}
	}
	if len(places) > 0 || !found {
		return places
	}
	for _, name := range slices.Sorted(maps.Keys(h.live)) {
		if m := h.live[name]; m.program != nil {
			places = append(places, m.outside(m.program.assigned(field))...)
		}
	}
	return places
}

// outside leaves those of places in a script that are in no function of its systems.
func (m *module) outside(all []diag.Place) []diag.Place {
	return slices.DeleteFunc(all, func(p diag.Place) bool {
		return slices.ContainsFunc(m.script.Systems, func(s *bindings.System) bool {
			fn := functionOf(s)
			return fn != nil && fn.SourceName == m.name && within(fn, p)
		})
	})
}

// within reports whether a place is in a function.
func within(fn *lua.FunctionProto, p diag.Place) bool {
	return p.Line >= fn.LineDefined && p.Line <= fn.LastLineDefined
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

// assigned returns the places where a field of a name is assigned in the text, or an item of a list of that name.
func (p *program) assigned(field string) (places []diag.Place) {
	syntax.WalkBlock(p.learned().Tree.Body, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Assign); ok {
			for _, to := range s.Lhs {
				if index, ok := to.(*syntax.Index); ok && (fieldOf(index) == field || nameOf(index.Object) == field) {
					places = append(places, p.place(index.Position()))
				}
			}
		}
		return true
	})
	return places
}

// nameOf returns the name of a variable or of a field; "" for other expressions.
func nameOf(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Name:
		return e.Value
	case *syntax.Index:
		return fieldOf(e)
	}
	return ""
}

// fieldOf returns the name of a field, "" for a computed one.
func fieldOf(e *syntax.Index) string {
	if key, ok := e.Key.(*syntax.String); ok {
		return key.Value
	}
	return ""
}
