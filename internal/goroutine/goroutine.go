// Package goroutine tells whether a function was called by the goroutine that would wait for it.
//
// There are two nouns. An ID numbers a goroutine. A Lock is a mutex that refuses the goroutine which
// holds it already, instead of waiting for it without end.
//
// Why is that needed, where Go has no such numbers on purpose? Code of a host is called back while
// something is locked, and may call in again. To wait then would hang the game, and a call of
// another goroutine has to wait: only the number tells the two apart. Nothing else follows from it.
package goroutine

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// ID is the number of a goroutine; 0 is no goroutine.
type ID uint64

// Current returns the number of the goroutine that calls. It takes about a microsecond.
func Current() ID {
	var text [64]byte
	fields := bytes.Fields(text[:runtime.Stack(text[:], false)]) // "goroutine 18 [running]:"
	if len(fields) < 2 {
		return 0
	}
	id, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return ID(id)
}

// Lock is a mutex that knows who holds it. The zero value is open.
type Lock struct {
	mu     sync.Mutex
	holder atomic.Uint64
}

// Lock waits for the lock, and takes it. It reports false at once when the goroutine that calls
// holds it already: then there is nothing to unlock.
func (l *Lock) Lock() bool {
	me := uint64(Current())
	if l.holder.Load() == me {
		return false
	}
	l.mu.Lock()
	l.holder.Store(me)
	return true
}

// TryLock takes the lock if nobody holds it, and reports whether it has.
func (l *Lock) TryLock() bool {
	if !l.mu.TryLock() {
		return false
	}
	l.holder.Store(uint64(Current()))
	return true
}

// Unlock gives the lock back.
func (l *Lock) Unlock() {
	l.holder.Store(0)
	l.mu.Unlock()
}
