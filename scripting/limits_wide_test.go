package scripting_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// wide is a system that writes one number of each row, in the first of two arrays. At a number that
// is computed the kernel may have to stop, so what it may write is kept. %d items of the second array.
const wide = `local Y = ecs.component("Y", { a = ecs.array(ecs.f64(), 64), b = ecs.array(ecs.f64(), %d) })
ecs.on_start(function() ecs.spawn_many(%d, Y) end)
ecs.system "s" { query = { Y }, kernel = "require", each = function(e, y) y.a[%s] = 1 end }
`

// TestKeepingLongValuesIsCharged: to keep what a kernel may write counts a nanosecond for each 4
// bytes of long values, in each run the same and however many goroutines share the rows.
func TestKeepingLongValuesIsCharged(t *testing.T) {
	const rows, items = 1200, 1000
	counted := func(items, workers, ticks int, index, more string) int64 {
		r := newGameOf(t, ecs.Options{Workers: workers, MaxBytes: 128 << 20}, scripting.Limits{})
		r.write("a.lua", fmt.Sprintf(wide, items, rows, index)+more)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		for range ticks {
			r.step(1)
		}
		if len(r.errors) > 0 {
			t.Fatal(r.errors[0])
		}
		_, work := r.host.Work()
		return work
	}
	const kept, chunks = rows * items * 8 / 4, 10_000 // longer values have more chunks, which count, too
	for name, c := range map[string]struct {
		index, more string
		want        int64
	}{
		"kept":      {"y.a[1] % 64 + 1", "", kept},
		"not kept":  {"5", "", 0},
		"watched":   {"5", `ecs.system "asks" { query = { Y, changed = { Y } }, kernel = "off", each = function(e, y) end }`, kept},
		"kept once": {"y.a[1] % 64 + 1", `ecs.system "asks" { query = { Y, changed = { Y } }, kernel = "off", each = function(e, y) end }`, kept},
	} {
		var all [2]int64
		for i, workers := range []int{1, 3} {
			all[i] = counted(1+items, workers, 8, c.index, c.more)
			if more := all[i] - counted(1, workers, 8, c.index, c.more); more < c.want || more > c.want+chunks {
				t.Errorf("%s, %d workers: %d rows of %d bytes more count %d nanoseconds more, want %d", name, workers, rows, items*8, more, c.want)
			}
		}
		if all[0] != all[1] {
			t.Errorf("%s: %d nanoseconds on one goroutine, %d on three", name, all[0], all[1])
		}
	}
}

// TestKeepingLongValuesEnds: rows of which much has to be kept end within a frame, although nothing
// changes in them, and the limit says so.
func TestKeepingLongValuesEnds(t *testing.T) {
	r := newGameOf(t, ecs.Options{Breaker: ecs.Breaker{Failures: -1}, MaxBytes: 256 << 20}, scripting.ReleaseLimits(60))
	r.write("a.lua", fmt.Sprintf(wide, 4096, 0, "y.a[1] % 64 + 1")+
		`local n = 0 ecs.system "more" { phase = "input", run = function() if n < 30 then n = n + 1 ecs.spawn_many(100, Y) end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	limit := scripting.ReleaseLimits(60).TickRows
	for range 35 {
		r.reported, r.errors, r.logs = nil, nil, nil
		if r.step(1); len(r.errors) > 0 {
			t.Log(r.errors[0])
		}
		if _, work := r.host.Work(); work > limit*51/50 {
			t.Fatalf("they count %d nanoseconds of %d", work, limit)
		}
	}
	if n := len(r.errors); n == 0 || r.errors[n-1].Limit != "TickRows" {
		t.Errorf("no limit ended them: %v", r.errors)
	} else if at := r.errors[n-1].Place(); at != "a.lua:4:60" {
		t.Errorf("the error names %s, want the function over rows", at)
	}
}

// wideChange is a system whose rows make one change each, of values of 8 KB.
const wideChange = `
local Wide = ecs.component("Wide", { n = ecs.f64(), m = ecs.f64(), a = ecs.array(ecs.f64(), 1000) })
local Hit = ecs.event("Hit", { n = ecs.f64(), a = ecs.array(ecs.f64(), 1000) })
local Pack = ecs.prefab("Pack", { Wide })
local R = ecs.component("R", { x = ecs.f64(), n = ecs.f64(%d) })
ecs.on_start(function() ecs.spawn_many(2000, R%s) end)
ecs.system "s" { query = { R%s }, kernel = "require", each = function(e, r) %s end }
`

// TestLongValuesOfChangesAreCharged: changes of long values count by their bytes, in a kernel as on the VM, and
// TickRows ends them before they are made. Where a loop makes them, its turns count as much.
func TestLongValuesOfChangesAreCharged(t *testing.T) {
	for name, c := range map[string]struct{ more, with, change, limit string }{
		"emit":            {"", "", "ecs.emit(Hit{ n = r.x })", "TickRows"},
		"add":             {"", "", "ecs.add(e, Wide{ n = r.x })", "TickRows"},
		"spawn":           {"", "", "ecs.spawn(R{ x = 1 }, Wide)", "TickRows"},
		"spawn a prefab":  {"", "", "ecs.spawn(Pack)", "TickRows"},
		"set":             {", Wide", ", with = { Wide }", "ecs.set(e, Wide{ n = r.x, m = 1 })", "TickRows"},
		"set what is not": {"", "", "ecs.set(e, Wide{ n = r.x })", "TickRows"},
		"set one field":   {", Wide", ", with = { Wide }", "ecs.set(e, Wide{ n = r.x })", ""},
		"remove":          {", Wide", ", with = { Wide }", "ecs.remove(e, Wide)", "TickRows"},
		"emit in a loop":  {"", "", "if r.x == 0 then for i = 1, r.n do ecs.emit(Hit{ n = i }) end end", "Instructions"},
		"seldom":          {"", "", "if r.x > 1 then ecs.emit(Hit{ n = r.x }) end", ""},
		"seldom in loops": {"", "", "for i = 1, r.n do if i > 1000 then ecs.emit(Hit{ n = i }) end end", ""},
	} {
		limits := scripting.Limits{TickRows: 8_333_333, Instructions: 416_666, LogLines: -1}
		if c.limit == "" {
			limits.Instructions = 20_000_000
		}
		r := newGameOf(t, ecs.Options{MaxBytes: 256 << 20}, limits)
		r.write("a.lua", fmt.Sprintf(wideChange, 1000, c.more, c.with, c.change))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r.reported, r.errors = nil, nil
		r.step(1)
		limit := ""
		if len(r.errors) > 0 {
			limit = r.errors[0].Limit
		}
		if limit != c.limit {
			t.Errorf("%s: ended by %q, want %q: %v", name, limit, c.limit, r.errors)
		}
		if _, work := r.host.Work(); c.limit != "" && work > limits.TickRows*9/5 {
			t.Errorf("%s: counts %d nanoseconds of %d", name, work, limits.TickRows)
		}
	}
}

// TestNothingIsKeptThatNobodyAsksFor: a run that cannot fail, and for whose columns no query asks, keeps nothing where
// its rows are shared out, either: it is shared out whatever CommandBytes leaves. All leave the same.
func TestNothingIsKeptThatNobodyAsksFor(t *testing.T) {
	const rows, items = 2000, 64
	for _, c := range []struct {
		name, more, index string
		shared            bool
	}{
		{"cannot fail", "", "5", true},
		{"is asked for", `ecs.system "asks" { query = { Y, changed = { Y } }, kernel = "off", each = function(e, y) end }`, "5", false},
		{"can fail", "", "y.a[1] % 3 + 5", false},
	} {
		text := fmt.Appendf(nil, `local ecs = require "ecs"
local Y = ecs.component("Y", { a = ecs.array(ecs.f64(), %d), b = ecs.array(ecs.f64(), 300) })
local n = 0
ecs.system "more" { phase = "input", run = function() if n < %d then n = n + 100 ecs.spawn_many(100, Y) end end }
ecs.system "s" { query = { Y }, kernel = "require", each = function(e, y, ctx)
  local v = y.a[1] for i = 1, 40 do v = math.sin(v) * 10 + i end
  y.a[%s] = v + ctx.tick y.a[6] = v
end }
`+c.more, items, rows, c.index)
		play := func(workers int) (seen string, helped bool) {
			before := 0
			seen = witnessed(t, workers, text, scripting.Limits{CommandBytes: 1 << 20, Time: time.Minute}, 26, func(_ *ecs.World, ticks int) {
				if ticks == 0 {
					before = runtime.NumGoroutine()
				}
				helped = helped || runtime.NumGoroutine() > before
			})
			return seen, helped
		}
		want, _ := play(1)
		got, helped := play(4)
		if got != want {
			t.Errorf("%s: %s", c.name, firstDifference(want, got))
		}
		if helped != c.shared {
			t.Errorf("a run that %s: others have helped: %v, want %v", c.name, helped, c.shared)
		}
	}
}
