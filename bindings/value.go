package bindings

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// componentValue is a component with data, made by calling the component: Health{hp=5}.
type componentValue struct {
	comp  *Component
	data  unsafe.Pointer
	given []ecs.Piece // what the script named
	form  int         // of the component when it was made
	mask  []byte      // which bytes are given; nil until somebody asks for it
}

// masked is what was given as a mask, for bytes that do not lie beside each other.
func (v *componentValue) masked() []byte {
	if v.mask == nil {
		v.mask = make([]byte, v.comp.schema.Size)
		for _, p := range v.given {
			for i := range p.Size {
				v.mask[p.Offset+i] = 1
			}
		}
	}
	return v.mask
}

func (v *componentValue) Describe() string { return "a value of the component " + v.comp.name }

// callComponent is the call of a component with a table.
func (m *Module) callComponent(L *lua.LState) int {
	a := m.called(L, "component value")
	c := a.component(1)
	value.Alloc(L, c.schema.Size)
	v := &componentValue{comp: c, data: m.newData(c), form: c.form}
	if L.GetTop() >= 2 {
		a.fill(c.schema, c.broken, v.data, a.table(2), &v.given)
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
			a.L.RaiseError("%q takes fields by name, such as %s{ %s = … }, got a value without one", s.Name, s.Name, value.FirstField(s))
		}
		f := s.Field(string(name))
		if f == nil {
			a.L.RaiseError("unknown field %q of %q%s", diag.Cut(string(name)), s.Name, value.Meant(a.L, string(name), value.FieldNames(s)))
		}
		if why := value.CannotHold(a.L, f, v); why != "" {
			a.L.RaiseError("field %q of %q: %s", f.Name, s.Name, why)
		}
		value.Store(f, data, v)
		if given != nil {
			*given = value.Pieces(*given, f, 0, v)
		}
	})
}

// ecsValue gives the value in the form that commands take. The component must
// be committed.
func (m *Module) ecsValue(v *componentValue) ecs.Value { return m.world.Raw().ValueAt(v.comp.id, v.data) }

// parts collects what a spawn, an add or a prefab lists: values, components
// and tags with their defaults, and prefabs.
type parts struct {
	values []*componentValue
	of     []*prefab
	bytes  int64 // of all of them, children included
}

// part reads one item of a list; where says which for errors.
func (a *args) part(p *parts, v lua.LValue, where string) {
	ud, _ := v.(*lua.LUserData)
	if ud != nil {
		switch x := ud.Value.(type) {
		case *componentValue:
			a.room(p, x.weight(), where)
			p.values = append(p.values, x)
			return
		case *Component:
			a.room(p, perValue+int64(x.schema.Size), where)
			value.Alloc(a.L, x.schema.Size)
			p.values = append(p.values, &componentValue{comp: x, data: a.m.newData(x), form: x.form})
			return
		case *prefab:
			a.room(p, x.bytes, where)
			p.values = append(p.values, x.values...)
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
