package scripting_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// keepers are ways to keep some 4 MB, in a variable of a file of its own.
var keepers = map[string]string{
	"tables":     `local kept = {} ecs.system "NAME" { run = function() for i = 1, 40000 do kept[#kept + 1] = {} end end }`,
	"texts":      `local kept = {} ecs.system "NAME" { run = function() for i = 1, 8 do kept[#kept + 1] = ("x"):rep(500000) .. i end end }`,
	"coroutines": `local kept = {} ecs.system "NAME" { run = function() local t = {} for i = 1, 40000 do t[i] = {} end local co = coroutine.create(function() local u = t coroutine.yield() return u end) coroutine.resume(co) kept[#kept + 1] = co end }`,
	"state":      `local s = ecs.state("NAME", {}) ecs.system "NAME" { run = function() for i = 1, 8 do s[#s + 1] = ("x"):rep(500000) .. i end end }`,
	"timers":     `ecs.handler("NAME", function() end) ecs.system "NAME" { run = function() for i = 1, 8 do ecs.after(1e6, "NAME", ("x"):rep(500000) .. i) end end }`,
	"lists":      `local kept = {} ecs.system "NAME" { run = function() local t = {} t[200000] = 1 kept[#kept + 1] = t end }`,
}

// TestHeldIsBoundedWithinATick: forty files keep 4 MB each in one tick, and more in
// each that follows. What all keep stays near what all may keep, and a file that keeps
// next to nothing goes on.
func TestHeldIsBoundedWithinATick(t *testing.T) {
	const all = 32 << 20
	for name, text := range keepers {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{HeldTotal: all})
			for i := range 40 {
				r.write(fmt.Sprintf("f%02d.lua", i), strings.ReplaceAll(text, "NAME", fmt.Sprintf("s%02d", i)))
			}
			r.write("zz.lua", `local small = {} `+once("zz", `small[1] = { ctx.tick } ecs.log("on")`))
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			before := alive()
			for tick := range 4 {
				r.errors = nil
				r.step(1)
				if grown := alive() - before; grown > 3*all {
					t.Fatalf("tick %d: %d MiB are held", tick+1, grown>>20)
				}
				if tick == 0 && len(r.errors) == 0 {
					t.Error("nothing was said")
				}
				for _, e := range r.errors {
					if !errors.Is(e, scripting.ErrLimit) || e.Limit != "HeldTotal" {
						t.Error(e)
					}
				}
				r.wantLog("on")
			}
		})
	}
}

// alive returns the bytes that are alive.
func alive() int64 {
	runtime.GC()
	runtime.GC() // what cleanups have let go of
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestTheMessageSaysWhatHolds: the system, the state, the timers.
func TestTheMessageSaysWhatHolds(t *testing.T) {
	for name, want := range map[string]string{
		"tables": `the variables of system "big"`, "texts": `the variables of system "big"`,
		"coroutines": `the variables of system "big"`, "state": `the state "big"`, "timers": `the data of timers for "big"`,
	} {
		r := newGame(t, scripting.Limits{HeldTotal: 6 << 20})
		r.write("a.lua", `local other = {} `+once("other", `other[1] = ctx.tick`)+strings.ReplaceAll(keepers[name], "NAME", "big"))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		if e := r.untilHeld(20); !strings.Contains(e.Message, "most of it in "+want) {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// TestLoadsAreCountedToo: what the top levels of all files keep is held by nobody's
// tick. The folder is refused, and so is a file that is saved; what is live goes on.
func TestLoadsAreCountedToo(t *testing.T) {
	limits := scripting.Limits{HeldTotal: 32 << 20}
	text := `local kept = {} for i = 1, 40000 do kept[i] = { { } } end ecs.system "NAME" { run = function() kept[1] = nil end }`
	r := newGame(t, limits)
	for i := range 40 {
		r.write(fmt.Sprintf("f%02d.lua", i), strings.ReplaceAll(text, "NAME", fmt.Sprintf("s%02d", i)))
	}
	before := alive()
	err := r.host.Load(r.folder)
	if err == nil || !strings.Contains(err.Error(), " hold too much: ") {
		t.Errorf("loaded: %.200v", err)
	}
	if grown := alive() - before; grown > 2*32<<20 {
		t.Errorf("%d MiB are held by a folder that was refused", grown>>20)
	}
	live := newGame(t, limits)
	live.write("a.lua", once("a", `ecs.log("on")`))
	if err := live.host.Load(live.folder); err != nil {
		t.Fatal(err)
	}
	var files []string
	for i := range 40 {
		files = append(files, fmt.Sprintf("f%02d.lua", i), strings.ReplaceAll(text, "NAME", fmt.Sprintf("s%02d", i)))
	}
	live.save(files...)
	live.refused("hold too much")
	live.wantLog("on")
	live.run(3)
}
