package scripting

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	lua "github.com/yuin/gopher-lua"
)

// kernels is what the host needs to make them.
type kernels struct {
	engine *engine.Engine
	err    error           // why there is no engine
	from   *loader         // of the load that is being checked
	told   map[string]bool // what was said about systems that are not compiled
}

// open makes the engine when the first kernel needs it.
func (k *kernels) open(w *ecs.World) (*engine.Engine, error) {
	if k.engine == nil && k.err == nil {
		k.engine, k.err = kernel.NewEngine(w.Memory())
	}
	return k.engine, k.err
}

func (k *kernels) close() error {
	if k.engine == nil {
		return nil
	}
	err := k.engine.Close()
	k.engine = nil
	return err
}

// compileKernel makes the kernel of an each function, or says why there is none.
func (h *Host) compileKernel(s bindings.KernelSource) (bindings.Kernel, *bindings.Error) {
	k, err := h.makeKernel(&s)
	if err == nil {
		return &kernelCall{kernel: k, guard: h.guard}, nil
	}
	return nil, whyNot(&s, err)
}

// whyNot puts the reason why there is no kernel to its place.
func whyNot(s *bindings.KernelSource, err error) *bindings.Error {
	why := &bindings.Error{Line: s.Line, Message: err.Error(), Err: err}
	if refusal, ok := errors.AsType[*kernel.Refusal](err); ok {
		why.Line, why.Message = max(refusal.Line, s.Line), refusal.Message()
	}
	return why
}

// notWritten says that a function's text is not in its system's table.
func notWritten(s *bindings.KernelSource) error {
	return &kernel.Refusal{Line: s.Line, What: "a function that is not written out in its system's table"}
}

func (h *Host) makeKernel(s *bindings.KernelSource) (*kernel.Kernel, error) {
	study := h.study(s.Closure)
	if study == nil || s.Function < 0 {
		return nil, notWritten(s)
	}
	p, err := kernel.Translate(study, s.Function, h.signature(s))
	if err != nil {
		return nil, err
	}
	e, err := h.kernels.open(h.world)
	if err != nil {
		return nil, err
	}
	return kernel.New(p, e, h.world.Memory())
}

// study returns what is known about the text that a function comes from: a
// script of this load, or one that stays. Nil when the function is of no text
// that is known any more.
func (h *Host) study(fn *lua.LFunction) *kernel.Script {
	name := fn.Proto.SourceName
	m := h.live[name]
	if from := h.kernels.from; from != nil && from.fresh[name] != nil {
		m = from.fresh[name]
	}
	if m == nil || !contains(m.proto, fn.Proto) {
		return nil
	}
	return m.kernels
}

// contains reports whether a prototype is part of another.
func contains(outer, inner *lua.FunctionProto) bool {
	return outer == inner || slices.ContainsFunc(outer.FunctionPrototypes, func(p *lua.FunctionProto) bool {
		return contains(p, inner)
	})
}

// signature tells the compiler what the script's text does not.
func (h *Host) signature(s *bindings.KernelSource) *kernel.Signature {
	sig := &kernel.Signature{
		System: s.System, Line: s.Closure.Proto.LineDefined,
		Captured: func(name string) kernel.Value { return h.kernelValue(name, captured(s.Closure, name)) },
		Library: func(name string) kernel.Value {
			if t, ok := s.Closure.Env.RawGetString("math").(*lua.LTable); ok {
				return h.kernelValue("math."+name, t.RawGetString(name))
			}
			return kernel.Value{}
		},
	}
	for _, t := range s.Terms {
		sig.Terms = append(sig.Terms, kernel.Term{Name: t.Schema.Name, Fields: t.Schema.Fields, Stride: t.Schema.Size, Away: t.Away})
	}
	return sig
}

// captured returns the value of a local around a function.
func captured(fn *lua.LFunction, name string) lua.LValue {
	for i, known := range fn.Proto.DbgUpvalues {
		if known == name && i < len(fn.Upvalues) {
			return fn.Upvalues[i].Value()
		}
	}
	return lua.LNil
}

func (h *Host) kernelValue(name string, v lua.LValue) kernel.Value {
	switch v := v.(type) {
	case lua.LNumber:
		return kernel.Value{Kind: kernel.Number, Number: float64(v)}
	case lua.LBool:
		return kernel.Value{Kind: kernel.Truth, Truth: bool(v)}
	case *lua.LFunction:
		if known := h.library.NameOf(v); known != "" {
			return kernel.Value{Kind: kernel.Builtin, Name: known}
		}
	}
	return kernel.Value{Name: fmt.Sprintf("%q, a %s,", name, v.Type())}
}

// kernelPortion is how much fuel a kernel gets at a time, in instructions of the
// Lua machine: some milliseconds, in which nothing can interrupt it.
const kernelPortion = 1 << 20

// kernelCall runs a kernel within the limits of the call that is running.
type kernelCall struct {
	kernel *kernel.Kernel
	guard  *guard
	rows   kernel.Rows
}

// Run implements bindings.Kernel. Loops are paid for with the instructions that
// the call may use. When those are gone, or one row alone needs more than a
// portion, the Lua machine gets the row: it stops at its first instruction, with
// the words of that limit, or takes the time it needs.
func (c *kernelCall) Run(t *ecs.Tick, columns []unsafe.Pointer, next, rows int) int {
	budget := &c.guard.budget
	r := &c.rows
	*r = kernel.Rows{Columns: columns, Len: rows, Next: next, DT: t.DT, Time: t.Time, Tick: float64(t.N)}
	for r.Next < rows {
		first, portion := r.Next, min(kernelPortion, budget.Left())
		r.Fuel = portion
		if err := c.kernel.Run(r); err != nil {
			panic(fmt.Errorf("a kernel failed: %w", err)) // becomes an error of the call
		}
		budget.Spend(portion - r.Fuel)
		if r.Fuel >= 0 || r.Next == first {
			break
		}
	}
	return r.Next
}

// Safe implements bindings.Kernel.
func (c *kernelCall) Safe() bool { return c.kernel.Safe() }

// Close implements bindings.Kernel. An error of the engine would be about memory
// that it could not give back, which nobody can do anything about.
func (c *kernelCall) Close() { _ = c.kernel.Close() }
