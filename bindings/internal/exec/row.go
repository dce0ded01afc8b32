package exec

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// RowTable is the table that stands for one component of the row at hand, or for an event.
// It holds the fields themselves; reading or writing another name is an error. It is a
// loan.
type RowTable struct {
	m      *Executor
	Schema *ecs.Schema
	Table  *lua.LTable
	Keeps  bool        // the script may have kept the table
	sealed *lua.LTable // the content, where the script must not write: the table is a proxy
	over   string
	ended  *lua.LTable // the metatable that says so; nil: not needed yet
	content

	arrays []*ecs.Field  // whose tables have got a metatable so far
	bounds []*lua.LTable // which

	why   string                        // said to whoever writes to a sealed row
	seals map[*ecs.Field]*lua.LFunction // what says so of a table in it
}

// newRow makes a row; over is what is said to whoever uses it later.
func (m *Executor) newRow(s *ecs.Schema, over string) *RowTable {
	r := &RowTable{m: m, Schema: s, over: over}
	r.Table = r.begin()
	meta := NewMetatable(m.Main, map[string]lua.LGFunction{"__index": r.missing, "__newindex": r.assign})
	meta.RawSetString(proxy.GuardKey, lua.LTrue)
	lua.SetMetatable(r.Table, meta)
	return r
}

// NewLoan makes a row that a function gets as its n-th parameter in each call. It cannot
// be written to: nobody would see what was; why says so.
func (m *Executor) NewLoan(s *ecs.Schema, fn *lua.LFunction, n int, noun, why string) *RowTable {
	r := m.newRow(s, fmt.Sprintf("this %s %s is over: it lasts for the call that got it; keep its fields, not the table", s.Name, noun))
	r.whole()
	r.Keeps = MayKeep(fn, n, false)
	r.sealed = r.Table
	r.why, r.seals = why, map[*ecs.Field]*lua.LFunction{}
	r.Table = m.front(r.sealed, func(L *lua.LState) int {
		if name := fault.Written(L.Get(2)); s.Field(name) == nil {
			r.Unknown(L, name)
		}
		return r.refuse(L, fault.Written(L.Get(2)))
	})
	return r
}

// refuse says that a field of a sealed row cannot be written.
func (r *RowTable) refuse(L *lua.LState, field string) int {
	fault.Raisef(L, "field %q of %q: %s", field, r.Schema.Name, r.why)
	return 0
}

// seal puts proxies before an array or a struct in a sealed row, and before those in it:
// a write into one would go into a copy as well. What the script keeps of them is its
// own beyond the call, to be read.
func (r *RowTable) seal(L *lua.LState, f *ecs.Field, v lua.LValue) lua.LValue {
	if _, ok := v.(*lua.LTable); ok && r.seals[f] == nil {
		r.seals[f] = r.m.Main.NewFunction(func(L *lua.LState) int { return r.refuse(L, f.Name) })
	}
	return r.m.seal(L, f, v, r.seals[f])
}

// seal returns the value of a field with proxies in the place of its tables, whose writes go
// to assign. Other values are returned as they are. O(tables).
func (m *Executor) seal(L *lua.LState, f *ecs.Field, v lua.LValue, assign *lua.LFunction) lua.LValue {
	content, ok := v.(*lua.LTable)
	if !ok {
		return v
	}
	if f.Kind == ecs.Struct {
		proxy.Pairs(content, func(k, inner lua.LValue) { content.RawSet(k, m.seal(L, f, inner, assign)) })
	}
	return m.sealed(L, content, assign)
}

// sealed returns a proxy of a table whose writes go to assign. In a state table it becomes
// plain, as a copy that is the script's own.
func (m *Executor) sealed(L *lua.LState, content *lua.LTable, assign *lua.LFunction) *lua.LTable {
	value.ChargeBytes(L, PartSize)
	meta := proxy.Meta(L, content, content, assign, m.Length)
	meta.RawSetString(proxy.CopyKey, lua.LTrue)
	return lua.Empty(meta)
}

// missing answers for a name that the table does not hold: a field that the
// script has set to nil, or none.
func (r *RowTable) missing(L *lua.LState) int {
	name := fault.Written(L.Get(2))
	switch f := r.Schema.Field(name); {
	case f == nil:
		r.Unknown(L, name)
	case f.Kind == ecs.Opaque:
		fault.Raisef(L, "field %q of %q holds what scripts cannot read", name, r.Schema.Name)
	case f.Kind != ecs.Ref:
		fault.Raisef(L, "field %q of %q was set to nil", name, r.Schema.Name)
	}
	L.Push(lua.LNil) // no entity
	return 1
}

// assign sees only names that the table does not hold.
func (r *RowTable) assign(L *lua.LState) int {
	name := fault.Written(L.Get(2))
	if r.Schema.Field(name) == nil {
		r.Unknown(L, name)
	}
	r.Table.RawSetString(name, L.Get(3))
	return 0
}

// Unknown raises the error of a field that there is not.
func (r *RowTable) Unknown(L *lua.LState, name string) {
	fault.Raise(L, value.NoField(L, r.Schema, name))
}

// PartSize is about what the tables of a part take, in bytes.
const PartSize = 1024

// An array field has its full length at all times. A list that is given for it says all
// of it: what the list lacks is 0, or false, or the first word, or nobody. (Only ecs.set
// sets no more than the elements that are there: see pieces.) So does an element of a
// row's array that is set to nil. An index outside of the array is an error, for whoever
// writes there means something else.

// Elements returns the metatable of the tables that stand for an array of a row: an
// index outside of the array raises an error where it is assigned. nil: the field is no array.
func (r *RowTable) Elements(f *ecs.Field) *lua.LTable {
	if f.Len == 0 {
		return nil
	}
	if i := slices.Index(r.arrays, f); i >= 0 {
		return r.bounds[i]
	}
	meta := r.m.Main.CreateTable(0, 3)
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(value.ElementKey, lua.LTrue)
	meta.RawSetString("__newindex", r.m.Main.NewFunction(func(L *lua.LState) int {
		t, key := L.CheckTable(1), L.Get(2)
		i, ok := value.ElementAt(f, key)
		if !ok {
			fault.Raisef(L, "field %q of %q: %s", f.Name, r.Schema.Name, value.NoElement(f, key))
		}
		t.RawSetInt(i, L.Get(3))
		return 0
	}))
	r.arrays, r.bounds = append(r.arrays, f), append(r.bounds, meta)
	return meta
}

// Updated is the row that a function of ecs.update gets, and its values.
type Updated struct {
	*RowTable
	Aside view.Aside
	Proto *lua.FunctionProto // of the last function
	of    *decl.Component
}

// TakeRow returns a row that no update uses just now. GiveRow gives it back.
func (m *Executor) TakeRow(c *decl.Component) *Updated {
	if r := m.updated; r != nil && r.of == c {
		m.updated = nil
		if r.Schema == c.Schema {
			return r
		}
	}
	if i := slices.IndexFunc(m.Updates[c], func(r *Updated) bool { return r.Schema == c.Schema }); i >= 0 {
		r := m.Updates[c][i]
		m.Updates[c] = slices.Delete(m.Updates[c], i, i+1)
		return r
	}
	delete(m.Updates, c) // those of an older form
	r := m.newRow(c.Schema, "this "+c.Name+" is over: it lasts for the function of ecs.update that got it; keep its fields, not the table")
	r.whole()
	return &Updated{RowTable: r, of: c}
}

// GiveRow has the next update of the component use a row.
func (m *Executor) GiveRow(r *Updated) {
	if old := m.updated; old != nil {
		m.Updates[old.of] = append(m.Updates[old.of], old)
	}
	m.updated = r
}

// Take stores in the copy of the value what the function has assigned to the fields.
func (u *Updated) Take(L *lua.LState) {
	at := u.Aside.Cells[0]
	for _, c := range u.written {
		given := u.value(c)
		if c.scalar() && given.Same(c.load(unsafe.Add(at.Was, c.Offset))) || value.Put(c.Field, at.Now, given) {
			continue
		}
		boxed := lua.FromValue(given)
		differs, why := value.Differs(L, c.Field, at.Was, boxed)
		if why != "" {
			fault.Raisef(L, "field %q of %q: %s", c.Name, u.Schema.Name, why)
		}
		if differs {
			value.Store(c.Field, at.Now, boxed)
		}
	}
}
