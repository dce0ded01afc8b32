package scripting

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
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
		k.engine, k.err = kernel.NewEngine(w.Raw().Memory(), w.Raw().MemoryMap())
	}
	return k.engine, k.err
}

// close ends the engine, if there is one.
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

// makeKernel translates a function, compiles it and ties it to the world: to the
// components, events and prefabs that it names, and to the limits of the calls that
// run it.
func (h *Host) makeKernel(s *bindings.KernelSource) (*kernelCall, error) {
	p, err := h.translate(s)
	if err != nil {
		return nil, err
	}
	if l := worthReporting(p); l != nil && s.Required {
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
	var sites []bindings.KernelHostCall
	for _, site := range p.HostCalls() {
		at := bindings.KernelHostCall{Op: site.Op}
		for _, part := range site.Parts {
			at.Parts = append(at.Parts, bindings.HostPart(part))
		}
		sites = append(sites, at)
	}
	var things []any
	for _, t := range p.Components() {
		things = append(things, t.Ref)
	}
	c := &kernelCall{
		kernel: k, shape: p.Rows(), limiter: h.limiter, writes: p.Writes(), fallback: worthReporting(p), fuelled: k.Fuelled(), readsMarks: k.ReadsMarks() || k.Despawns(),
		host: h.module.NewKernelHost(sites, things), script: s.Closure.Proto.SourceName, work: p.Work(),
	}
	c.rows.World = c.host
	return c, nil
}

// worthReporting returns the first branch that a kernel leaves to the VM,
// nil if there is none but for what is made for seldom: a line in the log.
func worthReporting(p *kernel.Program) *kernel.Fallback {
	for _, l := range p.Fallbacks() {
		if !l.Rare {
			return &l
		}
	}
	return nil
}

// translate makes a program of an each function.
func (vm *interpreter) translate(s *bindings.KernelSource) (*kernel.Program, error) {
	p, id, ok := vm.each(s.Closure)
	if !ok {
		return nil, notWritten(s)
	}
	return kernel.Translate(p.forKernels(), id, vm.signature(s))
}

// kernelPortion is how much fuel a kernel gets at a time, in instructions of the
// VM: some milliseconds, in which nothing can interrupt it.
const kernelPortion = 1 << 20

// kernelCall runs a kernel within the limits of the call that is running.
type kernelCall struct {
	kernel   *kernel.Kernel
	shape    string // how rows go together
	limiter  *limiter
	rows     kernel.Rows
	writes   []int
	host     *bindings.KernelHost
	took     time.Duration    // to compile it
	fallback *kernel.Fallback // what is said of the branches that are the VM's; nil: nothing

	script     string // that it is part of
	work       int64  // nanoseconds that a row needs at most, but for fuel
	fuelled    bool   // it needs fuel
	readsMarks bool   // it asks what the run has done

	mu    sync.Mutex
	spare []*kernelFork // that no goroutine uses just now
}

// kernelFork is what one goroutine runs a kernel with.
type kernelFork struct {
	*kernel.Fork
	rows kernel.Rows
}

// Run implements bindings.Kernel. Loops are paid for with the instructions that
// the call may use, for each turn no more than the VM would need at least. When
// those are gone, or one row alone needs more than a portion, the VM gets the
// row, as if the kernel had not begun it: it stops where it would have stopped anyway, or
// takes the time it needs. So it does with the first row for which Limits.TickRows leaves
// nothing.
//
// Why never more? Then a call that the VM would finish is not cut by what the
// kernel has counted.
func (c *kernelCall) Run(t *ecs.Tick, rows *bindings.KernelRows, next, end int) int {
	all := end
	if left := c.room(); int64(end-next) > left {
		end = next + int(left)
	}
	begin := next
	next = c.run(t, rows, next, end)
	c.limiter.rows.spend(c.script, int64(next-begin)*c.work)
	if next == end && end < all {
		c.limiter.cut(c.limiter.rows.tooMuch())
	}
	return next
}

// room is how many rows the limit of the tick leaves.
func (c *kernelCall) room() int64 { return c.limiter.rows.left(c.script, c.limiter.parts()) / c.work }

// run gives the kernel one portion of fuel after another until the rows are done, or
// the kernel stops at a row that is the VM's.
func (c *kernelCall) run(t *ecs.Tick, rows *bindings.KernelRows, next, end int) int {
	r := &c.rows
	r.Columns, r.Entities, r.Len, r.Next = rows.Columns, rows.Entities, end, next
	r.DT, r.Time, r.Tick = t.DT, t.Time, float64(t.N)
	for r.Next < end {
		first, portion := r.Next, c.portion()
		r.Fuel, r.Random = portion, t.Random().State()
		if c.readsMarks {
			r.Mark, r.Kin = c.host.Marks()
		}
		if err := c.kernel.Run(r); err != nil {
			panic(fmt.Errorf("a kernel failed: %w", err)) // becomes an error of the call
		}
		t.Random().Seed(r.Random)
		if c.fuelled {
			c.limiter.budget.Spend(portion - r.Fuel)
		}
		if again := r.Full || r.Dry; !again || r.Next == first {
			break
		}
	}
	return r.Next
}

// portion is how much fuel there is now. A kernel that needs none does not ask:
// the limits of the call may not even be set.
func (c *kernelCall) portion() int64 {
	if !c.fuelled {
		return 0
	}
	return max(min(kernelPortion, c.limiter.budget.Left()), 0)
}

// Parallel implements bindings.Kernel.
func (c *kernelCall) Parallel() bool { return c.kernel.Independent() }

// RunParallel implements bindings.Kernel. It stops where Run would, but for the limit
// of instructions.
func (c *kernelCall) RunParallel(t *ecs.Tick, rows *bindings.KernelRows, n int) (stopped int, used int64) {
	f := c.fork()
	defer c.giveBack(f)
	r := &f.rows
	*r = kernel.Rows{Columns: rows.Columns, Entities: rows.Entities, Len: n, DT: t.DT, Time: t.Time, Tick: float64(t.N)}
	for r.Next < n {
		first := r.Next
		r.Fuel = kernelPortion
		if err := f.Run(r); err != nil {
			panic(fmt.Errorf("a kernel failed: %w", err))
		}
		used += kernelPortion - r.Fuel
		if !r.Dry || r.Next == first {
			break
		}
	}
	return r.Next, used
}

// fork returns a fork that no other goroutine uses, an old one if there is one.
func (c *kernelCall) fork() *kernelFork {
	c.mu.Lock()
	defer c.mu.Unlock()
	if end := len(c.spare) - 1; end >= 0 {
		f := c.spare[end]
		c.spare = c.spare[:end]
		return f
	}
	return &kernelFork{Fork: c.kernel.Fork()}
}

// giveBack returns a fork for the next goroutine.
func (c *kernelCall) giveBack(f *kernelFork) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spare = append(c.spare, f)
}

// Afford implements bindings.Kernel. What rows use does not depend on how they were
// shared out: a row that is begun again does not count twice.
func (c *kernelCall) Afford(used int64, rows int) bool {
	if used > 0 && used > c.limiter.budget.Left() {
		return false
	}
	c.limiter.budget.Spend(used)
	c.limiter.rows.spend(c.script, int64(rows)*c.work)
	return true
}

// Ready implements bindings.Kernel.
func (c *kernelCall) Ready() bool {
	return c.host.Ready(c.kernel.ComponentNumbers()) && c.kernel.Ready()
}

// Done implements bindings.Kernel.
func (c *kernelCall) Done() { c.kernel.Done() }

// Writes implements bindings.Kernel.
func (c *kernelCall) Writes() []int { return c.writes }

// Metered implements bindings.Kernel.
func (c *kernelCall) Metered() bool { return c.fuelled }

// Safe implements bindings.Kernel.
func (c *kernelCall) Safe() bool { return c.kernel.Safe() }

// Fits implements bindings.Kernel.
func (c *kernelCall) Fits(rows int) bool {
	return int64(rows) <= c.room() && c.kernel.Fits(c.host, rows)
}

// Blind implements bindings.Kernel.
func (c *kernelCall) Blind() bool { return c.kernel.Blind() }

// Ends implements bindings.Kernel.
func (c *kernelCall) Ends() bool { return c.kernel.Despawns() }

// Close implements bindings.Kernel. An error of the engine would be about memory
// that it could not give back: there is nothing to be done about that.
func (c *kernelCall) Close() { _ = c.kernel.Close() }
