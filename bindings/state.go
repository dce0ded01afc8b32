package bindings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	lua "github.com/yuin/gopher-lua"
)

// states are the tables that outlive their scripts.
type states struct {
	*core
	tables   map[string]*lua.LTable     // by name
	defaults map[string][]stateDefaults // in force, by the name of the table
	doubted  map[string]bool            // what doubts has told
	doubts   []string

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

// nameOf returns the name of a state table.
func (m *states) nameOf(t *lua.LTable) string {
	for name, known := range m.tables {
		if known == t {
			return name
		}
	}
	return ""
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
		defaults := a.plain(a.table(2)).(*lua.LTable)
		s.states = append(s.states, stateDefaults{t, defaults, name, fault.Here(a.L)})
		if m.tables[name] == nil {
			m.mergeDefaults(a.L, t, defaults) // new: nobody else sees it before the commit
		}
	}
	a.L.Push(t)
	return 1
}

// maxDoubts is how many doubts of one load are told.
const maxDoubts = 20

// doubt notes where two files give the same key of a state table another default: each
// believes in its own, and one of the two is not heeded. It is told once.
func (m *states) doubt(d stateDefaults) {
	for _, other := range m.defaults[d.name] {
		proxy.Pairs(d.defaults, func(k, v lua.LValue) {
			was := other.defaults.RawGet(k)
			if was == lua.LNil || samePlain(was, v) || len(m.doubts) >= maxDoubts {
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

// samePlain compares plain data.
func samePlain(a, b lua.LValue) bool {
	s, ok := a.(*lua.LTable)
	t, both := b.(*lua.LTable)
	if !ok || !both {
		return a == b
	}
	same, n := true, 0
	proxy.Pairs(s, func(k, v lua.LValue) { n, same = n+1, same && samePlain(v, t.RawGet(k)) })
	proxy.Pairs(t, func(lua.LValue, lua.LValue) { n-- })
	return same && n == 0
}

// mergeDefaults adds the keys that a state table lacks.
func (m *states) mergeDefaults(L *lua.LState, t, defaults *lua.LTable) {
	content := proxy.Unwrap(t)
	proxy.Pairs(defaults, func(k, v lua.LValue) {
		if content.RawGet(k) == lua.LNil {
			m.adopt(L, v)
			content.RawSet(k, v)
		}
	})
}

// A proxy is an empty table that scripts hold in place of another one, which
// has the content. Reading goes through to the content in the VM, at
// the price of one more look-up; what bypasses metatables must ask [proxy.Unwrap].
//
// State tables are proxies, so that each write passes through states.write and a call
// that fails can take it back: the VM has no other place that sees a write. Tables in a
// state table are proxies as well. They become proxies where they are, so that whoever
// holds one holds the same table.
//
// Invariant: the content of a state table holds numbers, strings, booleans and
// proxies, and nothing else.
//
// What it costs: a read about 20 ns more than from a plain table, a write about
// 100 ns more, and about a kilobyte for each table.

// isState reports whether a table is a proxy of state.
func (m *states) isState(t *lua.LTable) bool {
	meta, ok := t.Metatable.(*lua.LTable)
	return ok && meta.RawGetString("__newindex") == lua.LValue(m.types.stateWrite)
}

// newState makes an empty state table.
func (m *states) newState() *lua.LTable {
	t := m.main.NewTable()
	m.makeProxy(t)
	return t
}

// makeProxy makes a plain table a proxy where it is. The content moves into a table of
// its own. O(1).
func (m *states) makeProxy(t *lua.LTable) {
	content := m.main.NewTable()
	*content = *t
	*t = lua.LTable{Metatable: proxy.Meta(m.main, content, m.ground.state(content, m.refuse), m.types.stateWrite, m.types.stateLen)}
}

// stateWrite is __newindex of state tables: every write of a script, and those
// of the library, come here.
func (m *states) stateWrite(L *lua.LState) int {
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
	m.write(L, proxy.Unwrap(t), key, given)
	return 0
}

// write sets a key of a content, and notes what it held for the undo of the
// running call, or of the load whose top level writes.
func (m *states) write(L *lua.LState, content *lua.LTable, key, given lua.LValue) {
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

// setField sets a field of a table that scripts hold, as an assignment in the
// running call would: what a state table held is noted for the undo.
func (m *states) setField(t *lua.LTable, name string, v lua.LValue) {
	if m.isState(t) {
		m.write(m.tx.Thread, proxy.Unwrap(t), lua.LString(name), v)
		return
	}
	t.RawSetString(name, v)
}

const (
	// writtenSize is about what a note takes, in bytes.
	writtenSize = 48
	// proxyBytes is about what a proxy takes beside its content, and proxySteps what it
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

// adopt makes a value fit for a state table: a table becomes a proxy, and so do
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
		} else if content.Metatable != lua.LNil {
			fault.Raisef(L, "a state table keeps plain data (numbers, strings, booleans, tables of them), got a table with a metatable")
		}
		proxy.Pairs(content, func(key, item lua.LValue) {
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
		plainPart(L, inner)
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

const (
	// maxHandover bounds how many entries a version hands over.
	maxHandover = 250_000
	// handoverTable and handoverEntry are about what a copy takes, in bytes.
	handoverTable = 300
	handoverEntry = 64
	// maxLeft is how many of the things that are left behind are named.
	maxLeft = 5
)

// handover copies what a version hands over to the next: numbers, strings, booleans and
// tables of them, which may contain each other and themselves. What else there is would
// be code of the old version, or lead to it: it is left behind, and named.
type handover struct {
	a     *args
	made  map[*lua.LTable]*lua.LTable
	queue []pendingCopy
	count int
	left  []string
	more  int // that are left behind and not named
}

// pendingCopy is a table whose copy is still to be filled.
type pendingCopy struct {
	from, to *lua.LTable
	path     string
}

// handOver returns the copy, and what is left behind, in words.
func (a *args) handOver(v lua.LValue) (handed lua.LValue, left string) {
	h := &handover{a: a, made: map[*lua.LTable]*lua.LTable{}}
	handed = h.copied(v, "")
	for len(h.queue) > 0 {
		next := h.queue[0]
		h.queue = h.queue[1:]
		proxy.Pairs(next.from, func(k, item lua.LValue) { h.entry(next, k, item) })
	}
	if h.more > 0 {
		h.left = append(h.left, fmt.Sprintf("%s more", diag.Grouped(int64(h.more))))
	}
	return handed, strings.Join(h.left, "; ")
}

func (h *handover) entry(in pendingCopy, k, item lua.LValue) {
	if h.count++; h.count > maxHandover {
		h.a.fail("what is handed over has more than %s entries", diag.Grouped(maxHandover))
	}
	value.Charge(h.a.L, value.StepsPerEntry)
	value.ChargeBytes(h.a.L, handoverEntry)
	path := in.path + pathOf(k, in.path == "")
	key := h.copied(k, path+" (the key)")
	if key == lua.LNil {
		return
	}
	in.to.RawSet(key, h.copied(item, path))
}

// pathOf is how a script writes the access to a key.
func pathOf(k lua.LValue, first bool) string {
	switch k := k.(type) {
	case lua.LString:
		if first {
			return diag.Cut(string(k))
		}
		return "." + diag.Cut(string(k))
	case lua.LNumber, lua.LBool:
		return "[" + k.String() + "]"
	}
	return "[a " + k.Type().String() + "]"
}

// copied returns a value of the new version, nil for what is left behind.
func (h *handover) copied(v lua.LValue, path string) lua.LValue {
	switch v := v.(type) {
	case lua.LNumber, lua.LString, lua.LBool, *lua.LNilType:
		return v
	case *lua.LTable:
		if t := h.made[v]; t != nil {
			return t
		}
		if v.Metatable != lua.LNil && proxy.Over(v) != "" {
			h.leave(path, "it was over with its call")
			return lua.LNil
		}
		if v.Metatable != lua.LNil && proxy.Unwrap(v) == v {
			h.leave(path, "its metatable; its entries are handed over")
		}
		value.ChargeBytes(h.a.L, handoverTable)
		t := h.a.L.NewTable()
		h.made[v] = t
		if len(path) > longestPath {
			path = path[:longestPath] + "…"
		}
		h.queue = append(h.queue, pendingCopy{v, t, path})
		return t
	}
	h.leave(path, value.Describe(v))
	return lua.LNil
}

// longestPath is where the names of deep entries are cut.
const longestPath = 80

func (h *handover) leave(path, why string) {
	if len(h.left) >= maxLeft {
		h.more++
		return
	}
	if path == "" {
		path = "all of it"
	}
	h.left = append(h.left, path+": "+why)
}

// plain copies data that a timer may keep: numbers, strings, booleans and
// tables of them. Functions would keep the old script alive.
func (a *args) plain(v lua.LValue) lua.LValue {
	budget := value.MaxEntries
	return a.plainPart(v, 0, &budget)
}

func (a *args) plainPart(v lua.LValue, depth int, budget *int) lua.LValue {
	switch v := v.(type) {
	case lua.LNumber, lua.LString, lua.LBool, *lua.LNilType:
		return v
	case *lua.LTable:
		a.notOver(v)
		if depth > value.MaxNesting {
			a.fail("data nests deeper than %d levels, or contains itself", value.MaxNesting)
		}
		t := a.L.NewTable()
		proxy.Pairs(v, func(k, item lua.LValue) {
			if *budget--; *budget < 0 {
				a.fail("data has more than %s entries", diag.Grouped(value.MaxEntries))
			}
			value.Charge(a.L, value.StepsPerEntry)
			t.RawSet(a.plainPart(k, depth+1, budget), a.plainPart(item, depth+1, budget))
		})
		return t
	}
	a.fail("expected plain data (numbers, strings, booleans, tables of them), got %s", value.Describe(v))
	return nil
}

// plainCopy copies a table and those in it, whatever else a handler may have put there
// too: only the tables are its own. They may nest without end, so it does not recurse.
func plainCopy(L *lua.LState, v lua.LValue) lua.LValue {
	copies := map[*lua.LTable]*lua.LTable{}
	var left []*lua.LTable
	copied := func(v lua.LValue) lua.LValue {
		from, ok := v.(*lua.LTable)
		if !ok {
			return v
		}
		if copies[from] == nil {
			copies[from] = L.NewTable()
			left = append(left, from)
		}
		return copies[from]
	}
	result := copied(v)
	for len(left) > 0 {
		from := left[len(left)-1]
		left = left[:len(left)-1]
		to := copies[from]
		to.Metatable = from.Metatable
		proxy.Pairs(from, func(k, item lua.LValue) {
			value.Charge(L, value.StepsPerEntry)
			to.RawSet(copied(k), copied(item))
		})
	}
	return result
}
