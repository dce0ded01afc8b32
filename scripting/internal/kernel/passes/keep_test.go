package passes_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
)

var (
	seed  = flag.Uint64("seed", 1, "first seed of the kernels that are drawn")
	count = flag.Uint64("count", 800, "how many of them")
)

// TestPassesKeepDrawnKernels runs kernels drawn at random before all passes and after
// each: what is left in memory, in inputs and in notes, where a kernel stops and which
// fuel it has taken must be the same. The machine that evaluates them knows nothing of
// passes.
func TestPassesKeepDrawnKernels(t *testing.T) {
	coverage, finished := kerneltest.Coverage{}, 0
	memory := make([]byte, kerneltest.Size)
	for n := *seed; n < *seed+*count; n++ {
		f := kerneltest.Kernel(n, n%4 == 0, false)
		if err := ir.Check(f); err != nil {
			t.Fatalf("seed %d: %v\n%s", n, err, f)
		}
		coverage.Add(f)
		before := f.String()
		r := rand.New(rand.NewPCG(n, 5))
		world := &kerneltest.World{}
		world.Fill(r, memory)
		call := kerneltest.NewCall(r, f, memory)
		want := kerneltest.Evaluate(f, world, memory, call)
		finished += want.Call.Next
		passes.Run(f, func(p passes.Pass) {
			if err := ir.Check(f); err != nil {
				t.Fatalf("seed %d, after %s: %v\n%s\n%s", n, p.Name, err, before, f)
			}
			if fault := kerneltest.Differs(f, want, kerneltest.Evaluate(f, world, memory, call)); fault != "" {
				t.Fatalf("seed %d, after %s: %s\n%s\n%s", n, p.Name, fault, before, f)
			}
		})
	}
	t.Logf("%d rows were finished; operations by place:\n%s", finished, coverage)
	if uint64(finished) < 3**count {
		t.Error("too few rows to say much")
	}
}
