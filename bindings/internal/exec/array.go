package exec

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	gopher "github.com/yuin/gopher-lua"
)

// array is one field of the view as a list, a loan that b:read and b:write give alike. Until
// b:write has been asked for it, the list is sealed: an assignment is an error, since nothing
// would store it.
//
// Why not compare the elements with the column when the function has returned? The error
// would not have the line of the assignment, and the column may have changed by other means.
type array struct {
	m    *Executor
	key  ColumnKey
	term *decl.Component

	list   *machine.Table
	open   *machine.Table  // the metatable of list, which refuses keys that are no row
	closed *machine.Table  // that of list while it is sealed
	inside *lua.LFunction  // what assigns to the tables that are elements of a sealed list
	names  []machine.Value // of an enum, as texts

	Fresh bool // holds the rows at hand
	Write bool // it is stored when the function has returned
	given bool // a script has got the list for these rows
}

// newArray makes an array for about n rows. O(1).
func (m *Executor) newArray(key ColumnKey, term *decl.Component, n int) *array {
	a := &array{m: m, key: key, term: term}
	assign := m.Main.NewFunction(a.assign)
	a.open = a.metatable(assign, proxy.GuardKey)
	a.closed = a.metatable(assign, proxy.SealedKey)
	a.inside = m.Main.NewFunction(a.assignInside)
	for _, name := range key.Field.Names {
		a.names = append(a.names, machine.String(name))
	}
	a.list = a.open.Heap().NewTable(n, 0)
	a.list.SetMetatable(a.open)
	return a
}

// metatable makes a metatable for the list.
func (a *array) metatable(assign *lua.LFunction, kind string) *machine.Table {
	meta := a.m.Main.CreateTable(0, 5)
	meta.RawSetString("__newindex", assign)
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(proxy.CopyKey, lua.LTrue)
	meta.RawSetString(fault.UseKey, a.use())
	meta.RawSetString(kind, lua.LTrue)
	return (*machine.Table)(meta)
}

// replace makes another list, which is empty.
func (a *array) replace() {
	a.list = (*machine.Table)(a.m.blanks.Next(a.m.Main))
	a.list.SetMetatable(a.open)
}

// adopted reports whether the list has become part of ecs.state: it is the script's then.
func (a *array) adopted() bool {
	meta := a.list.Metatable()
	return meta != a.open && meta != a.closed
}

// seal says whether the list can be assigned.
func (a *array) seal(sealed bool) {
	a.list.Seal(sealed)
	if sealed {
		a.list.SetMetatable(a.closed)
	} else {
		a.list.SetMetatable(a.open)
	}
}

// assign is __newindex of the list: for keys that it lacks, and for all while it is sealed.
func (a *array) assign(L *lua.LState) int {
	a.mayWrite(L)
	n := len(a.m.Batch.View.Entities)
	i, ok := L.Get(2).(lua.LNumber)
	if !ok || i != lua.LNumber(int(i)) || i < 1 || int(i) > n {
		fault.Raisef(L, "field %q of %q: the list has the elements 1 to %d, and none at %s", a.key.Field.Name, a.term.Name, n, value.Shown(L.Get(2)))
	}
	a.list.SetInt(int(i), lua.ToValue(L.Get(3))) // it was nil
	return 0
}

// begin forgets the rows of the last view.
func (a *array) begin() { a.Fresh, a.Write = false, false }

// recall ends the list if a script has got it and may have kept it.
func (a *array) recall() {
	if !a.given {
		return
	}
	a.given = false
	was, gone := a.list, a.adopted()
	if a.replace(); !gone {
		was.MoveTo(a.list)
		was.SetMetatable((*machine.Table)(a.m.overTable(overArray)))
	}
}

// Array returns the array of a field as a Lua table, filled for the rows at hand: one to
// write to, which is stored at the end of the batch, or one to read.
func (b *Batch) Array(L *lua.LState, key ColumnKey, write bool) *lua.LTable {
	return (*lua.LTable)(b.listOf(L, b.ArrayOf(key), write))
}

// listOf returns the list of an array, filled.
func (b *Batch) listOf(L *lua.LState, a *array, write bool) *machine.Table {
	if !a.Write && (!a.Fresh || write && a.adopted()) {
		if a.Fresh = true; a.adopted() {
			a.replace()
		}
		a.fill(L, b.View, write)
		a.seal(!write)
	}
	if write && !a.Write {
		a.seal(false)
		b.willWrite(L, a)
	}
	a.given = b.how.keepsLists
	return a.list
}

// request is what a script has asked a list by: a component and a text.
type request struct {
	component *machine.Userdata
	field     *machine.Str
	array     *array
}

// mostRequests is how many are remembered; a function has a few.
const mostRequests = 32

// Again returns to the script the list that it asks for, if it has asked for it before with
// the very same values, and reports whether it has.
func (b *Batch) Again(L *lua.LState, write bool) bool {
	c := (*machine.Thread)(L).Current()
	component, field := c.Get(2).Userdata(), c.Get(3).Str()
	if c.Top() != 3 || component == nil || field == nil || c.Get(1).Table() != (*machine.Table)(b.Table) {
		return false
	}
	for i := range b.how.requests {
		if r := &b.how.requests[i]; r.component == component && r.field == field {
			if !b.Present(r.array.key.Term) {
				return false
			}
			value.Take(L, value.StepsPerCall)
			c.Push(machine.OfTable(b.listOf(L, r.array, write)))
			return true
		}
	}
	return false
}

// Remember notes by which values the script has asked for the list that it is about to get.
func (b *Batch) Remember(L *lua.LState) {
	c := (*machine.Thread)(L).Current()
	r := request{component: c.Get(2).Userdata(), field: c.Get(3).Str()}
	if r.component == nil || r.field == nil || len(b.how.requests) >= mostRequests {
		return
	}
	for _, a := range b.Arrays {
		if a.list == c.Get(-1).Table() {
			r.array = a
			b.how.requests = append(b.how.requests, r)
		}
	}
}

// fill reads the values of a field into the list.
func (a *array) fill(L *lua.LState, v *rows.View, write bool) {
	n, c, f := len(v.Entities), &v.Columns[a.key.Term], a.key.Field
	if value.Take(L, n); a.packs() {
		readPacked(a.list.Fill(n), c, f)
		return
	}
	a.list.Keep(n)
	for i := range n {
		x := machine.Nil
		if p := c.At(i); p != nil {
			x = a.load(L, p, write)
		}
		a.list.SetInt(i+1, x)
	}
}

// packs reports whether the elements are numbers or booleans.
func (a *array) packs() bool {
	return a.Numeric() || a.key.Field.Kind == ecs.Bool && a.key.Field.Len == 0
}

// load reads one element, from the struct at p.
func (a *array) load(L *lua.LState, p unsafe.Pointer, write bool) machine.Value {
	f := a.key.Field
	if f.Kind == ecs.Enum && f.Len == 0 {
		if i := int(*(*uint8)(unsafe.Add(p, f.Offset))); i < len(a.names) {
			return a.names[i]
		}
	}
	x := value.Load(L, f, p)
	if !write {
		x = a.m.seal(L, f, x, a.inside)
	}
	return lua.ToValue(x)
}

// readPacked copies one field of every row. Rows without the component read 0.
func readPacked(items []uint64, c *rows.Column, f *ecs.Field) {
	switch {
	case c.Base != nil && f.Kind == ecs.F64:
		p, stride := unsafe.Add(c.Base, f.Offset), c.Stride
		for i := range items {
			items[i] = machine.Pack(*(*float64)(unsafe.Add(p, uintptr(i)*stride)))
		}
	case c.Base != nil && f.Kind == ecs.F32:
		p, stride := unsafe.Add(c.Base, f.Offset), c.Stride
		for i := range items {
			items[i] = machine.Pack(float64(*(*float32)(unsafe.Add(p, uintptr(i)*stride))))
		}
	default:
		for i := range items {
			items[i] = 0
			if p := c.At(i); p != nil {
				items[i] = readItem(unsafe.Add(p, f.Offset), f.Kind)
			}
		}
	}
}

// readItem reads a number or a boolean at p.
func readItem(p unsafe.Pointer, kind ecs.Kind) uint64 {
	if kind == ecs.Bool {
		return machine.PackBool(*(*bool)(p))
	}
	return machine.Pack(kind.Load(p))
}

// storeArray writes an array back into its column. An element that its field
// cannot hold raises an error that names the entity.
func (b *Batch) storeArray(L *lua.LState, a *array) {
	n, list := len(b.View.Entities), (*machine.Table)(proxy.Unwrap((*lua.LTable)(a.list)))
	if list.MaxN() > float64(n) {
		b.refuse(L, a, n-1, "the list has more elements than the batch has rows")
	}
	c, f, done := &b.View.Columns[a.key.Term], a.key.Field, 0
	if items, ok := list.Packed(); ok && a.packs() {
		done = storePacked(items, c, f)
	}
	for i := done; i < n; i++ {
		v := lua.FromValue(list.GetInt(i + 1))
		differs, why := value.Differs(L, f, c.At(i), v)
		if why != "" {
			b.refuse(L, a, i, why)
		}
		if differs {
			value.Store(f, c.At(i), v)
		}
	}
}

// storePacked stores the elements that differ, up to the first that its field cannot hold. It
// returns how many rows are done.
func storePacked(items []uint64, c *rows.Column, f *ecs.Field) int {
	switch {
	case c.Base != nil && f.Kind == ecs.F64:
		return storeF64(unsafe.Add(c.Base, f.Offset), c.Stride, items)
	case c.Base != nil && f.Kind == ecs.F32:
		return storeF32(unsafe.Add(c.Base, f.Offset), c.Stride, items)
	}
	for i, x := range items {
		at := unsafe.Add(c.At(i), f.Offset)
		if x != readItem(at, f.Kind) && !storeItem(at, f.Kind, x) {
			return i
		}
	}
	return len(items)
}

// storeF64 is storePacked for a column of f64. A NaN whose bits are not exact in Lua stays.
func storeF64(p unsafe.Pointer, stride uintptr, items []uint64) int {
	for i, x := range items {
		at := (*float64)(unsafe.Add(p, uintptr(i)*stride))
		if machine.PackedNaN(x) {
			if !machine.PackedNumber(x) {
				return i
			}
			if machine.Pack(*at) == x {
				continue
			}
		}
		*at = machine.Unpack(x).Float()
	}
	return len(items)
}

// storeF32 is the same for f32.
func storeF32(p unsafe.Pointer, stride uintptr, items []uint64) int {
	for i, x := range items {
		at := (*float32)(unsafe.Add(p, uintptr(i)*stride))
		if machine.PackedNaN(x) {
			if !machine.PackedNumber(x) {
				return i
			}
			if machine.Pack(float64(*at)) == x {
				continue
			}
		}
		*at = float32(machine.Unpack(x).Float())
	}
	return len(items)
}

// storeItem stores a number or a boolean at p, and reports whether it can.
func storeItem(p unsafe.Pointer, kind ecs.Kind, item uint64) bool {
	x := machine.Unpack(item)
	switch {
	case kind == ecs.Bool:
		if x.IsBool() {
			*(*bool)(p) = x.Truth()
		}
		return x.IsBool()
	case !x.IsNumber():
		return false
	case kind == ecs.Ref:
		if _, why := value.ToEntity(x.Float()); why != "" {
			return false
		}
	case kind.Fit(x.Float()) != nil:
		return false
	}
	kind.Store(p, x.Float())
	return true
}

// caller is how a batch function is called.
type caller struct {
	keepsLists bool // the function may keep a list
	requests   []request
	n          *machine.Str
	found      *lua.LTable // what a script finds in the batch; Content is what it can walk through
	ofHandles  *lua.LTable // the metatable of lists of entities; nil until one is asked for
}

// callerOf prepares the calls of a batch function.
func callerOf(b *Batch) caller {
	h := caller{n: machine.NewStr("n"), keepsLists: b.keeps || mayKeepLists(lua.Proto(b.S.Batch).Code)}
	h.found = b.m.Main.CreateTable(0, len(BatchFields))
	for name, f := range b.m.BatchMethods {
		h.found.RawSetString(name, f)
	}
	lua.SetMetatable(h.found, b.m.BatchType)
	if meta, ok := lua.Metatable(b.Table).(*lua.LTable); ok {
		meta.RawSetString("__index", h.found)
	}
	return h
}

// Set sets what a script finds under a name in the batch.
func (b *Batch) Set(name string, v lua.LValue) {
	b.Content.RawSetString(name, v)
	b.how.found.RawSetString(name, v)
}

// count says how many rows there are.
func (b *Batch) count(n int) {
	for _, t := range []*lua.LTable{b.Content, b.how.found} {
		(*machine.Table)(t).SetStr(b.how.n, machine.Number(float64(n)))
	}
}

// mayKeepLists reports whether a function that does not keep its first parameter may keep what
// methods of that return. It may not where nothing after such a call does more with the
// register of the result than to read and assign what is in it.
func mayKeepLists(code []uint32) bool {
	for pc, word := range code {
		op, n, b, _ := bytecode.Parts(word)
		if op != gopher.OP_SELF || b != 0 {
			continue
		}
		got := resultOf(code, pc+1, n)
		if got < 0 {
			return true
		}
		for _, after := range code[got+1:] {
			if op, a, b, c := bytecode.Parts(after); !harmless(op, a, b, c, n, false) {
				return true
			}
		}
	}
	return false
}

// resultOf returns the call of the function in a register, from an instruction on; -1 if it
// has not just one result, or stands in a loop.
func resultOf(code []uint32, from, n int) int {
	got := -1
	for pc := from; pc < len(code); pc++ {
		op, a, _, c := bytecode.Parts(code[pc])
		switch op {
		case gopher.OP_CALL:
			if got < 0 && a == n {
				if got = pc; c != 2 {
					return -1
				}
			}
		case gopher.OP_JMP, gopher.OP_FORLOOP:
			if got >= 0 && pc+1+int(code[pc]&(1<<18-1))-(1<<17-1) <= got {
				return -1
			}
		}
	}
	return got
}

// handles returns the metatable of lists of entities.
func (h *caller) handles(b *Batch) *lua.LTable {
	if h.ofHandles == nil {
		meta := b.m.Main.CreateTable(0, 4)
		meta.RawSetString("__newindex", b.fixed)
		meta.RawSetString("__metatable", lua.LFalse)
		meta.RawSetString(proxy.CopyKey, lua.LTrue)
		meta.RawSetString(proxy.SealedKey, lua.LTrue)
		h.ofHandles = meta
	}
	return h.ofHandles
}

// call calls the function for the rows at hand.
func (b *Batch) call(L *lua.LState, ctx lua.LValue) {
	L.Push(b.S.Batch)
	L.Push(b.Table)
	L.Push(ctx)
	L.Call(2, 0)
}

// Handles returns the entities of the view as a fresh list, which the script may keep but
// not change: a change would reach no entity.
func (b *Batch) Handles(L *lua.LState) *lua.LTable {
	n := len(b.View.Entities)
	value.Charge(L, n*value.StepsPerItem)
	t := L.CreateTable(0, 0)
	items := (*machine.Table)(t).Fill(n)
	for i, e := range b.View.Entities {
		items[i] = machine.Pack(float64(e))
	}
	lua.SetMetatable(t, b.how.handles(b))
	(*machine.Table)(t).Seal(true)
	return t
}
