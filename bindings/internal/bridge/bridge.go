package bridge

import (
	"context"
	"time"

	"github.com/perigee-ecs/perigee/bindings/machine"
	lua "github.com/yuin/gopher-lua"
)

// Options say what a bridge asks its host. All of them must be set.
type Options struct {
	// Enter is called before a function of the host's runs that a script has found in a table
	// or a metatable of gopher-lua's.
	Enter func(th *machine.Thread)
	// Epoch is the number of the call that runs, from the host into scripts.
	Epoch func() uint64
	// Back is called before the host calls a function of a script that was lent in an epoch, or
	// for good. It raises an error, or returns what is to be called afterwards.
	Back func(th *machine.Thread, lent uint64, forGood bool) (leave func())
	// Returns judges the results of a function that was lent in an epoch; it may raise an error.
	Returns func(th *machine.Thread, results []machine.Value)
	// Reserved reports whether a metatable is one of the runtime's own: its tables are not
	// given away.
	Reserved func(meta *machine.Table) bool
	// Large reports whether a reserved metatable is that of tables which may be large: code of
	// gopher-lua's gets nothing of them but what it asks for. Nil: there are no such tables.
	Large func(meta *machine.Table) bool
}

// Bridge joins a machine and a state of gopher-lua.
//
// Lifetimes: it belongs to the goroutine of the machine, and holds nothing but memory.
type Bridge struct {
	Options
	vm      *machine.VM
	state   *lua.LState
	idle    []*lua.LState // threads of state on which nothing runs
	forward *lua.LTable   // the metatable of what asks the machine

	tables    links[machine.Table, lua.LTable]
	functions links[machine.Function, lua.LFunction]
	fenced    links[machine.Function, lua.LFunction] // see Stand
	lent      links[machine.Function, lua.LFunction] // for a call
	userdata  links[machine.Userdata, lua.LUserData]

	mirrors []mirror // that the running calls of the host have got
	filling []*machine.Table
	calls   int // of functions of the host that run
	crossed crossing
}

// New makes a bridge.
func New(vm *machine.VM, o Options) *Bridge {
	b := &Bridge{Options: o, vm: vm}
	b.state = lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: 200, RegistrySize: 1 << 10, RegistryMaxSize: 1 << 17, RegistryGrowStep: 1 << 12,
	})
	b.forward = b.forwarding()
	return b
}

// State returns the state of gopher-lua.
func (b *Bridge) State() *lua.LState { return b.state }

// thread returns a thread on which nothing runs.
func (b *Bridge) thread() *lua.LState {
	if n := len(b.idle) - 1; n >= 0 {
		L := b.idle[n]
		b.idle = b.idle[:n]
		return L
	}
	L, _ := b.state.NewThread()
	L.SetContext(counting{b.vm})
	return L
}

// Call calls a function of the host with the arguments of a native, pushes its results, and
// returns how many these are. Functions among the arguments are lent for the running call
// only, unless forGood says otherwise; out makes values of scripts of the results.
//
// Why a thread for each call? What is raised or panics leaves a thread of gopher-lua as it
// was at that moment, and there is no way back but its own protected call, which hides from
// where a panic came. So such a thread is dropped.
func (b *Bridge) Call(c *machine.Call, fn *lua.LFunction, forGood bool, out func(lua.LValue) machine.Value) int {
	th, n, L := c.Thread(), c.Len(), b.thread()
	b.During(th, func() {
		L.Push(fn)
		for i := range n {
			L.Push(b.argument(c.Arg(i+1), forGood))
		}
		b.run(th, L, n)
	})
	for i := range n {
		b.keepUp(c.Arg(i + 1).Userdata())
	}
	results := L.GetTop()
	for i := range results {
		c.Push(out(L.Get(i + 1)))
	}
	L.SetTop(0)
	b.idle = append(b.idle, L)
	return results
}

// During calls do, which gives values to the host and has it work with them. What it changes
// in mirrors is written back afterwards.
func (b *Bridge) During(th *machine.Thread, do func()) {
	opened := len(b.mirrors)
	b.calls++
	defer func() {
		b.calls--
		b.mirrors = b.mirrors[:opened]
	}()
	do()
	b.settle(th, opened)
}

// run calls what is on a thread. What is raised there is raised in the machine.
func (b *Bridge) run(th *machine.Thread, L *lua.LState, n int) {
	defer func() {
		if cause := recover(); cause != nil {
			b.raise(th, cause)
		}
	}()
	L.Call(n, lua.MultRet)
}

// Stand says that a function of scripts stands for one of gopher-lua's: the host gets that
// back for it.
func (b *Bridge) Stand(ours *machine.Function, theirs *lua.LFunction) { b.fenced.join(ours, theirs) }

// Standing returns the function that stands for one of gopher-lua's, nil for none. For one
// that calls a function of a script it is that function.
func (b *Bridge) Standing(theirs *lua.LFunction) *machine.Function {
	if w := wrapped(theirs); w != nil {
		return w.fn
	}
	return b.fenced.to(theirs)
}

// counting counts what gopher-lua itself executes: code that a host has it run.
type counting struct{ vm *machine.VM }

// closed tells gopher-lua to stop.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Done implements context.Context. gopher-lua asks before each instruction.
func (m counting) Done() <-chan struct{} {
	if m.vm.Take(1); m.vm.Left() == 0 {
		return closed
	}
	return nil
}

// Err implements context.Context.
func (m counting) Err() error {
	if m.vm.Left() == 0 {
		return context.Canceled
	}
	return nil
}

// Deadline implements context.Context.
func (counting) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (counting) Value(any) any { return nil }
