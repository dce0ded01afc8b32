// Package project writes folders of scripts to disk: all of a folder or nothing.
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrNotEmpty refuses a folder that has something in it already.
var ErrNotEmpty = errors.New("folder is not empty")

// Write copies files into dir, which it creates if need be, and returns the
// paths of the files in the order in which they were written, slash-separated
// and relative to dir.
//
// A folder that has anything in it is refused with an error that wraps
// ErrNotEmpty. When anything else goes wrong, what was written is taken away
// again, created folders included; the error names what could not be.
func Write(dir string, files fs.FS) (written []string, err error) {
	if err := vacant(dir); err != nil {
		return nil, err
	}
	var w writer
	defer func() {
		if err != nil {
			written, err = nil, errors.Join(err, w.undo())
		}
	}()
	if err := w.folder(dir); err != nil {
		return nil, err
	}
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		at := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return w.folder(at)
		}
		written = append(written, name)
		return w.file(at, files, name)
	})
	return written, err
}

// vacant refuses what is there and is no empty folder.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%q: %w", dir, ErrNotEmpty)
	}
	return nil
}

// writer remembers what it created.
type writer struct{ created []string }

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
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	w.created = append(w.created, dir)
	return nil
}

// file creates a file. It never overwrites one: whoever made it while we were
// writing will want to keep it.
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

// undo removes what was created, the last first.
func (w *writer) undo() error {
	var left []error
	for _, at := range slices.Backward(w.created) {
		if err := os.Remove(at); err != nil {
			left = append(left, fmt.Errorf("left behind: %w", err))
		}
	}
	return errors.Join(left...)
}
