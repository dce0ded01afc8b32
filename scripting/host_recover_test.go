package scripting_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestCallbacksEndAtOnceWhenALimitIsReached: a function of the host that calls one of a script again and again, and
// recovers what it panics with, makes no more of the script's memory once a limit is used up.
func TestCallbacksEndAtOnceWhenALimitIsReached(t *testing.T) {
	const calls = 200_000
	for text, limit := range map[string]string{
		`host.loop(function() error("x") end)`:                                   "Bytes",
		`host.loop(function() while true do end end)`:                            "Instructions",
		`host.loop(function() local t = {} for i = 1, 1e9 do t[i] = {} end end)`: "Bytes",
	} {
		limits := scripting.ReleaseLimits(60)
		limits.Time, limits.InstructionTime, limits.TickInstructionTime = -1, -1, -1
		r := newGame(t, limits)
		failed := 0
		err := r.host.Expose("loop", func(f func()) {
			for range calls {
				func() {
					defer func() {
						if recover() != nil {
							failed++
						}
					}()
					f()
				}()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		r.write("a.lua", `local host = require "host" ecs.system "s" { run = function() `+text+` ecs.log("no") end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		e := r.wantError("a.lua:2")
		made, most := r.host.Usage()[0].Made, limits.Bytes+64<<10
		if e.Limit != limit || failed != calls || made > most {
			t.Errorf("%s: %v (%s); %d calls failed; made %d of %d bytes", text, e, e.Limit, failed, made, most)
		}
	}
}

// TestRecoveredErrorsLeaveNoTrace: however often a function of the host recovers what one of a script raises, functions
// may call each other as deep as before.
func TestRecoveredErrorsLeaveNoTrace(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	texts := map[string]int{}
	err := r.host.Expose("try", func(f func()) {
		for range 1000 {
			func() {
				defer func() {
					if raised, ok := recover().(interface{ Error() string }); ok {
						texts[raised.Error()]++
					}
				}()
				f()
			}()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	r.write("a.lua", `local host = require "host"
ecs.system "s" { run = function()
  local n = 0
  host.try(function() n = n + 1 pcall(error, "in it") error("x") end)
  assert(n == 1000)
  host.try(function() local co = coroutine.wrap(function() error("y") end) co() end)
  local list = { 3, 1, 2 }
  table.sort(list, function(a, b) return a < b end)
  ecs.log("done", ("abc"):gsub(".", function(c) return c .. c end), list[1])
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	r.wantLog("done aabbcc 1")
	if len(texts) != 2 || texts["a.lua:5:55: x"] != 1000 {
		t.Errorf("%v", texts)
	}
}
