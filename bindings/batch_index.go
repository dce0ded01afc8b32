//go:build !machine

package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// metatable makes that of the content of batches, so that a batch pays only for what its
// function asks for.
func (m *batches) metatable(L *lua.LState) *lua.LTable {
	return exec.NewMetatable(L, map[string]lua.LGFunction{"__index": m.index})
}
