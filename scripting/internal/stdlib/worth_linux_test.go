//go:build !machine

package stdlib_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
)

// TestStepsAreWorthTheirTime spends two million steps on each of some hostile loops: they
// take no more of the processor than so many steps may, which is five times what is meant.
func TestStepsAreWorthTheirTime(t *testing.T) {
	const setup = `
local big, many = ("x"):rep(1000000), ("a"):rep(200)
local percents = ("%%"):rep(100000)
local chain, sink = { zz = 1 }, {}
for i = 1, 90 do chain = setmetatable({}, { __index = chain }) sink = setmetatable({}, { __newindex = sink }) end
local mt = {} local far = setmetatable({}, mt)
local fmod, format, find, tonumber = math.fmod, string.format, string.find, tonumber
local function deep(n) if n > 0 then pcall(deep, n - 1) end end
while true do `
	for name, body := range map[string]string{
		"remainder far apart":     `local x = fmod(1e308, 3e-308)`,
		"operator far apart":      `local x = 1e308 % 3e-308`,
		"many digits, large":      `local x = format("%.99f", 1e308)`,
		"many digits, small":      `local x = format("%.99e", 5e-324)`,
		"digits with a point":     `local x = format("%#.99g", 1e308)`,
		"large without digits":    `local x = format("%f", 1e308)`,
		"percents":                `local x = format(percents)`,
		"smallest numeral":        `local x = tonumber("5e-324")`,
		"halfway numeral":         `local x = tonumber("1.7976931348623158079372897140530341507993e308")`,
		"numeral of nearly zero":  `local x = tonumber("2e-324")`,
		"long in short":           `local x = find("a", big)`,
		"long, plain, in short":   `local x = find("a", big, 1, true)`,
		"chain of __index":        `local x = chain.none`,
		"chain, items":            `local x = chain[1]`,
		"chain, method":           `pcall(function() return chain:none() end)`,
		"chain, gsub":             `local x = many:gsub(".", chain)`,
		"chain of __newindex":     `sink.x = nil`,
		"chain of __newindex, t#": `sink[#sink] = nil`,
		"gap behind __newindex":   `mt.__newindex = {} far[20000] = 1`,
		"long constant":           `local x = chain["` + strings.Repeat("k", 60000) + `"]`,
		"insert behind the end":   `table.insert({}, 20000, 1)`,
		"many bytes":              `local x = many:byte(1, 200)`,
		"pcalls in each other":    `deep(140)`,
		"overflow":                `pcall(function() local function f() return 1 + f() end f() end)`,
		"parts":                   `local x = big:sub(2)`,
		"captures":                `local x = big:match(".(.*)")`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(stdlib.Options{MaxTable: 250_000})
			tree, err := syntax.Parse("a.lua", []byte(setup+body+" end"), syntax.Options{})
			if err != nil {
				t.Fatal(err)
			}
			program, err := tree.Compile(syntax.Additions{})
			if err != nil {
				t.Fatal(err)
			}
			b := &stdlib.Budget{}
			const steps = 2_000_000
			b.Reset(steps, 0)
			stdlib.Attach(m.L, b)
			fn := m.L.NewFunctionFromProto(program.Proto)
			fn.Env = m.lib.Env()
			before := processorTime()
			if err := m.L.CallByParam(lua.P{Fn: fn, Protect: true}); err == nil || fault.Caught(err, lua.LValue.String).Limit != "Instructions" {
				t.Fatal(err)
			}
			if took := processorTime() - before; took > steps*150*time.Nanosecond {
				t.Errorf("%v of the processor for %d steps", took, steps)
			}
		})
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestCoroutinesMeterAsBudgetsDo: what the host asks of the meter of a call, that of a
// coroutine can, too, and passes it on.
func TestCoroutinesMeterAsBudgetsDo(t *testing.T) {
	m := newMachine(stdlib.Options{})
	b := &stdlib.Budget{}
	b.Reset(1_000_000, 1<<20)
	stdlib.Attach(m.L, b)
	env := m.lib.Env()
	var used int64
	env.RawSetString("meter", m.L.NewFunction(func(L *lua.LState) int {
		before := b.Used()
		ctx := L.Context()
		ctx.(interface{ Take(int64) }).Take(1000)
		ctx.(interface{ Charge(*lua.LState, int) }).Charge(L, 1000)
		ctx.(interface{ Alloc(*lua.LState, int) }).Alloc(L, 64_000)
		ctx.(interface{ Grow(*lua.LState, int) }).Grow(L, 16_000)
		used = b.Used() - before
		return 0
	}))
	fn, err := m.L.LoadString(`coroutine.wrap(function() meter() end)()`)
	if err != nil {
		t.Fatal(err)
	}
	fn.Env = env
	if err := m.L.CallByParam(lua.P{Fn: fn, Protect: true}); err != nil {
		t.Fatal(err)
	}
	if used != 4000 {
		t.Errorf("%d steps were counted of 4000", used)
	}
}
