package scripting_test

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

type float interface{ float32 | float64 }

type vec[N float] struct{ X, Y N }

type (
	point   = vec[float64]
	point32 = vec[float32]
)

// The systems that stand for all, in Lua.
const benchScript = `
local ecs = require "ecs"
local P, V = ecs.native("P"), ecs.native("V")
local width, height = 1000, 800
ecs.system "integrate" { query = { P, V }, kernel = "require", precision = %q, enabled = %t,
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
  end }
ecs.system "bounce" { query = { P, V }, kernel = "require", precision = %q, enabled = %t,
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
    if p.x < 0 or p.x > width then v.x = -v.x end
    if p.y < 0 or p.y > height then v.y = -v.y end
  end }
`

// BenchmarkKernel measures kernels against the same loop in Go over slices of
// structs, in turn, and gives the least time of each and how they compare: only
// the ratio counts. A tick of the host is part of a kernel's time.
func BenchmarkKernel(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for _, bounce := range []bool{false, true} {
			name := map[bool]string{false: "integrate", true: "bounce"}[bounce]
			b.Run(fmt.Sprintf("%s/%d/f64", name, n), func(b *testing.B) { benchRatio[float64](b, n, bounce, "f64") })
			b.Run(fmt.Sprintf("%s/%d/f32", name, n), func(b *testing.B) { benchRatio[float32](b, n, bounce, "f32") })
			b.Run(fmt.Sprintf("%s/%d/f32-as-f64", name, n), func(b *testing.B) { benchRatio[float32](b, n, bounce, "f64") })
		}
	}
}

// BenchmarkKernelFunctions measures one operation per row over 10,000 rows, in vectors where
// they can do it, and row by row.
func BenchmarkKernelFunctions(b *testing.B) {
	for _, body := range []string{
		"p.y", "p.y + 1", "math.floor(p.y + 1)", "math.max(p.y, v.x)",
		"p.y % 7", "p.y % 6.28", "p.y % v.y", "math.fmod(p.y, 6.28)",
		"math.sin(p.y)", "math.cos(p.y)", "math.sin(p.y) + math.cos(p.y)", "math.tan(p.y)",
		"math.asin(v.x / 9)", "math.acos(v.x / 9)", "math.atan(p.y)", "math.atan2(v.y, v.x)",
		"math.sinh(v.y)", "math.cosh(v.y)", "math.tanh(v.y)",
		"math.exp(v.x)", "math.log(p.y + 1)", "math.log10(p.y + 1)",
		"p.y ^ 2", "p.y ^ 3", "p.y ^ 0.5", "p.y ^ v.y",
	} {
		b.Run("vectors/"+body, func(b *testing.B) { benchExpression(b, "p.x = "+body, 0) })
		b.Run("rows/"+body, func(b *testing.B) { benchExpression(b, "p.x = "+body, -1) })
	}
}

// benchExpression measures a body, and gives the least time of a tick.
func benchExpression(b *testing.B, body string, vectors int) {
	text := "local ecs = require 'ecs'\nlocal P, V = ecs.native('P'), ecs.native('V')\n" +
		"ecs.system 's' { query = { P, V }, kernel = 'require', each = function(e, p, v) " + body + " end }"
	benchLeast(b, text, vectors)
}

func benchLeast(b *testing.B, text string, vectors int) {
	const n = 10_000
	step, least := benchHost[point](b, n, text, func(h *scripting.Host) { h.ChooseVectors(vectors) }), time.Hour
	for b.Loop() {
		begin := time.Now()
		step()
		least = min(least, time.Since(begin))
	}
	b.ReportMetric(float64(least.Nanoseconds())/n, "ns/entity")
}

func benchRatio[N float](b *testing.B, n int, bounce bool, precision string) {
	p, v := make([]vec[N], n), make([]vec[N], n)
	for i := range p {
		p[i], v[i] = vec[N]{N(i % 1000), N(i % 800)}, vec[N]{N(i%17) - 8, N(i%13) - 6}
	}
	loop := integrateGo[N]
	if bounce {
		loop = bounceGo[N]
	}
	step := benchHost[vec[N]](b, n, fmt.Sprintf(benchScript, precision, !bounce, precision, bounce))
	least := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		for i, run := range []func(){func() { loop(p, v, 1.0/60) }, step} {
			begin := time.Now()
			run()
			least[i] = min(least[i], time.Since(begin))
		}
	}
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(n) }
	b.ReportMetric(per(least[0]), "go-ns/entity")
	b.ReportMetric(per(least[1]), "kernel-ns/entity")
	b.ReportMetric(per(least[1])/per(least[0]), "ratio")
}

//go:noinline
func integrateGo[N float](p, v []vec[N], dt N) {
	v = v[:len(p)]
	for i := range p {
		p[i].X += v[i].X * dt
		p[i].Y += v[i].Y * dt
	}
}

//go:noinline
func bounceGo[N float](p, v []vec[N], dt N) {
	v = v[:len(p)]
	for i := range p {
		p[i].X += v[i].X * dt
		p[i].Y += v[i].Y * dt
		if p[i].X < 0 || p[i].X > 1000 {
			v[i].X = -v[i].X
		}
		if p[i].Y < 0 || p[i].Y > 800 {
			v[i].Y = -v[i].Y
		}
	}
}

// benchHost returns what ticks a world of n entities.
func benchHost[T any](b *testing.B, n int, text string, options ...func(*scripting.Host)) (step func()) {
	w, err := ecs.Open(ecs.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	p := ecs.Register[T](w, ecs.Named("P"))
	schema := *w.Raw().Schema(p.ID())
	schema.Name = "V"
	v, err := w.Raw().Define(schema, false)
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		var zero T
		e := w.Spawn(p.With(zero), w.Raw().ValueAt(v, unsafe.Pointer(&zero)))
		put(w, e, p.ID(), float64(i%1000), float64(i%800))
		put(w, e, v, float64(i%17)-8, float64(i%13)-6)
	}
	h := newHost(b, w, scripting.Options{})
	b.Cleanup(func() { h.Close() })
	for _, set := range options {
		set(h)
	}
	if err := h.Load(fstest.MapFS{"bench.lua": {Data: []byte(text)}}); err != nil {
		b.Fatal(err)
	}
	return func() {
		if err := h.StepAll(1.0 / 60); err != nil {
			b.Fatal(err)
		}
	}
}

// put sets the two fields of a component.
func put(w *ecs.World, e ecs.Entity, id ecs.ComponentID, values ...float64) {
	at := w.Raw().Pointer(e, id)
	for i, f := range w.Raw().Schema(id).Fields {
		f.Kind.Store(unsafe.Add(at, f.Offset), values[i])
	}
}
