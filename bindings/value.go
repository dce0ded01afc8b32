package bindings

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// value is a component with data, made by calling the component: Health{hp=5}.
type value struct {
	comp  *Component
	data  unsafe.Pointer
	given []int // indexes of the fields that the script named
}

func (v *value) describe() string { return "a value of the component " + v.comp.name }

// callComponent is the call of a component with a table.
func (m *Module) callComponent(L *lua.LState) int {
	a := &args{m, L, "component value"}
	c := a.component(1)
	v := &value{comp: c, data: m.newData(c)}
	if L.GetTop() >= 2 {
		a.fill(c.schema, c.broken, v.data, a.table(2), &v.given)
	}
	L.Push(wrap(v, m.types.value))
	return 1
}

// fill stores the fields that a table names.
func (a *args) fill(s *ecs.Schema, broken bool, data unsafe.Pointer, t *lua.LTable, given *[]int) {
	pairs(t, func(k, v lua.LValue) {
		i := fieldIndex(s, k)
		if i < 0 {
			if !broken {
				a.L.RaiseError("unknown field %q of %q%s", k.String(), s.Name, DidYouMean(k.String(), fieldNames(s)))
			}
			return
		}
		f := &s.Fields[i]
		if why := cannotHold(f, v); why != "" {
			a.L.RaiseError("field %q of %q: %s", f.Name, s.Name, why)
		}
		store(f, data, v)
		if given != nil {
			*given = append(*given, i)
		}
	})
}

func fieldIndex(s *ecs.Schema, k lua.LValue) int {
	name, ok := k.(lua.LString)
	for i := range s.Fields {
		if ok && s.Fields[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// ecsValue gives the value in the form that commands take. The component must
// be committed.
func (m *Module) ecsValue(v *value) ecs.Value { return m.world.ValueAt(v.comp.id, v.data) }

// parts collects what a spawn, an add or a prefab lists: values, components
// and tags with their defaults, and prefabs.
type parts struct {
	values []*value
	of     []*prefab
}

// part reads one item of a list; where says which for errors.
func (a *args) part(p *parts, v lua.LValue, where string) {
	ud, _ := v.(*lua.LUserData)
	if ud != nil {
		switch x := ud.Value.(type) {
		case *value:
			p.values = append(p.values, x)
			return
		case *Component:
			p.values = append(p.values, &value{comp: x, data: a.m.newData(x)})
			return
		case *prefab:
			p.values = append(p.values, x.values...)
			p.of = append(p.of, x)
			return
		}
	}
	hint := ""
	if s, ok := v.(lua.LString); ok {
		hint = DidYouMean(string(s), a.m.componentNames())
		if hint == "" {
			hint = "; components are given as they are, without quotes"
		}
	}
	a.fail("%s: expected a component, a value or a prefab, got %s%s", where, describe(v), hint)
}

// listed reads the arguments from i on.
func (a *args) listed(i int) parts {
	var p parts
	for ; i <= a.L.GetTop(); i++ {
		a.part(&p, a.L.Get(i), fmt.Sprintf("argument %d", i))
	}
	return p
}

// pairs goes through a table in the order in which its keys came, the order of
// the pairs of scripts. LTable.ForEach has an order that differs between runs.
func pairs(t *lua.LTable, visit func(k, v lua.LValue)) {
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		visit(k, v)
	}
}
