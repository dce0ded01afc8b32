package bindings

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// value is a component with data, made by calling the component: Health{hp=5}.
type value struct {
	comp  *Component
	data  unsafe.Pointer
	given []ecs.Piece // what the script named
	form  int         // of the component when it was made
	mask  []byte      // which bytes are given; nil until somebody asks for it
}

// masked is what was given as a mask, for bytes that do not lie beside each other.
func (v *value) masked() []byte {
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

func (v *value) describe() string { return "a value of the component " + v.comp.name }

// callComponent is the call of a component with a table.
func (m *Module) callComponent(L *lua.LState) int {
	a := m.called(L, "component value")
	c := a.component(1)
	alloc(L, c.schema.Size)
	v := &value{comp: c, data: m.newData(c), form: c.form}
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
	pairs(t, func(k, v lua.LValue) {
		name, named := k.(lua.LString)
		if !named {
			a.L.RaiseError("%q takes fields by name, such as %s{ %s = … }, got a value without one", s.Name, s.Name, firstField(s))
		}
		f := s.Field(string(name))
		if f == nil {
			a.L.RaiseError("unknown field %q of %q%s", diag.Cut(string(name)), s.Name, meant(a.L, string(name), fieldNames(s)))
		}
		if why := cannotHold(a.L, f, v); why != "" {
			a.L.RaiseError("field %q of %q: %s", f.Name, s.Name, why)
		}
		store(f, data, v)
		if given != nil {
			*given = pieces(*given, f, 0, v)
		}
	})
}

func firstField(s *ecs.Schema) string {
	if len(s.Fields) == 0 {
		return "x"
	}
	return s.Fields[0].Name
}

// pieces lists what a value of a field names: all of a number, of an array the
// elements that are there, of a nested struct the fields.
func pieces(list []ecs.Piece, f *ecs.Field, base uintptr, v lua.LValue) []ecs.Piece {
	base += f.Offset
	if f.Len == 0 {
		return piecesOfOne(list, f, base, v)
	}
	t, _ := tableOf(v)
	for i := range t.Len() {
		list = piecesOfOne(list, f, base+uintptr(i)*f.Stride, t.RawGetInt(i+1))
	}
	return list
}

func piecesOfOne(list []ecs.Piece, f *ecs.Field, base uintptr, v lua.LValue) []ecs.Piece {
	if f.Kind != ecs.Struct {
		p := ecs.Piece{Offset: base, Size: f.Stride, Text: f.Kind == ecs.String}
		if n := len(list); n > 0 && !p.Text && !list[n-1].Text && list[n-1].Offset+list[n-1].Size == base {
			list[n-1].Size += p.Size // one piece with its neighbour
			return list
		}
		return append(list, p)
	}
	t, _ := tableOf(v)
	for i := range f.Fields {
		if inner := t.RawGetString(f.Fields[i].Name); inner != lua.LNil {
			list = pieces(list, &f.Fields[i], base, inner)
		}
	}
	return list
}

// ecsValue gives the value in the form that commands take. The component must
// be committed.
func (m *Module) ecsValue(v *value) ecs.Value { return m.world.ValueAt(v.comp.id, v.data) }

// parts collects what a spawn, an add or a prefab lists: values, components
// and tags with their defaults, and prefabs.
type parts struct {
	values []*value
	of     []*prefab
	bytes  int64 // of all of them, children included
}

// part reads one item of a list; where says which for errors.
func (a *args) part(p *parts, v lua.LValue, where string) {
	ud, _ := v.(*lua.LUserData)
	if ud != nil {
		switch x := ud.Value.(type) {
		case *value:
			a.room(p, x.weight(), where)
			p.values = append(p.values, x)
			return
		case *Component:
			a.room(p, perValue+int64(x.schema.Size), where)
			alloc(a.L, x.schema.Size)
			p.values = append(p.values, &value{comp: x, data: a.m.newData(x), form: x.form})
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
		hint = meant(a.L, string(s), a.m.componentNames())
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
	t = Unwrap(t)
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		visit(k, v)
	}
}
