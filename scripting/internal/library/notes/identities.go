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
// another one, but for numbers that Rewind has taken back.
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
		put(ids, v, n)
	}
	return fmt.Sprintf("%s: 0x%08x", kind, n), !known
}

// put gives a value its number. The lock is held.
func put[T any](ids *Identities, v *T, n uint64) {
	key := weak.Make(v)
	_, known := ids.of[key]
	if ids.of[key] = n; known {
		return
	}
	runtime.AddCleanup(v, func(key weak.Pointer[T]) {
		ids.mu.Lock()
		delete(ids.of, key)
		ids.mu.Unlock()
	}, key)
}

// Put gives a value a number, as it had it before.
func Put[T any](ids *Identities, v *T, n uint64) {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	put(ids, v, n)
}

// Of calls visit for the living values of a type that have a number.
func Of[T any](ids *Identities, visit func(v *T, n uint64)) {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	for key, n := range ids.of {
		if w, ok := key.(weak.Pointer[T]); ok {
			if v := w.Value(); v != nil {
				visit(v, n)
			}
		}
	}
}

// Last returns the last number that was given.
func (ids *Identities) Last() uint64 {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	return ids.last
}

// Rewind makes last the last number that was given; values have no number above known any more.
func (ids *Identities) Rewind(known, last uint64) {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	if ids.last > known {
		for key, n := range ids.of {
			if n > known {
				delete(ids.of, key)
			}
		}
	}
	ids.last = last
}
