//go:build unix

package hotreload

import (
	"io/fs"
	"os"
	"syscall"
)

// open opens a file without ever waiting: a pipe without a writer, a terminal or
// a file of the kernel's that has nothing to say would hold the caller up for
// ever. NOCTTY keeps a terminal from becoming that of the process.
func open(local string) (*os.File, error) {
	fd, err := ignoringInterrupts(func() (int, error) {
		return syscall.Open(local, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: local, Err: err}
	}
	return os.NewFile(uintptr(fd), local), nil
}

// read fills p as far as there is something, and returns errSilent where the
// next byte would have to be waited for. The methods of the file would wait: Go
// knows of a descriptor that does not, and has it watched.
func read(f *os.File, p []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	for n < len(p) && err == nil {
		var got int
		look := func(fd uintptr) bool {
			got, err = ignoringInterrupts(func() (int, error) { return syscall.Read(int(fd), p[n:]) })
			return true // done, whatever came of it
		}
		if failed := raw.Read(look); failed != nil {
			return n, failed
		}
		if got <= 0 {
			break
		}
		n += got
	}
	if err == syscall.EAGAIN {
		err = errSilent
	}
	return n, err
}

// ignoringInterrupts repeats a call that a signal has cut short.
func ignoringInterrupts(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
