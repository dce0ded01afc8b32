package hotreload

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A folder reads the disk. It holds no state: all memory of what was seen is in
// the ledger.
type folder struct {
	root    string // absolute, so that a change of the working directory does no harm
	match   func(string) bool
	maxFile int64
}

// local returns the operating system's name of a slash path.
func (f folder) local(name string) string {
	return filepath.Join(f.root, filepath.FromSlash(name))
}

// follows tells whether a file of this name would be found by walk.
func (f folder) follows(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if hidden(dir) {
			return false
		}
	}
	return f.match(name)
}

// stat returns the identity of the folder itself; a root that is a link may
// change its target.
func (f folder) stat() (fs.FileInfo, error) {
	info, err := os.Stat(f.root)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%w: %w", errNoFolder, fs.ErrNotExist)
	}
	return info, err
}

// walk lists the matching files below from, and calls enter for each folder
// before it is listed. What is missing has been removed meanwhile, and is no
// problem. Links to folders are not followed, which also makes the walk finite.
func (f folder) walk(from string, enter func(dir string) error) (files []string, problems []Problem) {
	trouble := func(name string, err error) {
		if !missing(err) {
			problems = append(problems, problem(name, err))
		}
	}
	visit := func(name string, d fs.DirEntry, err error) error {
		odd := nameable(name)
		switch {
		case d != nil && d.IsDir() && odd != nil && !hidden(name):
			trouble(name, odd)
			return fs.SkipDir
		case err != nil:
			trouble(name, err)
		case d.IsDir() && hidden(name):
			return fs.SkipDir
		case d.IsDir():
			if err := enter(name); err != nil {
				trouble(name, err)
			}
		case f.match(name):
			files = append(files, name)
		case f.linksFolder(name, d.Type()):
			trouble(name, errLinked)
		}
		return nil
	}
	if err := fs.WalkDir(os.DirFS(f.root), from, visit); err != nil {
		trouble(from, err)
	}
	return files, problems
}

// nameable refuses names of files and folders that cannot be shown as they are,
// or named in a script: such a file is left out, and the others are not.
func nameable(name string) error {
	hidden := func(r rune) bool { return r != '\u00a0' && !strconv.IsPrint(r) }
	if !utf8.ValidString(name) || strings.ContainsFunc(name, hidden) {
		return errName
	}
	return nil
}

// linksFolder tells whether a name is a link to a folder.
func (f folder) linksFolder(name string, mode fs.FileMode) bool {
	if mode&fs.ModeSymlink == 0 || hidden(name) {
		return false
	}
	info, err := os.Stat(f.local(name))
	return err == nil && info.IsDir()
}

// read returns the content of one file, or errUnsettled if somebody was writing
// it each time. Three attempts are enough: a writer that is still at it raises
// another event, and the file is looked at after that.
func (f folder) read(name string) ([]byte, error) {
	if err := nameable(name); err != nil {
		if _, gone := os.Lstat(f.local(name)); gone != nil {
			err = gone
		}
		return nil, err
	}
	for range 3 {
		text, err := f.readOnce(f.local(name))
		if err != errUnsettled {
			return text, err
		}
	}
	return nil, errUnsettled
}

// readOnce looks before it opens, because to open a device may do something, and
// once more at what it has opened: the name may be that of something else by then.
func (f folder) readOnce(local string) ([]byte, error) {
	before, err := os.Stat(local)
	if err != nil {
		return nil, err
	}
	if err := f.readable(before); err != nil {
		return nil, err
	}
	text, after, err := f.readAll(local)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(before, after) || after.Size() != int64(len(text)) || !after.ModTime().Equal(before.ModTime()) {
		return nil, errUnsettled
	}
	return text, nil
}

// readAll returns the content of a regular file, at most one byte more than the
// limit, for a file may grow while it is being read, and its metadata after that.
// It waits for nothing but the disk.
func (f folder) readAll(local string) ([]byte, fs.FileInfo, error) {
	file, err := open(local)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = f.readable(info)
	}
	if err != nil {
		return nil, nil, err
	}
	// Files of the kernel's say that they are empty, and have something to say.
	text := make([]byte, info.Size()+1)
	for n := 0; ; {
		got, err := read(file, text[n:])
		if err != nil {
			return nil, nil, err
		}
		if n += got; n < len(text) || int64(n) > f.maxFile {
			text = text[:n]
			break
		}
		text = append(text, make([]byte, min(int64(n), f.maxFile+1-int64(n)))...)
	}
	if info, err = file.Stat(); err == nil && int64(len(text)) > f.maxFile {
		err = errUnsettled // it has grown
	}
	return text, info, err
}

// readable refuses what is not a regular file of at most maxFile bytes.
func (f folder) readable(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errFolder
	case !info.Mode().IsRegular():
		return errIrregular
	case info.Size() > f.maxFile:
		return fmt.Errorf("%d bytes, more than the limit of %d", info.Size(), f.maxFile)
	}
	return nil
}
