package machine

import lua "github.com/yuin/gopher-lua"

// proto is a prototype as the loop executes it.
type proto struct {
	source *lua.FunctionProto
}
