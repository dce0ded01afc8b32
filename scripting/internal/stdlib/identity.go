package stdlib

import (
	"fmt"
	"runtime"
	"sync"
	"weak"

	lua "github.com/yuin/gopher-lua"
)

// identities number the tables, functions, coroutines and userdata whose text a script has
// asked for, in the order in which it asked. An address instead would differ from run to run,
// and would tell a script where values lie in memory.
//
// Invariant: a number stands for one value as long as the value lives, and is never given to
// another one.
type identities struct {
	mu   sync.Mutex // cleanups run on other goroutines
	last uint64
	of   map[any]uint64 // by weak pointer to the value
}

// newIdentities returns identities without a number.
func newIdentities() *identities { return &identities{of: map[any]uint64{}} }

// text returns the text of a value that has no text of its own, and whether the value has
// got its number by that.
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

// number returns the type and the number of a value. The number is forgotten when the
// collector takes the value.
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
