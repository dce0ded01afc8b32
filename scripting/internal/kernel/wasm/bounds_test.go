package wasm_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
)

// TestBoundsOfNotes holds that a change takes the least and the largest number of each
// integer kind, and neither the next one nor a number between: where the row stops, and
// what is noted, is what the machine says and what schema.Kind.Fit says.
func TestBoundsOfNotes(t *testing.T) {
	b := newBench(t)
	for _, kind := range []schema.Kind{schema.I8, schema.U8, schema.I16, schema.U16, schema.I32, schema.U32, schema.I64} {
		low, high := kind.Range()
		for _, v := range []float64{low - 1, low, low + 1, 0.5, high - 1, high, high + 1, high * 2} {
			f, err := kerneltest.Read(fmt.Sprintf(`kernel "bounds"
column entity term -1 stride 8
field entity entity at 0 handle
call 0 add (%s)
row
  noted = (do 0 entity %v)
  if (not noted)
    stop "ecs.add may be refused"
`, kind, v))
			if err != nil {
				t.Fatal(err)
			}
			f.Memory = (&kerneltest.World{}).Map()
			p, err := kernel.Assemble(f, 0)
			if err != nil {
				t.Fatalf("%s of %v: %v", kind, v, err)
			}
			finished := 0
			for n := range uint64(3) {
				finished += b.compare(f, p, n)
			}
			if fits := kind.Fit(v) == nil; fits != (finished > 0) {
				t.Errorf("%s of %v: %d rows were finished", kind, v, finished)
			}
		}
	}
}
