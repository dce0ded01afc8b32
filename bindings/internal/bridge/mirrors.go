package bridge

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/machine"
	lua "github.com/yuin/gopher-lua"
)

// mirror is a table of the runtime's own, and what the host has got for it.
type mirror struct {
	ours   *machine.Table
	theirs *lua.LTable
}

// reflect returns the mirror of a table: it has the same keys, and asks the table for all
// others. That of a large one has none, and asks for all.
func (b *Bridge) reflect(t *machine.Table) *lua.LTable {
	theirs := b.tables.of(t)
	if theirs == nil {
		theirs = b.newTable(t)
	}
	theirs.Metatable = b.forward
	m := mirror{t, theirs}
	if b.calls > 0 {
		b.mirrors = append(b.mirrors, m)
	}
	if !slices.Contains(b.filling, t) { // it may lead to itself
		b.filling = append(b.filling, t)
		defer func() { b.filling = b.filling[:len(b.filling)-1] }()
		b.fill(m)
	}
	return theirs
}

// reflectMetatable returns what the host gets for a metatable of the runtime's own.
func (b *Bridge) reflectMetatable(meta *machine.Table) *lua.LTable {
	theirs := b.tables.of(meta)
	if theirs == nil {
		theirs = b.newTable(meta)
		for k, v := b.forward.Next(lua.LNil); k != lua.LNil; k, v = b.forward.Next(k) {
			theirs.RawSet(k, v)
		}
	}
	return theirs
}

// large reports whether the mirror of a table has no keys.
func (b *Bridge) large(t *machine.Table) bool { return b.Large != nil && b.Large(t.Metatable()) }

// fill has a mirror show its table.
func (b *Bridge) fill(m mirror) {
	empty(m.theirs)
	if b.large(m.ours) {
		return
	}
	for k, v, _ := m.ours.Next(machine.Nil); !k.IsNil(); k, v, _ = m.ours.Next(k) {
		m.theirs.RawSet(b.Lend(k), b.Lend(v))
	}
}

// empty takes all keys from a table.
func empty(t *lua.LTable) {
	*t = lua.LTable{Metatable: t.Metatable}
}

// settle writes to the tables what the host has changed in their mirrors, from one of them
// on.
func (b *Bridge) settle(th *machine.Thread, from int) {
	for i := from; i < len(b.mirrors); i++ {
		b.writeBack(th, b.mirrors[i])
	}
}

func (b *Bridge) writeBack(th *machine.Thread, m mirror) {
	var changed []machine.Value // keys and values
	for k, v := m.theirs.Next(lua.LNil); k != lua.LNil; k, v = m.theirs.Next(k) {
		key, value := b.Take(k), b.Take(v)
		if !m.ours.Get(key).Equal(value) {
			changed = append(changed, key, value)
		}
	}
	for k, _, _ := m.ours.Next(machine.Nil); !k.IsNil() && !b.large(m.ours); k, _, _ = m.ours.Next(k) {
		if theirs := b.known(k); theirs == nil || m.theirs.RawGet(theirs) == lua.LNil {
			changed = append(changed, k, machine.Nil)
		}
	}
	for i := 0; i < len(changed); i += 2 {
		th.SetIndex(machine.OfTable(m.ours), changed[i], changed[i+1])
	}
}

// refresh has all mirrors show what scripts have changed in the meantime.
func (b *Bridge) refresh() {
	for _, m := range b.mirrors {
		b.fill(m)
	}
}

// forwarding makes the metatable of mirrors, and of userdata of scripts.
func (b *Bridge) forwarding() *lua.LTable {
	meta := b.state.NewTable()
	add := func(event string, do func(th *machine.Thread, given []machine.Value) []machine.Value) {
		meta.RawSetString(event, b.state.NewFunction(func(L *lua.LState) int {
			return b.enter(L, func(th *machine.Thread) []machine.Value {
				given := append(b.arguments(L), machine.Nil, machine.Nil, machine.Nil)
				return do(th, given)
			})
		}))
	}
	one := func(v machine.Value) []machine.Value { return []machine.Value{v} }
	add("__index", func(th *machine.Thread, v []machine.Value) []machine.Value { return one(th.Index(v[0], v[1])) })
	add("__newindex", func(th *machine.Thread, v []machine.Value) []machine.Value {
		th.SetIndex(v[0], v[1], v[2])
		return nil
	})
	add("__call", func(th *machine.Thread, v []machine.Value) []machine.Value { return th.Call(v[0], v[1:len(v)-3]...) })
	add("__len", func(th *machine.Thread, v []machine.Value) []machine.Value { return one(th.Length(v[0])) })
	add("__eq", func(th *machine.Thread, v []machine.Value) []machine.Value {
		return one(machine.Bool(th.Equal(v[0], v[1])))
	})
	add("__lt", func(th *machine.Thread, v []machine.Value) []machine.Value {
		return one(machine.Bool(th.Less(v[0], v[1])))
	})
	add("__concat", func(th *machine.Thread, v []machine.Value) []machine.Value { return one(th.Concat(v[0], v[1])) })
	for _, event := range [...]string{"__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm"} {
		add(event, func(th *machine.Thread, v []machine.Value) []machine.Value {
			return one(th.Arithmetic(event, v[0], v[1]))
		})
	}
	add("__tostring", func(th *machine.Thread, v []machine.Value) []machine.Value {
		if meta := b.vm.Meta(v[0]); meta != nil {
			if h := meta.GetString("__tostring"); h.IsFunction() {
				return one(th.Call1(h, v[0]))
			}
		}
		return one(machine.String(v[0].Kind().String()))
	})
	meta.RawSetString("__metatable", lua.LFalse)
	return meta
}
