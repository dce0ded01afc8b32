package bindings

import (
	"strings"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// Forwarding are the tables of earlier versions of a module that somebody may still
// hold, a registry for example. After each reload they show what the newest
// version has: new keys are there, removed ones are gone, functions are the new
// ones, and what is written into one is written into the newest table.
//
// Invariant: no table of the list has another one of the list behind it, so that
// a look-up takes one step more than usual, however many reloads there were.
type Forwarding struct{ tables []weak.Pointer[lua.LTable] }

// maxForwarded is how deep tables inside of a module's table are refreshed.
const maxForwarded = 8

// Forward turns the table of the version that ends, and the tables in it that
// the new version has under the same keys, into fronts of the new ones. Values
// that are no tables cannot be refreshed: who holds them keeps the old ones.
// O(entries).
func (m *Module) Forward(f *Forwarding, old, latest lua.LValue) {
	m.forward(f, old, latest, 0)
}

func (m *Module) forward(f *Forwarding, old, latest lua.LValue, depth int) {
	from, ok := old.(*lua.LTable)
	to, also := latest.(*lua.LTable)
	if !ok || !also || from == to || depth > maxForwarded || value.Unwrap(from) != from || value.Unwrap(to) != to {
		return // not tables, or the same, or in place already, or state, which stays anyway
	}
	content := m.main.NewTable()
	*content = *from
	m.forwardTo(from, to)
	kept := f.tables[:0]
	for _, w := range f.tables {
		t := w.Value()
		if t == nil {
			continue
		}
		if value.Unwrap(t) == from {
			m.forwardTo(t, to)
		}
		kept = append(kept, w)
	}
	f.tables = append(kept, weak.Make(from))
	value.Pairs(content, func(key, given lua.LValue) { m.forward(f, given, to.RawGet(key), depth+1) })
}

// forwardTo makes a table a front of another one. Names that begin with two
// underscores stay in it as well: the machine looks for metamethods without going
// through to what is behind.
func (m *Module) forwardTo(front, content *lua.LTable) {
	meta := m.main.CreateTable(0, 5)
	if own, ok := content.Metatable.(*lua.LTable); ok {
		copySpecial(meta, own)
	}
	meta.RawSetString("__index", content)
	meta.RawSetString("__newindex", content)
	meta.RawSetString("__len", m.types.stateLen)
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(value.ContentKey, content)
	*front = lua.LTable{Metatable: meta}
	copySpecial(front, content)
}

func copySpecial(to, from *lua.LTable) {
	value.Pairs(from, func(key, given lua.LValue) {
		if name, ok := key.(lua.LString); ok && strings.HasPrefix(string(name), "__") {
			to.RawSetString(string(name), given)
		}
	})
}
