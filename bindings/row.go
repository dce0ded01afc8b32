package bindings

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// row is the table that stands for one component of the row at hand, or for an event.
// It holds the fields themselves; reading or writing another name is an error. It is a
// loan.
type row struct {
	m            *executor
	schema       *ecs.Schema
	table        *lua.LTable
	lazy         LazyTable   // what stands for the table where nothing but its fields is used
	materialised bool        // the script has the table in its hands, or always gets it
	keeps        bool        // it may have kept the table
	sealed       *lua.LTable // the content, where the script must not write: the table is a front
	always       bool        // it gets the table for every row: there is no other way
	streak       int         // rows in a row that were handed out
	over         string
	ended        *lua.LTable // the metatable that says so; nil: not needed yet

	arrays []*ecs.Field  // whose tables have got a metatable so far
	bounds []*lua.LTable // which

	why   string                        // said to whoever writes to a sealed row
	seals map[*ecs.Field]*lua.LFunction // what says so of a table in it
}

// newRow makes a row; over is what is said to whoever uses it later.
func (m *executor) newRow(s *ecs.Schema, over string) *row {
	r := &row{m: m, schema: s, table: m.main.CreateTable(0, len(s.Fields)), over: over}
	meta := newMetatable(m.main, nil)
	meta.RawSetString("__index", m.main.NewFunction(r.missing))
	meta.RawSetString("__newindex", m.main.NewFunction(r.assign))
	r.table.Metatable = meta
	return r
}

// newLoan makes a row that a function gets as its n-th parameter in each call. It cannot
// be written to: nobody would see what was; why says so.
func (m *executor) newLoan(s *ecs.Schema, fn *lua.LFunction, n int, noun, why string) *row {
	r := m.newRow(s, fmt.Sprintf("this %s %s is over: it lasts for the call that got it; keep its fields, not the table", s.Name, noun))
	r.always, r.materialised, r.keeps = true, true, mayKeep(fn, n, false)
	r.sealed = m.main.CreateTable(0, len(s.Fields))
	r.sealed.Metatable = r.table.Metatable
	r.why, r.seals = why, map[*ecs.Field]*lua.LFunction{}
	meta := newMetatable(m.main, nil)
	meta.RawSetString("__index", r.sealed)
	meta.RawSetString(value.ContentKey, r.sealed)
	meta.RawSetString("__newindex", m.main.NewFunction(func(L *lua.LState) int {
		if name := L.Get(2).String(); s.Field(name) == nil {
			r.unknown(L, name)
		}
		return r.refuse(L, L.Get(2).String())
	}))
	r.table.Metatable = meta
	return r
}

// refuse says that a field of a sealed row cannot be written.
func (r *row) refuse(L *lua.LState, field string) int {
	L.RaiseError("field %q of %q: %s", field, r.schema.Name, r.why)
	return 0
}

// seal puts fronts before an array or a struct in a sealed row, and before those in it:
// a write into one would go into a copy as well. What the script keeps of them is its
// own beyond the call, to be read.
func (r *row) seal(L *lua.LState, f *ecs.Field, v lua.LValue) lua.LValue {
	content, ok := v.(*lua.LTable)
	if !ok {
		return v
	}
	if f.Kind == ecs.Struct {
		value.Pairs(content, func(k, inner lua.LValue) { content.RawSet(k, r.seal(L, f, inner)) })
	}
	if r.seals[f] == nil {
		r.seals[f] = r.m.main.NewFunction(func(L *lua.LState) int { return r.refuse(L, f.Name) })
	}
	value.ChargeBytes(L, partSize)
	meta := L.CreateTable(0, 6)
	meta.RawSetString("__index", content)
	meta.RawSetString("__newindex", r.seals[f])
	meta.RawSetString("__len", r.m.types.stateLen)
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(value.ContentKey, content)
	meta.RawSetString(value.CopyKey, lua.LTrue)
	return &lua.LTable{Metatable: meta}
}

// missing answers for a name that the table does not hold: a field that the
// script has set to nil, or none.
func (r *row) missing(L *lua.LState) int {
	name := L.Get(2).String()
	switch f := r.schema.Field(name); {
	case f == nil:
		r.unknown(L, name)
	case f.Kind == ecs.Opaque:
		L.RaiseError("field %q of %q holds what scripts cannot read", name, r.schema.Name)
	case f.Kind != ecs.Ref:
		L.RaiseError("field %q of %q was set to nil", name, r.schema.Name)
	}
	L.Push(lua.LNil) // no entity
	return 1
}

// assign sees only names that the table does not hold.
func (r *row) assign(L *lua.LState) int {
	name := L.Get(2).String()
	if r.schema.Field(name) == nil {
		r.unknown(L, name)
	}
	r.table.RawSetString(name, L.Get(3))
	return 0
}

func (r *row) unknown(L *lua.LState, name string) {
	L.RaiseError("unknown field %q of %q%s", diag.Cut(name), r.schema.Name, value.Meant(L, name, value.FieldNames(r.schema)))
}

// recall ends the row that the script has had, if it may have kept it. Where one row
// after the other was handed out, the next ones are tables from the beginning, as what
// stands for one would become one anyway; now and then it is tried again.
func (r *row) recall(m *executor) {
	switch {
	case !r.materialised:
		r.streak = 0
	case r.keeps:
		if r.ended == nil {
			r.ended = m.overTable(r.over)
		}
		r.table = m.recall(r.table, r.ended)
		r.streak++
		r.materialised = r.always || r.streak >= handedOften && r.streak%handedAgain != 0
	}
}

const handedOften, handedAgain = 8, 256

// fill copies the struct at p into the table. That the fields are compared with what
// the table says in the end is charged here, too.
func (r *row) fill(L *lua.LState, p unsafe.Pointer) *lua.LTable {
	value.ChargeFields(L, r.schema)
	t := r.table
	if r.sealed != nil {
		t = r.sealed
	}
	for i := range r.schema.Fields {
		f := &r.schema.Fields[i]
		v := value.Load(L, f, p)
		switch {
		case r.sealed != nil:
			v = r.seal(L, f, v)
		case f.Len > 0:
			v.(*lua.LTable).Metatable = r.elements(f)
		}
		t.RawSetString(f.Name, v)
	}
	return r.table
}
