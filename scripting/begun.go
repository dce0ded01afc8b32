package scripting

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

// The variables of a file begin anew with each version of it. Who has filled a table in one, in an
// on_start for example, finds it empty after the next save, and the verdict says so: which tables of
// the file had more entries than after its load, and have fewer now.
//
// What is looked at are the file's own variables, by what the functions of its top level have captured,
// and the fields of the tables in them. Never reported are tables of ecs.state, of ecs.data and of
// other files, and tables that only cache (of weak keys or values): nothing of those is lost.

// bounds of one look at a file. What is beyond them is not reported.
const (
	mostVariables = 200
	mostFields    = 32 // of the table in one variable
	mostFunctions = 2000
	mostKeys      = 10_000 // that are counted of one table, beside its list
	mostBegun     = 3      // names in the verdict, for one file
)

// ownTable is a table of a file. The key is the same in each version of the file: the name, but for the
// fields of what the file returns, which each version may call otherwise.
type ownTable struct {
	key, name string
	table     *lua.LTable
}

// sizes counts the entries of each table, by their keys.
func sizes(own []ownTable) map[string]int {
	all := make(map[string]int, len(own))
	for _, t := range own {
		all[t.key] = entries(t.table)
	}
	return all
}

// entries counts the entries of a table: its list, and up to mostKeys others.
func entries(t *lua.LTable) int {
	if shape, values := lua.Record(t); shape != nil { // as most are; the library's tables among them
		n := 0
		for i := range values {
			if !values[i].IsNil() {
				n++
			}
		}
		return n
	}
	n := t.Len()
	key := lua.LValue(lua.LNil)
	if n > 0 {
		key = lua.LNumber(n)
	}
	for range mostKeys {
		if key, _ = t.Next(key); key == lua.LNil {
			break
		}
		n++
	}
	return n
}

// ownTables finds the tables of a file: those in its variables, then those in the fields of these. O(its
// functions and variables), bounded.
func (vm *interpreter) ownTables(m *module) (own []ownTable) {
	foreign, seen := map[lua.LValue]bool{m.env: true}, map[string]bool{}
	for _, other := range vm.live {
		if other.name != m.name {
			foreign[other.exports] = true
		}
	}
	add := func(key, name string, v lua.LValue) {
		t, ok := v.(*lua.LTable)
		if ok && len(own) < mostVariables && !seen[key] && !foreign[v] && proxy.Unwrap(t) == t && proxy.Data(t) == "" && !caches(t) {
			seen[key] = true
			own = append(own, ownTable{key, name, t})
		}
	}
	vm.variables(m, func(name string, v lua.LValue) { add(name, name, v) })
	within := own
	if returned, ok := m.exports.(*lua.LTable); ok && !slices.ContainsFunc(own, func(t ownTable) bool { return t.table == returned }) {
		within = append(slices.Clone(own), ownTable{"", "", returned})
	}
	for _, t := range within {
		for name, v := range fields(t.table, mostFields) {
			if _, ok := v.(*lua.LTable); !ok {
				continue
			}
			key := t.key + "." + name
			if lua.LValue(t.table) == m.exports {
				key = "." + name
			}
			add(key, strings.TrimPrefix(t.name+"."+diag.Cut(name), "."), v)
		}
	}
	return own
}

// fields iterates over the entries of a table whose keys are texts, among its first ones.
func fields(t *lua.LTable, most int) iter.Seq2[string, lua.LValue] {
	return func(yield func(string, lua.LValue) bool) {
		if shape, values := lua.Record(t); shape != nil {
			for i, name := range shape.Texts {
				if values[i].IsNil() {
					continue
				}
				if most--; most < 0 || !yield(name, lua.FromValue(values[i])) {
					return
				}
			}
			return
		}
		for key, v := range lua.All(t) {
			if name, ok := key.(lua.LString); most <= 0 || ok && !yield(string(name), v) {
				return
			}
			most--
		}
	}
}

// caches reports whether a table holds its keys or values weakly.
func caches(t *lua.LTable) bool {
	meta, ok := lua.Metatable(t).(*lua.LTable)
	return ok && meta.RawGetString("__mode") != lua.LNil
}

// variables visits the variables of a file: locals of its top level that functions have captured, and
// globals. A local that only a function within a function knows is captured by that one, too.
func (vm *interpreter) variables(m *module, visit func(name string, v lua.LValue)) {
	top := map[*lua.FunctionProto]bool{}
	for _, p := range m.program.Proto.FunctionPrototypes {
		top[p] = true
	}
	var ahead []lua.LValue
	seen := map[any]bool{}
	add := func(v lua.LValue) {
		if !seen[v] && len(seen) < mostFunctions {
			seen[v] = true
			ahead = append(ahead, v)
		}
	}
	m.script.Functions(func(fn *lua.LFunction) { add(fn) })
	if t, ok := m.exports.(*lua.LTable); ok {
		add(t)
	}
	if m.env != nil {
		add(m.env)
	}
	for len(ahead) > 0 {
		v := ahead[0]
		ahead = ahead[1:]
		switch v := v.(type) {
		case *lua.LTable: // what the file returns, and its globals
			for name, item := range fields(v, mostVariables) {
				if v == m.env {
					visit(name, item)
				}
				if fn, ok := item.(*lua.LFunction); ok && !lua.IsGo(fn) { // of Go are all of the library
					add(fn)
				}
			}
		case *lua.LFunction:
			if lua.IsGo(v) {
				break
			}
			proto := lua.Proto(v)
			for i := range lua.Captures(v) {
				up := lua.Captured(v, i)
				value := up.Value()
				if fn, ok := value.(*lua.LFunction); ok {
					add(fn)
				}
				if top[proto] && i < len(proto.DbgUpvalues) && !seen[up] {
					seen[up] = true
					visit(proto.DbgUpvalues[i], value)
				}
			}
		}
	}
}

// heldTable is a table that has grown since its file was loaded, and how many entries it has.
type heldTable struct {
	ownTable
	size int
}

// grown returns the tables of a file that have more entries than after its load, by name, and none that
// is in another one of these.
func (vm *interpreter) grown(m *module) (held []heldTable) {
	if m.script.OnUnload() != nil {
		return nil // its author knows
	}
	own := vm.ownTables(m)
	slices.SortFunc(own, func(a, b ownTable) int { return cmp.Compare(a.name, b.name) })
	for _, t := range own {
		parent, _, isField := strings.Cut(t.name, ".")
		if isField && slices.ContainsFunc(held, func(h heldTable) bool { return h.name == parent }) {
			continue
		}
		if n := entries(t.table); n > m.sizes[t.key] {
			held = append(held, heldTable{t, n})
		}
	}
	return held
}

// begunAnew says which tables of replaced files have fewer entries in the new versions. held are those
// of the old versions, by the new name of their file.
func (vm *interpreter) begunAnew(l *loader, held map[string][]heldTable) (notes []string) {
	told := map[*lua.LTable]bool{}
	for _, m := range l.order {
		if len(held[m.name]) == 0 {
			continue
		}
		now, count := sizes(vm.ownTables(m)), 0
		for _, old := range held[m.name] {
			left, there := now[old.key]
			if told[old.table] || left >= old.size {
				continue
			}
			told[old.table] = true
			if count++; count > mostBegun {
				continue
			}
			begins := "begins anew"
			if !there {
				begins = "is gone"
			}
			notes = append(notes, fmt.Sprintf("%s: %s held %s and %s (keep it in ecs.state, or hand it over in ecs.on_unload)", m.name, old.name, diag.Plural(old.size, "item"), begins))
		}
		if count > mostBegun {
			notes = append(notes, fmt.Sprintf("%s: so %s", m.name, diag.Count(count-mostBegun, "other table does", "other tables do")))
		}
	}
	return notes
}
