package luatest_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/internal/luatest"
)

// TestMatrix: the programs reach every cell.
func TestMatrix(t *testing.T) {
	for _, c := range []struct {
		name    string
		by, not luatest.Lua
	}{{"lua5.1", luatest.PUC, 0}, {"luajit", luatest.JIT, luatest.PUC}} {
		program := lua51.Find(t, c.name)
		t.Logf("%s\n%s", c.name, luatest.Compare(t, luatest.Comparison{Judged: program.Run, Among: c.by, Not: c.not, Programs: luatest.Rounds(), Required: true}))
	}
}

func TestShrink(t *testing.T) {
	source := "local a = 1\nfor i = 1, 3 do\nprint(a, keep((a + i) * 2))\nend\nprint('wrong', (a))\nreturn a"
	small := luatest.Shrink(source, func(candidates []string) int {
		for i, c := range candidates {
			if strings.Contains(c, "wrong") {
				return i
			}
		}
		return -1
	})
	if small != "print('wrong')" && small != "print('wrong', )" && small != "'wrong', (a)" && len(small) > 14 {
		t.Errorf("it is still %q", small)
	}
}

// TestWhatLuaJITWritesOtherwise: the last of fourteen digits, where two are equally near, the place of a stack
// that has overflowed, and the place of infinity in a list. Other digits and other places are differences.
func TestWhatLuaJITWritesOtherwise(t *testing.T) {
	for _, of := range []struct {
		ours, theirs string
		same         bool
	}{
		{"123456789021.62", "123456789021.63", true},
		{"@0\t1\t0.12345678901234", "@0\t1\t0.12345678901235", true},
		{"12345678901234", "12345678901235", true},
		{"1.2345678901234e+20", "1.2345678901235e+20", true},
		{"123456789021.62", "123456789121.62", false},
		{"1234567.62", "1234567.63", false},
		{"1.5e+20", "1.5e+21", false},
		{"error: p:46: stack overflow", "error: stack overflow", true},
		{"error: p:46: no", "error: no", false},
		{"@0\t1\t{1=0 2=4 3=inf}", "@0\t1\t{1=-inf 2=0 3=4}", true},
		{"@0\t1\t{1=0 2=4 3=inf}", "@0\t1\t{1=-inf 2=0 3=5}", false},
		{"@0\t1\t{1=0 2=4 3=5}", "@0\t1\t{1=5 2=0 3=4}", false},
	} {
		if same := luatest.AsJIT(of.ours) == luatest.AsJIT(of.theirs); same != of.same {
			t.Errorf("%q and %q: the same %v: %q, %q", of.ours, of.theirs, same, luatest.AsJIT(of.ours), luatest.AsJIT(of.theirs))
		}
	}
}
