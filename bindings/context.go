package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// context is the ctx table of one script function, filled anew for each call. It is a
// loan.
type context struct {
	m     *executor
	table *lua.LTable
	keeps bool // one of the functions that get it may keep it
}

// lend notes that a function gets the ctx as its n-th parameter.
func (x *context) lend(fn *lua.LFunction, n int) { x.keeps = x.keeps || mayKeep(fn, n, false) }

// Recall implements Loan.
func (x *context) Recall() { x.table = x.m.recall(x.table, x.m.overTable(overContext)) }

// overContext is said to whoever uses a ctx later.
const overContext = "this ctx is over: it lasts for one call; keep ctx.time or ctx.tick, not ctx itself"

func (m *executor) fill(x *context, t *ecs.Tick) lua.LValue {
	return m.fillWith(x, m.times(t))
}

// times are the dt, time and tick of a run as Lua values. They are new ones, since
// scripts may keep them.
func (m *executor) times(t *ecs.Tick) [3]lua.LValue {
	return [3]lua.LValue{m.Number(t.DT), m.Number(t.Time), m.Number(float64(t.N))}
}

func (m *executor) fillWith(x *context, times [3]lua.LValue) lua.LValue {
	if x.table == nil {
		x.table = m.main.CreateTable(0, 4)
		x.table.Metatable = m.types.context
	}
	for i, name := range contextFields {
		x.table.RawSetString(name, times[i])
	}
	if x.keeps && m.tx.Call != nil {
		x.m = m
		m.tx.Call.Lend(x)
	}
	return x.table
}

// contextIndex answers for names that ctx does not have.
func contextIndex(L *lua.LState) int {
	L.RaiseError("%s", contextLacks(L.Get(2).String()))
	return 0
}

// contextFields are what ctx has.
var contextFields = []string{"dt", "time", "tick"}

func contextLacks(name string) string {
	return diag.Format("ctx has no %q: it has dt, time and tick", name)
}
