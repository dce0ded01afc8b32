package scripting_test

import (
	"fmt"
	"log/slog"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

type point struct{ X, Y float64 }
type point32 struct{ X, Y float32 }

// The systems that stand for all, in Lua.
const benchScript = `
local ecs = require "ecs"
local P, V = ecs.native("P"), ecs.native("V")
local width, height = 1000, 800
ecs.system "integrate" { query = { P, V }, kernel = %q, enabled = %t,
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
  end }
ecs.system "bounce" { query = { P, V }, kernel = %q, enabled = %t,
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
    if p.x < 0 or p.x > width then v.x = -v.x end
    if p.y < 0 or p.y > height then v.y = -v.y end
  end }
`

// BenchmarkKernel measures both over Go slices, on the Lua machine and as
// kernels, in one process: only the ratios count.
func BenchmarkKernel(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for _, bounce := range []bool{false, true} {
			name := map[bool]string{false: "integrate", true: "bounce"}[bounce]
			b.Run(fmt.Sprintf("%s/%d/go", name, n), func(b *testing.B) { benchGo(b, n, bounce) })
			b.Run(fmt.Sprintf("%s/%d/kernel", name, n), func(b *testing.B) { benchLua[point](b, n, bounce, "require") })
			b.Run(fmt.Sprintf("%s/%d/kernel-f32", name, n), func(b *testing.B) { benchLua[point32](b, n, bounce, "require") })
			b.Run(fmt.Sprintf("%s/%d/lua", name, n), func(b *testing.B) { benchLua[point](b, n, bounce, "off") })
		}
	}
}

// BenchmarkKernelFunctions measures one operation per row over 10,000 rows, for
// what it costs to leave a kernel.
func BenchmarkKernelFunctions(b *testing.B) {
	for _, body := range []string{
		"p.x = p.y", "p.x = p.y + 1", "p.x = math.floor(p.y + 1)", "p.x = math.max(p.y, v.x)", "p.x = p.y % 7",
		"p.x = math.sin(p.y)", "p.x = p.y ^ 2", "p.x = p.y ^ 0.5",
	} {
		b.Run(body, func(b *testing.B) {
			text := "local ecs = require 'ecs'\nlocal P, V = ecs.native('P'), ecs.native('V')\n" +
				"ecs.system 's' { query = { P, V }, kernel = 'require', each = function(e, p, v) " + body + " end }"
			benchText[point](b, 10_000, text)
		})
	}
}

func benchGo(b *testing.B, n int, bounce bool) {
	p, v := make([]point, n), make([]point, n)
	for i := range p {
		p[i], v[i] = point{float64(i % 1000), float64(i % 800)}, point{float64(i%17) - 8, float64(i%13) - 6}
	}
	dt := 1.0 / 60
	for b.Loop() {
		if bounce {
			bounceGo(p, v, dt)
		} else {
			integrateGo(p, v, dt)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
}

//go:noinline
func integrateGo(p, v []point, dt float64) {
	v = v[:len(p)]
	for i := range p {
		p[i].X += v[i].X * dt
		p[i].Y += v[i].Y * dt
	}
}

//go:noinline
func bounceGo(p, v []point, dt float64) {
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

func benchLua[T any](b *testing.B, n int, bounce bool, mode string) {
	benchText[T](b, n, fmt.Sprintf(benchScript, mode, !bounce, mode, bounce))
}

func benchText[T any](b *testing.B, n int, text string) {
	w, err := ecs.Open(ecs.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	p := ecs.Register[T](w, ecs.Named("P"))
	schema := *w.Schema(p.ID())
	schema.Name = "V"
	v, err := w.Define(schema, false)
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		var zero T
		e := w.Spawn(p.With(zero), w.ValueAt(v, unsafe.Pointer(&zero)))
		put(w, e, p.ID(), float64(i%1000), float64(i%800))
		put(w, e, v, float64(i%17)-8, float64(i%13)-6)
	}
	h, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	if err := h.Load(fstest.MapFS{"bench.lua": {Data: []byte(text)}}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := h.Step(1.0 / 60); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
}

// put sets the two fields of a component.
func put(w *ecs.World, e ecs.Entity, id ecs.ComponentID, values ...float64) {
	at := w.Pointer(e, id)
	for i, f := range w.Schema(id).Fields {
		f.Kind.Store(unsafe.Add(at, f.Offset), values[i])
	}
}
