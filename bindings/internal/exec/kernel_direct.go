package exec

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Perform is a run as a call of the script.
//
// A kernel needs nothing of the VM but for the rows at which it stops.
// So its run is alone until there is such a row: no protected call, no limits that
// nothing counts against, no table for ctx. For a system with few entities those
// are most of what a run costs.
func (x *EachRun) Perform(t *ecs.Tick, name string) error {
	if x.kernel == nil || x.s.When != nil {
		return x.m.Tx.Perform(t, x.s.Script, name, x.whole)
	}
	if err := x.m.Tx.Enter(t, x.s.Script, name); err != nil {
		return err
	}
	return x.m.Tx.Leave(x.runOutside(t))
}

// ended is the panic that ends a run that is alone, as a Lua error ends others.
type ended struct{ err error }

// runOutside is what protect is for other runs.
func (x *EachRun) runOutside(t *ecs.Tick) (err error) {
	m := x.m
	m.Tx.Epoch++
	x.outside = true
	held := m.Tx.Hold()
	defer func() {
		x.outside = false
		held.Release()
		switch r := recover().(type) {
		case nil:
		case ended:
			err = r.err
		default:
			err = &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString(fmt.Sprint(r))}
		}
		m.Tx.Over(err)
	}()
	if x.kernel.Metered() {
		m.Tx.Meter()
	}
	x.Run(m.Tx.Thread, t)
	return nil
}

// byLua has the VM work on rows of a kernel.
func (x *EachRun) byLua(L *lua.LState, v *view.View) {
	if !x.outside {
		x.interpret(L, v)
		return
	}
	x.m.Tx.Meter()
	x.hand = v
	if err := tx.PCall(L, x.one); err != nil {
		panic(ended{err})
	}
}
