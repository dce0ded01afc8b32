package kernel_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
)

// arena is memory for an engine, as a world's: aligned, and whole pages.
func arena(t testing.TB) []byte {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w.Raw().Memory()
}

func open(t testing.TB, memory []byte) *kernel.Engine {
	t.Helper()
	e, err := kernel.NewEngine(memory, ecs.MemoryMap{})
	if errors.Is(err, engine.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// motions views a column of the arena.
func motions(memory []byte, at, n int) []struct{ X, Y float64 } {
	return unsafe.Slice((*struct{ X, Y float64 })(unsafe.Pointer(&memory[at])), n)
}

// viewOf is a view of rows that have no first term, and the second one at an address.
func viewOf(second unsafe.Pointer) *rows.View {
	return &rows.View{Columns: []rows.Column{{}, {Base: second}}}
}

// TestRunsFromAnyRow runs parts of a column, of every length around that of a
// group of rows.
func TestRunsFromAnyRow(t *testing.T) {
	memory := arena(t)
	e := open(t, memory)
	programs, err := translate(before + "function(e, p, v, ctx) v.x = v.x + ctx.dt end }")
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.New(programs[0], e, nil)
	if err != nil {
		t.Fatal(err)
	}
	const at, count = 1 << 20, 12
	v := motions(memory, at, count)
	view := viewOf(unsafe.Pointer(&v[0]))
	for from := range count {
		for n := from; n <= count; n++ {
			clear(v)
			r := rows.KernelCall{View: view, End: n, Next: from, DT: 0.5}
			if err := k.Run(&r); err != nil || r.Next != n {
				t.Fatalf("rows %d to %d: stopped at %d, %v", from, n, r.Next, err)
			}
			for i := range v {
				want := 0.0
				if i >= from && i < n {
					want = 0.5
				}
				if v[i].X != want || v[i].Y != 0 {
					t.Fatalf("rows %d to %d: row %d is %v", from, n, i, v[i])
				}
			}
		}
	}
	outside := struct{ X, Y float64 }{1, 2}
	r := rows.KernelCall{View: viewOf(unsafe.Pointer(&outside)), End: 1}
	if err := k.Run(&r); err != nil || r.Next != 0 || outside.X != 1 {
		t.Errorf("a column outside of the arena: row %d, %v, %v", r.Next, err, outside)
	}
	if allocs := testing.AllocsPerRun(100, func() {
		r = rows.KernelCall{View: view, End: count}
		if err := k.Run(&r); err != nil {
			t.Fatal(err)
		}
	}); allocs > 0 {
		t.Errorf("a call allocates %v times", allocs)
	}
}

// TestStopsBeforeTheRow holds that a row that a kernel cannot finish is as it
// was, and those before it are done.
func TestStopsBeforeTheRow(t *testing.T) {
	memory := arena(t)
	e := open(t, memory)
	programs, err := translate(before + "function(e, p, v, ctx) v.y = 1 while v.x > 0 do v.x = v.x - 1 end end }")
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.New(programs[0], e, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := motions(memory, 1<<20, 3)
	v[0].X, v[1].X, v[2].X = 3, 1e9, 3
	r := rows.KernelCall{View: viewOf(unsafe.Pointer(&v[0])), End: 3, Fuel: 1000}
	if err := k.Run(&r); err != nil {
		t.Fatal(err)
	}
	if r.Next != 1 || !r.Dry || r.Fuel != 1000-3*3 || v[0].X != 0 || v[0].Y != 1 || v[1].X != 1e9 || v[1].Y != 0 || v[2].Y != 0 {
		t.Errorf("stopped at %d with fuel %d: %v", r.Next, r.Fuel, v)
	}
}
