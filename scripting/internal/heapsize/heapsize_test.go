//go:build !machine

package heapsize_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/scripting/internal/heapsize"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

// TestMain leaves the process one processor: runtime.GC, which these tests call for each
// case, yields after each span that it sweeps, and a second processor would look for work
// at each of these yields.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	os.Exit(m.Run())
}

// machine runs Lua with the library of scripts.
type machine struct {
	testing.TB
	state   *lua.LState
	library *stdlib.Library
}

func newMachine(t testing.TB) *machine {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	t.Cleanup(L.Close)
	return &machine{t, L, stdlib.New(L, stdlib.Options{})}
}

// run runs a text in an environment.
func (m *machine) run(env *lua.LTable, text string) {
	m.Helper()
	fn, err := m.state.Load(strings.NewReader(text), "test.lua")
	if err != nil {
		m.Fatal(err)
	}
	lua.SetEnv(fn, env)
	m.state.Push(fn)
	if err := m.state.PCall(0, 0, nil); err != nil {
		m.Fatal(err)
	}
}

// count walks over owners to the end, so many values at a time.
func count(n int, owners ...heapsize.Owner) []int64 {
	var w heapsize.Walk
	w.Body = stdlib.Body
	w.Begin(owners)
	for !w.Step(n) {
	}
	return w.Bytes()
}

// TestModelIsNearTheHeap: the count is between half and five quarters of what the
// runtime needs, whatever is held.
func TestModelIsNearTheHeap(t *testing.T) {
	for name, text := range map[string]string{
		"numbers":    `for i = 1, 100000 do t[i] = i + 0.5 end`,
		"keys":       `for i = 1, 100000 do t["k" .. i] = i end`,
		"numbered":   `for i = 1, 100000 do t[i + 0.5] = true end`,
		"dead keys":  `for i = 1, 100000 do t["key number " .. i] = 1 t["key number " .. i] = nil end`,
		"tables":     `for i = 1, 50000 do t[i] = {} end`,
		"records":    `for i = 1, 20000 do t[i] = { x = i, y = i, name = "n" .. i } end`,
		"one key":    `for i = 1, 20000 do t[i] = { x = i } end`,
		"ten keys":   `for i = 1, 10000 do t[i] = { a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = 1, j = 1 } end`,
		"texts":      `for i = 1, 20000 do t[i] = string.rep("x", 200) .. i end`,
		"parts":      `for i = 1, 20000 do t[i] = (("x"):rep(4000) .. i):sub(1, 10 + i % 100) end`,
		"captures":   `for i = 1, 20000 do t[i] = (("x"):rep(4000) .. i):match("^(x*)%d", 3950) end`,
		"replaced":   `for i = 1, 2000 do (("x"):rep(4000) .. i):gsub("x%d*$", function(s) t[i] = s end) end`,
		"found":      `for i = 1, 20000 do t[i] = select(3, (("x"):rep(4000) .. i):find("(%d+)$", 3990)) end`,
		"words":      `for i = 1, 200 do local s = ("word "):rep(1000) .. i for w in s:gmatch("%a+") do t[#t + 1] = w end end`,
		"iterators":  `for i = 1, 5000 do t[i] = (("x"):rep(400) .. i):gmatch("x") end`,
		"one text":   `local x = ("x"):rep(1000000) for i = 1, 5000 do t[i] = x:gmatch("x") end`,
		"patterns":   `for i = 1, 200 do t[i] = ("x"):gmatch(("x"):rep(1000) .. i) end`,
		"functions":  `for i = 1, 50000 do t[i] = function() return i end end`,
		"coroutines": `for i = 1, 2000 do t[i] = coroutine.create(function(...) local a = i coroutine.yield(a) end) coroutine.resume(t[i]) end`,
		"wrapped":    `for i = 1, 2000 do t[i] = coroutine.wrap(function(...) local a = i coroutine.yield(a) end) t[i]() end`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			env := m.library.Env()
			env.RawSetString("t", m.state.NewTable())
			heap := func() int64 {
				runtime.GC()
				runtime.GC()
				var s runtime.MemStats
				runtime.ReadMemStats(&s)
				return int64(s.HeapAlloc)
			}
			count(math.MaxInt, heapsize.Owner{Env: env}) // what it allocates is no part of it
			before, counted := heap(), count(math.MaxInt, heapsize.Owner{Env: env})[0]
			m.run(env, text)
			m.state.SetTop(0)
			counted = count(math.MaxInt, heapsize.Owner{Env: env})[0] - counted
			took := heap() - before
			if ratio := float64(counted) / float64(took); ratio < 0.5 || ratio > 1.25 {
				t.Errorf("counted %d bytes of %d: %.2f", counted, took, ratio)
			}
			runtime.KeepAlive(env)
		})
	}
}

// TestWhatFunctionsReturnIsCounted calls every function of the library with long new
// texts and keeps what it returns, and what it passes to functions: it holds no more of
// the heap than the count knows.
func TestWhatFunctionsReturnIsCounted(t *testing.T) {
	m := newMachine(t)
	env := m.library.Env()
	m.run(env, `
		local n = 0
		function keep(...) for i = 1, select("#", ...) do kept[#kept + 1] = (select(i, ...)) end return ... end
		local function new() n = n + 1 return ("x"):rep(200000) .. n end
		arguments = {
			function() return new() end,
			function() return new(), 1, 20 end,
			function() return new(), -20 end,
			function() return new(), "x(%d+)$", "%1" end,
			function() return new(), "(%d+)", keep end,
			function() return new(), "x", setmetatable({}, { __index = function(_, k) return keep(k) end }), 3 end,
			function() return new(), new() end,
			function() return "%.20s%c", new(), 65 end,
			function() return "x", new() end,
			function() return { new(), new() }, ", " end,
			function() return { new() } end,
			function() local s = new() return { [s] = s }, s end,
			function() local s = new() return function() return keep(s) end end,
			function() local s = new() return function(x) coroutine.yield(x) return s end, s end,
			function() return error, new():sub(3), 0 end,
			function() return 1, new() end,
		}
		functions = {}
		local tables = { _G, string, table, math, coroutine }
		for i = 1, #tables do
			for name, f in pairs(tables[i]) do if type(f) == "function" then functions[#functions + 1] = { name, f } end end
		end
		function call(f, a) kept = {} for i = 1, 10 do keep(pcall(functions[f][2], arguments[a]())) end end
		function drop() kept = {} end`)
	all := func(name string) int { return env.RawGetString(name).(*lua.LTable).Len() }
	heap := func() int64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	sizes := func() (took, counted int64) { return heap(), count(math.MaxInt, heapsize.Owner{Env: env})[0] }
	for f := 1; f <= all("functions"); f++ {
		for a := 1; a <= all("arguments"); a++ {
			m.run(env, "drop()")
			took, counted := sizes()
			m.run(env, fmt.Sprintf("call(%d, %d)", f, a))
			m.state.SetTop(0)
			took2, counted2 := sizes()
			if took, counted := took2-took, counted2-counted; took > 2*counted+300_000 {
				name := env.RawGetString("functions").(*lua.LTable).RawGetInt(f).(*lua.LTable).RawGetInt(1)
				t.Errorf("%v with arguments %d holds %d bytes, counted %d", name, a, took, counted)
			}
		}
	}
}

// TestEverythingThatHoldsIsFollowed hides a text in each kind of place.
func TestEverythingThatHoldsIsFollowed(t *testing.T) {
	for name, text := range map[string]string{
		"global":            `x = secret()`,
		"item":              `x = { secret() }`,
		"field":             `x = { y = { z = secret() } }`,
		"key":               `x = { [secret()] = 1 }`,
		"key that is one":   `x = { [{ secret() }] = 1 }`,
		"metatable":         `x = setmetatable({}, { __index = { secret() } })`,
		"captured":          `local s = secret() function x() return s end`,
		"captured twice":    `local s = secret() function x() return function() return s end end`,
		"suspended":         `x = coroutine.create(function() local s = secret() coroutine.yield() return s end) coroutine.resume(x)`,
		"temporary":         `x = coroutine.create(function() return #secret() + #(secret() .. coroutine.yield()) end) coroutine.resume(x)`,
		"wrapped":           `x = coroutine.wrap(function() local s = secret() coroutine.yield() return s end) x()`,
		"never begun":       `local s = secret() x = coroutine.create(function() return s end)`,
		"never begun, wrap": `local s = secret() x = coroutine.wrap(function() return s end)`,
		"inside of calls": `local function deep(n, s) if n == 0 then coroutine.yield() else deep(n - 1) end return s end
			x = coroutine.create(function() deep(5) local s = secret() deep(3) return s end) coroutine.resume(x) coroutine.resume(x)`,
		"variable of a coroutine": `coroutine.resume(coroutine.create(function() local s = secret() function x() return s end coroutine.yield() end))`,
		"matched":                 `x = secret():gmatch("s")`,
		"matched, begun":          `x = secret():gmatch("s") x()`,
		"pattern":                 `x = ("s"):gmatch("s" .. ("s"):rep(4090) .. "[" .. secret() .. "]") y = {} for i = 1, 6 do y[i] = ("s"):gmatch(i .. ("s"):rep(4090)) end`,
		"userdata":                `x = box`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			env := m.library.Env()
			const length = 1 << 20
			env.RawSetString("box", lua.NewUserData(box(length), nil))
			env.RawSetString("secret", m.state.NewFunction(func(L *lua.LState) int {
				L.Push(lua.LString(strings.Repeat("s", length)))
				return 1
			}))
			m.run(env, text)
			got := count(1, heapsize.Owner{Env: env})[0]
			if name != "userdata" {
				got -= length // the box
			}
			if got < length {
				t.Errorf("only %d bytes were found", got)
			}
			env.RawSetString("x", lua.LNil)
			env.RawSetString("y", lua.LNil)
			env.RawSetString("box", lua.LNil)
			if got := count(math.MaxInt, heapsize.Owner{Env: env})[0]; got > 100_000 {
				t.Errorf("%d bytes are left", got)
			}
		})
	}
}

// TestSharedValuesAreTheFirstOwners: they are counted once, and environments by
// nobody but their own.
func TestSharedValuesAreTheFirstOwners(t *testing.T) {
	m := newMachine(t)
	first, second := m.library.Env(), m.library.Env()
	m.run(first, `list = {} for i = 1, 1000 do list[i] = string.rep("x", 1000) end long = list[1] function globals() return list end`)
	own := count(7, heapsize.Owner{Env: second})[0]
	second.RawSetString("theirs", first.RawGetString("list"))
	second.RawSetString("env", first)
	second.RawSetString("fn", first.RawGetString("globals"))
	bytes := count(7, heapsize.Owner{Env: first}, heapsize.Owner{Env: second})
	if bytes[0] < 1_000_000 || bytes[0] > 1_200_000 || bytes[1] > own+2000 {
		t.Errorf("%d, alone %d", bytes, own)
	}
	if bytes := count(7, heapsize.Owner{Env: second}, heapsize.Owner{Env: first}); bytes[0] < 1_000_000 || bytes[1] > 100_000 {
		t.Errorf("%d in the other order", bytes)
	}
	if bytes := count(7, heapsize.Owner{Env: second}); bytes[0] < 1_000_000 { // an environment that has gone
		t.Errorf("%d alone", bytes)
	}
}

// TestStepsOfAnySizeCountTheSame: and what goes on between them does no harm.
func TestStepsOfAnySizeCountTheSame(t *testing.T) {
	m := newMachine(t)
	env := m.library.Env()
	m.run(env, `t = {} for i = 1, 300 do t[i] = { i, name = "n" .. i, [i] = { i }, f = function() return t end, [true] = t } end`)
	want := count(math.MaxInt, heapsize.Owner{Env: env})
	for _, n := range []int{1, 2, 63, 64, 65, 1000} {
		if got := count(n, heapsize.Owner{Env: env}); got[0] != want[0] {
			t.Errorf("steps of %d: %d, want %d", n, got[0], want[0])
		}
	}
	var w heapsize.Walk
	w.Body = stdlib.Body
	w.Begin([]heapsize.Owner{{Env: env}})
	for i := 0; !w.Step(20); i++ {
		if i > 100_000 {
			t.Fatal("the walk does not end")
		}
		m.run(env, fmt.Sprintf(`for i = %[1]d, %[1]d + 20 do if t[i] then t[i].name = nil t[i].other = {} t[i] = nil t["new" .. i] = { {} } end end`, i%300))
	}
	if w.Step(1); !w.Step(1) {
		t.Error("a walk that is done goes on")
	}
}

// TestDeepValues: chains of any length are followed without recursion.
func TestDeepValues(t *testing.T) {
	m := newMachine(t)
	env := m.library.Env()
	m.run(env, `x = {} for i = 1, 300000 do x = { x } end for i = 1, 1000 do local y = x x = function() return y end end x = setmetatable({}, { __index = x })`)
	if got := count(1000, heapsize.Owner{Env: env})[0]; got < 300_000*100 {
		t.Error(got)
	}
}

func BenchmarkWalk(b *testing.B) {
	m := newMachine(b)
	env := m.library.Env()
	m.run(env, `t = {} for i = 1, 20000 do t[i] = { x = i, y = i } end`)
	w := heapsize.Walk{}
	b.ResetTimer()
	for range b.N {
		w.Begin([]heapsize.Owner{{Env: env}})
		for !w.Step(1000) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/value")
}

// box is a value of the host that takes so many bytes.
type box int

func (b box) Held() (bytes int64, values []lua.LValue) { return int64(b), nil }
