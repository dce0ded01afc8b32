package exec

import (
	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
	gopher "github.com/yuin/gopher-lua"
)

// A loan is a table that a script has for one call: a row, an event, what an observer
// is told, a batch and its lists, ctx. They are used again and again, since a new table
// for each entity would cost more than the call. So a script that keeps one, and uses
// it when it is over, must not find the next entity in it.
//
// Recalling a loan moves its content into a new table, which is the next loan. What the
// script has kept is left with nothing but a metatable that answers every use with an
// error. A loan that was not handed out, or whose function cannot have kept it
// ([MayKeep]), need not be recalled.

// recall takes a loan back and returns the table that has its content from now on.
// O(1).
func (m *Executor) recall(t *lua.LTable, over *lua.LTable) *lua.LTable {
	next := m.blanks.Next(m.Main)
	lua.Move(t, next, over)
	return next
}

// overTable makes the metatable of loans that are over.
func (m *Executor) overTable(message string) *lua.LTable {
	if t := m.overs[message]; t != nil {
		return t
	}
	raise := m.Main.NewFunction(refusal(message))
	t := NewMetatable(m.Main, nil)
	for _, event := range []string{"__index", "__newindex", "__len"} {
		t.RawSetString(event, raise)
	}
	t.RawSetString(proxy.OverKey, lua.LString(message))
	if m.overs == nil {
		m.overs = map[string]*lua.LTable{}
	}
	m.overs[message] = t
	return t
}

// MayKeep reports whether a function may keep a table that it gets as its n-th
// parameter, from 0, beyond its call. It may not when the parameter is used for nothing
// but to read and assign what is in it. With methods, calling methods of it is no way to
// keep it, either: they are the host's.
//
// Why not always believe that it may? Most functions do nothing else, and what is for
// one event or entity is called often.
func MayKeep(f *lua.LFunction, n int, methods bool) bool {
	p := lua.Proto(f)
	switch {
	case lua.IsGo(f) || p.IsVarArg != 0:
		return true
	case n >= int(p.NumParameters):
		return false // it does not get it
	}
	for pc, word := range p.Code {
		op, a, b, c := bytecode.Parts(word)
		if !harmless(op, a, b, c, n, methods) && !(methods && op == gopher.OP_MOVE && b == n && a != n && replaced(p.Code[pc+1:], a)) {
			return true
		}
	}
	return false
}

// replaced reports whether the first instruction reads a field of a register into the same
// register: so the compiler writes a limit of a loop, b.n, with a copy of b. It is asked for
// batches only: of a row that is not kept, those fields are filled that its own register is
// asked for.
func replaced(code []uint32, n int) bool {
	if len(code) == 0 {
		return false
	}
	op, a, b, c := bytecode.Parts(code[0])
	return op == gopher.OP_GETTABLEKS && a == n && b == n && c != n
}

// harmless reports whether an instruction of the VM neither copies nor
// replaces register n, nor gives it to anybody.
func harmless(op, a, b, c, n int, methods bool) bool {
	switch op {
	case gopher.OP_GETTABLE, gopher.OP_GETTABLEKS:
		return a != n && c != n
	case gopher.OP_SETTABLE, gopher.OP_SETTABLEKS:
		return b != n && c != n
	case gopher.OP_SELF:
		return (b != n || methods) && c != n && (a > n || a+1 < n)
	case gopher.OP_JMP, gopher.OP_TEST, gopher.OP_NOP, gopher.OP_EQ, gopher.OP_CLOSE:
		return true
	case gopher.OP_LOADK, gopher.OP_LOADBOOL, gopher.OP_GETUPVAL, gopher.OP_SETUPVAL, gopher.OP_GETGLOBAL, gopher.OP_SETGLOBAL, gopher.OP_NEWTABLE, gopher.OP_CLOSURE:
		return a != n // what a closure captures stands behind it, as instructions that copy
	case gopher.OP_NOT, gopher.OP_LEN:
		return a != n
	case gopher.OP_MOVE, gopher.OP_MOVEN, gopher.OP_UNM, gopher.OP_ADD, gopher.OP_SUB, gopher.OP_MUL, gopher.OP_DIV, gopher.OP_MOD, gopher.OP_POW, gopher.OP_TESTSET:
		return a != n && b != n && c != n
	case gopher.OP_LT, gopher.OP_LE:
		return b != n && c != n // a is no register
	case gopher.OP_CALL, gopher.OP_TAILCALL:
		return a > n // b and c say how many values
	case gopher.OP_RETURN:
		return b == 1 || a > n
	case gopher.OP_LOADNIL:
		return a > n || b < n
	default: // calls, loops, lists: of registers from a on
		return a > n && b != n && c != n
	}
}

// front makes a proxy of the content of a loan, whose writes go to assign. Where a script could
// write into the table that is filled again for later rows and ticks, what one row has
// written would be seen by those after it, and by rows of a kernel never.
func (m *Executor) front(content *lua.LTable, assign lua.LGFunction) *lua.LTable {
	meta := NewMetatable(m.Main, map[string]lua.LGFunction{"__newindex": assign})
	meta.RawSetString("__index", content)
	meta.RawSetString("__len", m.Length)
	meta.RawSetString(proxy.ContentKey, content)
	return lua.Empty(meta)
}

// Context is the ctx table of one script function, filled anew for each call. It is a
// loan.
//
// Invariant: only the host writes into content. The script has a proxy of it.
type Context struct {
	m       *Executor
	table   *lua.LTable // what the script gets; nil until it is asked for
	content *lua.LTable
	keeps   bool // one of the functions that get it may keep it
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
	return [3]lua.LValue{m.boxed.Number(t.DT), m.boxed.Number(t.Time), m.boxed.Number(float64(t.N))}
}

func (m *Executor) fillWith(x *Context, times [3]lua.LValue) lua.LValue {
	if x.table == nil {
		x.content = m.Main.CreateTable(0, len(ContextFields))
		lua.SetMetatable(x.content, m.ContextType)
		x.table = m.front(x.content, assignContext)
	}
	for i, name := range ContextFields {
		x.content.RawSetString(name, times[i])
	}
	if x.keeps && m.Tx.Call != nil {
		x.m = m
		m.Tx.Call.Lend(x)
	}
	return x.table
}

// ContextIndex answers for names that ctx does not have.
func ContextIndex(L *lua.LState) int {
	fault.Raise(L, ContextLacks(fault.Written(L.Get(2))))
	return 0
}

// assignContext refuses assignments to fields of ctx.
func assignContext(L *lua.LState) int {
	fault.Raise(L, ContextFixed(L.Get(2)))
	return 0
}

// BatchFixed says that a field of a batch cannot be assigned.
func BatchFixed(key lua.LValue) *diag.Error {
	return diag.New("b%s cannot be assigned, as nothing would store it: b:write(Component, \"field\") gives a list to assign to; keep other values in local variables", access(key))
}

// ContextFixed says that a field of ctx cannot be assigned.
func ContextFixed(key lua.LValue) *diag.Error {
	return diag.New("ctx%s cannot be assigned, as ctx is the same for all rows: keep the value in a local variable", access(key))
}

// access is how a script writes the access to a key of a table.
func access(key lua.LValue) string {
	if name, ok := key.(lua.LString); ok {
		return "." + diag.Cut(string(name))
	}
	return "[" + value.Shown(key) + "]"
}

// BatchFields are what a batch has.
var BatchFields = []string{"n", "entities", "read", "write", "col", "has"}

// NoBatchField says that it has nothing of a name, and what may be meant.
const NoBatchField = "a batch has no %q%s"

// ContextFields are what ctx has.
var ContextFields = []string{"dt", "time", "tick"}

func ContextLacks(name string) *diag.Error {
	return diag.New("ctx has no %q: it has dt, time and tick", name)
}
