package scripting_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// explained loads a system into the stage of these tests and returns its report.
func explained(t *testing.T, query, each string) scripting.KernelReport {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	ecs.Register[Frame](w)
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}})
	t.Cleanup(func() { h.Close() })
	text := fmt.Sprintf("%s\necs.system \"s\" { query = { %s },\n  each = %s }", stage, query, each)
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}, "lib.lua": {Data: []byte(helper)}}); err != nil {
		t.Fatal(err)
	}
	reports, err := h.Explain("k.lua", "s")
	if err != nil {
		t.Fatal(err)
	}
	return reports[0]
}

// TestKernelProofs holds which functions are proven unable to fail, and what is
// said to stand in the way of the others.
func TestKernelProofs(t *testing.T) {
	const (
		missing = "a row may lack Gear"
		outside = "an index may be outside of slots"
		byte255 = "Unit.n may get what a field of kind u8 cannot hold"
		endless = "a loop may make more changes than there is room for"
		touched = "the run may have changed what the row looks at"
	)
	for _, c := range []struct{ body, why string }{
		{`if g then u.x = g.a end`, ""},
		{`if g ~= nil then g.a = u.x end`, ""},
		{`if not g then return end u.x = g.a`, ""},
		{`if g == nil then u.x = 0 else u.x = g.a end`, ""},
		{`if g and g.a > 3 then u.x = g.a end`, ""},
		{`if g and u.on then g.a = 1 elseif g then g.a = 2 end`, ""},
		{`if not g or not u.on then return end g.a = 1`, ""},
		{`local has = g ~= nil if has then g.a = 1 end`, ""},
		{`local has = g and true or false if has then g.a = 1 end`, ""},
		{`for i = 1, 3 do if not g then goto next end g.a = i ::next:: end`, ""},
		{`for i = 1, 3 do if not g then break end g.a = i end`, ""},
		{`u.x = g and g.a or 1 u.y = g and g.k * 2 or u.y`, ""},
		{`if g and u.x > 1 then u.y = 1 end if u.x > 1 then u.y = g.a end`, missing},
		{`if g or u.on then g.a = 1 end`, missing},
		{`if u.on then if not g then return end end g.a = 1`, missing},
		{`for i = 1, 2 do if g then break end end g.a = 1`, missing},
		{`u.x = g.a`, missing},
		{`for i = 1, 4 do u.slots[i] = i end`, ""},
		{`for i = 4, 1, -1 do u.x = u.x + u.slots[i] end`, ""},
		{`for i = 1, #u.slots do u.slots[i] = 0 end`, ""},
		{`u.slots[u.n % 4 + 1] = 1`, ""},
		{`u.slots[math.min(u.n, 3) + 1] = 1`, ""},
		{`if u.n >= 1 and u.n <= 4 then u.slots[u.n] = 1 end`, ""},
		{`for i, v in ipairs(levels) do u.x = u.x + v * levels[i] end`, ""},
		{`for i = 1, 5 do u.slots[i] = i end`, outside},
		{`for i = 0, 3 do u.slots[i] = i end`, outside},
		{`for i = 1, 4, 0.5 do u.slots[i] = i end`, outside},
		{`for i = 1, 4 do i = i + 1 u.slots[i] = i end`, outside},
		{`u.slots[u.n] = 1`, outside},
		{`if u.n >= 1 and u.n <= 4 then u.n = 7 u.slots[u.n] = 1 end`, outside},
		{`if u.x >= 1 and u.x <= 4 then u.slots[u.x] = 1 end`, outside},
		{`if u.n > 0 then u.n = u.n - 1 end`, ""},
		{`if u.n < 255 then u.n = u.n + 1 end`, ""},
		{`if u.n >= 255 then return end u.n = u.n + 1`, ""},
		{`if u.n == 7 then u.n = u.n * 30 end`, ""},
		{`u.n = (u.n + 1) % 100`, ""},
		{`u.n = math.min(u.n + 1, 255)`, ""},
		{`u.n = math.floor(math.max(0, math.min(255, u.n * 2)))`, ""},
		{`local v = u.n if v > 3 then u.n = v - 3 end`, ""},
		{`u.n = (u.n + 1) % 300`, byte255},
		{`u.n = u.n + 1`, byte255},
		{`if u.n > 0 then u.n = u.n - 2 end`, byte255},
		{`if u.n ~= 0 and u.x > 3 then u.n = u.x end`, byte255},
		{`if not (u.y > 255) and not (u.y < 0) then u.n = math.floor(u.y) end`, byte255}, // not-a-number
		{`if u.n > 0 then for i = 1, 3 do u.n = u.n - 1 end end`, byte255},
		{`if u.x < 0 then ecs.despawn(e) end`, ""},
		{`ecs.emit(Hit { target = e, amount = u.x, kind = "hard", on = u.on })`, ""},
		{`ecs.add(e, Red, Gear { a = u.x, k = 7 }) ecs.remove(e, Red)`, ""},
		{`ecs.set(e, Gear { k = u.n * 3 })`, ""},
		{`if u.n >= 1 then ecs.set(e, Gear { k = u.n - 1 }) end`, ""},
		{`ecs.spawn(Bolt, Unit { mate = e })`, ""},
		{`for i = 1, 3 do ecs.emit(Hit { target = e, amount = i }) end`, ""},
		{`ecs.despawn(u.mate)`, touched + "; ecs.despawn may be refused"},
		{`local me = u.on and e or u.mate ecs.despawn(me)`, touched + "; ecs.despawn may be refused"},
		{`ecs.emit(Hit { target = u.mate })`, "ecs.emit may be refused"},
		{`ecs.emit(Hit { target = u.hp })`, "ecs.emit may be refused"},
		{`ecs.set(e, Gear { k = u.n - 1 })`, "ecs.set may be refused"},
		{`ecs.set(e, Gear { k = u.n / 2 })`, "ecs.set may be refused"},
		{`ecs.add(e, Gear { k = 65536 })`, "ecs.add may be refused"},
		{`ecs.spawn(Unit { hp = u.x })`, "ecs.spawn may be refused"},
		{`for i = 1, 100 do ecs.emit(Hit { target = e, amount = i }) end`, endless},
	} {
		r := explained(t, "Unit, optional = { Gear }", "function(e, u, g, ctx)\n"+c.body+"\nend")
		if why := strings.Join(r.StopReasons, "; "); why != c.why || r.Safe != (c.why == "") || !r.Compiled {
			t.Errorf("%s\n  %q %s, want %q", c.body, why, r.Reason, c.why)
		}
	}
}
