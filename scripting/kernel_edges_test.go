package scripting_test

import (
	"fmt"
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
	lua  bool   // the VM ran it
}

// TestKernelsAtTheEdges takes every pair of numbers. The row gets the same, or fails
// with the same words, on both paths, and one that does not fail is the kernel's.
func TestKernelsAtTheEdges(t *testing.T) {
	sideBySide(t)
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
				t.Errorf("%s: the VM says %s, the kernel %s", bodies[i], vm[i].left, kernel[i].left)
			}
			fails := strings.HasPrefix(vm[i].left, "error")
			if want := fails || left(p[0], p[1]); kernel[i].lua != want {
				t.Errorf("%s: the Lua machine runs the row: %t, want %t (%s)", bodies[i], kernel[i].lua, want, vm[i].left)
			}
		}
	}
}

// runEdges runs bodies that see two components of one row and assign r.
func runEdges(t *testing.T, mode string, bodies []string) []edged {
	t.Helper()
	var systems []string
	for i, body := range bodies {
		each := fmt.Sprintf("function(e, x, y) local z, r = y.h, 0 %s y.f = r end", body)
		systems = append(systems, system(fmt.Sprintf("s%03db", i), mode, each))
	}
	return watchRow(t, opening, systems)
}

// watchRow runs systems, called "s000b" and so on, over one row that is the same for
// each, and tells which of them the VM ran.
func watchRow(t *testing.T, opening string, systems []string) []edged {
	t.Helper()
	const noise = 3000 // steps of the call before; those of a row are fewer, also if it fails, and a kernel has none
	w, err := ecs.Open(ecs.Options{Tag: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	alpha, beta := ecs.Register[Alpha](w), ecs.Register[Beta](w)
	row := w.Spawn(alpha.With(Alpha{}), beta.With(Beta{}))
	h := newHost(t, w, scripting.Options{OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {}})
	defer h.Close()
	text := opening
	for i, system := range systems { // they run in the order of their names
		text += fmt.Sprintf("ecs.system \"s%03da\" { run = function() for i = 1, %d do end end }\n%s", i, noise, system)
	}
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	out := make([]edged, len(systems))
	for i := range systems {
		err := w.Schedule().Add(ecs.System{Name: fmt.Sprintf("s%03d~", i), Phase: ecs.Logic, Run: func(*ecs.Tick) error {
			x, _ := alpha.Get(row)
			y, there := beta.Get(row)
			if !there {
				t.Errorf("system %d has no row", i)
			}
			out[i] = edged{fmt.Sprintf("%+v %+v", x, y), h.Steps() > 0 && h.Steps() < noise}
			alpha.Set(row, Alpha{})
			beta.Set(row, Beta{})
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range split(h.StepAll(0.1)) {
		var i int
		if _, err := fmt.Sscanf(line[strings.Index(line, `"s`):], `"s%03db"`, &i); err != nil {
			t.Fatal(err, line)
		}
		out[i].left = "error: " + line
	}
	return out
}

// ownOpening has what a row may ask others for. It has a Gear and a Tool; other has a
// Tool, gone is nobody's.
const ownOpening = opening + `
local Gear = ecs.component("Gear", { a = ecs.f64(1), s = ecs.f32(2), on = ecs.bool(false),
  mode = ecs.enum("idle", "walk", "run"), mate = ecs.entity() })
local Tool = ecs.component("Tool", { left = ecs.u8(5), mode = ecs.enum("swim", "walk") })
local levels, spots = { 4, 5, 6 }, { { x = 1 }, { x = 2 } }
local paces, steps = { idle = 1, walk = 2, run = 3 }, { idle = 5, run = 6 }
local other, gone = 0, 0
ecs.on_start(function()
  other, gone = ecs.spawn(Tool), ecs.spawn(Tool)
  ecs.despawn(gone)
  for e in ecs.entities { Alpha } do ecs.add(e, Gear { mode = "walk", mate = other }, Tool) end
end)
`

// TestRowsStayWithKernels holds that nothing here is left to the VM.
func TestRowsStayWithKernels(t *testing.T) {
	bodies := []string{
		"y.b = ecs.alive(other) and not ecs.alive(gone)",
		"y.b = ecs.alive(gone) ecs.spawn(Tool)",
		"y.b = ecs.alive(e) ecs.spawn(Tool)",
		"local n if x.b then n = other end y.b = ecs.alive(n)",
		"local n = other if x.b then n = nil end y.b = ecs.alive(n)",
		"y.b = ecs.has(other, Tool) and not ecs.has(other, Gear) and not ecs.has(gone, Tool)",
		"y.f = ecs.get(other, Tool, 'left') y.b = ecs.get(gone, Tool) == nil",
		"y.f = (ecs.get(g.mate, Tool, 'left') or 0) + (ecs.get(other, Gear, 'a') or 7)",
		"ecs.set(e, Tool { left = 3 }) y.f = 1",
		"ecs.set(other, Tool { left = 3 }) y.f = 1",
		"ecs.add(other, Gear { mode = g.mode, mate = e }) y.f = 1",
		"ecs.add(e, Tool { left = 1 }) g.a = 2",
		"ecs.add(other, Gear { a = y.h + 1.5 }) y.f = 1",
		"ecs.add(other, Gear { s = y.h + 1.5 }) y.f = 1",
		"ecs.add(other, Gear { on = y.h == 0 }) y.f = 1",
		"ecs.spawn(Tool { left = y.h + 255, mode = 'walk' }) y.f = 1",
		"ecs.remove(other, Gear) y.f = 2",
		"if x.b then ecs.despawn(e) end y.f = 3",
		"if x.b then ecs.despawn(other) end y.f = 3",
		"g.mate = other y.b = g.mate == other and g.mate ~= gone",
		"g.mate = nil y.f = 1",
		"g.mode = x.b and 'run' or 'idle' y.b = g.mode == 'idle'",
		"local w = g.mode w = 'run' if x.b then w = g.mode end y.b = w == 'run'",
		"local w = g.mode if x.b then w = nil end w = ecs.get(other, Gear, 'mode') y.b = w == nil",
		"local w = ecs.get(other, Tool, 'mode') y.b = w == 'swim'",
		"local n if x.b then n = 3 end y.f = n or 4",
		"local n = 3 n = nil y.b = n == nil",
		"for i, v in ipairs(levels) do y.f = y.f + v * i end",
		"for i, s in ipairs(spots) do y.f = y.f + s.x end",
		"y.f = levels[2] + #levels y.h = spots[2].x + levels[x.u8 + 1]",
		"y.f = paces[g.mode]",
		"y.f = steps[g.mode]",
		"x.i8, x.u8, x.i16, x.b = -128, 255, -32768, true",
		"y.i32, y.u32, y.u16 = y.i32 - 5, y.u32 + 5, y.u16 * 2",
		"x.i64, y.u64 = x.i64 + 5, y.u64 + 5",
		"y.f = (y.h + 3) % 2 + math.floor(y.h) ^ 2 + math.random(3) + ecs.random(2, 5)",
		"for i = 1, 3 do if i == 2 then goto next end y.f = y.f + i ::next:: end",
		"if x.b then return end y.f = 1",
		"assert(not x.b) y.f = 1",
	}
	var systems []string
	for i, body := range bodies {
		systems = append(systems, fmt.Sprintf("ecs.system \"s%03db\" { query = { Alpha, Beta, Gear }, kernel = \"require\", each = function(e, x, y, g, ctx) %s end }\n", i, body))
	}
	for i, row := range watchRow(t, ownOpening, systems) {
		if row.lua || strings.HasPrefix(row.left, "error") {
			t.Errorf("%s: the Lua machine runs the row: %s", bodies[i], row.left)
		}
	}
}
