package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

// out converts a value that comes from Go.
func (f *Fence) out(v reflect.Value) lua.LValue {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch kind := v.Kind(); kind {
	case reflect.Invalid:
		return lua.LNil
	case reflect.Bool:
		return lua.LBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return lua.LNumber(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return lua.LNumber(v.Uint())
	case reflect.Float32, reflect.Float64:
		return lua.LNumber(v.Float())
	case reflect.String:
		return lua.LString(v.String())
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice:
		if v.IsNil() {
			return lua.LNil
		} else if kind == reflect.Func {
			return f.function(v, "a function of the host", 0)
		}
	}
	c := f.classOf(v.Type())
	if c.foreign {
		return f.outForeign(v.Interface().(lua.LValue))
	}
	return lua.NewUserData(v.Interface(), c.meta)
}

// in converts a value of a script to a Go type, which can hold it: given says so. A function
// is called back as to says.
func (f *Fence) in(L *lua.LState, v lua.LValue, t reflect.Type, to callee) reflect.Value {
	switch v := v.(type) {
	case lua.LNumber:
		if t == float64Type {
			return reflect.ValueOf(float64(v))
		}
	case *lua.LFunction:
		if !isForeign(t) {
			return f.goFunction(L, v, t, to)
		}
	case *lua.LTable:
		if !isForeign(t) {
			return (&copying{f, L, map[visit]reflect.Value{}}).table(v, t)
		}
	}
	return f.one(L, v, t)
}

// one converts a value that is no table and no function.
func (f *Fence) one(L *lua.LState, v lua.LValue, t reflect.Type) reflect.Value {
	if isForeign(t) {
		return f.inForeign(L, v, t)
	}
	var of reflect.Value
	switch v := v.(type) {
	case *lua.LNilType:
		return reflect.Zero(t)
	case lua.LBool:
		of = reflect.ValueOf(bool(v))
	case lua.LNumber:
		of = reflect.ValueOf(float64(v))
	case lua.LString:
		of = reflect.ValueOf(string(v))
	case *lua.LUserData:
		of = reflect.ValueOf(v.Value)
	}
	return of.Convert(t)
}

// copying is one copy of tables into Go. A table that is reached twice becomes one value
// where Go can share it.
type copying struct {
	f    *Fence
	L    *lua.LState
	made map[visit]reflect.Value
}

// visit is a table as a value of a Go type.
type visit struct {
	t  *lua.LTable
	as reflect.Type
}

var (
	float64Type = reflect.TypeFor[float64]()
	anyMap      = reflect.TypeFor[map[any]any]()
	anyType     = reflect.TypeFor[any]()
)

// isForeign reports whether a type is one of gopher-lua's values.
func isForeign(t reflect.Type) bool { return t.NumMethod() > 0 && t.Implements(luaValue) }

// value is in for what is in a table.
func (c *copying) value(v lua.LValue, t reflect.Type) reflect.Value {
	if table, ok := v.(*lua.LTable); ok && !isForeign(t) {
		return c.table(table, t)
	}
	return c.f.one(c.L, v, t)
}

// table copies a table.
func (c *copying) table(t *lua.LTable, as reflect.Type) reflect.Value {
	at := visit{t, as}
	if made, ok := c.made[at]; ok {
		return made
	}
	if as.Kind() == reflect.Interface {
		as = anyMap
	}
	switch as.Kind() {
	case reflect.Array:
		list := reflect.New(as).Elem()
		c.items(t, list)
		return list
	case reflect.Slice:
		list := reflect.MakeSlice(as, t.Len(), t.Len())
		c.made[at] = list
		c.items(t, list)
		return list
	case reflect.Map:
		m := reflect.MakeMap(as)
		c.made[at] = m
		proxy.Pairs(t, func(k, v lua.LValue) { m.SetMapIndex(c.value(k, as.Key()), c.value(v, as.Elem())) })
		return m
	case reflect.Pointer:
		p := reflect.New(as.Elem())
		c.made[at] = p
		c.fields(t, p.Elem())
		return p
	}
	s := reflect.New(as).Elem()
	c.fields(t, s)
	return s
}

func (c *copying) items(t *lua.LTable, list reflect.Value) {
	for i := range list.Len() {
		list.Index(i).Set(c.value(t.RawGetInt(i+1), list.Type().Elem()))
	}
}

func (c *copying) fields(t *lua.LTable, s reflect.Value) {
	fields := c.f.fieldsOf(s.Type())
	proxy.Pairs(t, func(k, v lua.LValue) {
		field := fields[k.String()]
		s.FieldByIndex(field.Index).Set(c.value(v, field.Type))
	})
}
