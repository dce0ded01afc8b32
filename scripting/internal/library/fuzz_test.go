package library_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

// FuzzRun runs whatever text compiles. Nothing may escape but an error, within the budget
// and a reasonable time, and all tables are as they must be.
func FuzzRun(f *testing.F) {
	for _, src := range []string{
		`print(("x"):rep(3), ("a b"):gsub("%w", "%0%0"), #{1, 2, 3}, math.max(1, 2))`,
		`local t = setmetatable({}, {__index = function(t, k) return k .. "!" end}) print(t.x, t[1])`,
		`local co = coroutine.wrap(function(...) while true do coroutine.yield(...) end end) print(co(1), co(2))`,
		`for k, v in pairs({a = 1, 2}) do print(k, v) break end for i = 10, 1, -3 do print(i) end`,
		`print(pcall(error, {}), xpcall(function() error("x", 2) end, tostring), select("#", unpack({1, nil, 3}, 1, 3)))`,
		`local t = {} for i = 1, 60 do t[i] = i % 7 end table.sort(t, function(a, b) return a > b end) print(table.concat(t, ",", 2, 9))`,
		`print(string.format("%5.2f %-8s %q %x %c", 1.5, "s", "q\n", 255, 65), tonumber("0x10"), ("abc"):find("(b)()"))`,
		`goto a do local x = 1 f = function() return x end end ::a:: a, b = b, a repeat local z = 1 until z`,
		`local s = {1, 2} s[#s] = nil table.insert(s, 1, 5) print(table.remove(s), rawequal(s, s), next(s), type(_G), tostring(nil))`,
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		m := newHost(library.Options{})
		start := time.Now()
		m.budget.Watch = func() error {
			if time.Since(start) > time.Second {
				return errors.New("out of time")
			}
			return nil
		}
		if out, _ := m.run(src, 100_000, 32<<20); strings.Contains(out, "panic in Go: ") && !strings.Contains(src, "panic") {
			t.Errorf("%s", out)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		start = time.Now()
		if got, _ := m.run(`print(1 .. 2)`, 1000, 0); got != "12\n" {
			t.Errorf("the machine is broken afterwards: %q", got)
		}
	})
}

// FuzzPattern matches random patterns against random texts.
func FuzzPattern(f *testing.F) {
	f.Add("hello", "(l+)(.-)%1$")
	f.Add("f(a(b)c)", "%b()[^%w]*%f[%z]")
	f.Add("", "^()[]a-]?x*")
	f.Fuzz(func(t *testing.T, text, pattern string) {
		m := newHost(library.Options{})
		env := m.lib.Env()
		env.SetString("text", machine.String(text))
		env.SetString("pattern", machine.String(pattern))
		for _, name := range []string{"find", "match", "gmatch", "gsub"} {
			m.runIn(env, `local f = string.`+name+`(text, pattern, "%0") if type(f) == "function" then f() end`, 100_000, 32<<20)
		}
	})
}
