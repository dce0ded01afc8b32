package record

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// fileSet is a folder of files in memory, by path. Between two stagings files may come and go; apart from that any
// goroutine may open them.
//
// Invariant: folders are those of files, or nil after a change.
type fileSet struct {
	files   map[string][]byte
	mu      sync.Mutex               // guards folders
	folders map[string][]fs.DirEntry // what lies in each, by name
}

// Bounds on the files of a recording, which may come from anybody: who walks a folder goes as deep as it
// is, and a folder takes memory.
const (
	mostTexts   = 100_000
	mostFolders = 1 << 18 // above all files, each counted for each of them
	longestPath = 4096
	deepestPath = 256
)

// checkPath refuses names that no file of a recording may have.
func checkPath(name string) error {
	if !fs.ValidPath(name) || name == "." || len(name) > longestPath || strings.Count(name, "/") > deepestPath {
		return fmt.Errorf("%w: the file %.80q is no path, is longer than %d bytes or lies in more than %d folders", ErrDamaged, name, longestPath, deepestPath)
	}
	return nil
}

// fileUsage counts the files that are in force, and the folders in which they lie, as files come and go.
type fileUsage struct {
	files   map[string]bool
	folders int
}

// note counts a file that is there, or gone.
func (y *fileUsage) note(name string, there bool) {
	if y.files == nil {
		y.files = map[string]bool{}
	}
	switch n := strings.Count(name, "/"); {
	case y.files[name] == there:
	case there:
		y.files[name], y.folders = true, y.folders+n
	default:
		delete(y.files, name)
		y.folders -= n
	}
}

// check says whether there are too many.
func (y *fileUsage) check() error {
	if y.folders > mostFolders || len(y.files) > mostTexts {
		return fmt.Errorf("%w: it has more than %d files, or too many folders", ErrDamaged, mostTexts)
	}
	return nil
}

// clone returns a folder of the same files, which changes on its own.
func (f *fileSet) clone() *fileSet { return &fileSet{files: maps.Clone(f.files)} }

// write puts a file into the folder; one of no text, not even an empty one, is taken out.
func (f *fileSet) write(name string, text []byte) {
	f.folders = nil
	if text == nil {
		delete(f.files, name)
	} else {
		f.files[name] = text
	}
}

// Open implements fs.FS.
func (f *fileSet) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if text, is := f.files[name]; is {
		return &openFile{fileInfo{path.Base(name), int64(len(text)), false}, bytes.NewReader(text)}, nil
	}
	f.mu.Lock()
	if f.folders == nil {
		f.list()
	}
	entries, is := f.folders[name]
	f.mu.Unlock()
	if !is {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFolder{fileInfo{path.Base(name), 0, true}, entries}, nil
}

// list finds out what lies in each folder. Where a file and a folder have one name, Open has the file.
func (f *fileSet) list() {
	f.folders = map[string][]fs.DirEntry{".": nil}
	add := func(info fileInfo, to string) {
		f.folders[to] = append(f.folders[to], fs.FileInfoToDirEntry(info))
	}
	for name, text := range f.files {
		within := path.Dir(name)
		add(fileInfo{path.Base(name), int64(len(text)), false}, within)
		for len(f.folders[within]) == 1 && within != "." { // it is new, and so may those around it be
			if _, file := f.files[within]; file {
				break
			}
			info := fileInfo{path.Base(within), 0, true}
			within = path.Dir(within)
			add(info, within)
		}
	}
	for _, entries := range f.folders {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	}
}

// fileInfo describes a file or a folder in memory.
type fileInfo struct {
	name   string
	size   int64
	folder bool
}

// These implement fs.FileInfo. There is no time of change: nothing may depend on it.
func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.folder }
func (i fileInfo) Sys() any           { return nil }
func (i fileInfo) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// openFile is a file that is read.
type openFile struct {
	info fileInfo
	*bytes.Reader
}

// These implement fs.File; a bytes.Reader reads.
func (o *openFile) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openFile) Close() error               { return nil }

// openFolder is a folder that is listed.
type openFolder struct {
	info fileInfo
	left []fs.DirEntry
}

// These implement fs.File for a folder, which cannot be read as bytes.
func (o *openFolder) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openFolder) Close() error               { return nil }
func (o *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: o.info.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (o *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(o.left)
	} else if len(o.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(o.left))
	list := o.left[:n]
	o.left = o.left[n:]
	return list, nil
}
