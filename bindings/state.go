package bindings

import (
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
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
