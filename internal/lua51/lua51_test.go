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

// TestQuoted: both write %q in PUC's way, and say where a wrong argument was given.
func TestQuoted(t *testing.T) {
	chunk := `local all = {}
for i = 0, 255 do all[#all + 1] = string.char(i) .. "7" end
for _, text in ipairs { table.concat(all), "\\31\\\\31\n\0001", ("x"):rep(3) } do
  local q = string.format("<%q|%5d>", text, 12)
  print(#q, q, loadstring("return " .. q:match("^<(.*)|"))() == text)
end
print(select(2, pcall(function() string.format("%q") end)):match("^p:%d+"))`
	want := ""
	for _, name := range []string{"lua5.1", "luajit"} {
		results, err := lua51.Find(t, name).Run([]string{chunk})
		if err != nil {
			t.Fatal(err)
		}
		if got := results[0].String(); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%s printed\n%q\nand lua5.1\n%q", name, got, want)
		}
	}
}
