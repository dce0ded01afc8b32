//go:build !machine

package stdlib

import (
	"context"
	_ "unsafe" // for the VM's table of instructions

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// The loop that runs bytecode in place of the VM's own. It is what makes a step the
// same amount of work everywhere: without it an instruction that fills a list of a
// million items would count as one.

// instructions are the functions of the VM that execute one instruction each, by its code.
// One returns 1 when the function that the loop began with has returned.
//
//go:linkname instructions github.com/yuin/gopher-lua.jumpTable
var instructions [lua.OP_NOP + 1]func(L *lua.LState, code uint32, base *vmstate.Frame) int

// vmLoop is the VM's own loop, which asks the context before each instruction. It is read
// from a state that has a context; without one, the VM has another loop.
var vmLoop = func() func(*lua.LState, *vmstate.Frame) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true, RegistrySize: 16, CallStackSize: 1})
	defer L.Close()
	L.SetContext(context.Background())
	return stateOf(L).MainLoop
}()

// Attach has a context count what runs on a thread. If the context is a Budget, or a
// coroutine that was resumed under one, each instruction counts as the work that it does.
// Otherwise Attach is (*lua.LState).SetContext, under which each instruction counts as
// one.
func Attach(L *lua.LState, ctx context.Context) {
	L.SetContext(ctx)
	switch ctx.(type) {
	case *Budget, *coroutine:
		stateOf(L).MainLoop = run
	}
}

// budgetOf returns the budget of a context, and the coroutine whose context it is, if
// there is one between them.
// One step is enough: the inner context of a coroutine is never another coroutine.
func budgetOf(ctx context.Context) (*Budget, *coroutine) {
	co, _ := ctx.(*coroutine)
	if co != nil {
		ctx = co.inner
	}
	b, _ := ctx.(*Budget)
	return b, co
}

// state is a thread of the VM, with the questions that the budget asks about its registers.
type state vmstate.State

// stateOf shows the fields of a thread. It is only good between two instructions of that
// thread.
func stateOf(L *lua.LState) *state { return (*state)(vmstate.StateOf(L)) }

// maxTailCalls is how many tail calls of one frame are remembered. The VM writes a line into
// a traceback for each of them, and a script can make millions.
const maxTailCalls = 16

// run executes the function that was called last, up to its return, as the VM's own loop
// does. It sees which instruction is next and what it works on, and charges for the
// instructions that are more work than one step.
//
// The classes of instructions come first that are frequent and cheap. An instruction that
// run has executed itself continues the loop; all others fall through to the VM's
// function.
func run(L *lua.LState, base *vmstate.Frame) {
	fault.Intercept(L)
	s := stateOf(L)
	b, co := budgetOf(s.Ctx)
	// A thread without a budget, and a function of Go, have nothing to be counted here.
	if b == nil || s.CurrentFrame == nil || s.CurrentFrame.Fn.IsG {
		vmLoop(L, base)
		return
	}
	for {
		// The frame is read anew each time: a call or a return has changed it.
		f := s.CurrentFrame
		code := f.Fn.Proto.Code[f.Pc]
		f.Pc++
		if b.ahead--; b.ahead < 0 {
			b.halt(L)
		}
		op := bytecode.Op(code)
		// coroutine.yield was called where the VM cannot leave: see yield.
		if co != nil && co.yielded {
			fault.Raisef(L, errBoundary)
		}
		switch classes[op] {
		case plain:
		case fetching:
			if b.fetch(L, s, f, code) {
				continue
			}
		case fetchingAny:
			b.weighKey(L, s.operand(f, bytecode.C(code)))
			if b.fetch(L, s, f, code) {
				continue
			}
		case storing:
			b.store(L, s, f, code, base)
			continue
		case storingGlobal:
			b.storeGlobal(L, s, f, code)
			continue
		case numeric:
			if s.compute(f, code) {
				continue
			}
		case onTexts:
			if s.comparesText(f, code) {
				b.weigh(L, s, f, code)
			}
		case onMany:
			if movesMany(code) {
				b.weigh(L, s, f, code)
			}
		case counting:
			if !s.counts(f, code) {
				checkFor(L, s, f, code)
			}
		case onCalls:
			if s.callsWide(f, code) {
				b.weigh(L, s, f, code)
			}
		default:
			b.weigh(L, s, f, code)
		}
		if instructions[op](L, code, base) == 1 {
			return
		}
		if int(op) == lua.OP_TAILCALL && s.CurrentFrame != nil && s.CurrentFrame.TailCall > maxTailCalls {
			s.CurrentFrame.TailCall = maxTailCalls
		}
	}
}
