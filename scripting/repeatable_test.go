package scripting_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// cutInManyWays are systems that are stopped in the middle of their rows, each by what
// takes long or much memory in a way of its own.
const cutInManyWays = `
local C = ecs.component("C", { n = ecs.f64() })
local bodies = {
  function() local t = {} for i = 1, 1e9 do t[i % 100000] = { i } end end,
  function() local s = ("1"):rep(1e5) while true do s = s .. "1" local x = s < s .. "2" end end,
  function() local function f() return f() end f() end,
  function() while true do local t = {} t[100000] = 1 end end,
  function() while true do pcall(error, "x") end end,
  function() local function deep(n) if n > 0 then return 1 + deep(n - 1) end error("x") end while true do pcall(deep, 150) end end,
  function() local t = {} while true do t[#t + 1] = function() return t end end end,
  function() local s = ("1"):rep(1e5) while true do local x = s + 1 end end,
  function() while true do coroutine.wrap(function() coroutine.yield() end)() end end,
  function() local t = {} for i = 1, 1e9 do t[i + 0.5] = i end end,
}
for i, body in ipairs(bodies) do
  ecs.system("cut" .. i) { query = { C }, kernel = "off", each = function(e, c)
    c.n = c.n + 1
    if c.n % 11 == i then body() end
  end }
end
ecs.on_start(function() ecs.spawn_many(30, C, function(i) return C { n = i } end) end)
`

// TestCutsRepeat holds that calls are cut by what counts, and so at the same place
// whatever the machine does beside: other work, few processors, a busy collector.
func TestCutsRepeat(t *testing.T) {
	sideBySide(t)
	end := func(procs, collect int, busy bool) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		defer debug.SetGCPercent(debug.SetGCPercent(collect))
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for busy {
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
		defer func() { close(stop); <-done }()
		r := newGame(t, scripting.Limits{Instructions: 200_000, TickInstructions: -1})
		r.write("a.lua", cutInManyWays)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(4)
		if n := r.host.Unrepeatable(); n > 0 || len(r.errors) == 0 {
			t.Errorf("%d calls were cut by the machine, of %d errors", n, len(r.errors))
		}
		text := ""
		for _, e := range r.errors {
			text += e.Error() + "\n"
		}
		return fmt.Sprintf("%016x\n%s", r.world.Checksum(), text)
	}
	want := end(2, 100, false)
	for i, got := range []string{end(1, 100, true), end(2, 50, true), end(2, 400, false)} {
		if got != want {
			t.Errorf("run %d ended differently:\n%s\nfirst:\n%s", i+1, got, want)
		}
	}
}
