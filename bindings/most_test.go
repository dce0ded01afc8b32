package bindings

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// TestEveryFunctionHasAForm: none of ecs is without the most arguments that it takes,
// and nothing is listed that is not there.
func TestEveryFunctionHasAForm(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	m := New(ecs.NewWorld(), L, Options{})
	known := map[string]bool{}
	for _, group := range []map[string]func(*args) int{
		m.declareFunctions(), m.changeFunctions(), m.lookupFunctions(), m.timeFunctions(), m.logFunctions(),
	} {
		for name := range group {
			known[name] = true
		}
	}
	for _, name := range []string{"read", "write", "col", "has"} {
		known[batchPrefix+name] = true
	}
	for name := range known {
		if f := forms[name]; f.most == 0 || f.most < anyNumber && f.shown == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for name := range forms {
		if !known[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
