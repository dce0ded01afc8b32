package record

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// fileSet is a folder of files in memory, by path. Between two stagings files may come and go.
type fileSet map[string][]byte

// Open implements fs.FS.
func (f fileSet) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if text, is := f[name]; is {
		return &openFile{fileInfo{path.Base(name), int64(len(text)), false}, bytes.NewReader(text)}, nil
	}
	entries := f.entries(name)
	if name != "." && len(entries) == 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFolder{fileInfo{path.Base(name), 0, true}, entries}, nil
}

// entries lists what lies in a folder, by name.
func (f fileSet) entries(name string) []fs.DirEntry {
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	found := map[string]fileInfo{}
	for file, text := range f {
		rest, in := strings.CutPrefix(file, prefix)
		if !in {
			continue
		}
		if first, _, deeper := strings.Cut(rest, "/"); deeper {
			found[first] = fileInfo{first, 0, true}
		} else {
			found[rest] = fileInfo{rest, int64(len(text)), false}
		}
	}
	list := make([]fs.DirEntry, 0, len(found))
	for _, info := range found {
		list = append(list, fs.FileInfoToDirEntry(info))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
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
