package kernel

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
)

// silent is a world that must not be asked.
type silent struct{ World }

// TestParallelRunsShareNothing holds that a run on several goroutines leaves the engine
// alone: which world is asked is noted there, without a lock, and only kernels that ask
// may do so. This one names a host call that no row comes to, as a function does whose
// branch was found to be dead.
func TestParallelRunsShareNothing(t *testing.T) {
	f, err := kerneltest.Read("kernel \"k\"\ncolumn c term 0 stride 8\nfield c.x f64 at 0 store\ncall 0 emit (f64)\nrow\n  c.x = (add c.x 1)\n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Assemble(f, 0)
	if err != nil || !f.Independent() {
		t.Fatal(err, f.Independent())
	}
	w, err := ecs.Open(ecs.Options{MaxBytes: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	memory := w.Raw().Memory()
	e, err := NewEngine(memory, ecs.MemoryMap{})
	if errors.Is(err, engine.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	k, err := New(p, e, silent{})
	if err != nil {
		t.Fatal(err)
	}
	x := (*float64)(unsafe.Pointer(&memory[1<<20]))
	call := rows.KernelCall{View: &rows.View{Columns: []rows.Column{{Base: unsafe.Pointer(x)}}}, End: 1}
	if err := k.RunParallel(&call); err != nil || call.Next != 1 || *x != 1 {
		t.Fatal(err, call.Next, *x)
	}
	if e.world != nil {
		t.Error("the engine has got the world of a kernel that asks nothing")
	}
}
