package library_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

// TestStepsAreWorthTheirTime spends two million steps on each of some hostile loops: they
// take no more of the processor than so many steps may, which is five times what is meant.
func TestStepsAreWorthTheirTime(t *testing.T) {
	const setup = `
local big, many, near = ("x"):rep(1000000), ("a"):rep(200), ("x"):rep(70) .. "y"
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
		"nearly found, plain":     `local x = find(big, near, 1, true)`,
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
			const steps = 2_000_000
			took := time.Hour
			for try := 0; try < 3 && took > steps*150*time.Nanosecond; try++ { // fresh memory may be slow on a busy machine
				m := newHost(library.Options{MaxTable: 250_000})
				before := processorTime()
				if out, _ := m.run(setup+body+" end", steps, 0); !strings.Contains(out, "ran too long") {
					t.Fatal(out)
				}
				took = min(took, processorTime()-before)
			}
			if took > steps*150*time.Nanosecond {
				t.Errorf("%v of the processor for %d steps", took, steps)
			} else {
				t.Log(took)
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
