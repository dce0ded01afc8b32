package scripting_test

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// edge is what kernels do in a way of their own for some numbers. Its $a and $b are
// all of the numbers around which that begins and ends; z is 0, read from a field.
type edge struct {
	name, body string
	a, b       []float64 // a is nil where the body has none
	left       func(a, b float64) bool
}

const mostWhole = 1 << 53 // all whole numbers up to it are float64

var ranges = []float64{-mostWhole - 2, -mostWhole, -2, -1, 0, 0.5, 1, 2, mostWhole - 1, mostWhole, inf, nan}

var edges = []edge{
	{name: "math.random(a, b)", body: "r = math.random(z + $a, z + $b)", a: ranges, b: ranges, left: func(a, b float64) bool {
		return math.Floor(b) == 0 || a == inf // how many numbers there are is then not known
	}},
	{name: "math.random(b)", body: "r = math.random(z + $b)", b: ranges},
	{name: "ecs.random(a, b)", body: "r = ecs.random(z + $a, z + $b)", a: ranges, b: ranges, left: func(a, b float64) bool { return a < -mostWhole || b >= mostWhole }},
	{name: "ecs.random(b)", body: "r = ecs.random(z + $b)", b: ranges, left: func(_, b float64) bool { return b >= mostWhole }},
	{name: "a ^ b", body: "r = (z + $a) ^ $b",
		a: []float64{-inf, -4, -5e-324, 0, 1e-151, 0.5, 4, 1e154, 1e155, inf, nan}, b: []float64{-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, inf, nan}},
}

// kindEdges are stores into a field of each kind, of the numbers around its ends.
func kindEdges() (list []edge) {
	for field, bits := range map[string]int{"x.i8": -8, "x.u8": 8, "x.i16": -16, "y.u16": 16, "y.i32": -32, "y.u32": 32, "x.i64": -54, "y.u64": 53} {
		low, high := 0.0, math.Ldexp(1, bits)-1
		if bits < 0 {
			low, high = -math.Ldexp(1, -bits-1), math.Ldexp(1, -bits-1)-1
		}
		values := []float64{0.5, nan, inf, -inf}
		for _, end := range []float64{low, high} {
			values = append(values, end, end-1, end+1)
		}
		e := edge{name: field, body: field + " = z + $b", b: values}
		if high > math.MaxUint32 { // integers of 64 bits go on where whole numbers no longer do
			e.left = func(_, b float64) bool { return math.Abs(b) > mostWhole }
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b edge) int { return strings.Compare(a.name, b.name) })
	return list
}

// written is how Lua writes a number.
func written(v float64) string {
	switch {
	case v != v:
		return "(0/0)"
	case math.IsInf(v, 1):
		return "math.huge"
	case math.IsInf(v, -1):
		return "-math.huge"
	}
	return fmt.Sprintf("(%.17g)", v)
}

// edged is what became of a row.
type edged struct {
	left string // what is in it, or the error
	lua  bool   // the Lua machine ran it
}

// TestKernelsAtTheEdges takes every pair of numbers. The row gets the same, or fails
// with the same words, on both paths, and one that does not fail is the kernel's.
func TestKernelsAtTheEdges(t *testing.T) {
	for _, e := range append(edges, kindEdges()...) {
		first, left := e.a, e.left
		if first == nil {
			first = []float64{0}
		}
		if left == nil {
			left = func(_, _ float64) bool { return false }
		}
		var bodies []string
		var pairs [][2]float64
		for _, a := range first {
			for _, b := range e.b {
				bodies = append(bodies, strings.NewReplacer("$a", written(a), "$b", written(b)).Replace(e.body))
				pairs = append(pairs, [2]float64{a, b})
			}
		}
		vm, kernel := runEdges(t, "off", bodies), runEdges(t, "auto", bodies)
		for i, p := range pairs {
			if vm[i].left != kernel[i].left {
				t.Errorf("%s: the machine says %s, the kernel %s", bodies[i], vm[i].left, kernel[i].left)
			}
			fails := strings.HasPrefix(vm[i].left, "error")
			if want := fails || left(p[0], p[1]); kernel[i].lua != want {
				t.Errorf("%s: the Lua machine runs the row: %t, want %t (%s)", bodies[i], kernel[i].lua, want, vm[i].left)
			}
		}
	}
}

// runEdges runs bodies that assign r for one row, each as a system of its own.
func runEdges(t *testing.T, mode string, bodies []string) []edged {
	t.Helper()
	const noise = 1000 // steps of the call before; those of a row are fewer, and a kernel has none
	w, err := ecs.Open(ecs.Options{Tag: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	alpha, beta := ecs.Register[Alpha](w), ecs.Register[Beta](w)
	row := w.Spawn(alpha.With(Alpha{}), beta.With(Beta{}))
	h, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.OnMachine()
	text := opening
	for i, body := range bodies { // systems run in the order of their names
		text += fmt.Sprintf("ecs.system \"s%03da\" { run = function() for i = 1, %d do end end }\n", i, noise)
		text += system(fmt.Sprintf("s%03db", i), mode, fmt.Sprintf("function(e, x, y) local z, r = y.h, 0 %s y.f = r end", body))
	}
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	out := make([]edged, len(bodies))
	for i := range bodies {
		err := w.Schedule().Add(ecs.System{Name: fmt.Sprintf("s%03d~", i), Phase: ecs.Logic, Run: func(*ecs.Tick) error {
			x, _ := alpha.Get(row)
			y, _ := beta.Get(row)
			out[i] = edged{fmt.Sprintf("%+v %+v", x, y), h.Steps() > 0 && h.Steps() < noise}
			alpha.Set(row, Alpha{})
			beta.Set(row, Beta{})
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range split(h.Step(0.1)) {
		var i int
		if _, err := fmt.Sscanf(line[strings.Index(line, `"s`):], `"s%03db"`, &i); err != nil {
			t.Fatal(err, line)
		}
		out[i].left = "error: " + line
	}
	return out
}
