//go:build !machine

package exec

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/vm"
)

// content is what stands for a row before there is a table, and when there is one.
type content struct {
	lazy         vm.LazyTable // what stands for the table where nothing but its fields is used
	materialised bool         // the script has the table in its hands, or always gets it
	always       bool         // it gets the table for every row: there is no other way
	streak       int          // rows in a row that were handed out
}

// begin makes the table.
func (r *RowTable) begin() *lua.LTable { return r.m.Main.CreateTable(0, len(r.Schema.Fields)) }

// whole says that the script always gets the table.
func (r *RowTable) whole() { r.always, r.materialised = true, true }

// Recall ends the row that the script has had, if it may have kept it. Where one row
// after the other was handed out, the next ones are tables from the beginning, as what
// stands for one would become one anyway; now and then it is tried again.
func (r *RowTable) Recall(m *Executor) {
	switch {
	case !r.materialised:
		r.streak = 0
	case r.Keeps:
		if r.ended == nil {
			r.ended = m.overTable(r.over)
		}
		r.Table = m.recall(r.Table, r.ended)
		r.streak++
		r.materialised = r.always || r.streak >= handedOften && r.streak%handedAgain != 0
	}
}

const handedOften, handedAgain = 8, 256

// Fill copies the struct at p into the table. That the fields are compared with what
// the table says in the end is charged here, too.
func (r *RowTable) Fill(L *lua.LState, p unsafe.Pointer) *lua.LTable {
	value.ChargeFields(L, r.Schema)
	t := r.Table
	if r.sealed != nil {
		t = r.sealed
	}
	for i := range r.Schema.Fields {
		f := &r.Schema.Fields[i]
		v := value.Load(L, f, p)
		switch {
		case r.sealed != nil:
			v = r.seal(L, f, v)
		case f.Len > 0:
			lua.SetMetatable(v.(*lua.LTable), r.Elements(f))
		}
		t.RawSetString(f.Name, v)
	}
	return r.Table
}

// Materialise implements [vm.RowMaker].
func (r *RowTable) Materialise(L *lua.LState, p unsafe.Pointer) *lua.LTable {
	r.materialised = true
	return r.Fill(L, p)
}
