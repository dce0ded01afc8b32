package scripting

import (
	"errors"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs/asset"
)

// Assets are what the program loads from files, for all entities that name it: see package asset. A
// script gets the ID with ecs.asset at its top level, which loads the value and holds it as long
// as the host lives. A dry run, which is on another goroutine, only looks whether the file is there.

// errNoAssets says that a script asks for an asset in a world without a store of them.
var errNoAssets = errors.New("this host has no assets: the program that runs the scripts has to open a store for them")

// findAsset is ecs.asset.
func (h *Host) findAsset(L *lua.LState, name string) (uint32, error) {
	charge(L, stepsToAsk)
	store := asset.Of(h.world)
	if store == nil {
		return 0, errNoAssets
	}
	return store.LoadAny(name)
}

// lookForAsset is ecs.asset in a dry run.
func (o *published) lookForAsset(L *lua.LState, name string) (uint32, error) {
	charge(L, stepsToAsk)
	if o.assets == nil {
		return 0, errNoAssets
	}
	return o.assets.Find(name)
}
