package exec

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Context is the ctx table of one script function, filled anew for each call. It is a
// loan.
type Context struct {
	m     *Executor
	table *lua.LTable
	keeps bool // one of the functions that get it may keep it
}

// Lend notes that a function gets the ctx as its n-th parameter.
func (x *Context) Lend(fn *lua.LFunction, n int) { x.keeps = x.keeps || MayKeep(fn, n, false) }

// Recall implements Loan.
func (x *Context) Recall() { x.table = x.m.recall(x.table, x.m.overTable(overContext)) }

// overContext is said to whoever uses a ctx later.
const overContext = "this ctx is over: it lasts for one call; keep ctx.time or ctx.tick, not ctx itself"

func (m *Executor) Fill(x *Context, t *ecs.Tick) lua.LValue {
	return m.fillWith(x, m.times(t))
}

// times are the dt, time and tick of a run as Lua values. They are new ones, since
// scripts may keep them.
func (m *Executor) times(t *ecs.Tick) [3]lua.LValue {
	return [3]lua.LValue{m.Number(t.DT), m.Number(t.Time), m.Number(float64(t.N))}
}

func (m *Executor) fillWith(x *Context, times [3]lua.LValue) lua.LValue {
	if x.table == nil {
		x.table = m.Main.CreateTable(0, 4)
		x.table.Metatable = m.ContextType
	}
	for i, name := range ContextFields {
		x.table.RawSetString(name, times[i])
	}
	if x.keeps && m.Tx.Call != nil {
		x.m = m
		m.Tx.Call.Lend(x)
	}
	return x.table
}

// ContextIndex answers for names that ctx does not have.
func ContextIndex(L *lua.LState) int {
	fault.Raise(L, ContextLacks(L.Get(2).String()))
	return 0
}

// ContextFields are what ctx has.
var ContextFields = []string{"dt", "time", "tick"}

func ContextLacks(name string) *diag.Error {
	return diag.New("ctx has no %q: it has dt, time and tick", name)
}
