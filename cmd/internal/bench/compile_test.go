package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// compiling is a workload's function for each entity in a host, to be compiled
// again and again.
type compiling struct {
	host  *scripting.Host
	close func() error
	files fstest.MapFS
	name  string
	text  string
}

func newCompiling(tb testing.TB, w workload) *compiling {
	tb.Helper()
	files, err := w.files("kernel", "each")
	if err != nil {
		tb.Fatal(err)
	}
	c := &compiling{files: fstest.MapFS{}, name: w.name + ".lua"}
	text, err := fs.ReadFile(files, c.name)
	if err != nil {
		tb.Fatal(err)
	}
	c.text = string(text)
	c.files[c.name] = &fstest.MapFile{Data: text}
	world := ecs.NewWorld()
	w.stock(world, 100)
	if c.host, err = host(world, c.files, false, nil); err != nil {
		tb.Fatal(err)
	}
	c.close = func() error { return closeBoth(c.host, world) }
	return c
}

// change saves the text with another constant in every use of the time, and
// ticks: a kernel of other instructions takes over.
func (c *compiling) change(number int) error {
	text := strings.ReplaceAll(c.text, "ctx.dt", fmt.Sprintf("(ctx.dt * 1.%d)", number+1))
	c.files[c.name] = &fstest.MapFile{Data: []byte(text)}
	c.host.Stage([]string{c.name}, nil)
	return strictly(c.host)(dt)
}

// spread collects how long kernels took to compile, by system.
type spread map[string][]time.Duration

// add adds those that are loaded.
func (s spread) add(h *scripting.Host) error {
	for _, k := range h.Kernels() {
		if !k.Compiled {
			return errors.New(k.String())
		}
		s[k.System] = append(s[k.System], k.Took)
	}
	return nil
}

// report tells the median and the 90th percentile of all, and what the slowest
// kernel took at least: what the machine does besides is in the former, not in
// the latter.
func (s spread) report(b *testing.B, name string) {
	var all []time.Duration
	var slowest time.Duration
	for _, times := range s {
		all = append(all, times...)
		slowest = max(slowest, slices.Min(times))
	}
	slices.Sort(all)
	b.ReportMetric(micros(all[len(all)/2]), name+"-p50-us")
	b.ReportMetric(micros(all[len(all)*9/10]), name+"-p90-us")
	b.ReportMetric(micros(slowest), name+"-slowest-us")
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// BenchmarkCompile compiles the kernels of all workloads: in a new host, and
// again with each constant changed. An op is all of them, once; the figures are
// microseconds for one kernel, of which the first of a host pays for the engine.
func BenchmarkCompile(b *testing.B) {
	first, changed := spread{}, spread{}
	for b.Loop() {
		for _, w := range workloads() {
			c := newCompiling(b, w)
			err := first.add(c.host)
			if err == nil {
				err = c.change(1)
			}
			if err == nil {
				err = changed.add(c.host)
			}
			if err := errors.Join(err, c.close()); err != nil {
				b.Fatal(err)
			}
		}
	}
	first.report(b, "first")
	changed.report(b, "changed")
}

// BenchmarkKernelMemory reports what a kernel adds to the heap, the Lua function
// that it is made from included: a host with two hundred of them beside one.
// Machine code is outside of the heap; a page or two for each.
func BenchmarkKernelMemory(b *testing.B) {
	const kernels = 200
	for b.Loop() {
		one, many := heapWith(b, 1), heapWith(b, kernels)
		b.ReportMetric(float64(many-one)/(kernels-1)/1024, "KiB/kernel")
	}
}

// heapWith returns what the heap holds with so many different kernels.
func heapWith(b *testing.B, kernels int) int64 {
	text := `local ecs, Position = require "ecs", require("ecs").native("Position")` + "\n"
	for i := range kernels {
		text += fmt.Sprintf("ecs.system 's%d' { query = { Position }, kernel = 'require',\n"+
			"  each = function(e, p, ctx) p.x = math.max(p.x - ctx.dt * %d, p.y) end }\n", i, i+2)
	}
	world := ecs.NewWorld()
	ecs.Register[Position](world)
	before := heap()
	h, err := host(world, fstest.MapFS{"many.lua": {Data: []byte(text)}}, false, nil)
	if err != nil {
		b.Fatal(err)
	}
	after := heap()
	if err := closeBoth(h, world); err != nil {
		b.Fatal(err)
	}
	return after - before
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestChangedKernelsTakeOver holds that the benchmark compiles what it says:
// every change is taken, compiled anew, and works with its new constant.
func TestChangedKernelsTakeOver(t *testing.T) {
	c := newCompiling(t, integrate())
	defer c.close()
	for i := range 3 {
		if err := c.change(i); err != nil {
			t.Fatal(err)
		}
		took := spread{}
		if err := took.add(c.host); err != nil || len(took["integrate"]) != 1 || took["integrate"][0] <= 0 {
			t.Errorf("change %d took %v, %v", i, took, err)
		}
	}
}
