package stdlib

import (
	"fmt"
	"runtime"
	"sync"
	"weak"

	lua "github.com/yuin/gopher-lua"
)

// identities number the tables, functions, coroutines and userdata whose text a
// script has asked for, in the order in which it asked. A text with an address
// would differ from run to run, and tell where things are in memory.
//
// Invariant: a number stands for one value as long as anybody holds the value,
// and is never given again.
type identities struct {
	mu   sync.Mutex // cleanups run on other goroutines
	last uint64
	of   map[any]uint64 // by weak pointer
}

func newIdentities() *identities { return &identities{of: map[any]uint64{}} }

// text is what tostring says of a value without a text of its own, and whether it is the
// first time.
func (ids *identities) text(v lua.LValue) (text string, fresh bool) {
	switch v := v.(type) {
	case *lua.LTable:
		return number(ids, "table", v)
	case *lua.LFunction:
		return number(ids, "function", v)
	case *lua.LState:
		return number(ids, "thread", v)
	case *lua.LUserData:
		return number(ids, "userdata", v)
	}
	return v.String(), false
}

// number returns the kind and the number of a value.
func number[T any](ids *identities, kind string, v *T) (text string, fresh bool) {
	key := weak.Make(v)
	ids.mu.Lock()
	defer ids.mu.Unlock()
	n, known := ids.of[key]
	if !known {
		ids.last++
		n = ids.last
		ids.of[key] = n
		runtime.AddCleanup(v, func(key weak.Pointer[T]) {
			ids.mu.Lock()
			delete(ids.of, key)
			ids.mu.Unlock()
		}, key)
	}
	return fmt.Sprintf("%s: 0x%08x", kind, n), !known
}
