//go:build !machine

package unboxed_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	"github.com/perigee-ecs/perigee/scripting/internal/unboxed"
	lua "github.com/yuin/gopher-lua"
)

// machine is a Lua state with the library.
type machine struct {
	L       *lua.LState
	lib     *stdlib.Library
	goFuncs map[*lua.LFunction]vm.GoFunc
	printed []string
}

func newMachine(t testing.TB) *machine {
	m := &machine{L: lua.NewState(lua.Options{SkipOpenLibs: true})}
	t.Cleanup(m.L.Close)
	m.lib = stdlib.New(m.L, stdlib.Options{Print: func(_ *lua.LState, text string) { m.printed = append(m.printed, text) }})
	m.goFuncs = unboxed.Math(m.lib)
	return m
}

// load runs a chunk that returns functions.
func (m *machine) load(t testing.TB, text string) *lua.LFunction {
	t.Helper()
	tree, err := syntax.Parse("a.lua", []byte(text), syntax.Options{Concat: m.lib.Concat(), Pop: m.lib.Pop()})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	program, err := tree.Compile(syntax.Additions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	fn := m.L.NewFunctionFromProto(program.Proto)
	fn.Env = m.lib.Env()
	if err := m.L.CallByParam(lua.P{Fn: fn, NRet: 1, Protect: true}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out, ok := m.L.Get(-1).(*lua.LFunction)
	m.L.Pop(1)
	if !ok {
		t.Fatalf("no function\n%s", text)
	}
	return out
}

const wanted = 3

// outcome is what a few calls of a function come to: results, what was printed, the
// error with its traceback, and the instructions that were counted.
func (m *machine) outcome(t testing.TB, text string, plain bool, limit int64, calls [][]lua.LValue) string {
	t.Helper()
	m.printed = nil
	fn := m.load(t, text)
	var direct *unboxed.Evaluator
	if !plain {
		direct = unboxed.New(fn, wanted, m.goFuncs, nil)
	}
	budget := &stdlib.Budget{}
	budget.Reset(limit, 0)
	stdlib.Attach(m.L, budget)
	defer m.L.RemoveContext()
	var out strings.Builder
	if direct != nil {
		direct.Begin(m.L)
	}
	for _, args := range calls {
		err := m.L.GPCall(func(L *lua.LState) int {
			if direct != nil {
				callDirect(L, direct, args, &out)
			} else {
				callPlain(L, fn, args, &out)
			}
			return 0
		}, lua.LNil)
		m.L.SetTop(0)
		if err != nil {
			fmt.Fprintf(&out, "error: %v\n", err)
		}
	}
	if direct != nil {
		direct.End()
	}
	fmt.Fprintf(&out, "printed %q, %d instructions", m.printed, budget.Used())
	return addresses.ReplaceAllString(out.String(), "0x")
}

// addresses are what a table is called: its number in the order in which tables were printed.
var addresses = regexp.MustCompile("0x[0-9a-f]+")

func callDirect(L *lua.LState, f *unboxed.Evaluator, args []lua.LValue, out *strings.Builder) {
	f.Poison()
	for i := range f.Args() {
		f.Args()[i].Put(lua.LNil)
		if i < len(args) {
			f.Args()[i].Put(args[i])
		}
	}
	results, _ := f.Call(L)
	for _, r := range results {
		if r.Value == nil {
			show(out, lua.LNumber(r.Number))
		} else {
			show(out, r.Value)
		}
	}
	out.WriteString("\n")
}

func callPlain(L *lua.LState, fn *lua.LFunction, args []lua.LValue, out *strings.Builder) {
	L.Push(fn)
	for _, v := range args {
		L.Push(v)
	}
	L.Call(len(args), wanted)
	for i := range wanted {
		show(out, L.Get(i-wanted))
	}
	L.Pop(wanted)
	out.WriteString("\n")
}

// show writes a value so that two that differ look different, but for what they are
// called in memory.
func show(out *strings.Builder, v lua.LValue) {
	switch v := v.(type) {
	case lua.LNumber:
		bits := math.Float64bits(float64(v))
		if v != v {
			bits = math.Float64bits(math.NaN())
		}
		fmt.Fprintf(out, " %v/%x", v, bits)
	case lua.LString, lua.LBool, *lua.LNilType:
		fmt.Fprintf(out, " %s %v", v.Type(), v)
	default:
		fmt.Fprintf(out, " %s", v.Type())
	}
}

// equal compares both ways.
func (m *machine) equal(t testing.TB, text string, limit int64, calls ...[]lua.LValue) {
	t.Helper()
	want := m.outcome(t, text, true, limit, calls)
	got := m.outcome(t, text, false, limit, calls)
	if got != want {
		t.Errorf("%s\nthe VM:\n%s\nunboxed:\n%s", text, want, got)
	}
}

// TestEqualsTheMachine runs what each instruction does, and what stands in its way.
func TestEqualsTheMachine(t *testing.T) {
	m := newMachine(t)
	for _, body := range []string{
		`return a + b, a - b, a * b`, `return a / b, a % b, a ^ b`, `return -a, -b, -(a * 0)`, `return 1 - a, b * 2, -(-a)`,
		`return not a, a and b, a or b`, `return a == b, a ~= b, a < b`, `return a <= b, a > b, a >= b`, `return a == 2, a == nil, a == "x"`,
		`return a`, `return`, `return a, b, 3, 4`, `local x, y, z return x, y, z`, `a, b = b, a return a, b`,
		`local s = 0 for i = 1, 5 do s = s + i end return s`, `for i = 1, 5 do end return a`,
		`local s = 0 for i = 3, 1, -1 do s = s * 10 + i end return s`,
		`local s = 0 for i = a, b, 0.5 do s = s + i end return s`,
		`local s = 0 while s < 10 do s = s + 3 end return s`, `while a do count = count + 1 if count > 8 then return count end end`,
		`local s = 0 repeat s = s + 1 until s >= a or s > 9 return s`,
		`local s = 0 repeat s = s + 1 if s == 3 then break end until false return s`,
		`for i = 1, 3 do for k = 1, 3 do if k == 2 then goto next end count = count + i * k ::next:: end end return count`,
		`count = count + 1 return count`, `count = a return count`, `total = b return total`, `return undefined`,
		`local t = { a, b, x = a, [2.5] = b } return t[1], t.x, t[2.5]`, `local t = {} t[1] = a t[2] = b t.x = 1 return #t, t[3], t.y`,
		`local t = {} t[a] = b return t[a], t[1], #t`, `list[1] = (list[1] or 0) + 1 list.n = a return list[1], list.n, list[b]`,
		`return a.x, b.x`, `a.x = 1`, `return a[b]`, `a[b] = 1`, `return #a`, `return a()`, `return object.x, object.none, object[a]`,
		`object.y = a return object.y, object + 1, object == list`, `return object:method(a), #object, -object`, `return object < object, object <= a`,
		`return math.abs(a), math.min(a, b), math.max(b, a)`, `return math.floor(math.abs(a)), math.min(b, math.abs(a))`,
		`return math.min(a, b, 3), math.max(2, 1, a)`, `return (math.fmod(a, b)), math.ldexp(a, 3), math.pi`, `return math.modf(a)`,
		`return math.sqrt(), math.min()`, `return math.sqrt(math.modf(a))`, `return math.max(two(a, b))`, `return two(math.abs(a), math.abs(b))`,
		`print(math.abs(a)) print(a, b, two(a, b)) return twice(a), twice(b), (two(b, a))`, `return { two(a, b) }, { math.abs(a) }`,
		`local t = { math.abs(a), math.abs(b) } return #t, t[1], t[2]`, `local x, y, z = two(a, b) return x, y, z`,
		`return a .. b, "x" .. 1`, `return ("abc"):upper(), ("x"):rep(a)`, `return tostring(a), type(b), tonumber(a)`,
		`local f = function(x) a = a + x return a end return f(1), f(2), a`, `local f = function() return b end b = 7 return f()`,
		`list[1.5] = (function() return b and list[1] or a end)() return a, 100, b`, `local x = a for i = 1, 3 do x = object + i count = i end return x, count`,
		`local c, d, e, f, g, h, i, j, k = a, b, a, b, a, b, a, b, a local x = function() return a, b, c, d, e, f, g, h end for l = 1, 3 do end return x()`,
		`for i = 1, 3 do local f = function() return i end count = count + f() end return count`,
		`local s = 0 for _, v in ipairs { 1, 2, a } do s = s + v end return s`, `local s = 0 for k, v in pairs { x = 1 } do s = s + v end return s`,
		`local ok, e = pcall(function() return a + b end) return ok, e`, `local ok, e = pcall(error, { 1 }) return ok, type(e)`, `error("no", 1)`, `error("no", 2)`, `error(a)`,
		`local x if a == 2 then x = 1 elseif a then x = 2 else x = 3 end return x`, `return select("#", two(a, b)), (select(2, a, b))`,
		`local t = setmetatable({}, { __index = list, __newindex = list }) t.z = a return t.z, rawget(t, "z"), t[1]`,
		`return (function(...) return select("#", ...) end)(a, b, math.abs(2))`, `local c = coroutine.wrap(function(x) x = coroutine.yield(x) return x end) return c(a), c(b)`,
		`return thing.x, thing.size, thing.none`, `return thing:area(a), thing:none(b)`, `local k = "size" return thing[k], thing["none"], thing[a]`,
		`return deep.w, deep.size, deep:area(b)`, `thing.size = a return thing.size, class.size`, `class.size = b return thing.size, deep.size`,
		`thing.area = a return thing:area(b)`, `return named.math, named.none, named.x`,
		`do local x = a do local y = x return y end end`, `local t = list for i = 1, 3 do t[i] = i * 2 end return t[3], #t`,
	} {
		text := prelude + "return function(a, b)\n" + body + "\nend"
		all := samples()
		for i, a := range all {
			for _, further := range []int{0, 1, 4, 7} {
				b := all[(i+further)%len(all)]
				m.equal(t, text, 5_000, []lua.LValue{a, b}, []lua.LValue{b, a}, []lua.LValue{a})
			}
		}
	}
}

// prelude are the outer locals of the functions under test.
const prelude = `local count, total, list = 0, nil, { 10, 20, 30 }
local object = setmetatable({ x = 5 }, {
  __index = function(t, k) if k == "method" then return function(self, v) return self.x, v end end return k end,
  __newindex = function(t, k, v) rawset(t, k, v) end, __add = function(x, y) return "sum" end, __unm = function() return "minus" end,
  __len = function() return 12 end, __lt = function() return true end, __eq = function() return true end,
})
local class = { size = 3, area = function(self, v) return self.x, v end }
class.__index = class
local thing = setmetatable({ x = 2 }, class)
local deep = setmetatable({}, { __index = setmetatable({ w = 4 }, class) })
local named = setmetatable({ x = 1 }, { __index = "a text" })
local function twice(x) return type(x) == "number" and x * 2 or x end
local function two(x, y) return y, x end
`

// TestStopsAtTheSameInstruction ends a function's budget after each number of
// instructions that it may take.
func TestStopsAtTheSameInstruction(t *testing.T) {
	m := newMachine(t)
	text := prelude + `return function(a, b)
  local s = 0
  for i = 1, 3 do
    s = s + math.abs(a) * twice(i)
    list[i] = s
    count = count + 1
    print(count)
    if s > b then
      s = s - object.x + #object
    end
  end
  repeat
    s = s - 1
  until s < b
  for _, v in ipairs(list) do
    s = s + v
  end
  return s, list[1], count
end`
	for limit := range int64(140) {
		m.equal(t, text, limit, []lua.LValue{lua.LNumber(2), lua.LNumber(3)}, []lua.LValue{lua.LNumber(-1), lua.LNumber(4)})
	}
}

// TestStopsAfterSteps ends the budget after each number of instructions where the VM
// executes some for the function that take many steps each: there is no jump back and no
// call after them, and the function must stop all the same.
func TestStopsAfterSteps(t *testing.T) {
	m := newMachine(t)
	for _, step := range []string{
		`far[a * 4] = b`, `far[a * 5] = b`, `far[b] = #far`, `x = slow + a`, `x = -slow`, `x = #slow`, `x = slow.field`, `x = slow[a]`, `slow.field = a`, `slow[a] = b`,
		`x = missing`, `x = slow:call(a)`, `x = late(a)`,
	} {
		text := `local function late() for i = 1, 15 do end return 1 end
local far = { 1, 2, 3 }
local slow = setmetatable({}, { __index = function() late() return late end, __newindex = late, __add = late, __unm = late, __len = late })
return function(a, b)
  local x = a
  ` + step + `
  x = a + 1
  x = a * x
  x = x - b
  return x, a, b
end`
		for limit := range int64(80) {
			m.equal(t, text, limit, []lua.LValue{lua.LNumber(20), lua.LNumber(1500)}, []lua.LValue{lua.LNumber(3), lua.LNumber(4)})
		}
	}
}

// samples are values that go different ways.
func samples() []lua.LValue {
	zero := 0.0
	return []lua.LValue{
		lua.LNumber(0), lua.LNumber(-zero), lua.LNumber(2), lua.LNumber(-3.5), lua.LNumber(math.NaN()), lua.LNumber(math.Inf(1)),
		lua.LNumber(1e308), lua.LString("10"), lua.LString("x"), lua.LTrue, lua.LFalse, lua.LNil,
	}
}

// A call says whether it was alone: only then may its caller take it that nothing was
// recorded.
func TestCallsThatAskOthersAreNotAlone(t *testing.T) {
	m := newMachine(t)
	for body, want := range map[string]bool{
		`return a + b`: true, `if a < b then a = b end return a`: true, `for i = 1, 9 do a = a + i end return a`: true,
		`return math.abs(a)`: false, `return twice(a)`: false, `return object.x`: true, `return object.other`: false, `return thing.size`: true, `return deep.size`: false, `return a + "1"`: false, `return twice(a), 1`: false,
		`if a > 0 then return a end return twice(a)`: true, `for i = 1, 9 do twice(i) end return a`: false,
	} {
		fn := m.load(t, prelude+"return function(a, b) "+body+" end")
		f := unboxed.New(fn, wanted, m.goFuncs, nil)
		f.Begin(m.L)
		for range 2 {
			f.Args()[0].Set(1)
			f.Args()[1].Set(2)
			if _, alone := f.Call(m.L); alone != want {
				t.Errorf("%s: alone is %v, want %v", body, alone, want)
			}
		}
		f.End()
	}
}

// TestCallsOfAllValues leaves a loop at a call that gets all values of the one before it: in
// the next turn there may be another number of them.
func TestCallsOfAllValues(t *testing.T) {
	m := newMachine(t)
	const around = `local floor = math.floor
		local function two(x) return x, 10 end
		local function sum(a, b) return a + (b or 0) end
		local function same(x) return x end
		return function(a, b) `
	for _, body := range []string{
		"local f, s = floor, 0 for i = 1, 3 do s = s + same(sum(f(i))) f = two end return s",
		"local f, s, i = floor, 0, 0 while i < 3 do i = i + 1 s = s + same(sum(f(i))) f = two end return s",
		"local f, s, i = floor, 0, 0 repeat i = i + 1 s = s + same(sum(f(i))) f = two until i == 3 return s",
		"local f, s = floor, 0 for i = 1, 3 do s = s + same(math.max(f(i))) f = two end return s",
		"local f = a == 1 and floor or two local s = 0 for i = 1, 3 do s = s + same(sum(f(i))) end return s",
		"local f, s = floor, 0 for i = 1, 3 do if i == a then s = s .. '' end s = s + same(sum(f(i))) f = two end return s",
	} {
		m.equal(t, around+body+" end", 10000, []lua.LValue{lua.LNumber(1)}, []lua.LValue{lua.LNumber(2)}, []lua.LValue{lua.LNumber(1)})
	}
}

// TestVariantsAreFew holds that a function is copied a few times, at however many places the
// VM takes over: its copies stay as long as it does.
func TestVariantsAreFew(t *testing.T) {
	m := newMachine(t)
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "if a == %d and 'x' < b then return #b .. a end ", i)
	}
	fn := m.load(t, "return function(a, b) "+text.String()+" end")
	made := 0
	f := unboxed.New(fn, 1, m.goFuncs, func(_, _ *lua.FunctionProto, _ []int) { made++ })
	f.Begin(m.L)
	for i := range 100 {
		f.Args()[0].Put(lua.LNumber(i))
		f.Args()[1].Put(lua.LString("xyz"))
		if results, _ := f.Call(m.L); results[0].Value != lua.LString(fmt.Sprintf("3%d", i)) {
			t.Fatal(i, results)
		}
	}
	f.End()
	if made == 0 || made > 2 {
		t.Errorf("%d copies", made)
	}
}
