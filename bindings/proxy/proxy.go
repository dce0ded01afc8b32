// Package proxy has the tables that scripts hold in place of others.
//
// A proxy is an empty table whose metatable leads to another one, the content. Reads go
// through to the content in the VM; writes go to a function, which decides what becomes of
// them. The arrays and structs of resources are proxies, and so are the tables of ecs.state
// where they cannot be sealed, and the tables that earlier versions of a module have returned ([Forwarding]).
//
// A table that is over stood for something that lasts for one call. Its metatable says what
// is wrong with its use.
//
// The VM asks metatables by itself. Whatever goes past them, such as a function of the
// library that walks through a table, asks [Unwrap] and [Over] before it looks.
package proxy

import "github.com/perigee-ecs/perigee/bindings/lua"

const (
	// ContentKey is where the metatable of a proxy has the content. Scripts cannot
	// write the name by accident, and what they reach by it is what they see anyway.
	ContentKey = "\x00content"
	// CopyKey is where the metatable of a copy that is the script's own says so: in a
	// state table it becomes a plain one.
	CopyKey = "\x00copy"
	// GuardKey is where the metatable of a table of the host's that is no proxy says that the
	// host uses the table again: no key may get into it past the metatable.
	GuardKey = "\x00guard"
	// SealedKey is where the metatable of a table of the host's that is no proxy says that no
	// key of it is assigned, neither a new one nor one that it has.
	SealedKey = "\x00sealed"
	// StateKey is where the metatable of a state table says so. Such a table is sealed.
	StateKey = "\x00state"
	// DataKey is where the metatable of a table that was read from a data file has the name of the
	// file. Such a table is sealed, and so are those in it.
	DataKey = "\x00data"
	// NoListKey is where the metatable of a table that is no list says what to use in the place
	// of # and ipairs, which would find it empty.
	NoListKey = "\x00nolist"
	// OverKey is where the metatable of a table that is over says what is wrong.
	OverKey = "\x00over"
)

// Over says what is wrong with a table that a script must not use any more. It is empty
// for all other tables.
func Over(t *lua.LTable) string { return Says(t, OverKey) }

// Says returns the words that the metatable of a table has under one of the keys, "" for
// all tables that have none.
func Says(t *lua.LTable, key string) string {
	meta, ok := lua.Metatable(t).(*lua.LTable)
	if !ok {
		return ""
	}
	words, _ := meta.RawGetString(key).(lua.LString)
	return string(words)
}

// Own reports whether a table may be written past its metatable: it is no proxy, and the
// host does not use it again.
func Own(t *lua.LTable) bool {
	return !has(t, ContentKey) && !has(t, GuardKey) && !Sealed(t)
}

// Sealed reports whether no key of a table may be assigned by what goes past metatables.
func Sealed(t *lua.LTable) bool { return has(t, SealedKey) }

// Data returns the name of the data file that a table was read from, "" for all other tables. The
// table has its content itself, and never changes.
func Data(t *lua.LTable) string { return Says(t, DataKey) }

// State reports whether a table is one of ecs.state. Most have their content themselves.
func State(t *lua.LTable) bool { return has(t, StateKey) }

// Copy reports whether a table is a copy of the script's own, which is plain data for all that is
// not called on it.
func Copy(t *lua.LTable) bool { return has(t, CopyKey) }

// has reports whether the metatable of a table has a key.
func has(t *lua.LTable, key string) bool {
	meta, ok := lua.Metatable(t).(*lua.LTable)
	return ok && meta.RawGetString(key) != lua.LNil
}

// Unwrap returns the table that has the content of t: t itself, unless t is a proxy.
func Unwrap(t *lua.LTable) *lua.LTable {
	meta, ok := lua.Metatable(t).(*lua.LTable)
	if !ok {
		return t
	}
	if content, ok := meta.RawGetString(ContentKey).(*lua.LTable); ok {
		return content
	}
	return t
}

// TableOf returns a value's content if it is a table, and none that is over.
func TableOf(v lua.LValue) (*lua.LTable, bool) {
	t, ok := v.(*lua.LTable)
	switch {
	case !ok || lua.Metatable(t) == lua.LNil:
		return t, ok
	case Over(t) != "":
		return nil, false
	}
	return Unwrap(t), true
}

// Pairs goes through a table in the order of the pairs of scripts.
func Pairs(t *lua.LTable, visit func(k, v lua.LValue)) {
	t = Unwrap(t)
	for k, v := range lua.All(t) {
		visit(k, v)
	}
}

// Length is the operator # of proxies.
func Length(L *lua.LState) int {
	L.Push(lua.LNumber(Unwrap(L.CheckTable(1)).Len()))
	return 1
}

// Meta makes the metatable of a proxy. Reads that find nothing in the proxy go to index,
// which is the content in most cases, and writes to write; length is [Length].
func Meta(L *lua.LState, content *lua.LTable, index, write lua.LValue, length *lua.LFunction) *lua.LTable {
	meta := L.CreateTable(0, 6)
	meta.RawSetString("__index", index)
	meta.RawSetString("__newindex", write)
	meta.RawSetString("__len", length)
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(ContentKey, content)
	return meta
}
