package bindings

import (
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"unsafe"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// declareState is ecs.state(name, defaults): a table that outlives its script.
// Keys that are missing get the defaults.
func declareState(a *args) int {
	s := a.declares()
	name := a.named(1)
	s.stateNames = append(s.stateNames, name)
	t := a.m.states[name]
	if t == nil {
		t = a.m.staged.states[name]
	}
	if t == nil {
		t = a.m.newState()
		a.m.staged.states[name] = t
	}
	if a.L.GetTop() >= 2 {
		defaults := a.plain(a.table(2)).(*lua.LTable)
		s.states = append(s.states, stateDefaults{t, defaults, name, a.origin()})
		if a.m.states[name] == nil {
			a.m.mergeDefaults(a.L, t, defaults) // new: nobody else sees it before the commit
		}
	}
	a.L.Push(t)
	return 1
}

// stateDefaults are keys to be added to a state table when a load is accepted.
type stateDefaults struct {
	table, defaults *lua.LTable
	name            string
	at              origin
}

// maxDoubts is how many doubts of one load are told.
const maxDoubts = 20

// doubt notes where two files give the same key of a state table another default: each
// believes in its own, and one of the two is not heeded. It is told once.
func (m *Module) doubt(d stateDefaults) {
	for _, other := range m.defaults[d.name] {
		value.Pairs(d.defaults, func(k, v lua.LValue) {
			was := other.defaults.RawGet(k)
			if was == lua.LNil || samePlain(was, v) || len(m.doubts) >= maxDoubts {
				return
			}
			note := diag.Format("state table %q: two defaults for %s: %s in %s:%d, and %s in %s:%d; a new table gets that of the file that is loaded first",
				d.name, value.Shown(k), value.Shown(was), other.at.script, other.at.line, value.Shown(v), d.at.script, d.at.line)
			if !m.doubted[note] {
				m.doubted[note] = true
				m.doubts = append(m.doubts, note)
			}
		})
	}
	m.defaults[d.name] = append(m.defaults[d.name], d)
}

// undoubt forgets the defaults of a script that ends.
func (m *Module) undoubt(s *Script) {
	for _, d := range s.states {
		m.defaults[d.name] = slices.DeleteFunc(m.defaults[d.name], func(other stateDefaults) bool { return other.defaults == d.defaults })
	}
}

// Doubts returns what the last Commit took over and scripts may not have meant. A second
// call returns nothing.
func (m *Module) Doubts() []string {
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
	value.Pairs(s, func(k, v lua.LValue) { n, same = n+1, same && samePlain(v, t.RawGet(k)) })
	value.Pairs(t, func(lua.LValue, lua.LValue) { n-- })
	return same && n == 0
}

// mergeDefaults adds the keys that a state table lacks.
func (m *Module) mergeDefaults(L *lua.LState, t, defaults *lua.LTable) {
	content := value.Unwrap(t)
	value.Pairs(defaults, func(k, v lua.LValue) {
		if content.RawGet(k) == lua.LNil {
			m.adopt(L, v)
			content.RawSet(k, v)
		}
	})
}

// resource is a struct that the host provided, found by name at each use so
// that the host may replace it.
type resource struct {
	name   string
	schema *ecs.Schema
	typ    reflect.Type
}

func (r *resource) Describe() string { return "the resource " + r.name }

// findResource is ecs.resource(name). It works at the top level, too: it only
// looks the name up.
func findResource(a *args) int {
	name := a.text(1)
	t := a.m.resourceType(name)
	if t == nil {
		a.m.unsure(a.L) // the host may have provided it in the meantime
		a.fail("unknown resource %q%s", name, value.Meant(a.L, name, a.m.world.Raw().ResourceNames()))
	}
	r := &resource{name: name, typ: t, schema: ecs.SchemaOf(t)}
	a.L.Push(wrap(r, a.m.types.resource))
	return 1
}

// locate returns the resource's memory and the field that a script names.
func (a *args) locate() (*resource, unsafe.Pointer, *ecs.Field) {
	ud, _ := a.L.Get(1).(*lua.LUserData)
	r, ok := ud.Value.(*resource)
	if !ok {
		a.expected(1, "a resource")
	}
	a.m.unsure(a.L) // the struct belongs to those who run the world
	v := reflect.ValueOf(a.m.world.Raw().ResourceNamed(r.name))
	if !v.IsValid() || v.Type() != reflect.PointerTo(r.typ) {
		fault.Raisef(a.L, "resource %q is of another type now: ask for it again", r.name)
	}
	key := a.L.Get(2).String()
	f := r.schema.Field(key)
	if f == nil {
		fault.Raisef(a.L, "unknown field %q of %q%s", diag.Cut(key), r.name, value.Meant(a.L, key, value.FieldNames(r.schema)))
	}
	return r, v.UnsafePointer(), f
}

func (m *Module) resourceIndex(L *lua.LState) int {
	a := m.called(L, "resource")
	r, p, f := a.locate()
	L.Push(m.loadPart(L, nested{resource: r, base: p, path: r.name}, f, p))
	return 1
}

// resourceSet writes a field; a call that fails gets the old value back.
func (m *Module) resourceSet(L *lua.LState) int {
	a := m.called(L, "resource")
	a.acting()
	r, p, f := a.locate()
	if why := value.CannotHold(L, f, L.Get(3)); why != "" {
		fault.Raisef(L, "field %q of %q: %s", f.Name, r.name, why)
	}
	m.tx.SaveField(L, p, f, r.typ)
	value.Store(f, p, L.Get(3))
	if x := a.m.parts[place{unsafe.Add(p, f.Offset), f, f.Len > 0}]; x != nil {
		m.refill(L, x)
	}
	return 0
}

// logFunctions write to the host's log.
func (m *Module) logFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"log":    func(a *args) int { return a.log(slog.LevelInfo) },
		"warn":   func(a *args) int { return a.log(slog.LevelWarn) },
		"random": random,
	}
}

// longestLog is about how many bytes of a line are put together. The same long
// text a thousand times would be more than there is memory.
const longestLog = 64 << 10

func (a *args) log(level slog.Level) int {
	var line strings.Builder
	for i := 1; i <= a.L.GetTop() && line.Len() < longestLog; i++ {
		if i > 1 {
			line.WriteByte(' ')
		}
		word := a.m.text(a.L, a.L.Get(i))
		word = word[:min(len(word), longestLog)]
		value.ChargeBytes(a.L, len(word))
		line.WriteString(word)
	}
	a.m.Log(a.L, level, line.String())
	return 0
}

func (m *Module) text(L *lua.LState, v lua.LValue) string {
	if m.opts.Text != nil {
		return m.opts.Text(L, v)
	}
	return L.ToStringMeta(v).String()
}

// Log writes a line to the host's log with the place of the Lua code that is
// running; the host's print goes through it.
func (m *Module) Log(L *lua.LState, level slog.Level, text string) {
	if m.opts.Log == nil {
		return
	}
	script, line := fault.Here(L)
	if m.opts.Place != nil {
		script, line = m.opts.Place(L)
	}
	payer := script
	switch {
	case m.tx.Call != nil && m.tx.Call.Script != "":
		payer = m.tx.Call.Script
	case m.script != nil:
		payer = m.script.Name
	}
	if script == "" {
		script = payer // a function of the host's that nothing of Lua called
	}
	m.opts.Log(level, payer, script, line, text)
}

// random is ecs.random(), ecs.random(n) and ecs.random(a, b), as math.random.
func random(a *args) int {
	low, high := 1.0, 0.0
	switch a.L.GetTop() {
	case 0:
		a.L.Push(lua.LNumber(float64(a.m.Uint64()>>11) / (1 << 53)))
		return 1
	case 1:
		high = a.number(1)
	default:
		low, high = a.number(1), a.number(2)
	}
	if !(low <= high) || high-low >= 1<<53 || low != float64(int64(low)) || high != float64(int64(high)) {
		a.fail("expected whole numbers with low <= high, got %v and %v", low, high)
	}
	a.L.Push(lua.LNumber(low + float64(a.m.Uint64()%uint64(high-low+1))))
	return 1
}

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
