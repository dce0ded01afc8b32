//go:build !machine

package unboxed_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	"github.com/perigee-ecs/perigee/scripting/internal/unboxed"
	lua "github.com/yuin/gopher-lua"
)

// TestSlowInstructionsAreCounted holds that functions without loops are stopped, too,
// whose instructions take long or much memory each: they count as many steps.
func TestSlowInstructionsAreCounted(t *testing.T) {
	for _, line := range []string{"h = {} h[100000] = 1", "x = #list"} {
		m := newMachine(t)
		fn := m.load(t, "local list = { 1 } list[100000] = 1 list[100000] = nil\nreturn function()\nlocal h, x\n"+
			strings.Repeat(line+"\n", 3000)+"return 1\nend")
		f := unboxed.New(fn, 1, nil, nil)
		budget := &stdlib.Budget{}
		budget.Reset(2_000_000, 0)
		stdlib.Attach(m.L, budget)
		f.Begin(m.L)
		err := m.L.GPCall(func(L *lua.LState) int { f.Call(L); return 0 }, lua.LNil)
		f.End()
		m.L.RemoveContext()
		if err == nil || !strings.Contains(fault.Caught(err, lua.LValue.String).Message, "script ran too long") || budget.Used() > 2_500_000 {
			t.Errorf("%s: %v after %d instructions", line, err, budget.Used())
		}
	}
}
