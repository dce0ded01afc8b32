package goroutine

import (
	"sync"
	"testing"
)

// TestCurrentTellsGoroutinesApart: each has a number of its own, the same at each call.
func TestCurrentTellsGoroutinesApart(t *testing.T) {
	var mu sync.Mutex
	var group sync.WaitGroup
	seen := map[ID]bool{Current(): true}
	hold := make(chan bool) // all live at the same time, so no number is used again
	for range 20 {
		group.Go(func() {
			id := Current()
			mu.Lock()
			if id == 0 || seen[id] || id != Current() {
				t.Errorf("number %d", id)
			}
			seen[id] = true
			mu.Unlock()
			<-hold
		})
	}
	close(hold)
	group.Wait()
}

// TestLockRefusesItsHolder and lets others wait.
func TestLockRefusesItsHolder(t *testing.T) {
	var l Lock
	n := 0
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if !l.Lock() {
				t.Error("refused one who does not hold it")
				return
			}
			defer l.Unlock()
			if n++; l.Lock() || l.TryLock() {
				t.Error("taken twice")
			}
		})
	}
	group.Wait()
	if n != 20 || !l.TryLock() || l.Lock() {
		t.Error(n)
	}
	l.Unlock()
}
