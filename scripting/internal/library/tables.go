package library

import (
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

// Tables as arguments. Some tables are the host's: their metatables say, under names that no
// script can write by accident, what they stand for; see package proxy. They are read by
// their content and written through their metamethods. args.table and args.proxy say which
// of the two a function has.

// keys are the names under which metatables are asked, each made once.
type keys struct {
	content, guard, sealed, noList, over *machine.Str
	metatable, tostring                  *machine.Str
}

func newKeys() keys {
	return keys{
		machine.NewStr(proxy.ContentKey), machine.NewStr(proxy.GuardKey), machine.NewStr(proxy.SealedKey),
		machine.NewStr(proxy.NoListKey), machine.NewStr(proxy.OverKey),
		machine.NewStr("__metatable"), machine.NewStr("__tostring"),
	}
}

// table returns a table to be read: its content, if it is a proxy.
func (lib *Library) table(a args, n int) *machine.Table { return lib.unwrap(lib.proxy(a, n)) }

// proxy returns a table as the script has it, without a look behind a proxy. A table of the
// host's that is over, because its call has ended, is an error.
func (lib *Library) proxy(a args, n int) *machine.Table {
	t := a.Arg(n).Table()
	if t == nil {
		a.expected(n, "table")
	}
	if meta := t.Metatable(); meta != nil {
		if why := meta.GetStr(lib.keys.over); why.IsString() {
			a.raise("%s", why.Str().String())
		}
	}
	return t
}

// unwrap returns the table that has the content of t: t itself, unless t is a proxy.
func (lib *Library) unwrap(t *machine.Table) *machine.Table {
	if meta := t.Metatable(); meta != nil {
		if content := meta.GetStr(lib.keys.content).Table(); content != nil {
			return content
		}
	}
	return t
}

// own reports whether a table may be written past its metatable: it is no proxy, and the
// host does not use it again.
func (lib *Library) own(t *machine.Table) bool {
	meta := t.Metatable()
	return meta == nil || meta.GetStr(lib.keys.content).IsNil() && meta.GetStr(lib.keys.guard).IsNil() && meta.GetStr(lib.keys.sealed).IsNil()
}

// put sets an item of a table without calling a metamethod of the script. If the table is a
// proxy, or a row or a list that the host fills again, its metamethod is the host's and must
// be called: the host keeps the content, and what it does not know would stay for later rows.
func (lib *Library) put(a args, t *machine.Table, key, value machine.Value) {
	if lib.own(t) {
		t.Set(key, value)
		return
	}
	a.Charge(1)
	if !t.Sealed() && !t.Metatable().GetStr(lib.keys.sealed).IsNil() { // also for keys that it has
		empty := lib.vm.Heap.NewTable(0, 0)
		empty.SetMetatable(t.Metatable())
		t = empty
	}
	a.Thread().SetIndex(machine.OfTable(t), key, value)
}

// metafield returns a field of a value's metatable, even if the metatable is protected.
// Only tables and userdata have one of their own.
func metafield(v machine.Value, name *machine.Str) machine.Value {
	var meta *machine.Table
	switch {
	case v.IsTable():
		meta = v.Table().Metatable()
	case v.Userdata() != nil:
		meta = v.Userdata().Metatable()
	}
	if meta == nil {
		return machine.Nil
	}
	return meta.GetStr(name)
}

// listLength returns the length of a list.
func listLength(t *machine.Table) int { return t.Len() }
