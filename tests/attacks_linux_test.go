package tests_test

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// memoryOf returns the most memory that a process has held, and the bytes of all pages that it was given.
func memoryOf(p *os.ProcessState) (peak, given int64) {
	usage := p.SysUsage().(*syscall.Rusage)
	return usage.Maxrss << 10, usage.Minflt * int64(os.Getpagesize())
}

// nsPerFreshByte is how long this machine takes for a byte of memory that a process has not had before.
var nsPerFreshByte = sync.OnceValue(func() float64 {
	const size = 128 << 20
	runtime.LockOSThread() // it is this thread's time that counts
	defer runtime.UnlockOSThread()
	best := time.Duration(1 << 62)
	for range 3 {
		memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return 0
		}
		began, err := threadTime()
		if err != nil {
			return 0
		}
		for at := 0; at < size; at += os.Getpagesize() {
			memory[at] = 1
		}
		ended, err := threadTime()
		if err != nil {
			return 0
		}
		best = min(best, ended-began)
		if syscall.Munmap(memory) != nil {
			return 0
		}
	}
	return float64(best) / size
})
