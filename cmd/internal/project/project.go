// Package project writes folders of scripts to disk: all of a folder or nothing.
//
// A new folder is written aside and then renamed, so that nobody ever sees half
// of it: not another process that starts at the same moment, and not the next
// one after a power cut.
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var (
	// ErrNotEmpty refuses a folder that has something in it already.
	ErrNotEmpty = errors.New("folder is not empty")
	// ErrBusy refuses a folder into which another process is writing.
	ErrBusy = errors.New("another perigee is writing into the folder")
)

const (
	// aside begins the name of the folder in which files wait until all of them
	// are written. Names with a dot in front are no scripts.
	aside = ".perigee-new"
	// stale is the age from which on a folder that waits belongs to a process that
	// was killed: writing takes milliseconds.
	stale = 10 * time.Minute
)

// Write copies files into dir, which it creates if need be, and returns the
// paths of the files in the order in which they were written, slash-separated
// and relative to dir.
//
// A folder that has anything in it is refused with an error that wraps
// ErrNotEmpty; so are all but one of several calls for the same folder, in
// whatever processes they are. Into an empty folder that is there already, one
// call writes at a time: the others get ErrBusy until it has ended. When anything
// else goes wrong, what was written is taken away again, created folders
// included; the error names what could not be.
func Write(dir string, files fs.FS) (written []string, err error) {
	there, err := vacant(dir)
	if err != nil {
		return nil, err
	}
	var w writer
	defer func() {
		if err != nil {
			written, err = nil, errors.Join(err, w.undo())
		}
	}()
	if there {
		return w.fill(dir, files)
	}
	return w.make(dir, files)
}

// vacant refuses what is there and is no empty folder.
func vacant(dir string) (there bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, refusal(dir, entries)
}

// refusal says why a folder with these entries is not written into.
func refusal(dir string, entries []os.DirEntry) error {
	for _, e := range entries {
		if e.Name() == aside {
			return fmt.Errorf("%q: %w; if none is, remove %s in it", dir, ErrBusy, aside)
		}
	}
	if len(entries) > 0 {
		return fmt.Errorf("%q: %w", dir, ErrNotEmpty)
	}
	return nil
}

// writer remembers what it created.
// Invariant: created is in the order of creation, a folder before what is in it, so
// undo can remove it from the end.
type writer struct{ created []string }

// make writes a folder that is not there yet: beside its place, under another
// name, and renames it.
func (w *writer) make(dir string, files fs.FS) ([]string, error) {
	up, name := filepath.Split(filepath.Clean(dir))
	if up = filepath.Clean(up); up != "." {
		if err := w.folder(up); err != nil {
			return nil, err
		}
	}
	sweep(up)
	temp := filepath.Join(up, fmt.Sprintf("%s-%08x", aside, rand.Uint32()))
	if err := w.mkdir(temp); err != nil {
		return nil, as(dir, err)
	}
	written, err := w.copy(temp, files)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(temp, filepath.Join(up, name)); err != nil {
		if there, refused := vacant(dir); there {
			err = errors.Join(refused) // another process was faster
			if refused == nil {
				err = fmt.Errorf("%q: %w", dir, ErrBusy)
			}
		}
		return nil, err
	}
	return written, nil
}

// fill writes into an empty folder, which stays the folder that it is: it may be
// the one that the caller works in, or a link. The folder in which files wait is
// also the sign that keeps others away, so it goes last.
func (w *writer) fill(dir string, files fs.FS) ([]string, error) {
	temp := filepath.Join(dir, aside)
	if err := os.Mkdir(temp, 0o755); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%q: %w", dir, ErrBusy)
	} else if err != nil {
		return nil, as(dir, err)
	}
	w.created = append(w.created, temp)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 1 {
		return nil, errors.Join(err, fmt.Errorf("%q: %w", dir, ErrNotEmpty))
	}
	written, err := w.copy(temp, files)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(temp)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		from, to := filepath.Join(temp, e.Name()), filepath.Join(dir, e.Name())
		if err := os.Rename(from, to); err != nil {
			return nil, err
		}
		w.moved(from, to)
	}
	return written, os.Remove(temp)
}

// as names the folder that was asked for instead of the one aside.
func as(dir string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("folder %q cannot be made: %w", dir, path.Err)
	}
	return err
}

// sweep removes what processes that were killed have left beside a new folder.
func sweep(up string) {
	entries, _ := os.ReadDir(up) // a folder that cannot be listed is not swept
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), aside+"-") && time.Since(info.ModTime()) > stale {
			_ = os.RemoveAll(filepath.Join(up, e.Name()))
		}
	}
}

// copy writes all files below at.
func (w *writer) copy(at string, files fs.FS) (written []string, err error) {
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(at, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return w.folder(to)
		}
		written = append(written, name)
		return w.file(to, files, name)
	})
	return written, err
}

// folder creates a folder and those above it that are missing.
func (w *writer) folder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if up := filepath.Dir(dir); up != dir {
		if err := w.folder(up); err != nil {
			return err
		}
	}
	if err := w.mkdir(dir); !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Stat(dir) // another process may have made it just now
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%q is not a folder", dir)
	}
	return err
}

// mkdir makes one folder, and remembers it in case that it has to be removed again.
func (w *writer) mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	w.created = append(w.created, dir)
	return nil
}

// file creates a file.
// It never writes over a file: one that is there belongs to somebody else.
func (w *writer) file(at string, files fs.FS, name string) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	w.created = append(w.created, at)
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// moved notes the new place of what was created at from and below it.
func (w *writer) moved(from, to string) {
	for i, at := range w.created {
		if rest, ok := strings.CutPrefix(at, from); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			w.created[i] = to + rest
		}
	}
}

// undo removes what was created, the last first. What others have put into a
// folder meanwhile stays, and so does the folder.
func (w *writer) undo() error {
	var left []error
	for _, at := range slices.Backward(w.created) {
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrExist) { // not empty
			left = append(left, fmt.Errorf("left behind: %w", err))
		}
	}
	return errors.Join(left...)
}
