package bridge

import (
	"github.com/perigee-ecs/perigee/bindings/machine"
	lua "github.com/yuin/gopher-lua"
)

// Lend returns what gopher-lua has for a value of scripts. A function may be called for
// good.
func (b *Bridge) Lend(v machine.Value) lua.LValue {
	switch v.Kind() {
	case machine.KindNumber:
		return lua.LNumber(v.Float())
	case machine.KindBoolean:
		return lua.LBool(v.Truth())
	case machine.KindString:
		return lua.LString(v.Str().String())
	case machine.KindTable:
		return b.lendTable(v.Table())
	case machine.KindFunction:
		return b.lendFunction(v.Function())
	case machine.KindUserdata:
		return b.lendUserdata(v.Userdata())
	case machine.KindThread:
		b.vm.Running().Failf("a coroutine cannot be given to the host")
	}
	return lua.LNil
}

// argument is Lend for an argument of a function of the host.
func (b *Bridge) argument(v machine.Value, forGood bool) lua.LValue {
	if fn := v.Function(); fn != nil && !forGood {
		return b.lendForNow(fn)
	}
	return b.Lend(v)
}

// Take returns what scripts have for a value of gopher-lua.
func (b *Bridge) Take(v lua.LValue) machine.Value {
	switch v := v.(type) {
	case lua.LNumber:
		return machine.Number(float64(v))
	case lua.LString:
		return machine.String(string(v))
	case lua.LBool:
		return machine.Bool(bool(v))
	case *lua.LTable:
		return machine.OfTable(b.takeTable(v))
	case *lua.LFunction:
		return machine.OfFunction(b.takeFunction(v))
	case *lua.LUserData:
		return machine.OfUserdata(b.takeUserdata(v))
	case nil, *lua.LNilType:
		return machine.Nil
	}
	b.vm.Running().Failf("a %s of the host's cannot be given to scripts", typeName(v))
	return machine.Nil
}

func typeName(v lua.LValue) string {
	if v.Type() == lua.LTThread {
		return "coroutine"
	}
	return v.Type().String()
}

// known is Lend for a value that gopher-lua has got already; nil if it has not.
func (b *Bridge) known(v machine.Value) lua.LValue {
	switch v.Kind() {
	case machine.KindTable:
		if t := b.theirTable(v.Table()); t != nil {
			return t
		}
	case machine.KindFunction:
		if fn := b.theirFunction(v.Function()); fn != nil {
			return fn
		}
	case machine.KindUserdata:
		if u := b.userdata.of(v.Userdata()); u != nil {
			return u
		}
	case machine.KindThread:
	default:
		return b.Lend(v)
	}
	return nil
}

// metatable returns a metatable of gopher-lua's as scripts have it, nil for none. last is the
// one that was there the last time.
func (b *Bridge) metatable(meta lua.LValue, last *ruler) *machine.Table {
	t, ok := meta.(*lua.LTable)
	if !ok {
		return nil
	}
	if last.theirs != t {
		*last = ruler{t, b.takeTable(t)}
	}
	return last.ours
}

// ruler is a metatable on both sides.
type ruler struct {
	theirs *lua.LTable
	ours   *machine.Table
}

// lendMetatable is Lend for a metatable, or nil.
func (b *Bridge) lendMetatable(meta *machine.Table) lua.LValue {
	switch {
	case meta == nil:
		return lua.LNil
	case b.Reserved(meta):
		return b.reflectMetatable(meta)
	}
	return b.lendTable(meta)
}

// lentUserdata is a userdata of gopher-lua's that was made for one of scripts. Whoever holds
// the one holds both.
type lentUserdata struct {
	theirs lua.LUserData
	ours   *machine.Userdata
}

// lendUserdata returns the userdata of gopher-lua for one of scripts.
func (b *Bridge) lendUserdata(u *machine.Userdata) *lua.LUserData {
	theirs := b.userdata.of(u)
	if theirs == nil {
		x := &lentUserdata{lua.LUserData{Env: b.state.Env, Metatable: lua.LNil}, u}
		theirs = &x.theirs
		if u.Metatable() != nil {
			theirs.Metatable = b.forward
		}
		b.userdata.join(u, theirs)
	}
	theirs.Value = u.Value
	return theirs
}

// takeUserdata returns the userdata of scripts for one of gopher-lua.
func (b *Bridge) takeUserdata(theirs *lua.LUserData) *machine.Userdata {
	u := b.userdata.to(theirs)
	if u == nil {
		u = machine.NewUserdata(nil)
		u.Rule(b.vm.Heap, &ruledUserdata{b, theirs, ruler{}})
		b.userdata.join(u, theirs)
	}
	u.Value = theirs.Value
	return u
}

// Own returns the userdata of a script that gopher-lua has got as another one, nil if it is
// gopher-lua's own.
func (b *Bridge) Own(theirs *lua.LUserData) *machine.Userdata {
	if theirs.Metatable != b.forward {
		return nil
	}
	return b.userdata.to(theirs)
}

// keepUp takes over what the host has put into a userdata, or nil, that it has got.
func (b *Bridge) keepUp(u *machine.Userdata) {
	if u == nil {
		return
	}
	if theirs := b.userdata.of(u); theirs != nil {
		u.Value = theirs.Value
	}
}

// ruledUserdata is a userdata of gopher-lua's: it has its metatable there.
type ruledUserdata struct {
	b      *Bridge
	theirs *lua.LUserData
	last   ruler
}

// Metatable implements machine.Ruled.
func (u *ruledUserdata) Metatable() *machine.Table { return u.b.metatable(u.theirs.Metatable, &u.last) }

// SetMetatable implements machine.Ruled.
func (u *ruledUserdata) SetMetatable(m *machine.Table) { u.theirs.Metatable = u.b.lendMetatable(m) }
