package lua51_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/internal/lua51"
)

func TestRun(t *testing.T) {
	for _, name := range []string{"lua5.1", "luajit"} {
		t.Run(name, func(t *testing.T) {
			p := lua51.Find(t, name)
			p.Steps = 100_000
			results, err := p.Run([]string{
				`print(1, "a\0b", nil) print() x = 1`,
				``,
				`print(x) string.upper = nil print = nil error("gone", 0)`,
				`print(("x"):upper(), string.upper("y"), #_G)`,
				`local t = = 1`,
				`while true do end`,
				`coroutine.wrap(function() while true do end end)()`,
				`while true do coroutine.resume(coroutine.create(function() while true do pcall(function() while true do end end) end end)) end`,
				`error({})`,
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []string{"1\ta\x00b\tnil\n\n", "", "nil\nerror: gone\n", "X\tY\t0\n", "p:1: unexpected symbol near '='\n", "cut", "cut", "cut"} {
				got := results[i].String()
				if results[i].Cut {
					got = "cut"
				}
				if got != want {
					t.Errorf("chunk %d: %q, want %q", i+1, got, want)
				}
			}
			if e := results[8].Err; len(e) < 12 || e[:12] != "error: table" {
				t.Errorf("the error that is a table is %q", e)
			}
		})
	}
}
