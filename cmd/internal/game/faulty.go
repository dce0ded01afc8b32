package game

import (
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/perigee-ecs/perigee/scripting"
)

// faultyFolder is a host that begins without scripts where those of the folder have faults, and gets them as a reload.
type faultyFolder struct{ *scripting.Host }

// Load implements hotreload.Stager.
func (p faultyFolder) Load(folder fs.FS) error {
	err := p.Host.Load(folder)
	if _, faulty := errors.AsType[*scripting.LoadError](err); !faulty {
		return err
	}
	files := &laterFiles{FS: folder}
	if err := p.Host.Load(files); err != nil {
		return err
	}
	files.open.Store(true)
	var names []string
	err = fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return nil // what cannot be read is a problem of the reload
	})
	p.Stage(names, nil)
	return err
}

// laterFiles are files of which there are none before they are opened.
type laterFiles struct {
	fs.FS
	open atomic.Bool
}

// Open implements fs.FS.
func (f *laterFiles) Open(name string) (fs.File, error) {
	if !f.open.Load() && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.FS.Open(name)
}

// ReadDir implements fs.ReadDirFS.
func (f *laterFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	if !f.open.Load() {
		return nil, nil
	}
	return fs.ReadDir(f.FS, name)
}

// ReadFile implements fs.ReadFileFS.
func (f *laterFiles) ReadFile(name string) ([]byte, error) {
	if !f.open.Load() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return fs.ReadFile(f.FS, name)
}
