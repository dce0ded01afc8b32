//go:build !machine

package lua

import "github.com/yuin/gopher-lua"

// Values with an identity.
type (
	// LTable is a table.
	LTable = lua.LTable
	// LFunction is a function of Lua or of Go.
	LFunction = lua.LFunction
	// LUserData holds a Go value.
	LUserData = lua.LUserData
	// LState is a thread: a coroutine, or the main thread of a state.
	LState = lua.LState
	// LGFunction is a function of Go, which returns how many results it has pushed.
	LGFunction = lua.LGFunction
	// Upvalue is a variable that a function has captured.
	Upvalue = lua.Upvalue
	// Debug is what is known of a running function.
	Debug = lua.Debug
)

// NewState makes a state without any library but what options ask for.
func NewState(options ...Options) *LState { return lua.NewState(options...) }
