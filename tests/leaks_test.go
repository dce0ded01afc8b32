package tests_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// maxLeak is how many frames a script of the folder hostile/leaks gets to be
// found. Each adds some ten thousand bytes per frame to what it holds.
const maxLeak = 1500

// TestLeaks lets scripts that hold a little more in every frame run beside healthy
// systems, until Limits.Held stops them. From then on nothing may grow any more,
// and a sound version is healthy and gives the memory back.
func TestLeaks(t *testing.T) {
	paths, err := filepath.Glob("hostile/leaks/*.lua")
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d scripts, %v", len(paths), err)
	}
	limits := hostileLimits
	limits.Held = 4 << 20
	limits.Table = 1 << 20 // what is held is to be found, however late
	parsed = nil           // what scripts hold is looked for once the whole heap has grown by a share
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".lua"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a := newArena(t, limits)
			before := heapAlive()
			a.suffer(string(text))
			for len(a.faults) == 0 && a.ticks < maxLeak {
				a.step(1)
			}
			a.judge(readAnswers(t, string(text)))
			stopped := heapAlive()
			if grown := stopped - before; grown > 12*limits.Held {
				t.Errorf("the heap has grown by %d bytes after %d frames", grown, a.ticks)
			}
			a.step(300) // of the script this would be twice as much
			least := heapAlive()
			for range 8 { // a walk that is under way remembers what it has seen
				a.step(9)
				least = min(least, heapAlive())
			}
			if grown := least - stopped; grown > limits.Held {
				t.Errorf("it goes on to grow, by %d bytes", grown)
			}
			a.recover()
			a.step(20)
			if left := heapAlive() - before; left > 2<<20 {
				t.Errorf("%d bytes are not given back", left)
			}
		})
	}
}

// heapAlive returns the bytes that a collection leaves.
func heapAlive() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
