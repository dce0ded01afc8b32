package scripting_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// swarm is a script of many rows in several archetypes, with a heavy system over
// them, and one that tells which chunks have changed.
const swarm = `
local ecs = require "ecs"
local Unit = ecs.component("Unit", { x = ecs.f64(0), mate = ecs.entity(), n = ecs.i32(0), y = ecs.f32(3) })
local Gear = ecs.component("Gear", { a = ecs.f64(5), b = ecs.u8(1) })
local Heat = ecs.component("Heat", { t = ecs.f32(1) }, { sparse = true })
local Red = ecs.tag("Red")
local limit, count = 40, 0
ecs.on_start(function()
  local last = 0
  for i = 1, %d do
    last = ecs.spawn(Unit { mate = last, n = i, x = i %% 17 })
    if i %% 3 == 0 then ecs.add(last, Gear { a = i }) end
    if i %% 5 == 0 then ecs.add(last, Heat { t = i }) end
    if i %% 7 == 0 then ecs.add(last, Red) end
  end
end)
ecs.system "s" { query = { %s }, kernel = %q, each = function(%s)
  %s
end }
ecs.system "watch" { phase = "debug", query = { Unit, changed = { Unit } }, batch = function(b, ctx)
  count = count + b.n * ctx.tick
end }
ecs.system "report" { phase = "debug", after = { "watch" }, run = function(ctx)
  ecs.log(string.format("%%d", count))
  limit = ctx.tick == 3 and "none" or 30
end }
`

// swarming plays a swarm with so many workers and returns what can be seen of it,
// and whether another goroutine has helped.
func swarming(t testing.TB, rows, workers int, mode, query, head, body string, limits scripting.Limits) (seen string, helped bool) {
	t.Helper()
	before := 0
	seen = witnessed(t, workers, fmt.Appendf(nil, swarm, rows, query, mode, head, body), limits, 6, func(_ *ecs.World, ticks int) {
		if ticks == 0 {
			before = runtime.NumGoroutine()
		}
		helped = helped || runtime.NumGoroutine() > before
	})
	return strings.ReplaceAll(seen, fmt.Sprintf("%q", mode), "MODE"), helped
}

// work is what makes a row take some time.
const work = `local v = u.x for i = 1, 6 do v = math.sin(v) * 10 + i end `

// TestAnyNumberOfWorkers holds that a kernel leaves the same bytes, stamps,
// errors and entities after as Lua does, whoever has run its rows.
func TestAnyNumberOfWorkers(t *testing.T) {
	for _, c := range []struct {
		name, query, head, body string
		apart                   bool
	}{
		{"own rows", "Unit", "e, u", work + `u.x = v`, true},
		{"few that change", "Unit", "e, u", work + `if v < 0 or u.n == 700 then u.x = v u.n = 0 end`, true},
		{"too few", "Unit, Heat", "e, u, h", work + `h.t = v`, false},
		{"optional components", "Unit, optional = { Gear, Red }", "e, u, g, red", work + `if g then g.a = v end if red then u.y = v end`, true},
		{"a pool", "Unit, optional = { Heat }", "e, u, h", work + `if h then h.t = v end`, true},
		{"others, of what it does not write", "Unit", "e, u", work + `local g = ecs.get(u.mate, Gear) u.x = v + (g and g.a or 0) if ecs.has(u.mate, Red) then u.y = 9 end`, true},
		{"others, of what it writes", "Unit", "e, u", work + `local m = ecs.get(u.mate, Unit) u.x = v + (m and m.x or 0)`, false},
		{"a row that stops", "Unit", "e, u, ctx", work + `u.x = v if ctx.tick == 3 and u.n == 1900 then u.n = v + 0.5 end`, true},
		{"many that stop", "Unit", "e, u, ctx", work + `u.x = v if ctx.tick > 2 and u.n % 400 == 399 then u.y = ecs.get(v, Gear).a end`, true},
		{"a loop with fuel", "Unit", "e, u", `local v, i = u.x, 0 while i < u.n % 30 do i = i + 1 v = math.sqrt(v * v + i) end u.x = v`, true},
		{"a variable of the script", "Unit", "e, u", work + `u.x = v + limit`, true},
		{"a counter", "Unit", "e, u", work + `u.x = v count = count + 1`, false},
		{"random numbers", "Unit", "e, u", work + `u.x = v + ecs.random()`, false},
		{"changes", "Unit", "e, u", work + `u.x = v if u.n % 9 == 4 then ecs.add(e, Red) end`, false},
	} {
		const rows = 2000
		patient := scripting.Limits{Time: time.Minute}
		want, _ := swarming(t, rows, 1, "off", c.query, c.head, c.body, patient)
		for _, workers := range []int{1, 3} {
			got, helped := swarming(t, rows, workers, "require", c.query, c.head, c.body, patient)
			if want != got {
				t.Errorf("%s, %d workers: %s", c.name, workers, firstDifference(want, got))
			}
			if helped != (c.apart && workers > 1) {
				t.Errorf("%s: %d workers, others have helped: %v", c.name, workers, helped)
			}
		}
	}
}

// TestWorkersNearTheLimit: a kernel that uses up its instructions stops at the
// same row in the same words, however many run it.
func TestWorkersNearTheLimit(t *testing.T) {
	const body = `local v, i = u.x, 0 while i < u.n % 100 do i = i + 1 v = math.sqrt(v * v + i) end u.x = v`
	for _, most := range []int64{1_000_000, 2_500_000, 3_500_000, 8_000_000} {
		limits := scripting.Limits{Instructions: most, Time: time.Minute}
		want, _ := swarming(t, 6000, 1, "require", "Unit", "e, u", body, limits)
		if got, _ := swarming(t, 6000, 3, "require", "Unit", "e, u", body, limits); got != want {
			t.Errorf("%d instructions: %s", most, firstDifference(want, got))
		}
	}
}

// BenchmarkKernelWorkers compares one worker with two, over a heavy kernel and a
// light one, in turns: only the ratios count.
func BenchmarkKernelWorkers(b *testing.B) {
	for _, c := range []struct {
		name, body string
		rows       int
	}{
		{"heavy", strings.Replace(work, "6", "60", 1) + "u.x = v", 20_000},
		{"light", "u.x = u.x + 0.5", 20_000},
		{"light", "u.x = u.x + 0.5", 60_000},
		{"few", work + "u.x = v", 900},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.rows), func(b *testing.B) {
			one, two := opened(b, 1, c.rows, c.body), opened(b, 2, c.rows, c.body)
			least := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				for i, h := range []*scripting.Host{one, two} {
					began := time.Now()
					if err := h.StepAll(0.25); err != nil {
						b.Fatal(err)
					}
					least[i] = min(least[i], time.Since(began))
				}
			}
			b.ReportMetric(float64(least[0].Nanoseconds())/float64(c.rows), "ns/row/1")
			b.ReportMetric(float64(least[1].Nanoseconds())/float64(c.rows), "ns/row/2")
			b.ReportMetric(float64(least[0])/float64(least[1]), "times")
		})
	}
}

func opened(b *testing.B, workers, rows int, body string) *scripting.Host {
	b.Helper()
	w, err := ecs.Open(ecs.Options{Workers: workers})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	h := newHost(b, w, scripting.Options{})
	b.Cleanup(func() { h.Close() })
	text := fmt.Sprintf(swarm, rows, "Unit", "require", "e, u", body)
	for _, idle := range []string{"watch", "report"} {
		text = strings.Replace(text, fmt.Sprintf("ecs.system %q {", idle), fmt.Sprintf("ecs.system %q { enabled = false,", idle), 1)
	}
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
		b.Fatal(err)
	}
	if err := h.StepAll(0.25); err != nil {
		b.Fatal(err)
	}
	return h
}

// laborious is a program that takes so long that its rows are surely shared out.
const laborious = "function(e, a, b, ctx) local v = a.f for i = 1, 9 do v = math.sin(v) * 10 + i end b.f = v end\n"

// crew plays a script over many rows with so many workers and returns what it
// leaves, and whether others have helped.
func crew(t *testing.T, text string, seed uint64, workers int) (left string, helped bool) {
	t.Helper()
	w := arrangeWith(t, seed, 1500, workers)
	defer w.Close()
	before := runtime.NumGoroutine()
	var lines []string
	h := newHost(t, w, scripting.Options{
		Logger: slog.New(&logbook{lines: &lines}), OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {},
		Limits: scripting.Limits{LogLines: -1},
	})
	defer h.Close()
	h.ChooseVectors(int(seed % 3 * (1 + seed%5)))
	if err := h.Load(folderOf(text)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for range 4 {
		lines = append(lines, split(h.StepAll(0.016))...)
		lines = append(lines, fmt.Sprintf("%016x, %d alive", checksum(w), w.Len()))
		helped = helped || runtime.NumGoroutine() > before
	}
	return dump(w) + strings.Join(lines, "\n"), helped
}

// TestRandomKernelsOfSeveralWorkers runs random programs with one worker and with
// three: memory, errors, what was changed and what is written back to the script
// are the same.
func TestRandomKernelsOfSeveralWorkers(t *testing.T) {
	const batch = 10
	shared, total := 0, 0
	for seed := *kernelSeed; total < *randomPrograms/6; seed++ {
		in := []setting{rowsSetting, languageSetting}[seed%2]
		r := rand.New(rand.NewPCG(seed, 9))
		text := in.opening + in.system("a", "require", laborious)
		for i := range batch {
			text += in.system(fmt.Sprintf("s%02d", i), "auto", generate(r, in.dialect))
		}
		total += batch
		one, _ := crew(t, text, seed, 1)
		several, helped := crew(t, text, seed, 3)
		if one != several {
			t.Fatalf("seed %d: %s\n%s", seed, firstDifference(one, several), text)
		}
		if helped {
			shared++
		}
	}
	t.Logf("%d programs from seed %d, %d of %d worlds shared out", total, *kernelSeed, shared, total/batch)
	if shared == 0 {
		t.Error("no rows were shared out")
	}
}
