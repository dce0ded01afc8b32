package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// property is what a name leads to in the values of a class: a method, a field, or a field that
// a method of the same name hides from those who read.
type property struct {
	name   string
	method int // -1: none
	index  []int
	scalar
}

// outline is what the properties and the items of a class are, found once for all uses.
type outline struct {
	properties map[string]*property
	recent     [8]*property  // some of properties, which were asked for last
	kind       reflect.Kind  // of the values, or of what they point to
	key        reflect.Value // of a map with texts as keys: a place for one, empty between uses
	elem       reflect.Type  // of a list, an array or a map
	item       scalar
}

// property returns what a name leads to, nil for nothing.
func (y *outline) property(name string) *property {
	if name == "" {
		return nil // no property has it
	}
	last := &y.recent[(len(name)+int(name[len(name)-1]))%len(y.recent)]
	if *last != nil && (*last).name == name {
		return *last
	}
	m := y.properties[name]
	if m != nil {
		*last = m
	}
	return m
}

// outlineOf finds the outline of a class whose methods are known.
func (f *Fence) outlineOf(c *class) *outline {
	of := c.of
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	y := &outline{properties: map[string]*property{}, kind: of.Kind()}
	switch y.kind {
	case reflect.Struct:
		for name, field := range f.fieldsOf(of) {
			y.properties[name] = &property{name, -1, field.Index, scalarOf(field.Type)}
		}
	case reflect.Map:
		if t := of.Key(); t.Kind() == reflect.String && !isForeign(t) {
			y.key = reflect.New(t).Elem()
		}
		fallthrough
	case reflect.Slice, reflect.Array:
		y.elem = of.Elem()
		y.item = scalarOf(y.elem)
	}
	for name, i := range c.methods {
		if y.properties[name] == nil {
			y.properties[name] = &property{name: name}
		}
		y.properties[name].method = i
	}
	return y
}

// holder returns the value of a class that is the first argument of a metamethod, or what it
// points to. It is false where there is no such value: a host written against gopher-lua can
// put anything into a userdata.
func (c *class) holder(call *machine.Call) (v reflect.Value, ok bool) {
	ud := call.Get(1).Userdata()
	if ud == nil || reflect.TypeOf(ud.Value) != c.of {
		return v, false
	}
	if v = reflect.ValueOf(ud.Value); v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v, v.IsValid()
}

// found pushes what a script finds in a value under its key, if that is a property, an item of a
// list or an entry of a map with texts as keys: with the same results and the same charge as
// the general way, [Fence.read]. It does nothing where that has to be gone.
func (f *Fence) found(call *machine.Call, c *class) bool {
	v, ok := c.holder(call)
	if !ok {
		return false
	}
	key := call.Get(2)
	if name, ok := lua.AsText(key); ok {
		return f.foundNamed(call, c, v, name)
	}
	i, ok := c.place(v, key)
	if ok {
		call.Charge(value.StepsPerHost)
		f.pushInside(call, v.Index(i))
	}
	return ok
}

// foundNamed is found for a name.
func (f *Fence) foundNamed(call *machine.Call, c *class, v reflect.Value, name string) bool {
	m, entries := c.outline.property(name), c.of.Kind() == reflect.Map
	if m == nil && !entries || entries && !c.outline.key.IsValid() {
		return false
	}
	if m != nil && len(m.index) > 1 && m.method < 0 && absent(v, m.index) != nil {
		return false
	}
	call.Charge(value.StepsPerHost)
	if entries {
		if item := c.entry(v, name); item.IsValid() {
			f.push(call, item)
			return true
		}
	}
	switch {
	case m == nil:
		call.Push(lua.Nil)
	case m.method >= 0:
		call.Push(machine.OfFunction((*machine.Function)(f.method(c, m.method, name))))
	case len(m.index) == 1:
		f.pushInside(call, v.Field(m.index[0]))
	default:
		f.pushInside(call, v.FieldByIndex(m.index))
	}
	return true
}

// pushInside is push for a field or an item: see [Fence.inside].
func (f *Fence) pushInside(call *machine.Call, v reflect.Value) {
	if kind := v.Kind(); v.CanAddr() && (kind == reflect.Struct || kind == reflect.Array) {
		v = v.Addr()
	}
	f.push(call, v)
}

// place returns the index in Go of an item that a list or an array has.
func (c *class) place(v reflect.Value, key lua.Value) (i int, ok bool) {
	if c.outline.kind != reflect.Slice && c.outline.kind != reflect.Array {
		return 0, false
	}
	x, ok := lua.AsNumber(key)
	return int(x) - 1, ok && whole(x, 1, float64(v.Len())+1)
}

// entry returns an entry of a map with texts as keys, the zero Value where there is none.
func (c *class) entry(m reflect.Value, name string) reflect.Value {
	c.outline.key.SetString(name)
	item := m.MapIndex(c.outline.key)
	c.outline.key.SetZero()
	return item
}

// assigned stores a number, a text or a boolean in a field of a struct, an item of a list or an
// entry of a map with texts as keys, where it fits. It does nothing where that is to be
// checked, or converted.
func (f *Fence) assigned(call *machine.Call, c *class) bool {
	v, ok := c.holder(call)
	if !ok {
		return false
	}
	key, given := call.Get(2), call.Get(3)
	if name, ok := lua.AsText(key); ok {
		return c.assignedNamed(call, v, name, given)
	}
	i, ok := c.place(v, key)
	if !ok || !c.outline.item.fits(given) {
		return false
	}
	call.Charge(value.StepsPerHost)
	c.outline.item.put(v.Index(i), given)
	return true
}

// assignedNamed is assigned for a name.
func (c *class) assignedNamed(call *machine.Call, v reflect.Value, name string, given lua.Value) bool {
	if c.of.Kind() == reflect.Map {
		if !c.outline.key.IsValid() || !c.outline.item.fits(given) {
			return false
		}
		call.Charge(value.StepsPerHost)
		item, key := reflect.New(c.outline.elem).Elem(), reflect.New(c.outline.key.Type()).Elem()
		c.outline.item.put(item, given)
		key.SetString(name)
		v.SetMapIndex(key, item)
		return true
	}
	m := c.outline.property(name)
	if m == nil || len(m.index) != 1 || !m.scalar.fits(given) {
		return false
	}
	call.Charge(value.StepsPerHost)
	m.scalar.put(v.Field(m.index[0]), given)
	return true
}
