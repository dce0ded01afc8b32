package scripting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestFormulasEqualLua runs each function of mathematics with special and with drawn
// arguments: on the VM, row by row, in vectors, and in vectors of float32 beside float64. The
// bits must be equal, those of not-a-number aside.
func TestFormulasEqualLua(t *testing.T) {
	sideBySide(t)
	one := []string{"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10"}
	var texts []string
	for _, name := range one {
		texts = append(texts, fmt.Sprintf("math.%s(p.x)", name))
	}
	texts = append(texts, "math.sin(p.x) - 2 * math.cos(p.x)", "math.cos(p.x) - 2 * math.sin(p.x)", "math.sin(p.x) * 3 + (p.y > 0 and math.cos(p.x) or math.sin(p.x))",
		"math.atan2(p.x, p.y)", "math.pow(p.x, p.y)", "math.fmod(p.x, p.y)",
		"p.x ^ p.y", "p.x % p.y", "p.x % 6.28", "p.x % -3", "p.x ^ 2", "p.x ^ 3", "p.x ^ 0.5", "p.x ^ -1", "p.x ^ -2", "2 ^ p.x", "p.x ^ 0", "p.x ^ (1 + 1)", "p.x ^ (0.25 + 0.25)", "p.x ^ (1 - 2)", "math.pow(p.x, 0.5)")
	rows := formulaArguments(rand.New(rand.NewPCG(*kernelSeed, 5)))
	for _, text := range texts {
		want := formulaResults(t, text, "off", 0, rows)
		for _, vectors := range []int{-1, 0, 1, 2, 3} {
			got := formulaResults(t, text, "require", vectors, rows)
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
					t.Fatalf("%s for %x (%v) and %x (%v), vectors %d: %v (%x), want %v (%x)", text,
						rows[i].X, rows[i].X, rows[i].Y, rows[i].Y, vectors, got[i], got[i], want[i], want[i])
				}
			}
		}
	}
}

// formulaArguments are all pairs of special numbers, and pairs of numbers of many sizes.
func formulaArguments(r *rand.Rand) (rows []point) {
	special := []float64{0, 0x1p-1074, 0x1p-1060, 0x1p-1023, 0x1p-1022, 1e-300, 1e-20, 1e-9, 0.3, 0.5, math.Pi / 4, 0.99, 1, 1.5, math.Sqrt2,
		math.Pi / 2, 2, 3, math.Pi, 6.28, 7, 36.7, 100, 709.78, 745.1, 1e5, 1 << 19, 1<<19 + 0.5, 1 << 25, 1e15, 1<<53 - 1, 1 << 53, 1e22, 1e100, 1e300, math.MaxFloat64, math.Inf(1)}
	for _, x := range special[:len(special):len(special)] {
		special = append(special, -x)
	}
	special = append(special, math.NaN())
	for _, x := range special {
		for _, y := range special {
			rows = append(rows, point{X: x, Y: y})
		}
	}
	draw := func() float64 {
		switch r.IntN(4) {
		case 0:
			return math.Float64frombits(r.Uint64())
		case 1:
			return r.NormFloat64()
		case 2:
			return float64(r.IntN(41) - 20)
		}
		return r.NormFloat64() * math.Exp(r.NormFloat64()*8)
	}
	for range 3000 {
		rows = append(rows, point{X: draw(), Y: draw()})
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// formulaResults are what an expression gives for rows, in one of the modes of kernels.
func formulaResults(t *testing.T, text, mode string, vectors int, rows []point) (results []float64) {
	t.Helper()
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[point](w, ecs.Named("P"))
	schema := *w.Raw().Schema(p.ID())
	schema.Name = "R"
	to, err := w.Raw().Define(schema, false)
	if err != nil {
		t.Fatal(err)
	}
	var zero point
	var entities []ecs.Entity
	for _, row := range rows {
		entities = append(entities, w.Spawn(p.With(row), w.Raw().ValueAt(to, unsafe.Pointer(&zero))))
	}
	h := newHost(t, w, scripting.Options{})
	defer h.Close()
	h.ChooseVectors(vectors)
	system := fmt.Sprintf("local ecs = require 'ecs'\nlocal P, R = ecs.native('P'), ecs.native('R')\n"+
		"ecs.system 's' { query = { P, R }, kernel = %q, each = function(e, p, r) r.x = %s end }", mode, text)
	if err := h.Load(fstest.MapFS{"f.lua": {Data: []byte(system)}}); err != nil {
		t.Fatal(text, err)
	}
	if err := h.StepAll(1.0 / 60); err != nil {
		t.Fatal(text, err)
	}
	for _, e := range entities {
		results = append(results, (*point)(w.Raw().Pointer(e, to)).X)
	}
	return results
}
