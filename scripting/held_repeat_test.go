package scripting_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestHeldEndsACallAtTheSameInstruction: a call that fills its tables without end is ended at the
// same instruction in each run, however the heap of the program grows and
// whenever the collector runs.
func TestHeldEndsACallAtTheSameInstruction(t *testing.T) {
	for _, body := range []string{
		`local t = { 1 } for k in pairs(t) do t[k .. "xxxxxxxxxxxxxxxx"] = 1 end`,
		`local list, t = {}, {} while true do t[#t + 1] = { i = #t } if #t == 1000 then list[#list + 1] = t t = {} end end`,
		`local list = {} while true do list[#list + 1] = function() return list end end`,
		`for i = 1, 3 do kept[i] = i end while true do kept[#kept + 1] = ("x"):rep(100) .. #kept end`,
	} {
		var first string
		for run := range 4 {
			percent := debug.SetGCPercent([]int{100, 20, 400, 50}[run])
			ballast := make([]byte, run<<20)
			r := newGame(t, scripting.Limits{Held: 4 << 20, HeldTotal: 8 << 20, Bytes: 1 << 30, Instructions: 1 << 40, TickInstructions: 1 << 40})
			r.write("a.lua", "local kept = {}\n"+once("s", body))
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			if run == 1 {
				runtime.GC()
			}
			r.step(1)
			steps, _ := r.host.Work()
			e := r.wantError("a.lua:", "the variables of this script hold too much")
			if got := fmt.Sprint(steps, " steps at ", e.Place()); run == 0 {
				first = got
			} else if got != first {
				t.Errorf("%s\nends after %s\nand after %s", body, got, first)
			}
			if e.Limit != "Held" || r.host.Unrepeatable() != 0 {
				t.Errorf("%s: limit %q, %d unrepeatable calls", body, e.Limit, r.host.Unrepeatable())
			}
			runtime.KeepAlive(ballast)
			debug.SetGCPercent(percent)
		}
	}
}

// TestNoCollectionIsForced: what Go's own code allocates beside small limits has no collection made in a step, which
// would hold up each room of the program.
func TestNoCollectionIsForced(t *testing.T) {
	r := newGame(t, scripting.Limits{Held: 4 << 20, HeldTotal: 8 << 20})
	r.write("a.lua", `local kept = {} for i = 1, 1000 do kept[i] = { i } end
ecs.system "s" { run = function() for i = 1, 2000 do local t = { i, {} } end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var cache [][]byte
	for range 300 {
		cache = append(cache, make([]byte, 1<<20))
		r.step(1)
	}
	runtime.ReadMemStats(&after)
	if forced := after.NumForcedGC - before.NumForcedGC; forced > 0 {
		t.Errorf("%d collections were forced in %d steps", forced, len(cache))
	}
}
