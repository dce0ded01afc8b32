package exec

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	lua "github.com/yuin/gopher-lua"
)

// Updated is the row that a function of ecs.update gets, and its values.
type Updated struct {
	*Row
	Aside view.Aside
	Proto *lua.FunctionProto // of the last function
}

// TakeRow returns a row that no update uses just now.
func (m *Executor) TakeRow(c *decl.Component) *Updated {
	if i := slices.IndexFunc(m.Updates[c], func(r *Updated) bool { return r.Schema == c.Schema }); i >= 0 {
		r := m.Updates[c][i]
		m.Updates[c] = slices.Delete(m.Updates[c], i, i+1)
		return r
	}
	delete(m.Updates, c) // those of an older form
	r := m.newRow(c.Schema, "this "+c.Name+" is over: it lasts for the function of ecs.update that got it; keep its fields, not the table")
	r.always, r.materialised = true, true
	return &Updated{Row: r}
}
