//go:build !machine

package bindings

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/vm"
)

// GoFuncs returns what stands beside the VM for functions of ecs, by the functions.
func (m *Binding) GoFuncs() map[*lua.LFunction]vm.GoFunc {
	return (&goFuncs{m.core}).all(m.functions, m.batches)
}

// goFuncs are what stands for those functions of ecs that ask about one entity, and
// for the methods of batches that give arrays.
type goFuncs struct{ *core }

// all lists them by the functions for which they stand.
func (m *goFuncs) all(functions []builtinEntry, batches *batches) map[*lua.LFunction]vm.GoFunc {
	known := map[string]vm.GoFunc{"get": m.goGet, "has": m.goHas, "alive": m.goAlive}
	goFuncs := map[*lua.LFunction]vm.GoFunc{}
	for _, f := range functions {
		if n := known[f.name]; n != nil {
			goFuncs[f.value] = counted(n)
		}
	}
	goFuncs[batches.method(m.main, "read")] = counted(m.goColumn(false))
	goFuncs[batches.method(m.main, "write")] = counted(m.goColumn(true))
	if index, ok := m.types.batch.RawGetString("__index").(*lua.LFunction); ok {
		goFuncs[index] = m.goMethod(batches)
	}
	return goFuncs
}

// goMethod is the look-up of a method of the batch at hand. It counts nothing, as the
// function of the metatable. Why is it here? A function that asks for several columns holds
// the first ones when it asks for the next, and outside of its registers they would have to
// become tables.
func (m *goFuncs) goMethod(batches *batches) vm.GoFunc {
	return func(_ vm.Caller, call []vm.Register) bool {
		b := m.exec.Batch
		if b == nil || b.View == nil || call[1].Value != lua.LValue(b.Content) {
			return false
		}
		name, _ := call[2].Value.(lua.LString)
		switch name {
		case "read", "write", "col", "has":
			call[0].Value = batches.method(m.main, string(name))
			return true
		}
		return false
	}
}

// counted makes a GoFunc that costs what the function costs for which it stands. Where the
// script cannot afford it, the function itself raises the error.
func counted(n vm.GoFunc) vm.GoFunc {
	return func(caller vm.Caller, call []vm.Register) bool {
		if !caller.Afford(value.StepsPerCall) || !n(caller, call) {
			return false
		}
		caller.Spend(value.StepsPerCall)
		return true
	}
}

// goColumn is b:read(component, "field") and b:write(component, "field") for arrays of
// numbers. All else is left to the function, which raises the errors.
func (m *goFuncs) goColumn(write bool) vm.GoFunc {
	return func(_ vm.Caller, call []vm.Register) bool {
		if len(call) != 4 || m.exec.Batch == nil || m.exec.Batch.View == nil {
			return false
		}
		b := m.exec.Batch
		if call[1].Value != lua.LValue(b.Table) {
			return false // a batch that is over
		}
		c, ok := value.Of[*decl.Component](call[2].Value)
		term := slices.Index(b.Terms, c)
		if !ok || term < 0 || !b.Present(term) {
			return false
		}
		name, _ := call[3].Value.(lua.LString)
		f := c.Schema.Field(string(name))
		if f == nil {
			return false
		}
		key := exec.ColumnKey{Term: term, Field: f}
		if !b.ArrayOf(key).Numeric() {
			return false // what it takes is charged, which may raise an error
		}
		call[0].Value = b.LazyArray(m.tx.Thread, key, write)
		return true
	}
}

// asked reads the arguments that all GoFuncs begin with: an entity that is 0 or was once a
// handle of this world, and a component that exists. Where it cannot, the function itself
// runs, and says why not.
func (m *goFuncs) asked(call []vm.Register) (c *decl.Component, p unsafe.Pointer, ok bool) {
	if len(call) != 3 || call[1].Value != nil || m.tx.Call == nil {
		return nil, nil, false
	}
	if c, ok = value.Of[*decl.Component](call[2].Value); !ok || !c.Ready {
		return nil, nil, false
	}
	e, why := value.ToEntity(call[1].Number)
	if why != "" || !m.ours(e) {
		return nil, nil, false
	}
	return c, m.tx.Pointer(e, c.ID), true
}

// goGet is ecs.get(e, component) and ecs.get(e, component, "field").
func (m *goFuncs) goGet(caller vm.Caller, call []vm.Register) bool {
	if len(call) == 4 {
		return m.goField(call)
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

// goField is ecs.get(e, component, "field") for a field that is one number, truth or
// entity.
func (m *goFuncs) goField(call []vm.Register) bool {
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
	return call[0].Load(f, unsafe.Add(p, f.Offset))
}

// goHas is ecs.has(e, component).
func (m *goFuncs) goHas(_ vm.Caller, call []vm.Register) bool {
	_, p, ok := m.asked(call)
	if ok {
		call[0].Value = lua.LBool(p != nil)
	}
	return ok
}

// goAlive is ecs.alive(e).
func (m *goFuncs) goAlive(_ vm.Caller, call []vm.Register) bool {
	if len(call) != 2 || call[1].Value != nil || m.tx.Call == nil {
		return false
	}
	e, why := value.ToEntity(call[1].Number)
	call[0].Value = lua.LBool(why == "" && m.tx.Alive(e))
	return true
}
