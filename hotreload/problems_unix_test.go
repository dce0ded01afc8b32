//go:build unix

package hotreload

import (
	"syscall"
	"testing"
)

// TestPipeIsNotOpened: opening one waits for a writer, perhaps for ever.
func TestPipeIsNotOpened(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newDisk(t), opts)
		defer r.close()
		r.remove("f.lua")
		r.must(syscall.Mkfifo(r.path("f.lua"), 0o644))
		r.await(outcome{"f.lua": errIrregular.Error()})
		r.nothingElse()
	})
}
