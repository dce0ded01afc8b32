package stdlib

import (
	"context"
	_ "unsafe" // for the machine's table of instructions

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// instructions are the machine's, by their code. Each returns 1 when its run is over.
//
//go:linkname instructions github.com/yuin/gopher-lua.jumpTable
var instructions [lua.OP_NOP + 1]func(L *lua.LState, code uint32, base *vmstate.Frame) int

// machineLoop is the machine's own loop, which asks the context before each
// instruction.
var machineLoop = func() func(*lua.LState, *vmstate.Frame) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true, RegistrySize: 16, CallStackSize: 1})
	defer L.Close()
	L.SetContext(context.Background())
	return stateOf(L).MainLoop
}()

// Attach has a context count what runs on a thread: instructions by the work that they
// do, where the context is a Budget, or a coroutine that was resumed under one. It
// takes the place of (*lua.LState).SetContext, which counts each of them as one.
func Attach(L *lua.LState, ctx context.Context) {
	L.SetContext(ctx)
	switch ctx.(type) {
	case *Budget, *coroutine:
		stateOf(L).MainLoop = run
	}
}

// budgetOf returns the budget of a context, and the coroutine before it.
func budgetOf(ctx context.Context) (*Budget, *coroutine) {
	co, _ := ctx.(*coroutine)
	if co != nil {
		ctx = co.inner
	}
	b, _ := ctx.(*Budget)
	return b, co
}

// state is a thread, with what the budget asks of its registers.
type state vmstate.State

func stateOf(L *lua.LState) *state { return (*state)(vmstate.StateOf(L)) }

// maxTailCalls is how many tail calls of one frame the machine remembers: it writes a
// line for each into a traceback.
const maxTailCalls = 16

// run executes the function that was called last, up to its return, as the machine's
// own loop does. It sees which instruction is next and what it works on, and charges
// for what is more than one step.
func run(L *lua.LState, base *vmstate.Frame) {
	fault.Hook(L)
	s := stateOf(L)
	b, co := budgetOf(s.Ctx)
	if b == nil || s.CurrentFrame == nil || s.CurrentFrame.Fn.IsG {
		machineLoop(L, base)
		return
	}
	for {
		f := s.CurrentFrame
		code := f.Fn.Proto.Code[f.Pc]
		f.Pc++
		if b.ahead--; b.ahead < 0 {
			b.halt(L)
		}
		op := bytecode.Op(code)
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
