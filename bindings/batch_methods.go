//go:build machine

package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// metatable makes that of the content of batches, and the methods of batches beside it.
func (m *batches) metatable(L *lua.LState) *lua.LTable {
	m.exec.BatchMethods = map[string]*lua.LFunction{}
	for name := range batchMethods {
		m.exec.BatchMethods[name] = m.remembering(L, name)
	}
	return exec.NewMetatable(L, map[string]lua.LGFunction{"__index": m.index})
}

// remembering makes a method of batches. A list that was asked for before, with the same
// component and the same text, is found by that.
func (m *batches) remembering(L *lua.LState, name string) *lua.LFunction {
	call := m.newMethod(name)
	if name != "read" && name != "write" {
		return L.NewFunction(call)
	}
	return L.NewFunction(func(L *lua.LState) int {
		if b := m.exec.Batch; b != nil && b.View != nil && b.Again(L, name == "write") {
			return 1
		}
		n := call(L)
		m.exec.Batch.Remember(L)
		return n
	})
}
