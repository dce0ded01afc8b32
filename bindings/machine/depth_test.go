package machine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// asked counts how often a machine asks for places.
type asked struct {
	lines
	places, parts int
}

func (a *asked) Place(fn *lua.FunctionProto, pc int) diag.Place {
	a.places++
	return a.lines.Place(fn, pc)
}

func (a *asked) Part(*lua.FunctionProto, int, Part) diag.Place {
	a.parts++
	return diag.Place{}
}

func (a *asked) Parameter(*lua.FunctionProto, int, int) int { a.parts++; return 1 }

// TestCallsAreDeep: calls of Lua are as deep as in PUC Lua, by whatever way they are made, and
// one more is an error. What one run has counted does not change what the next one can do.
func TestCallsAreDeep(t *testing.T) {
	for text, want := range map[string]string{
		`local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end print(f(19000), pcall(f, 19000))`:                                                                             "19000\ttrue\t19000\n",
		`local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end print((pcall(f, 20000)))`:                                                                                     "false\n",
		`local t = setmetatable({}, {}) getmetatable(t).__index = function(t, n) return n == 0 and 0 or 1 + t[n - 1] end print(t[19000])`:                                                      "19000\n",
		`local t = setmetatable({}, {}) getmetatable(t).__call = function(t, n) return n == 0 and 0 or 1 + t(n - 1) end print(t(19000))`:                                                       "19000\n",
		`local n, m = 0, {} m.__concat = function(a, b) n = n + 1 if n == 9000 then return "end" end return a .. b end print(setmetatable({}, m) .. 1)`:                                        "end\n",
		`local function f(n) if n == 0 then return coroutine.yield(1) end return 1 + f(n - 1) end local co = coroutine.wrap(f) print(co(19000), co(5))`:                                        "1\t19005\n",
		`local function f(n) if n == 0 then error("x", 0) end local ok, e if n % 1000 == 0 then ok, e = pcall(f, n - 1) error(e .. "y", 0) end return 1 + f(n - 1) end print(pcall(f, 19000))`: "false\txyyyyyyyyyyyyyyyyyyy\n",
		`local function f(n) local m = n local function g() m = m + 1 return m end if n == 0 then return g() end local r = f(n - 1) return r + g() - m end print(f(15000))`:                    "1\n",
	} {
		h := newHost(Options{})
		for range 2 {
			if out, r := h.run(t, text); r != nil || out != want {
				t.Errorf("%s\nprints %q, %v\nwant %q", text, out, r, want)
			}
		}
	}
}

// TestCallsFromGoAreBounded: functions that natives call, in whatever way, are not more deep in
// each other than the bound, on all threads and in all protected calls together.
func TestCallsFromGoAreBounded(t *testing.T) {
	for _, depth := range []int{1000, 200_000} {
		h := newHost(Options{Depth: depth, Callbacks: 40, Nesting: 500})
		for text, want := range map[string]string{
			`local function f() return apply(f) end print(pcall(f))`:                                                   "(Limits.Callbacks)",
			`local n = 0 local function f() n = n + 1 pcall(apply, f) end f() print(n)`:                                "41\n",
			`local n = 0 local function f() n = n + 1 coroutine.wrap(function() apply(f) end)() end pcall(f) print(n)`: "41\n",
			`print(pcall(function() local function f(g) return g(apply, g) end return apply(apply, apply) end))`:       "",
			`local a = apply local function f() return a(a, f) end print(pcall(f))`:                                    "(Limits.Callbacks)",
		} {
			for range 2 {
				out, r := h.run(t, text)
				if r != nil || !strings.Contains(out, want) || h.vm.inGo != 0 {
					t.Errorf("%s\nprints %q, %v, %d calls are left\nwant %q", text, out, r, h.vm.inGo, want)
				}
			}
		}
	}
}

// TestTracesOfDeepCalls: a trace of many calls asks for the places of those that it has.
func TestTracesOfDeepCalls(t *testing.T) {
	a := &asked{}
	h := newHost(Options{Source: a})
	_, r := h.run(t, `local function a(n) if n == 0 then error("x") end return 1 + a(n - 1) end
		local function b() return 1 + a(15000) end
		b()`)
	if r == nil || len(r.Err.Trace) != 2*keptFrames+1 || a.places > 4*longestTrace {
		t.Fatalf("%v, and %d places were asked for", r, a.places)
	}
	got := ""
	for _, f := range r.Err.Trace[keptFrames:] {
		got += fmt.Sprintf(" %d", f.At.Line)
	}
	if want := " 0 1 1 1 1 1 2 3"; got != want {
		t.Errorf("the outermost calls are at %s, want %s", got, want)
	}
}

// TestPlacesOfHandedTables: a table that is handed on by many calls is looked for in few of them.
func TestPlacesOfHandedTables(t *testing.T) {
	a := &asked{}
	h := newHost(Options{Source: a})
	h.env.SetString("look", OfFunction(NewNative("look", func(c *Call) { c.Thread().InCall(Part{N: 1, Key: "k"}) })))
	if _, r := h.run(t, `local function f(t, n) if n == 0 then look(t) return 0 end return 1 + f(t, n - 1) end f({}, 15000)`); r != nil {
		t.Fatal(r)
	}
	if a.parts < mostOutwards || a.parts > 2*mostOutwards+2 {
		t.Errorf("%d parts were asked for", a.parts)
	}
}

// TestDeepReturnsTakeNoStackOfGo: frames that end with each other do so one after the other.
func TestDeepReturnsTakeNoStackOfGo(t *testing.T) {
	h := newHost(Options{Depth: 200_000, Registers: 8 << 20})
	h.env.SetString("join", OfFunction(h.vm.Builtin(Concat)))
	text := `local n, m = 0, {} m.__concat = function(a, b) n = n + 1 if n == 60000 then return "end" end return join(a, b) end print(join(setmetatable({}, m), 1))`
	var before, after runtime.MemStats
	done := make(chan string)
	runtime.GC()
	runtime.ReadMemStats(&before)
	go func() {
		out, r := h.run(t, text)
		runtime.ReadMemStats(&after)
		done <- fmt.Sprint(out, r)
	}()
	if got := <-done; got != "end\n<nil>" {
		t.Fatal(got)
	}
	if grown := int64(after.StackInuse) - int64(before.StackInuse); grown > 1<<20 {
		t.Errorf("Go's stacks have grown by %d bytes", grown)
	}
}

// TestDeepStacksAreLetGo: what a deep recursion has needed is not kept for long.
func TestDeepStacksAreLetGo(t *testing.T) {
	h := newHost(Options{})
	if _, r := h.run(t, `function deep(n) if n == 0 then return 0 end return 1 + deep(n - 1) end function few() end`); r != nil {
		t.Fatal(r)
	}
	main := h.vm.Main()
	if _, r := main.Run(h.env.GetString("deep"), Number(19_000)); r != nil {
		t.Fatal(r)
	}
	if len(main.stack) < 19_000 {
		t.Fatalf("%d registers", len(main.stack))
	}
	for range mostTidied/tidied + 1 {
		if _, r := main.Run(h.env.GetString("few")); r != nil {
			t.Fatal(r)
		}
	}
	if len(main.stack) > mostKept || cap(main.frames) > firstFrames {
		t.Errorf("%d registers and %d frames are kept", len(main.stack), cap(main.frames))
	}
	if _, r := main.Run(h.env.GetString("deep"), Number(19_000)); r != nil {
		t.Error(r)
	}
}

// TestWalksOfDeepStacks: a walk passes a deep coroutine in parts, counts all of it, and lets go
// of what calls that are over have left there.
func TestWalksOfDeepStacks(t *testing.T) {
	h := newHost(Options{})
	if _, r := h.run(t, `local function f(n) local own = {} if n == 0 then coroutine.yield() return 0 end return 1 + f(n - 1) + #own end
		co = coroutine.create(f) coroutine.resume(co, 15000)`); r != nil {
		t.Fatal(r)
	}
	var w Walk
	w.Begin(h.vm.Heap)
	w.Push(h.env.GetString("co"))
	steps := 0
	for w.Step(1) == 0 {
		steps++
	}
	if co := h.env.GetString("co").Thread(); steps < len(co.stack)/stackChunk || w.Bytes() < co.bytes()+15_000*int64(tableBytes) {
		t.Errorf("%d steps for %d registers, %d bytes", steps, len(co.stack), w.Bytes())
	}
}

// TestRegistersInUse: few frames have to be looked at to know the registers in use.
func TestRegistersInUse(t *testing.T) {
	h := newHost(Options{})
	all := func(th *Thread) int {
		n := 1
		for c := th.call; c != nil; c = c.outer {
			n = max(n, c.top)
		}
		for i := range th.frames {
			f := &th.frames[i]
			if n = max(n, int(f.base)+scratch); f.kind() == ofLua && f.fn != nil {
				n = max(n, int(f.base)+f.fn.proto.size)
			}
		}
		return min(n, len(th.stack))
	}
	looks := 0
	h.env.SetString("look", OfFunction(NewNative("look", func(c *Call) {
		for th := c.th; th != nil; th, looks = th.resumer, looks+1 {
			if got, want := th.used(), all(th); got != want {
				t.Errorf("%d registers are in use, want %d", got, want)
			}
		}
	})))
	var many strings.Builder
	for i := range 150 {
		fmt.Fprintf(&many, "local v%d = %d ", i, i)
	}
	_, r := h.run(t, `local function large(n) if n == 0 then look() return 0 end local r = large(n - 1) `+many.String()+` return r end
		local function small(n, f, m) look() if n == 0 then return f(m) end return 1 + small(n - 1, f, m) end
		large(50) small(300, large, 3) small(3, large, 300)
		local function spread(n, ...) if n == 0 then return apply(look) end return 1, spread(n - 1, n, ...) end spread(40)
		coroutine.wrap(function() pcall(small, 20, large, 20) end)()`)
	if r != nil || looks < 300 {
		t.Fatal(looks, r)
	}
}

// TestCarefulFrames: a deep coroutine that is resumed again and again before the end of the budget
// has its frames looked at once.
func TestCarefulFrames(t *testing.T) {
	h := newHost(Options{})
	if _, r := h.run(t, `local function f(n) if n == 0 then while true do coroutine.yield() end end return 1 + f(n - 1) end
		co = coroutine.create(f) coroutine.resume(co, 15000)
		function again() while true do coroutine.resume(co) end end`); r != nil {
		t.Fatal(r)
	}
	co := h.env.GetString("co").Thread()
	for range 3 {
		h.vm.Start(200, 0, nil)
		if _, r := h.vm.Main().Run(h.env.GetString("again")); r == nil {
			t.Fatal("it does not end")
		}
		h.vm.Stop()
		if co.careful < len(co.frames)-3 {
			t.Errorf("frames from %d on of %d are looked at", co.careful, len(co.frames))
		}
	}
}
