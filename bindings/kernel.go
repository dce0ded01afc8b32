package bindings

import (
	gocontext "context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// kernels are the callables in force, by name.
type kernels struct {
	*core
	named map[string]*callable
}

// declareKernel is ecs.kernel.
func declareKernel(a *args) int {
	s := a.declares()
	sys := &exec.System{OnDemand: true}
	sys.Place = fault.Here(a.L)
	sys.Name = fmt.Sprintf("%s:%d", sys.Script, sys.Line)
	at := 1
	if a.nameFirst() {
		sys.Name = a.named(1)
		at++
	}
	query, options := a.table(at), a.L.NewTable()
	sys.Each = a.function(at + 1)
	if a.L.GetTop() >= at+2 {
		options = a.table(at + 2)
	}
	r := optionReader{a: a, s: sys, t: options, wrong: map[string]bool{}, at: sys.Place}
	if s.again("kernel", sys.Name) {
		r.complain("a kernel needs a name or a line of its own")
	}
	sys.Query = a.parseQuery(query, func(key, format string, v ...any) {
		a.note(sys.Own(diag.New(format, v...).On(fault.InCall(a.L, fault.Part{N: at, Key: key}))))
	})
	if len(sys.Query.List)+len(sys.Query.With)+len(sys.Query.Either) == 0 {
		r.complain("the query names no component")
	}
	r.kernelOptions()
	a.keepQuery(sys)
	if !sys.Query.Broken() {
		r.shape()
	}
	k := &callable{System: sys}
	s.kernels = append(s.kernels, k)
	return a.result(wrap(k, a.types.kernel))
}

// kernelOptions reads the table after the function. It takes those options of a system that
// say how the function is compiled: nothing else of a system applies to ecs.kernel.
func (r *optionReader) kernelOptions() {
	proxy.Pairs(r.t, func(key, v lua.LValue) {
		switch name := fault.Written(key); name {
		case "kernel", "precision":
			r.option(name, v)
		default:
			r.complain("unknown option %q%s", name, diag.OneOf(name, []string{"kernel", "precision"}))
		}
	})
	for _, key := range holes.Keys(r.t) {
		r.complain("%s", holes.Key(r.a.L, key))
	}
}

// begin makes a callable ready, once its components are committed.
func (m *kernels) begin(k *callable) {
	if k.Shape == nil {
		return // a problem of the declaration: such a script is never committed
	}
	k.title = "kernel " + k.Name
	k.run = m.exec.NewEachRunner(k.System, k.Query.Build(m.world, k.Shape.Writes))
	m.named[k.Name] = k
	m.exec.Faulty = append(m.exec.Faulty, k.Faults)
}

// end ends a callable whose script goes.
func (m *kernels) end(k *callable) {
	k.run, k.thread = nil, nil
	k.Compiled.Close()
	if m.named[k.Name] == k {
		delete(m.named, k.Name)
	}
	if k.Faults != nil {
		m.exec.Unpark(k.Faults)
	}
}

// called is what a script does with the value: k().
func (m *kernels) called(L *lua.LState) int {
	k := L.Get(1).(*lua.LUserData).Value.(*callable)
	a := &args{core: m.core, L: L, name: "kernel"}
	if L.GetTop() > 1 {
		a.failAt(fault.Argument(2), "kernel %q is called without arguments: it works on the entities of its query", k.Name)
	}
	c := a.acting()
	switch {
	case c.Rows:
		a.fail("kernel %q works on many entities: call it from run, batch or a handler, not from each", k.Name)
	case k.run == nil:
		a.fail("kernel %q is one of an old version of %s, which is gone", k.Name, k.Script)
	case k.running:
		a.fail("kernel %q is running already", k.Name)
	}
	if m.exec.Batch != nil {
		a.covers(m.exec.Batch, k)
	}
	before := c.Undo.Bytes
	value.Charge(L, 50+value.StepsPerTest*k.run.Query.Count()) // about what a short one costs
	k.call(m.core, L.Context(), c)
	value.ChargeBytes(L, c.Undo.Bytes-before) // kept until the call ends
	return 0
}

// covers refuses a kernel that works on more than the calling system's query
// says: what a system declares is what it may touch.
func (a *args) covers(b *exec.Batch, k *callable) {
	for _, c := range k.run.Terms {
		if !slices.Contains(b.Terms, c) {
			a.fail("kernel %q works on %q, which the query of system %q does not list", k.Name, c.Name, b.S.Name)
		}
	}
}

// call runs over all rows as part of a call. Why on a thread of its own? A row
// that fails is caught, and catching an error on the caller's stack would cut
// functions off from the locals of its frames.
func (k *callable) call(m *core, counting gocontext.Context, c *tx.Call) {
	thread, entity := k.thread, c.Entity
	if thread == nil {
		thread, _ = m.main.NewThread()
	}
	if counting != nil {
		m.tx.Attach(thread, counting)
	}
	lua.Settle(m.tx.Thread)
	k.running, k.thread = true, nil
	k.run.Renew()
	before := *k.Ran
	defer func() {
		k.running, c.Rows, c.Entity = false, false, entity
		if c.Ran != nil {
			c.Ran.AddCallee(&before, k.Ran)
		}
	}()
	k.run.Run(thread, c.Tick)
	if len(k.Faults.Failed) == 0 {
		k.thread = thread // one on which an error was caught is not used again
	}
}

// run runs a kernel that a script has declared under that name, as one
// call of its script: undone as a whole when it fails as a whole. The error is an
// *diag.Error, or wraps ecs.ErrUnknown when there is none of that name, or
// ecs.ErrIterating inside of a call of a script.
func (m *kernels) run(t *ecs.Tick, name string) error {
	k := m.named[name]
	if k == nil {
		return fmt.Errorf("%w kernel %q%s", ecs.ErrUnknown, name, diag.DidYouMean(name, slices.Collect(maps.Keys(m.named))))
	}
	return k.run.Perform(t, k.title)
}

// compile makes the kernels of a load. The problems are those of systems that
// must have one, and could have one on another platform only for want of a compiler. Scripts that have other problems are compiled, too, so that all are told at
// once.
func (m *Binding) compile(fresh []*Declarations) []*diag.Error {
	var problems []*diag.Error
	for _, s := range fresh {
		for _, sys := range append(s.Kernels(), s.Systems...) {
			if len(s.Problems) > 0 && !s.Ended || sys.Shape == nil || sys.Compiled.Mode == exec.KernelOff || m.opts.Compile == nil {
				continue
			}
			if len(problems) >= mostTogether {
				return problems
			}
			k := &sys.Compiled
			if k.Made, k.Why = m.kernelOf(sys); k.Made != nil {
				m.staged.kernels = append(m.staged.kernels, k.Made)
			} else if k.Why == nil || s.toldOf(k.Why) { // it comes later, or needs no reason
				k.Why = nil
			} else if k.Mode == exec.KernelRequire && !errors.Is(k.Why, rows.ErrNoCompiler) {
				refused := *k.Why
				problems = append(problems, sys.Own(&refused))
			}
		}
	}
	return problems
}

// kernelOf makes the kernel of one system. It returns neither a kernel nor a reason where that
// was postponed.
func (m *Binding) kernelOf(s *exec.System) (rows.Kernel, *diag.Error) {
	source, _ := s.KernelSource()
	begun, why := s.Compiled.Begin(m.opts.Compile, source)
	if begun == nil || m.exec.Postpone(s, begun) {
		return nil, why
	}
	return begun.Kernel()
}
