package wasm_test

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
)

var (
	seed  = flag.Uint64("seed", 1, "first seed of the kernels that are drawn")
	count = flag.Uint64("count", 150, "how many of them")
)

// TestModulesEqualDrawnKernels runs kernels drawn at random in the engine, as they are
// drawn and after all passes, one row at a time and in vectors: memory, inputs, notes, fuel
// and the row at which they stop must be what the machine of package kerneltest says.
func TestModulesEqualDrawnKernels(t *testing.T) {
	b := newBench(t)
	coverage, vectors, finished := kerneltest.Coverage{}, 0, 0
	for n := *seed; n < *seed+*count; n++ {
		for _, optimised := range []bool{false, true} {
			simple := n%2 == 0
			f := kerneltest.Kernel(n, simple, !optimised)
			if optimised {
				passes.Run(f, nil)
			} else {
				coverage.Add(f)
			}
			p, err := kernel.Assemble(f, 0)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", n, err, f)
			}
			if p.Vectorised() {
				vectors++
			}
			finished += b.compare(f, p, n)
		}
	}
	t.Logf("%d programs in vectors, %d rows were finished; operations by place:\n%s", vectors, finished, coverage)
	for op := ir.Const; op <= ir.Pick; op++ {
		if coverage[op] == nil {
			t.Errorf("no kernel has %s", op)
		}
	}
	if uint64(vectors) < *count/10 || uint64(finished) < 3**count {
		t.Error("too little to say much")
	}
}

// bench is an engine over a memory, in which kernels are compared with the machine.
type bench struct {
	t      *testing.T
	memory []byte
	engine *kernel.Engine
}

func newBench(t *testing.T) *bench {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 2 << 20}) // its memory is aligned, and whole pages
	if err != nil {
		t.Fatal(err)
	}
	world := &kerneltest.World{}
	e, err := kernel.NewEngine(w.Raw().Memory(), world.Map().MemoryMap)
	if errors.Is(err, engine.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		w.Close()
	})
	return &bench{t, w.Raw().Memory(), e}
}

// compare runs a few calls of a kernel by the machine and in the engine, and returns how
// many rows were finished.
func (b *bench) compare(f *ir.Func, p *kernel.Translation, n uint64) (finished int) {
	b.t.Helper()
	r := rand.New(rand.NewPCG(n, 7))
	world := &kerneltest.World{}
	for range 3 {
		world.Fill(r, b.memory)
		call := kerneltest.NewCall(r, f, b.memory)
		before := slices.Clone(b.memory[:kerneltest.Size])
		want := kerneltest.Evaluate(f, world, before, call)
		got, err := run(f, p, b.engine, world, b.memory, call)
		if err != nil {
			b.t.Fatalf("seed %d: %v\n%s", n, err, f)
		}
		if fault := kerneltest.Differs(f, want, got); fault != "" {
			b.t.Fatalf("seed %d, %d rows: %s (the machine, then the engine)\n%s", n, call.Rows, fault, f)
		}
		finished += want.Call.Next
	}
	return finished
}

// host is the world to a kernel that runs in the engine.
type host struct {
	world  *kerneltest.World
	memory []byte
	f      *ir.Func
	call   *kerneltest.Call
}

func (h host) Ready(numbers []uint32) bool {
	copy(numbers, h.world.Components())
	return true
}

func (h host) Fetch(call int, entity float64) (unsafe.Pointer, bool) {
	switch at := h.world.Fetch(call, entity); at {
	case ir.Nowhere:
		return nil, true
	case ir.Unclear:
		return nil, false
	default:
		return unsafe.Pointer(&h.memory[int(at)]), true
	}
}

func (h host) Ask(call int, entity float64) float64 { return h.world.Ask(call, entity) }
func (h host) Invoke(call int, args *[ir.MostInvoked]float64) float64 {
	return h.world.Invoke(call, args[:])
}
func (h host) Begin() int { return h.call.NoteBytes }

func (h host) End(notes []uint64) {
	for len(notes) > 0 {
		n := kerneltest.Note{Call: int(notes[0])}
		call := &h.f.HostCalls[n.Call]
		values := len(call.Kinds())
		if call.AboutEntity() {
			values++
		}
		for _, bits := range notes[1 : 1+values] {
			n.Values = append(n.Values, math.Float64frombits(bits))
		}
		h.call.Notes = append(h.call.Notes, n)
		notes = notes[1+values:]
	}
}

// run runs a call in the engine.
func run(f *ir.Func, p *kernel.Translation, e *kernel.Engine, w *kerneltest.World, memory []byte, c *kerneltest.Call) (o kerneltest.Outcome, err error) {
	o.Call = *c
	o.Call.Inputs = slices.Clone(c.Inputs)
	for i := range f.Inputs {
		f.Inputs[i].Read = func() (float64, bool) { return o.Call.Inputs[i], true }
		f.Inputs[i].Write = func(v float64) { o.Call.Inputs[i] = v }
	}
	for i := range f.Lists {
		f.Lists[i].Read = func(items []float64) bool { copy(items, c.Lists[i]); return true }
	}
	k, err := kernel.New(p, e, host{w, memory, f, &o.Call})
	if err != nil {
		return o, err
	}
	defer k.Close()
	k.Ready()
	view := &rows.View{Entities: unsafe.Slice((*ecs.Entity)(unsafe.Pointer(&memory[c.Entities])), max(c.Rows, 1))}
	for _, at := range c.Columns {
		column := rows.Column{}
		if at != kerneltest.Absent {
			column.Base = unsafe.Pointer(&memory[at])
		}
		view.Columns = append(view.Columns, column)
	}
	call := rows.KernelCall{
		View: view, End: c.Rows, Next: c.Next, Fuel: c.Fuel, Random: c.Random, DT: c.DT, Time: c.Time, Tick: c.Tick, Mark: c.Mark, Kin: c.Kin,
	}
	err = k.Run(&call)
	k.Done()
	o.Call.Next, o.Call.Fuel, o.Call.Random, o.Call.Full, o.Call.Dry = call.Next, call.Fuel, call.Random, call.Full, call.Dry
	o.Memory = slices.Clone(memory[:kerneltest.Size])
	return o, err
}
