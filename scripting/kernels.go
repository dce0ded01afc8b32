package scripting

import (
	"errors"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	lua "github.com/yuin/gopher-lua"
)

// kernels is what the host needs to make them.
type kernels struct {
	engine   *kernel.Engine
	err      error           // why there is no engine
	reported map[string]bool // what was said about systems that are not compiled
}

// open makes the engine when the first kernel needs it.
func (k *kernels) open(w *ecs.World) (*kernel.Engine, error) {
	if k.engine == nil && k.err == nil {
		k.engine, k.err = kernel.NewEngine(w.Memory(), w.MemoryMap())
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
	began := time.Now()
	k, err := h.makeKernel(&s)
	if err != nil {
		return nil, whyNot(&s, err)
	}
	k.took = time.Since(began)
	return k, nil
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

func (h *Host) makeKernel(s *bindings.KernelSource) (*kernelCall, error) {
	p, err := h.translate(s)
	if err != nil {
		return nil, err
	}
	if l := worthReporting(p); l != nil && s.Whole {
		return nil, &kernel.Refusal{Line: l.Line, What: l.What, In: l.In}
	}
	e, err := h.kernels.open(h.world)
	if err != nil {
		return nil, err
	}
	k, err := kernel.New(p, e)
	if err != nil {
		return nil, err
	}
	var sites []bindings.KernelSite
	for _, site := range p.Sites() {
		at := bindings.KernelSite{Op: site.Op}
		for _, part := range site.Parts {
			at.Parts = append(at.Parts, bindings.KernelPart(part))
		}
		sites = append(sites, at)
	}
	var things []any
	for _, t := range p.Things() {
		things = append(things, t.Thing)
	}
	c := &kernelCall{
		kernel: k, shape: p.Rows(), limiter: h.limiter, writes: p.Writes(), fallback: worthReporting(p), fuelled: k.Fuelled(), heeds: k.Heeds() || k.Ends(),
		sites: h.module.NewSites(sites, things), script: s.Closure.Proto.SourceName, work: p.Work(),
	}
	c.rows.World = c.sites
	return c, nil
}

// worthReporting returns the first branch that a kernel leaves to the Lua machine,
// nil if there is none but for what is made for seldom: a line in the log.
func worthReporting(p *kernel.Program) *kernel.Left {
	for _, l := range p.Left() {
		if !l.Rare {
			return &l
		}
	}
	return nil
}

// translate makes a program of an each function.
func (vm *interpreter) translate(s *bindings.KernelSource) (*kernel.Program, error) {
	study := vm.study(s.Closure)
	if study == nil || s.Function < 0 {
		return nil, notWritten(s)
	}
	return kernel.Translate(study, s.Function, vm.signature(s))
}

// study returns what is known about the text that a function comes from: a
// script of this load, or one that stays. Nil when the function is of no text
// that is known any more.
func (vm *interpreter) study(fn *lua.LFunction) *kernel.Script {
	name := fn.Proto.SourceName
	m := vm.live[name]
	if vm.trial != nil && vm.trial.fresh[name] != nil {
		m = vm.trial.fresh[name]
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
