package main

import (
	"sync/atomic"
	"time"
)

// figures count what a room does. Any goroutine may read them.
type figures struct {
	ticks, messages, bytes atomic.Int64
	spent, longest         atomic.Int64 // nanoseconds of all ticks, and of the longest
}

func (f *figures) tick(took time.Duration) {
	f.ticks.Add(1)
	f.spent.Add(int64(took))
	if int64(took) > f.longest.Load() { // one goroutine writes
		f.longest.Store(int64(took))
	}
}

func (f *figures) sent(bytes int) {
	f.messages.Add(1)
	f.bytes.Add(int64(bytes))
}
