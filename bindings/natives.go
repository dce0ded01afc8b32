package bindings

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// Natives returns what stands for those functions of ecs that ask about one entity, and
// for the methods of batches that give arrays.
func (m *Module) Natives() map[*lua.LFunction]exec.Native {
	known := map[string]exec.Native{"get": m.nativeGet, "has": m.nativeHas, "alive": m.nativeAlive}
	natives := map[*lua.LFunction]exec.Native{}
	for _, f := range m.functions {
		if n := known[f.name]; n != nil {
			natives[f.value] = counted(n)
		}
	}
	natives[m.batchMethod(m.main, "read")] = counted(m.nativeColumn(false))
	natives[m.batchMethod(m.main, "write")] = counted(m.nativeColumn(true))
	return natives
}

// counted is a native that counts as the function for which it stands.
func counted(n exec.Native) exec.Native {
	return func(caller exec.Caller, call []exec.Register) bool {
		if !caller.Afford(value.StepsPerCall) || !n(caller, call) {
			return false
		}
		caller.Spend(value.StepsPerCall)
		return true
	}
}

// nativeColumn is b:read(component, "field") and b:write(component, "field").
func (m *Module) nativeColumn(write bool) exec.Native {
	return func(_ exec.Caller, call []exec.Register) bool {
		if len(call) != 4 || m.exec.Batch == nil || m.exec.Batch.View == nil {
			return false
		}
		b := m.exec.Batch
		if call[1].Value != lua.LValue(b.Table) {
			return false // a batch that is over
		}
		ud, _ := call[2].Value.(*lua.LUserData)
		name, _ := call[3].Value.(lua.LString)
		if ud == nil {
			return false
		}
		c, _ := ud.Value.(*decl.Component)
		term := slices.Index(b.Terms, c)
		if term < 0 || !b.Present(term) {
			return false
		}
		f := c.Schema.Field(string(name))
		if f == nil {
			return false
		}
		key := exec.ColumnKey{Term: term, Field: f}
		if !b.ArrayOf(key).Numeric() {
			return false // what it takes is charged, which may raise an error
		}
		a, v := b.LazyArray(m.tx.Thread, key)
		if write {
			b.WillWrite(m.tx.Thread, a)
		}
		call[0].Value = v
		return true
	}
}

// asked reads what all of them begin with: an entity that is 0 or was once a handle of
// this world, and a component that exists.
func (m *Module) asked(call []exec.Register) (c *decl.Component, p unsafe.Pointer, ok bool) {
	if len(call) != 3 || call[1].Value != nil || m.tx.Call == nil {
		return nil, nil, false
	}
	ud, _ := call[2].Value.(*lua.LUserData)
	if ud == nil {
		return nil, nil, false
	}
	c, ok = ud.Value.(*decl.Component)
	if !ok || !c.Ready {
		return nil, nil, false
	}
	e, why := value.ToEntity(call[1].Number)
	if why != "" || !m.ours(e) {
		return nil, nil, false
	}
	return c, m.tx.Pointer(e, c.ID), true
}

// nativeGet is ecs.get(e, component) and ecs.get(e, component, "field").
func (m *Module) nativeGet(caller exec.Caller, call []exec.Register) bool {
	if len(call) == 4 {
		return m.nativeField(call)
	}
	c, p, ok := m.asked(call)
	switch {
	case !ok || p != nil && !exec.MayBeLazy(c):
		return false
	case p == nil:
		call[0].Value = lua.LNil
	default:
		l := caller.Spare()
		l.CopyFrom(c.Schema, p)
		call[0].Value = l
	}
	return true
}

func (m *Module) nativeField(call []exec.Register) bool {
	c, p, ok := m.asked(call[:3])
	name, _ := call[3].Value.(lua.LString)
	if !ok {
		return false
	}
	f := c.Schema.Field(string(name))
	switch {
	case f == nil || f.Len > 0:
		return false
	case p == nil:
		call[0].Value = lua.LNil
		return true
	}
	return exec.LazyLoad(f, unsafe.Add(p, f.Offset), &call[0])
}

// nativeHas is ecs.has(e, component).
func (m *Module) nativeHas(_ exec.Caller, call []exec.Register) bool {
	_, p, ok := m.asked(call)
	if ok {
		call[0].Value = lua.LBool(p != nil)
	}
	return ok
}

// nativeAlive is ecs.alive(e).
func (m *Module) nativeAlive(_ exec.Caller, call []exec.Register) bool {
	if len(call) != 2 || call[1].Value != nil || m.tx.Call == nil {
		return false
	}
	e, why := value.ToEntity(call[1].Number)
	call[0].Value = lua.LBool(why == "" && m.tx.Alive(e))
	return true
}
