//go:build !unix

package hotreload

import (
	"errors"
	"io"
	"os"
)

// open opens a file. What is no regular file is not opened here: see readable.
func open(local string) (*os.File, error) { return os.Open(local) }

// read fills p as far as there is something.
func read(f *os.File, p []byte) (int, error) {
	n, err := io.ReadFull(f, p)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}
