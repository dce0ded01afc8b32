package bindings

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

// states are the tables that outlive their scripts.
type states struct {
	*core
	tables   map[string]*lua.LTable     // by name
	defaults map[string][]stateDefaults // in force, by the name of the table
	doubted  map[string]bool            // what doubts has told
	doubts   []string
	written  uint64         // counts writes into state tables, those that are taken back included
	wrote    tx.StateWrites // by ecs.on_load, which is running

	refuse *lua.LFunction // what a rehearsal says of the content
}

// newStates makes the state tables of a binding.
func newStates(c *core) *states {
	return &states{
		core: c, tables: map[string]*lua.LTable{}, defaults: map[string][]stateDefaults{}, doubted: map[string]bool{},
		refuse: c.main.NewFunction(func(L *lua.LState) int {
			c.unsure(L)
			return 0
		}),
	}
}

// declare is ecs.state(name, defaults): a table that outlives its script.
// Keys that are missing get the defaults.
func (m *states) declare(a *args) int {
	s := a.declares()
	name := a.named(1)
	s.stateNames = append(s.stateNames, name)
	t := m.tables[name]
	if t == nil {
		t = a.staged.states[name]
	}
	if t == nil {
		t = m.newState()
		a.staged.states[name] = t
	}
	if a.L.GetTop() >= 2 {
		defaults := value.CopyPlain(a.L, a.table(2), a.fail).(*lua.LTable)
		s.states = append(s.states, stateDefaults{t, defaults, name, fault.Here(a.L)})
		if m.tables[name] == nil {
			m.mergeDefaults(a.L, t, defaults) // new: nobody else sees it before the commit
		}
	}
	return a.result(t)
}

// maxDoubts is how many doubts of one load are told.
const maxDoubts = 20

// doubt notes where two files give the same key of a state table another default: each
// believes in its own, and one of the two is not heeded. It is told once.
func (m *states) doubt(d stateDefaults) {
	for _, other := range m.defaults[d.name] {
		proxy.Pairs(d.defaults, func(k, v lua.LValue) {
			was := other.defaults.RawGet(k)
			if was == lua.LNil || value.SamePlain(was, v) || len(m.doubts) >= maxDoubts {
				return
			}
			note := diag.Format("state table %q: two defaults for %s: %s in %s, and %s in %s; a new table gets that of the file that is loaded first",
				d.name, value.Shown(k), value.Shown(was), other.at.String(), value.Shown(v), d.at.String())
			if !m.doubted[note] {
				m.doubted[note] = true
				m.doubts = append(m.doubts, note)
			}
		})
	}
	m.defaults[d.name] = append(m.defaults[d.name], d)
}

// undoubt forgets the defaults of a script that ends.
func (m *states) undoubt(s *Declarations) {
	for _, d := range s.states {
		m.defaults[d.name] = slices.DeleteFunc(m.defaults[d.name], func(other stateDefaults) bool { return other.defaults == d.defaults })
	}
}

// takeDoubts returns what the last Commit took over and scripts may not have meant. A second
// call returns nothing.
func (m *states) takeDoubts() []string {
	list := m.doubts
	m.doubts = nil
	return list
}

// mergeDefaults adds the keys that a state table lacks.
func (m *states) mergeDefaults(L *lua.LState, t, defaults *lua.LTable) {
	content := proxy.Unwrap(t)
	m.written++
	proxy.Pairs(defaults, func(k, v lua.LValue) {
		if content.RawGet(k) == lua.LNil {
			v = value.CopyPlain(L, v, func(string, ...any) {}) // the defaults, plain and small already, stay what they are, for a table that begins anew
			m.adopt(L, v)
			content.RawSet(k, v)
		}
	})
}

// State tables are fixed ([lua.FixInPlace]): a script reads one as any table, and each write
// passes through states.stateWrite, so that a call that fails can take it back: the VM has
// no other place that sees a write. Tables in a state table are state tables as well. They
// become that where they are, so that whoever holds one holds the same table.
//
// A rehearsal must not read what is in the game. There state tables are proxies ([proxy.Meta])
// whose reads are refused; and so is, with reads that are permitted, a table that code of the
// host's has as well.
//
// Invariant: the content of a state table holds numbers, strings, booleans and
// state tables, and nothing else.
//
// What it costs: nothing for a read, about 100 ns for a write.

// isState reports whether a table is one of state.
func (m *states) isState(t *lua.LTable) bool {
	meta, ok := lua.Metatable(t).(*lua.LTable)
	return ok && (meta == m.types.state || meta.RawGetString("__newindex") == lua.LValue(m.types.stateWrite))
}

// whyMissing says how a state table gets a key that it does not have: for one that has a name, and for
// keys that are names. O(state tables), for an error.
func (m *states) whyMissing(t *machine.Table, key string) string {
	for name, table := range m.tables {
		if (*machine.Table)(table) == t && diag.IsName(key) {
			return diag.Format(": the state table %q has no %s; a default is what it begins with: ecs.state(%q, { %s = … })", name, key, name, key)
		}
	}
	return ""
}

// newState makes an empty state table.
func (m *states) newState() *lua.LTable {
	t := m.main.NewTable()
	m.makeState(t)
	return t
}

// makeState makes a plain table one of state where it is. O(text keys).
func (m *states) makeState(t *lua.LTable) {
	if m.ground.live() && lua.FixInPlace(t, m.types.state) {
		return
	}
	content := m.main.NewTable()
	meta := proxy.Meta(m.main, content, m.ground.state(content, m.refuse), m.types.stateWrite, m.types.stateLen)
	meta.RawSetString(proxy.StateKey, lua.LTrue)
	lua.Move(t, content, meta)
}

// clear removes all keys of a state table.
func (m *states) clear(t *lua.LTable) {
	content := proxy.Unwrap(t)
	lua.Clear(content, lua.Metatable(content))
}

// stateWrite is __newindex of state tables: every write of a script, and those
// of the library, come here.
func (m *states) stateWrite(L *lua.LState) int {
	t := (*lua.LTable)(lua.At(L, 1).Table())
	if t == nil {
		L.CheckTable(1) // raises the error
	}
	content := t
	if meta, ok := lua.Metatable(t).(*lua.LTable); !ok || meta != m.types.state {
		if !m.isState(t) {
			fault.Raisef(L, "expected a state table, got %s", value.Describe(t))
		}
		content = proxy.Unwrap(t)
	}
	key, given := lua.At(L, 2), lua.At(L, 3)
	switch n, number := lua.AsNumber(key); {
	case number && n != n:
		fault.Raisef(L, "table index is NaN")
	case lua.IsNil(key) || !lua.IsPlain(key):
		fault.Raisef(L, "a key of a state table is a number, a string or a boolean, got %s", value.Describe(lua.FromValue(key)))
	case !lua.IsPlain(given):
		m.adopt(L, lua.FromValue(given))
	}
	m.write(L, content, key, given)
	return 0
}

// write sets a key of a content, and notes what it held for the undo of the
// running call, or of the load whose top level writes.
func (m *states) write(L *lua.LState, content *lua.LTable, key, given lua.Value) {
	if m.tx.Alone() != "" && m.alone() == saveName {
		fault.Raisef(L, "a state table cannot be written in %s: a save changes nothing; return what is to be kept", saveName)
	}
	m.written++
	note := tx.Written{Content: content, Key: key, Old: lua.RawGet(content, key), Len: content.Len()}
	if list := m.noting(); list != nil {
		if list.Far() {
			value.Charge(L, farSteps)
		}
		if !list.Noted(&note, given) {
			value.ChargeBytes(L, writtenSize)
			list.Note(note)
		}
	}
	if lua.IsNil(note.Old) {
		value.GrowBytes(L, newKeyBytes)
	}
	tx.Put(content, key, given)
}

// noting returns where writes are noted now; nil: nobody takes them back.
func (m *states) noting() *tx.StateWrites {
	switch {
	case m.tx.Call != nil:
		return &m.tx.Call.Wrote
	case m.staged != nil:
		return &m.staged.wrote
	case m.tx.Alone() != "" || m.tx.Migrating:
		return &m.wrote
	}
	return nil
}

// setField sets a field of a table that scripts hold, as an assignment in the
// running call would: what a state table held is noted for the undo.
func (m *states) setField(t *lua.LTable, name string, v lua.LValue) {
	if m.isState(t) {
		m.write(m.tx.Thread, proxy.Unwrap(t), lua.Text(name), lua.ToValue(v))
		return
	}
	t.RawSetString(name, v)
}

const (
	// writtenSize is about what a note takes, in bytes.
	writtenSize = 48
	// farSteps is what one more write costs where so many are noted that it looks in memory which
	// the processor does not have at hand.
	farSteps = 10
	// proxyBytes is about what a table of state takes at most beside its content, as a proxy, and
	// proxySteps what it takes to make it, next to that memory. Each counts as much.
	proxyBytes = 1000
	proxySteps = 400
	// entrySteps is what it takes to look at an entry of a table that is to become one of state.
	entrySteps = 4
	// newKeyBytes is about what a key takes that a content did not have.
	newKeyBytes = 128
)

// adopt makes a value fit for a state table: a table becomes one of state, and so do
// the tables in it. It raises an error, and changes nothing, when there is
// anything else than plain data in it. O(entries that are new to the state).
func (m *states) adopt(L *lua.LState, given lua.LValue) {
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
			content = proxy.Unwrap(content) // which becomes plain
		} else if file := proxy.Data(content); file != "" {
			fault.Raisef(L, "a state table does not keep a table of ecs.data(%q), which changes with its file: keep the key of it, and look it up by that", file)
		} else if lua.Metatable(content) != lua.LNil {
			fault.Raisef(L, "a state table keeps plain data (numbers, strings, booleans, tables of them), got a table with a metatable")
		}
		value.Charge(L, lua.Entries(content)*entrySteps) // before any of them is looked at
		proxy.Pairs(content, func(key, item lua.LValue) {
			value.ChargeBytes(L, writtenSize)
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
		plainPart(L, inner)
		m.makeState(inner)
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
