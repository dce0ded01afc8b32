package tests_test

import (
	"os"
	"syscall"
)

// peakOf returns the most memory that a process has held.
func peakOf(p *os.ProcessState) int64 {
	return int64(p.SysUsage().(*syscall.Rusage).Maxrss) << 10
}
