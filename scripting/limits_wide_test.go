package scripting_test

import (
	"fmt"
	"testing"

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
	}
}
