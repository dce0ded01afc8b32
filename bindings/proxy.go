package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// A front is an empty table that scripts hold in place of another one, which
// has the content. Reading goes through to the content in the VM, at
// the price of one more look-up; what bypasses metatables must ask [Unwrap].
//
// State tables are fronts, so that each write passes through [Module.write] and
// a call that fails can take it back: the machine gives no other place to see
// one. Tables inside of a state table are fronts as well: they are turned into
// fronts where they are, so that whoever holds them holds the same table.
//
// Invariant: the content of a state table holds numbers, strings, booleans and
// fronts, and nothing else.
//
// What it costs: a read about 20 ns more than from a plain table, a write about
// 100 ns more, and about a kilobyte for each table.

// isState reports whether a table is a front of state.
func (m *Module) isState(t *lua.LTable) bool {
	meta, ok := t.Metatable.(*lua.LTable)
	return ok && meta.RawGetString("__newindex") == lua.LValue(m.types.stateWrite)
}

// newState makes an empty state table.
func (m *Module) newState() *lua.LTable {
	t := m.main.NewTable()
	m.makeProxy(t)
	return t
}

// makeProxy makes a front of a plain table where it is; the content moves into a
// table behind it. O(1).
func (m *Module) makeProxy(t *lua.LTable) {
	content := m.main.NewTable()
	*content = *t
	meta := m.main.CreateTable(0, 5)
	meta.RawSetString("__index", m.stateIndex(content))
	meta.RawSetString("__newindex", m.types.stateWrite)
	meta.RawSetString("__len", m.types.stateLen)
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(value.ContentKey, content)
	*t = lua.LTable{Metatable: meta}
}

// stateWrite is __newindex of state tables: every write of a script, and those
// of the library, come here.
func (m *Module) stateWrite(L *lua.LState) int {
	t := L.CheckTable(1)
	if !m.isState(t) {
		fault.Raisef(L, "expected a state table, got %s", value.Describe(t))
	}
	key, given := L.Get(2), L.Get(3)
	switch k := key.(type) {
	case lua.LNumber:
		if k != k {
			fault.Raisef(L, "table index is NaN")
		}
	case lua.LString, lua.LBool:
	default:
		fault.Raisef(L, "a key of a state table is a number, a string or a boolean, got %s", value.Describe(key))
	}
	m.adopt(L, given)
	m.write(L, value.Unwrap(t), key, given)
	return 0
}

// write sets a key of a content, and notes what it held for the undo of the
// running call, or of the load whose top level writes.
func (m *Module) write(L *lua.LState, content *lua.LTable, key, given lua.LValue) {
	note := tx.Written{Content: content, Key: key, Old: content.RawGet(key)}
	switch {
	case m.tx.Call != nil:
		meterBytes(L, writtenSize)
		m.tx.Call.Wrote = append(m.tx.Call.Wrote, note)
	case m.staged != nil:
		meterBytes(L, writtenSize)
		m.staged.wrote = append(m.staged.wrote, note)
	}
	if note.Old == lua.LNil {
		value.GrowBytes(L, newKeyBytes)
	}
	tx.Put(content, key, given)
}

// SetField sets a field of a table that scripts hold, as an assignment in the
// running call would: what a state table held is noted for the undo.
func (m *Module) SetField(t *lua.LTable, name string, v lua.LValue) {
	if m.isState(t) {
		m.write(m.tx.Thread, value.Unwrap(t), lua.LString(name), v)
		return
	}
	t.RawSetString(name, v)
}

const (
	// writtenSize is about what a note takes, in bytes.
	writtenSize = 48
	// proxyBytes is about what a front takes beside its content, and frontSteps what it
	// takes to make it, next to that memory.
	proxyBytes = 1000
	proxySteps = 100
	// newKeyBytes is about what a key takes that a content did not have.
	newKeyBytes = 128
)

// meterBytes counts memory on the meter of the running call, if there is one: a
// script can make notes without end.
func meterBytes(L *lua.LState, n int) {
	if meter, ok := L.Context().(interface{ Alloc(*lua.LState, int) }); ok {
		meter.Alloc(L, n)
	}
}

// stateLen is the operator # of state tables.
func (m *Module) stateLen(L *lua.LState) int {
	L.Push(lua.LNumber(value.Unwrap(L.CheckTable(1)).Len()))
	return 1
}

// adopt makes a value fit for a state table: a table becomes a front, and so do
// the tables in it. It raises an error, and changes nothing, when there is
// anything else than plain data in it. O(entries that are new to the state).
func (m *Module) adopt(L *lua.LState, given lua.LValue) {
	t, ok := given.(*lua.LTable)
	if !ok {
		plainItem(L, given)
		return
	}
	if m.isState(t) {
		return
	}
	// A list instead of recursion: data may nest without end, or contain itself.
	list, seen := []*lua.LTable{t}, map[*lua.LTable]bool{t: true}
	for i := 0; i < len(list); i++ {
		content := list[i]
		if ownCopy(content) || partOf(content) != nil {
			content = value.Unwrap(content) // which becomes plain
		} else if content.Metatable != lua.LNil {
			fault.Raisef(L, "a state table keeps plain data (numbers, strings, booleans, tables of them), got a table with a metatable")
		}
		value.Pairs(content, func(key, item lua.LValue) {
			meterBytes(L, writtenSize)
			plainItem(L, key)
			inner, ok := item.(*lua.LTable)
			switch {
			case !ok:
				plainItem(L, item)
			case !seen[inner] && !m.isState(inner):
				seen[inner] = true
				list = append(list, inner)
			}
		})
	}
	value.Charge(L, len(list)*proxySteps)
	value.GrowBytes(L, len(list)*proxyBytes)
	for _, inner := range list {
		m.plainPart(inner)
		m.makeProxy(inner)
	}
}

// plainItem raises an error for what a state table cannot keep: functions would
// keep an old script alive.
func plainItem(L *lua.LState, v lua.LValue) {
	switch v.(type) {
	case lua.LNumber, lua.LString, lua.LBool, *lua.LNilType:
		return
	}
	fault.Raisef(L, "a state table keeps plain data (numbers, strings, booleans, tables of them), got %s", value.Describe(v))
}
