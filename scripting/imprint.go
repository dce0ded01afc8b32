package scripting

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings"
	lua "github.com/yuin/gopher-lua"
)

// snapshot is what modules hold at one moment: the content of every table and the
// value of every captured local that can be reached from them. It tells whether
// something has changed since, and puts it back. O(tables + entries + captured
// locals) in time and memory.
//
// State tables are left out, for writes into them are noted one by one; so are
// coroutines, and what Go functions hold: nobody can look into those.
type snapshot struct {
	tables []tableSnapshot
	locals []localSnapshot
	seen   map[any]bool
	ahead  []lua.LValue // still to be walked through
}

type tableSnapshot struct {
	table   *lua.LTable
	meta    lua.LValue
	entries []lua.LValue // key and value in turns, in the order of next
}

type localSnapshot struct {
	local *lua.Upvalue
	value lua.LValue
}

// snapshotOf keeps what modules hold. Those that have failed hold nothing.
func snapshotOf(modules []*module) *snapshot {
	p := &snapshot{seen: map[any]bool{}}
	for _, m := range modules {
		if len(m.script.Problems) == 0 {
			p.ahead = append(p.ahead, m.exports)
		}
	}
	for len(p.ahead) > 0 {
		last := len(p.ahead) - 1
		v := p.ahead[last]
		p.ahead = p.ahead[:last]
		p.keep(v)
	}
	p.seen = nil
	return p
}

// snapshotOthers keeps what live modules hold, but for those of a set of texts.
func (vm *interpreter) snapshotOthers(texts map[string]*source) *snapshot {
	var stay []*module
	for name, m := range vm.live {
		if texts[name] == nil {
			stay = append(stay, m)
		}
	}
	return snapshotOf(stay)
}

func (p *snapshot) keep(v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		if p.isNew(v) && bindings.Unwrap(v) == v {
			entries := entriesOf(v)
			p.tables = append(p.tables, tableSnapshot{v, v.Metatable, entries})
			p.ahead = append(append(p.ahead, v.Metatable), entries...)
		}
	case *lua.LFunction:
		if v.IsG || !p.isNew(v) {
			break
		}
		if v.Env != nil {
			p.ahead = append(p.ahead, v.Env)
		}
		for _, local := range v.Upvalues {
			if p.isNew(local) {
				p.locals = append(p.locals, localSnapshot{local, local.Value()})
				p.ahead = append(p.ahead, local.Value())
			}
		}
	}
}

func (p *snapshot) isNew(object any) bool {
	known := p.seen[object]
	p.seen[object] = true
	return !known
}

func entriesOf(t *lua.LTable) []lua.LValue {
	var entries []lua.LValue
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		entries = append(entries, k, v)
	}
	return entries
}

// changed reports whether something is not as it was.
func (p *snapshot) changed() bool {
	return slices.ContainsFunc(p.tables, func(t tableSnapshot) bool { return t.changed() }) ||
		slices.ContainsFunc(p.locals, func(l localSnapshot) bool { return l.local.Value() != l.value })
}

func (t *tableSnapshot) changed() bool {
	return t.table.Metatable != t.meta || !slices.Equal(entriesOf(t.table), t.entries)
}

// restore puts everything back. An imprint that is nil is of nothing.
func (p *snapshot) restore() {
	if p == nil {
		return
	}
	for _, t := range p.tables {
		if !t.changed() {
			continue
		}
		*t.table = lua.LTable{Metatable: t.meta}
		for i := 0; i < len(t.entries); i += 2 {
			t.table.RawSet(t.entries[i], t.entries[i+1])
		}
	}
	for _, l := range p.locals {
		l.local.SetValue(l.value)
	}
}
