package unboxed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/scripting/internal/lualib"
	"github.com/perigee-ecs/perigee/scripting/internal/unboxed"
	lua "github.com/yuin/gopher-lua"
)

// TestSlowInstructionsAreWatched holds that functions without loops are stopped, too,
// whose instructions take long or much memory each: there is no jump back at which
// they would be.
func TestSlowInstructionsAreWatched(t *testing.T) {
	for _, line := range []string{"h = {} h[100000] = 1", "x = #list"} {
		m := newMachine(t)
		fn := m.load(t, "local list = { 1 } list[100000] = 1 list[100000] = nil\nreturn function()\nlocal h, x\n"+
			strings.Repeat(line+"\n", 3000)+"return 1\nend")
		f := unboxed.New(fn, 1, func(*lua.LFunction) bindings.Native { return nil })
		looks := 0
		budget := &lualib.Budget{Watch: func() error {
			looks++
			return errors.New("enough of it")
		}}
		budget.Reset(1e9, 0)
		m.L.SetContext(budget)
		f.Begin(m.L)
		err := m.L.GPCall(func(L *lua.LState) int { f.Call(L); return 0 }, lua.LNil)
		f.End()
		m.L.RemoveContext()
		if err == nil || !strings.Contains(err.Error(), "enough of it") || looks != 1 || budget.Used() > 6000 {
			t.Errorf("%s: %v after %d instructions and %d looks", line, err, budget.Used(), looks)
		}
	}
}
