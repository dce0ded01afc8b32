package bindings

import (
	"cmp"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// resources are the structs that the host has provided, as scripts see them.
type resources struct {
	*core
	parts map[partAddress]*nested // that the running call has read
}

// nested is an array of a resource, or a struct in it, as scripts have it: a proxy whose
// content is what the memory held when it was read, and whose writes go to the memory
// at once. Why not a plain table that is stored when the call ends? What a script
// writes would have no line, and a row of an each function could not be undone alone.
//
// Invariant: in one call there is one part for each place, and what is written through
// it, or to the whole field, is in its content.
type nested struct {
	resource *resource
	base, at unsafe.Pointer // of the resource, and of the array or struct
	field    *ecs.Field
	list     bool // the elements of an array, else the fields of a struct
	path     string
	proxy    *lua.LTable
	parts    map[partAddress]*nested // in which it is while the call runs that it was made for
	over     bool                    // that call has ended
}

// Recall implements Loan.
func (x *nested) Recall() {
	if x.over = true; x.parts[x.place()] == x {
		delete(x.parts, x.place())
	}
}

// partAddress is where a part lies. An array and its first element lie at the same address,
// and so do a struct and the first one in it.
type partAddress struct {
	at    unsafe.Pointer
	field *ecs.Field
	list  bool
}

func (x *nested) place() partAddress { return partAddress{x.at, x.field, x.list} }

// partKey is where the metatable of a proxy has its part.
const partKey = "\x00part"

// loadPart is load for a field of a resource.
func (m *resources) loadPart(L *lua.LState, of nested, f *ecs.Field, p unsafe.Pointer) lua.LValue {
	if f.Len == 0 && f.Kind != ecs.Struct {
		return value.Load(L, f, p)
	}
	of.at, of.field, of.list, of.path = unsafe.Add(p, f.Offset), f, f.Len > 0, of.path+"."+f.Name
	return m.nested(L, of)
}

// loadItem reads an element of an array.
func (m *resources) loadItem(L *lua.LState, x *nested, i int) lua.LValue {
	p := unsafe.Add(x.at, uintptr(i)*x.field.Stride)
	if x.field.Kind != ecs.Struct {
		return value.LoadOne(L, x.field, p)
	}
	of := *x
	of.at, of.list, of.path = p, false, x.path+"["+lua.LNumber(i+1).String()+"]"
	return m.nested(L, of)
}

// nested returns the table of a part, filled anew.
func (m *resources) nested(L *lua.LState, of nested) lua.LValue {
	var x *nested
	if m.tx.Call != nil {
		x = m.parts[of.place()]
	}
	if x == nil {
		x = &of
		x.proxy = m.partProxy(L, x)
		if m.tx.Call != nil {
			x.parts = m.parts
			m.parts[x.place()] = x
			m.tx.Call.Lend(x)
		}
	}
	m.refill(L, x)
	return x.proxy
}

func (m *resources) partProxy(L *lua.LState, x *nested) *lua.LTable {
	value.ChargeBytes(L, exec.PartSize)
	content := L.NewTable()
	if !x.list && slices.ContainsFunc(x.field.Fields, func(f ecs.Field) bool { return f.Kind == ecs.Opaque }) {
		of := L.NewTable() // of what is not in the content
		of.RawSetString("__index", L.NewFunction(x.unreadable))
		lua.SetMetatable(content, of)
	}
	meta := proxy.Meta(L, content, content, m.types.partWrite, m.types.stateLen)
	meta.RawSetString(partKey, wrap(x, nil))
	return lua.Empty(meta)
}

// unreadable is __index of the content of a struct with fields that scripts cannot read. Nil would
// look as if such a field were empty.
func (x *nested) unreadable(L *lua.LState) int {
	name := fault.Written(L.Get(2))
	for i := range x.field.Fields {
		if f := &x.field.Fields[i]; f.Name == name && f.Kind == ecs.Opaque {
			raiseUnreadable(L, name, x.path)
		}
	}
	L.Push(lua.LNil)
	return 1
}

// raiseUnreadable refuses to read a field whose Go type scripts have nothing for.
func raiseUnreadable(L *lua.LState, field, path string) {
	fault.Raisef(L, "field %q of the resource %q cannot be read from a script: its Go type is none that scripts know, such as a slice, a map or a pointer. Ask for a function of the host that returns what you need", field, path)
}

// refill copies the memory into the content.
func (m *resources) refill(L *lua.LState, x *nested) {
	content := proxy.Unwrap(x.proxy)
	if !x.list {
		for i := range x.field.Fields {
			f := &x.field.Fields[i]
			content.RawSetString(f.Name, m.loadPart(L, *x, f, x.at))
		}
		return
	}
	if x.field.Len > value.SmallArray {
		value.Charge(L, x.field.Len*value.StepsPerItem)
	}
	for i := range x.field.Len {
		content.RawSetInt(i+1, m.loadItem(L, x, i))
	}
}

// partOf returns the part that a table stands for, nil for others.
func partOf(t *lua.LTable) *nested {
	meta, ok := lua.Metatable(t).(*lua.LTable)
	if !ok {
		return nil
	}
	x, _ := value.Of[*nested](meta.RawGetString(partKey))
	return x
}

// ownCopy reports whether a table is a copy that the script may keep, but not write:
// an event, an array or a struct in one, or a list of a batch.
func ownCopy(t *lua.LTable) bool {
	meta, ok := lua.Metatable(t).(*lua.LTable)
	return ok && meta.RawGetString(proxy.CopyKey) != lua.LNil
}

// plainPart makes a part, or a copy, a plain table where it is: one that goes into a
// state table is a copy from then on. The entries of a list of a batch are copied, since
// the list itself is filled again for the next rows.
func plainPart(L *lua.LState, t *lua.LTable) {
	if ownCopy(t) {
		plain := L.NewTable()
		proxy.Pairs(t, plain.RawSet)
		lua.Move(plain, t, nil)
	}
	if x := partOf(t); x != nil {
		if x.parts[x.place()] == x {
			delete(x.parts, x.place())
		}
		lua.Move(proxy.Unwrap(t), t, nil)
	}
}

// partWrite is __newindex of parts: every write of a script comes here.
func (m *resources) partWrite(L *lua.LState) int {
	a := called(m.core, L, "resource")
	a.acting()
	x := partOf(L.CheckTable(1))
	if x == nil {
		fault.Raisef(L, "expected a table of a resource, got %s", value.Describe(L.Get(1)))
	}
	key, v := L.Get(2), L.Get(3)
	m.live(a, x)
	f, p := x.inside(L, key)
	why := ""
	if x.list {
		why = value.CannotHoldOne(L, f, v)
	} else {
		why = value.CannotHold(L, f, v)
	}
	if why != "" {
		fault.Raisef(L, "%s: %s", x.name(key), why)
	}
	if x.list {
		m.saveOne(L, p, f, x)
		value.StoreOne(f, p, v)
		i := int(key.(lua.LNumber))
		proxy.Unwrap(x.proxy).RawSetInt(i, m.loadItem(L, x, i-1))
	} else {
		p = unsafe.Add(p, f.Offset)
		n := max(f.Len, 1)
		if f.Kind == ecs.Struct {
			n = 1 // which keeps all of the resource
		}
		for i := range n {
			m.saveOne(L, unsafe.Add(p, uintptr(i)*f.Stride), f, x)
		}
		value.Store(f, x.at, v)
		proxy.Unwrap(x.proxy).RawSetString(f.Name, m.loadPart(L, *x, f, x.at))
	}
	return 0
}

// live raises an error for a part that is a copy of what was.
func (m *resources) live(a *args, x *nested) {
	if x.over || m.parts[x.place()] != x {
		fault.Raisef(a.L, "this table of the resource %q is a copy, from before this call: read it again, as in arena.sizes[1] = 5", x.resource.name)
	}
	if v := reflect.ValueOf(a.world.Raw().ResourceNamed(x.resource.name)); !v.IsValid() || v.Kind() != reflect.Pointer || v.UnsafePointer() != x.base {
		fault.Raisef(a.L, "resource %q is another one now: ask for it again", x.resource.name)
	}
}

// inside finds the element or field that a script names: an element at its address, a
// field at that of the struct.
func (x *nested) inside(L *lua.LState, key lua.LValue) (*ecs.Field, unsafe.Pointer) {
	if !x.list {
		of := ecs.Schema{Name: x.path, Fields: x.field.Fields}
		name := fault.Written(key)
		f := of.Field(name)
		if f == nil {
			fault.Raise(L, value.NoField(L, &of, name))
		}
		return f, x.at
	}
	n, ok := key.(lua.LNumber)
	if !ok || n != lua.LNumber(int(n)) || n < 1 || int(n) > x.field.Len {
		fault.Raisef(L, "%q has the elements 1 to %d, and none at %s", x.path, x.field.Len, value.Shown(key))
	}
	return x.field, unsafe.Add(x.at, uintptr(n-1)*x.field.Stride)
}

// name is how messages call an element or a field.
func (x *nested) name(key lua.LValue) string {
	if x.list {
		return diag.Format("element %s of %q", key.String(), x.path)
	}
	return diag.Format("field %q of %q", key.String(), x.path)
}

// saveOne keeps one value of a resource, at its address.
func (m *resources) saveOne(L *lua.LState, p unsafe.Pointer, f *ecs.Field, x *nested) {
	u, size := &m.tx.Call.Undo, int(f.Stride)
	if f.Kind == ecs.Struct {
		size = int(x.resource.typ.Size())
	}
	switch m.tx.MakeRoom(L, size+tx.PerSaved, nil); f.Kind {
	case ecs.Struct:
		u.SaveGo(x.base, x.resource.typ) // it may hold strings
	case ecs.String:
		u.SaveGo(p, reflect.TypeFor[string]())
	default:
		u.Save(p, f.Stride)
	}
}

// resource is a struct that the host provided, found by name at each use so
// that the host may replace it.
type resource struct {
	name   string
	schema *ecs.Schema
	typ    reflect.Type
}

func (r *resource) Describe() string { return "the resource " + r.name }

// find is ecs.resource(name). It works at the top level, too: it only
// looks the name up.
func (m *resources) find(a *args) int {
	name := a.text(1)
	t := a.ground.resource(name)
	if t == nil {
		a.unsure(a.L) // the host may have provided it in the meantime
		a.failAt(fault.Argument(1), "unknown resource %q%s", name, value.Meant(a.L, name, a.world.Raw().ResourceNames()))
	}
	r := &resource{name: name, typ: t, schema: ecs.SchemaOf(t)}
	return a.result(wrap(r, a.types.resource))
}

// locate returns the resource's memory and the field that a script names.
func (a *args) locate() (*resource, unsafe.Pointer, *ecs.Field) {
	r, ok := value.Of[*resource](a.L.Get(1))
	if !ok {
		a.expected(1, "a resource")
	}
	a.unsure(a.L) // the struct belongs to those who run the world
	v := reflect.ValueOf(a.world.Raw().ResourceNamed(r.name))
	if !v.IsValid() || v.Type() != reflect.PointerTo(r.typ) {
		fault.Raisef(a.L, "resource %q is of another type now: ask for it again", r.name)
	}
	key := fault.Written(a.L.Get(2))
	f := r.schema.Field(key)
	if f == nil {
		of := ecs.Schema{Name: r.name, Fields: r.schema.Fields}
		fault.Raise(a.L, value.NoField(a.L, &of, key))
	}
	return r, v.UnsafePointer(), f
}

func (m *resources) index(L *lua.LState) int {
	a := called(m.core, L, "resource")
	r, p, f := a.locate()
	if f.Kind == ecs.Opaque {
		raiseUnreadable(L, f.Name, r.name)
	}
	L.Push(m.loadPart(L, nested{resource: r, base: p, path: r.name}, f, p))
	return 1
}

// set writes a field; a call that fails gets the old value back.
func (m *resources) set(L *lua.LState) int {
	a := called(m.core, L, "resource")
	a.acting()
	r, p, f := a.locate()
	if why := value.CannotHold(L, f, L.Get(3)); why != "" {
		fault.Raisef(L, "field %q of %q: %s", f.Name, r.name, why)
	}
	m.tx.SaveField(L, p, f, r.typ)
	value.Store(f, p, L.Get(3))
	if x := m.parts[partAddress{unsafe.Add(p, f.Offset), f, f.Len > 0}]; x != nil {
		m.refill(L, x)
	}
	return 0
}

// readData is ecs.data("file", { key = "column" }): what a data file beside the scripts holds.
func readData(a *args) int {
	s := a.declaring()
	file, key := a.text(1), ""
	if a.L.GetTop() >= 2 && a.L.Get(2) != lua.LNil {
		key = a.keyColumn(a.table(2))
	}
	if a.opts.Data == nil {
		a.fail("this host has no data files")
	}
	v, err := a.opts.Data(a.L, s.Name, file, key)
	switch {
	case err == nil:
		return a.result(v)
	case err.Line > 0: // what is wrong stands in the file
		fault.Raise(a.L, err)
	default:
		a.raise(err.On(a.place(fault.Argument(1))))
	}
	return 0
}

// findAsset is ecs.asset("path"): the ID of a file that the program loads for all entities which name it.
func findAsset(a *args) int {
	a.declaring()
	name := a.text(1)
	if a.opts.Asset == nil {
		a.fail("there are no assets")
	}
	id, err := a.opts.Asset(a.L, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.failAt(fault.Argument(1), "there is no file %q: the path is that from the folder of the assets, with the same capitals", diag.Cut(name))
	case err != nil:
		a.failAt(fault.Argument(1), "%s", cmp.Or(errors.Unwrap(err), err)) // without the name of the package
	}
	return a.result(lua.LNumber(id))
}

// keyColumn reads the options of ecs.data.
func (a *args) keyColumn(options *lua.LTable) (column string) {
	proxy.Pairs(options, func(k, v lua.LValue) {
		name := fault.Written(k)
		text, isText := v.(lua.LString)
		switch {
		case name != "key":
			a.failAt(fault.Key(2, name), "unknown option %q%s", name, diag.OneOf(name, []string{"key"}))
		case !isText || text == "":
			a.failAt(fault.ValueOf(2, name), "key: expected the name of a column, got %s", value.Describe(v))
		}
		column = string(text)
	})
	return column
}
