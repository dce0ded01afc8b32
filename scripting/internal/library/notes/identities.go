package notes

import (
	"fmt"
	"runtime"
	"sync"
	"weak"
)

// Identities number the tables, functions, coroutines and userdata whose text a script has
// asked for, in the order in which it asked. An address instead would differ from run to run,
// and would tell a script where values lie in memory.
//
// Invariant: a number stands for one value as long as the value lives, and is never given to
// another one.
type Identities struct {
	mu   sync.Mutex // cleanups run on other goroutines
	last uint64
	of   map[any]uint64 // by weak pointer to the value
}

// NewIdentities returns identities without a number.
func NewIdentities() *Identities { return &Identities{of: map[any]uint64{}} }

// Text returns the kind and the number of a value, and whether the value has got its number
// by that. The number is forgotten when the collector takes the value.
func Text[T any](ids *Identities, kind string, v *T) (text string, fresh bool) {
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
