package tests_test

import (
	"syscall"
	"time"
)

// threadTime returns how long the calling thread has computed. Other programs on
// the machine do not add to it, so a limit of time can be judged by it.
func threadTime() (time.Duration, error) {
	const thisThread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	if err := syscall.Getrusage(thisThread, &used); err != nil {
		return 0, err
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}
