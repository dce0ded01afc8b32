package save

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// disk is what a save needs of a file system. Tests have one that fails and forgets.
type disk interface {
	// create makes a file that is not there yet, with the permissions of another one if that is there.
	create(path, as string) (diskFile, error)
	rename(from, to string) error
	remove(path string) error
	// syncFolder makes what was renamed in a folder outlast a loss of power.
	syncFolder(path string) error
}

// diskFile is a file that is written.
type diskFile interface {
	io.Writer
	Sync() error
	Close() error
}

// ToFile writes a save to a file, so that there is an old save or a new one at each moment, whatever
// fails and whenever the power does: the disk, the permission to write, the process. It writes to a file of another name
// in the same folder, waits until the disk has it, gives it the name, and waits until the disk has
// that. On an error the old save is there as it was, unless it was the last step that has failed: then
// it may be the new one, whole. What a crash can leave is a file that begins with a dot and
// ends with .tmp, which may be deleted.
//
// A path that is a symbolic link stands for what it leads to, whether that is there or not. What is neither a file nor nothing,
// such as a device or a folder, is left as it is. The new file has the permissions of the old one.
//
// The errors are those of [Write], and of the file system: they wrap [fs.ErrPermission], [fs.ErrInvalid] for what is no file, and others of
// package os.
func ToFile(path string, s *snapshot.Snapshot, options Options) error {
	return Replace(path, func(w io.Writer) error { return Write(w, s, options) })
}

// Replace writes any other file as [ToFile] writes a save: there is the old file or the new one at each
// moment, and an error of write leaves the old one. It is for what tools make of saves. The errors are those of write and of
// package os.
func Replace(path string, write func(io.Writer) error) error {
	if write == nil {
		return fmt.Errorf("save: %w: the function is nil", ecs.ErrConflict)
	}
	path, err := fileBehind(path)
	if err != nil {
		return err
	}
	return toDisk(realDisk{}, path, write)
}

// mostLinks is how many links may lead from one to the next.
const mostLinks = 40

// fileBehind returns the file that is to be written for a path: what a link leads to, whether it is there or not. It refuses
// what is no file.
func fileBehind(path string) (string, error) {
	named := path
	for range mostLinks {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if whole, err := filepath.EvalSymlinks(path); err == nil {
			to = whole
		} else if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("save: %w: %q is no file", fs.ErrInvalid, named)
	}
	return path, nil
}

// toDisk is ToFile on a disk.
func toDisk(d disk, path string, write func(io.Writer) error) error {
	folder, name := filepath.Split(path)
	if name == "" {
		return fmt.Errorf("save: %w: %q names no file", fs.ErrInvalid, path)
	}
	temporary := filepath.Join(folder, fmt.Sprintf(".%s.%08x.tmp", name, rand.Uint32()))
	file, err := d.create(temporary, path)
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	if err := fill(file, write); err != nil {
		return errors.Join(err, d.remove(temporary))
	}
	if err := d.rename(temporary, path); err != nil {
		return errors.Join(fmt.Errorf("save: %w", err), d.remove(temporary))
	}
	if err := d.syncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("save: the file is written, and may not outlast a loss of power: %w", err)
	}
	return nil
}

// fill writes a file, and waits until the disk has it.
func fill(file diskFile, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(file, 1<<20)
	err := write(b)
	for _, step := range []func() error{b.Flush, file.Sync} {
		if err == nil {
			if err = step(); err != nil {
				err = fmt.Errorf("save: %w", err)
			}
		}
	}
	if closed := file.Close(); err == nil && closed != nil {
		err = fmt.Errorf("save: %w", closed)
	}
	return err
}

// MakeDir makes a folder for saves, with those that it lies in, where there are none: all of them outlast a loss of power
// when it returns. The errors are those of package os.
func MakeDir(dir string) error {
	missing := []string{} // the innermost first
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	for _, at := range missing {
		if err := (realDisk{}).syncFolder(filepath.Dir(at)); err != nil {
			return fmt.Errorf("save: the folder is made, and may not outlast a loss of power: %w", err)
		}
	}
	return nil
}

// OpenFile opens a save. Close it after use. The errors are those of [Open], and of package os.
func OpenFile(path string) (*File, error) {
	info, err := os.Stat(path) // to open a pipe would wait for its writer
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is no file", ErrFormat, path)
	}
	if err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	f, err := Open(file, info.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w (%s)", err, path), file.Close())
	}
	f.close = file
	return f, nil
}

// realDisk is the file system of the machine.
type realDisk struct{}

func (realDisk) create(path, as string) (diskFile, error) {
	mode, known := fs.FileMode(0o666), false
	if info, err := os.Stat(as); err == nil {
		mode, known = info.Mode().Perm(), true
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil || !known {
		return file, err
	}
	if err := file.Chmod(mode); err != nil && !errors.Is(err, errors.ErrUnsupported) { // the process may take some of them from new files
		return nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	return file, nil
}

func (realDisk) rename(from, to string) error { return os.Rename(from, to) }
func (realDisk) remove(path string) error     { return os.Remove(path) }

// syncFolder does nothing where folders cannot be synced: there a rename is kept by other means, or
// not at all.
func (realDisk) syncFolder(path string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "plan9" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
