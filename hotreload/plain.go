package hotreload

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Folder returns a folder on disk whose files are read as a Watcher reads them,
// without watching: regular files only, of at most Options.MaxFile bytes, and
// never waiting for what may not come.
func Folder(dir string, opts Options) fs.FS {
	if root, err := filepath.Abs(dir); err == nil {
		dir = root
	}
	opts = opts.filled()
	return still{os.DirFS(dir), folder{root: dir, match: opts.Match, maxFile: opts.MaxFile}}
}

// still is a folder that is not watched.
type still struct {
	fs.FS
	folder folder
}

// Root returns the path of the folder.
func (s still) Root() string { return s.folder.root }

// ReadFile implements fs.ReadFileFS.
func (s still) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	text, err := s.folder.read(name)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: problem(name, err).Err}
	}
	return text, nil
}
