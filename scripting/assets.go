package scripting

import (
	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs/asset"
)

// Assets are what the program loads from files, for all entities that name it: see package asset. A
// script gets the ID with ecs.asset at its top level, which loads the value and holds it as long
// as the host lives. A dry run, which is on another goroutine, only looks whether the file is there.

// findAsset is ecs.asset.
func (h *Host) findAsset(L *lua.LState, name string) (uint32, error) {
	charge(L, stepsToAsk)
	store := asset.Of(h.world)
	if store == nil {
		return 0, bindings.ErrNoAssets
	}
	return store.LoadAny(name)
}
