package fence

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// class is what scripts can do with the values of one Go type that are objects.
type class struct {
	of      reflect.Type
	foreign bool // they are values of gopher-lua themselves
	meta    *lua.LTable
	methods map[string]int   // their indices, by both names
	made    []*lua.LFunction // of methods, as far as scripts have asked for them
	outline *outline
}

// classOf returns the class of a type.
func (f *Fence) classOf(t reflect.Type) *class {
	if c := f.types[t]; c != nil {
		return c
	}
	c := &class{of: t, foreign: t.Implements(luaValue), methods: map[string]int{}, made: make([]*lua.LFunction, t.NumMethod())}
	f.types[t] = c
	for i := range c.made {
		name := t.Method(i).Name
		c.methods[name], c.methods[lowered(name)] = i, i
	}
	c.outline = f.outlineOf(c)
	c.meta = f.metatable(c)
	return c
}

// lowered is a name of Go with a small first letter, under which scripts find it, too.
func lowered(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// metatable makes the metatable of a class.
func (f *Fence) metatable(c *class) *lua.LTable {
	events := map[string]lua.LGFunction{"__index": noFields, "__newindex": noFields, "__tostring": hostText}
	quick := map[string]quickly{}
	kind, behind := c.of.Kind(), reflect.Invalid
	if kind == reflect.Pointer {
		behind = c.of.Elem().Kind()
	}
	switch kind {
	case reflect.Array, reflect.Slice, reflect.Map, reflect.Struct, reflect.Pointer:
		events["__index"] = f.getter(c)
		quick["__index"] = func(call *machine.Call) (int, bool) { return 1, f.found(call, c) }
	}
	if kind == reflect.Slice || kind == reflect.Map || behind == reflect.Struct || behind == reflect.Array {
		events["__newindex"] = f.setter(c)
		quick["__newindex"] = func(call *machine.Call) (int, bool) { return 0, f.assigned(call, c) }
	}
	if kind == reflect.Array || kind == reflect.Slice || kind == reflect.Map || behind == reflect.Array {
		events["__len"] = length
	}
	switch kind {
	case reflect.Array, reflect.Struct, reflect.Pointer, reflect.Chan:
		events["__eq"] = equal
	}
	meta := f.main.CreateTable(0, len(events)+1)
	for _, name := range slices.Sorted(maps.Keys(events)) {
		meta.RawSetString(name, f.metamethod(events[name], quick[name]))
	}
	meta.RawSetString("__metatable", lua.LString("a value of the host"))
	return meta
}

// quickly is what a metamethod does where that is simple; false has the general way gone. It
// returns how many results it has pushed.
type quickly func(*machine.Call) (results int, ok bool)

// metamethod makes a metamethod. quick may be nil.
func (f *Fence) metamethod(general lua.LGFunction, quick quickly) *lua.LFunction {
	if quick == nil {
		return f.main.NewFunction(general)
	}
	return lua.NewNative(func(call *machine.Call) {
		results, ok := quick(call)
		if !ok {
			results = general((*lua.LState)(call.Thread()))
		}
		call.Return(results)
	}, lua.LNil)
}

// noFields raises the error of a look into a value that has no fields and no items.
func noFields(L *lua.LState) int {
	fault.Raise(L, fault.NotIndexable(L, L.Get(1), L.Get(2)))
	return 0
}

// hostText is the text of a host's value: what it says itself, else its type. Addresses
// would differ from run to run.
func hostText(L *lua.LState) int {
	text := ""
	switch v := valueAt(L, 1).(type) {
	case fmt.Stringer:
		text = v.String()
	case error:
		text = v.Error()
	default:
		text = fmt.Sprintf("the host's %T", v)
	}
	L.Push(lua.LString(text))
	return 1
}

// valueAt returns the host's value that is an argument of one of its metamethods.
func valueAt(L *lua.LState, i int) any {
	ud, ok := L.Get(i).(*lua.LUserData)
	if !ok {
		fault.Raisef(L, "expected a value of the host, got %s", value.Describe(L.Get(i)))
	}
	return ud.Value
}

// length is the operator # of lists and maps.
func length(L *lua.LState) int {
	L.Push(lua.LNumber(reflect.Indirect(reflect.ValueOf(valueAt(L, 1))).Len()))
	return 1
}

// equal compares two values of a type as Go does. Those that Go cannot compare are not equal.
func equal(L *lua.LState) int {
	a, b := reflect.ValueOf(valueAt(L, 1)), reflect.ValueOf(valueAt(L, 2))
	L.Push(lua.LBool(a.Type() == b.Type() && a.Comparable() && b.Comparable() && a.Equal(b)))
	return 1
}

// getter gives scripts the fields, items and methods of a class.
func (f *Fence) getter(c *class) lua.LGFunction {
	return func(L *lua.LState) int {
		name, named := L.Get(2).(lua.LString) // which may name a method
		if !named {
			f.keyed(L, c.of, false)
		}
		value.Charge(L, value.StepsPerHost)
		v := f.read(L, c, string(name), named)
		if v == lua.LNil {
			f.keyed(L, c.of, false)
		}
		L.Push(v)
		return 1
	}
}

// read returns what a script finds in a value under its key, which may be a name.
func (f *Fence) read(L *lua.LState, c *class, name string, named bool) lua.LValue {
	v := reflect.ValueOf(valueAt(L, 1))
	if c.of.Kind() == reflect.Map {
		key := L.Get(2)
		if key != lua.LNil && f.unfitKey(L, key, c.of.Key()) == "" {
			if item := v.MapIndex(f.in(L, key, c.of.Key(), callee{})); item.IsValid() {
				return f.out(item)
			}
		}
	}
	if i, ok := c.methods[name]; ok && named {
		return f.method(c, i, name)
	}
	if v = reflect.Indirect(v); v.Kind() == reflect.Struct {
		if field, ok := f.fieldsOf(v.Type())[cmp.Or(name, fault.Written(L.Get(2)))]; ok {
			return f.inside(f.reach(L, v, field))
		}
	} else if index, ok := L.Get(2).(lua.LNumber); ok && v.Kind() != reflect.Map {
		return f.inside(v.Index(int(index) - 1))
	}
	return lua.LNil
}

// inside is out for a field or an item. A struct or an array that can be written in its place
// comes out as a pointer.
func (f *Fence) inside(v reflect.Value) lua.LValue {
	if kind := v.Kind(); v.CanAddr() && (kind == reflect.Struct || kind == reflect.Array) {
		v = v.Addr()
	}
	return f.out(v)
}

// setter stores fields and items of a class.
func (f *Fence) setter(c *class) lua.LGFunction {
	return func(L *lua.LState) int {
		f.stored(L, c.of)
		value.Charge(L, value.StepsPerHost)
		key, given, v := L.Get(2), L.Get(3), reflect.Indirect(reflect.ValueOf(valueAt(L, 1)))
		switch v.Kind() {
		case reflect.Struct:
			field := f.reach(L, v, f.fieldsOf(v.Type())[fault.Written(key)])
			field.Set(f.in(L, given, field.Type(), callee{}))
		case reflect.Map:
			item := reflect.Value{} // which deletes
			if given != lua.LNil {
				item = f.in(L, given, c.of.Elem(), callee{})
			}
			v.SetMapIndex(f.in(L, key, c.of.Key(), callee{}), item)
		default:
			v.Index(int(key.(lua.LNumber)) - 1).Set(f.in(L, given, v.Type().Elem(), callee{}))
		}
		return 0
	}
}
