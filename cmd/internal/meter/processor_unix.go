//go:build unix

package meter

import (
	"syscall"
	"time"
)

// Processor returns what all threads of the process have had of the processor: how
// long they have computed, however busy the machine is otherwise. Zero where the
// system does not say.
func Processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
