package tests_test

import (
	"os"
	"syscall"
)

// memoryOf returns the most memory that a process has held, and the bytes of all pages that it was given.
func memoryOf(p *os.ProcessState) (peak, given int64) {
	usage := p.SysUsage().(*syscall.Rusage)
	return int64(usage.Maxrss) << 10, int64(usage.Minflt) * int64(os.Getpagesize())
}
