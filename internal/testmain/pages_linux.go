package testmain

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// PagePrice is how long this machine takes to give a process a page of memory that it has
// not had before: from half a microsecond to some fifteen on a virtual machine, where it is
// most of what a copy of a long text takes. A test that judges how long a call computes
// takes it off. It is the least of three measurements, or 0 where none can be made.
var PagePrice = sync.OnceValue(func() time.Duration {
	const size = 128 << 20
	runtime.LockOSThread() // it is this thread's time that counts
	defer runtime.UnlockOSThread()
	least := time.Duration(1 << 62)
	for range 3 {
		memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return 0
		}
		began := threadTime()
		for at := 0; at < size; at += os.Getpagesize() {
			memory[at] = 1
		}
		least = min(least, threadTime()-began)
		if syscall.Munmap(memory) != nil {
			return 0
		}
	}
	return least / time.Duration(size/os.Getpagesize())
})

// Pages is how many pages the process was given.
func Pages() int64 { return int64(usage(syscall.RUSAGE_SELF).Minflt) }

func threadTime() time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	used := usage(thisThread)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// usage cannot fail: it is asked for the process or the thread that asks.
func usage(who int) (used syscall.Rusage) {
	if err := syscall.Getrusage(who, &used); err != nil {
		panic(err)
	}
	return used
}
