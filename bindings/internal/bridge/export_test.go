package bridge

import lua "github.com/yuin/gopher-lua"

// Places returns how many places for keys a table of gopher-lua's has.
func Places(t *lua.LTable) int { return partsOf(t).keys }
