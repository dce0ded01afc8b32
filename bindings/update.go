package bindings

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	lua "github.com/yuin/gopher-lua"
)

// update is ecs.update(e, component, function(fields) … end): the function gets the
// component as it is by now and may assign its fields; what it has assigned is set
// when it returns. It returns whether the entity has the component: if not, the
// function was not called.
func update(a *args) int {
	e, c, fn := a.handle(1), a.component(2), a.function(3)
	a.changing()
	a.ready(2, []*decl.Component{c})
	if c.Tag() {
		a.fail("argument 2: %q is a tag, which has no fields", c.Name)
	}
	p := a.m.tx.Pointer(e, c.ID)
	if p == nil {
		a.L.Push(lua.LFalse)
		return 1
	}
	r := a.m.exec.takeRow(c)
	if r.proto != fn.Proto {
		r.proto, r.keeps = fn.Proto, mayKeep(fn, 0, false)
	}
	defer func() { // a function that fails may have kept the row, too
		r.recall(a.m.exec)
		a.m.exec.updates[c] = append(a.m.exec.updates[c], r)
	}()
	r.aside.ShowOne(a.m.tx, e, c, p)
	a.L.Push(fn)
	a.L.Push(r.fill(a.L, p))
	a.L.Call(1, 0)
	has := a.m.tx.Pointer(e, c.ID) != nil
	if has {
		a.takeFields(c, r)
		r.aside.Record(a.L, 0)
	}
	a.L.Push(lua.LBool(has))
	return 1
}

// takeFields stores what a function has assigned to the fields of a row.
func (a *args) takeFields(c *decl.Component, r *updated) {
	at := r.aside.Cells[0]
	for i := range c.Schema.Fields {
		f := &c.Schema.Fields[i]
		v := r.table.RawGetString(f.Name)
		if value.Unchanged(f, at.Was, v) {
			continue
		}
		if why := value.CannotHold(a.L, f, v); why != "" {
			a.L.RaiseError("field %q of %q: %s", f.Name, c.Name, why)
		}
		value.Store(f, at.Now, v)
	}
}

// updated is the row that a function of ecs.update gets, and its values.
type updated struct {
	*row
	aside view.Aside
	proto *lua.FunctionProto // of the last function
}

// takeRow returns a row that no update uses just now.
func (m *executor) takeRow(c *decl.Component) *updated {
	if i := slices.IndexFunc(m.updates[c], func(r *updated) bool { return r.schema == c.Schema }); i >= 0 {
		r := m.updates[c][i]
		m.updates[c] = slices.Delete(m.updates[c], i, i+1)
		return r
	}
	delete(m.updates, c) // those of an older form
	r := m.newRow(c.Schema, "this "+c.Name+" is over: it lasts for the function of ecs.update that got it; keep its fields, not the table")
	r.always, r.materialised = true, true
	return &updated{row: r}
}
