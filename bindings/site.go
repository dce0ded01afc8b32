package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// siteNow returns where the code of scripts is that records a command now, for tools that ask who has changed
// something.
func (c *core) siteNow() ecs.Site {
	if c.noted != nil {
		return c.noted.site
	}
	if fn, pc := lua.Where(c.main); fn != nil {
		return ecs.Site{Code: fn, At: pc}
	}
	return ecs.Site{}
}

// PlaceOf returns the place in the texts of scripts where a command was recorded; nowhere for one that no script
// has recorded. Of a text that was replaced since, it is the place in that text.
func (m *Binding) PlaceOf(s ecs.Site) diag.Place {
	switch code := s.Code.(type) {
	case *lua.FunctionProto:
		return fault.Instruction(m.main, code, s.At)
	case diag.Place:
		return code
	}
	return diag.Place{}
}
