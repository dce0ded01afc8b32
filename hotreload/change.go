package hotreload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// A Change is one settled set of differences. All paths are slash-separated and
// relative to the watched folder; each list is sorted and free of repetitions,
// and at least one of them is not empty.
type Change struct {
	Changed  []string  // created, or with other content than was known
	Removed  []string  // known before, and missing at two looks in a row
	Problems []Problem // what could not be read; the last known content stands
}

// A Problem tells why a path cannot be followed as it should. The path is "."
// when the folder as a whole is concerned: it vanished, or events were lost
// (fsnotify.ErrEventOverflow) and all files were looked at instead.
//
// A problem with a file is reported once, and again only when its reason changes or
// the file was readable in between.
type Problem struct {
	Path string
	Err  error
}

// Error begins with the quoted path.
func (p Problem) Error() string { return fmt.Sprintf("%q: %v", p.Path, p.Err) }

// Unwrap returns the reason.
func (p Problem) Unwrap() error { return p.Err }

// A Sink receives settled sets, one at a time and from one goroutine. It may
// take its time: events are collected meanwhile, and arrive as one later set.
type Sink interface {
	FilesChanged(Change)
}

// reason is a sentinel error that is a constant, so that it cannot be replaced.
type reason string

// Error implements error.
func (r reason) Error() string { return string(r) }

const (
	errFolder    = reason("a folder where a file was")
	errNoFolder  = reason("not a folder")
	errIrregular = reason("not a regular file")
	errLinked    = reason("a linked folder is not followed")
	errUnsettled = reason("changed while being read")
	errSilent    = reason("a device, not a regular file")
	errName      = reason("scripts cannot have such a name: it has characters that cannot be shown")
)

// problem drops the operation and the absolute path that the os package puts
// around its errors, because Problem names the path already.
func problem(path string, err error) Problem {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	} else if inner, ok := errors.AsType[*os.SyscallError](err); ok {
		err = inner.Err
	}
	return Problem{Path: path, Err: err}
}

// missing tells whether err means that there is no such file, also because one
// of its folders has become a file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
