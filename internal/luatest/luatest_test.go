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
