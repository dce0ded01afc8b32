package bindings

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// callComponent is the call of a component with a table.
func (m *Module) callComponent(L *lua.LState) int {
	a := m.called(L, "component value")
	c := a.component(1)
	value.Alloc(L, c.Schema.Size)
	v := &decl.Value{Comp: c, Data: m.newData(c), Form: c.Form}
	if L.GetTop() >= 2 {
		a.fill(c.Schema, c.Broken, v.Data, a.table(2), &v.Given)
	}
	L.Push(wrap(v, m.types.value))
	return 1
}

// fill stores the fields that a table names, and notes in given what it has
// stored. Nothing is known about a schema that is broken, and nothing is said.
func (a *args) fill(s *ecs.Schema, broken bool, data unsafe.Pointer, t *lua.LTable, given *[]ecs.Piece) {
	if broken {
		return
	}
	value.Pairs(t, func(k, v lua.LValue) {
		name, named := k.(lua.LString)
		if !named {
			fault.Raisef(a.L, "%q takes fields by name, such as %s{ %s = … }, got a value without one", s.Name, s.Name, value.FirstField(s))
		}
		f := s.Field(string(name))
		if f == nil {
			fault.Raisef(a.L, "unknown field %q of %q%s", diag.Cut(string(name)), s.Name, value.Meant(a.L, string(name), value.FieldNames(s)))
		}
		if why := value.CannotHold(a.L, f, v); why != "" {
			fault.Raisef(a.L, "field %q of %q: %s", f.Name, s.Name, why)
		}
		value.Store(f, data, v)
		if given != nil {
			*given = value.Pieces(*given, f, 0, v)
		}
	})
}

// ecsValue gives the value in the form that commands take. The component must
// be committed.
func (m *Module) ecsValue(v *decl.Value) ecs.Value { return m.world.Raw().ValueAt(v.Comp.ID, v.Data) }

// parts collects what a spawn, an add or a prefab lists: values, components
// and tags with their defaults, and prefabs.
type parts struct {
	values []*decl.Value
	of     []*decl.Prefab
	bytes  int64 // of all of them, children included
}

// part reads one item of a list; where says which for errors.
func (a *args) part(p *parts, v lua.LValue, where string) {
	ud, _ := v.(*lua.LUserData)
	if ud != nil {
		switch x := ud.Value.(type) {
		case *decl.Value:
			a.room(p, x.Weight(), where)
			p.values = append(p.values, x)
			return
		case *decl.Component:
			a.room(p, decl.PerValue+int64(x.Schema.Size), where)
			value.Alloc(a.L, x.Schema.Size)
			p.values = append(p.values, &decl.Value{Comp: x, Data: a.m.newData(x), Form: x.Form})
			return
		case *decl.Prefab:
			a.room(p, x.Bytes, where)
			p.values = append(p.values, x.Values...)
			p.of = append(p.of, x)
			return
		}
	}
	hint := ""
	if s, ok := v.(lua.LString); ok {
		hint = value.Meant(a.L, string(s), a.m.componentNames())
		if hint == "" {
			hint = "; components are given as they are, without quotes"
		}
	}
	a.fail("%s: expected a component, a value or a prefab, got %s%s", where, value.Describe(v), hint)
}

// listed reads the arguments from i on.
func (a *args) listed(i int) parts {
	var p parts
	for ; i <= a.L.GetTop(); i++ {
		a.part(&p, a.L.Get(i), fmt.Sprintf("argument %d", i))
	}
	return p
}
