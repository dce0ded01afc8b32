package save

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modelDisk is a file system in memory. It fails at one of its steps, or stops there for good, as a
// machine does that loses power: what was not synced by then may be there, or in part, or not.
type modelDisk struct {
	files   map[string]*modelFile
	durable map[string]*modelFile // what the folder has on the disk
	step    int
	fail    int  // the step that fails; 0: none
	crash   bool // all steps from that one on fail
	noSync  bool // a fault to be found: files are not synced
	noOrder bool // a fault to be found: folders are not synced
}

type modelFile struct {
	disk   *modelDisk
	data   []byte
	synced int // bytes that the disk has
}

var errDisk = errors.New("planned")

// next counts a step, and fails.
func (d *modelDisk) next() error {
	d.step++
	if d.fail > 0 && (d.step == d.fail || d.crash && d.step > d.fail) {
		return errDisk
	}
	return nil
}

func (d *modelDisk) create(path, _ string) (diskFile, error) {
	if err := d.next(); err != nil {
		return nil, err
	}
	f := &modelFile{disk: d}
	d.files[path] = f
	return f, nil
}

func (d *modelDisk) rename(from, to string) error {
	if err := d.next(); err != nil {
		return err
	}
	d.files[to] = d.files[from]
	delete(d.files, from)
	return nil
}

func (d *modelDisk) remove(path string) error {
	if err := d.next(); err != nil {
		return err
	}
	delete(d.files, path)
	return nil
}

func (d *modelDisk) syncFolder(string) error {
	if err := d.next(); err != nil {
		return err
	}
	if !d.noOrder {
		d.durable = map[string]*modelFile{}
		for path, f := range d.files {
			d.durable[path] = f
		}
	}
	return nil
}

func (f *modelFile) Write(b []byte) (int, error) {
	if err := f.disk.next(); err != nil {
		f.data = append(f.data, b[:len(b)/2]...)
		return len(b) / 2, err
	}
	f.data = append(f.data, b...)
	return len(b), nil
}

func (f *modelFile) Sync() error {
	if err := f.disk.next(); err != nil {
		return err
	}
	if !f.disk.noSync {
		f.synced = len(f.data)
	}
	return nil
}

func (f *modelFile) Close() error { return f.disk.next() }

// afterCrash lists what may stand under a name when the machine comes up again.
func (d *modelDisk) afterCrash(path string) (list []string) {
	for _, folder := range []map[string]*modelFile{d.durable, d.files} {
		f := folder[path]
		if f == nil {
			list = append(list, "")
			continue
		}
		for _, n := range []int{f.synced, (f.synced + len(f.data)) / 2, len(f.data)} {
			list = append(list, string(f.data[:n]))
		}
	}
	return list
}

// crashes writes a new file over an old one, with a failure or a crash at each step, and says what
// may stand there then that is neither.
func crashes(faulty func(*modelDisk)) error {
	const path = "slots/one"
	was, is := strings.Repeat("old", 1<<20), strings.Repeat("new", 1<<20)
	for _, crash := range []bool{false, true} {
		for fail := 0; ; fail++ {
			old := &modelFile{data: []byte(was), synced: len(was)}
			d := &modelDisk{files: map[string]*modelFile{path: old}, durable: map[string]*modelFile{path: old}, fail: fail, crash: crash}
			faulty(d)
			err := toDisk(d, path, func(w io.Writer) error {
				for at := 0; at < len(is); at += 1 << 20 {
					if _, err := io.WriteString(w, is[at:at+1<<20]); err != nil {
						return err
					}
				}
				return nil
			})
			if failed := fail > 0 && d.step >= fail; failed != (err != nil) || failed && !errors.Is(err, errDisk) {
				return fmt.Errorf("step %d of %d failed: %v", fail, d.step, err)
			}
			for _, text := range d.afterCrash(path) {
				if text != was && text != is || err == nil && text != is {
					return fmt.Errorf("crash %v at step %d (%v): a save of %d bytes", crash, fail, err, len(text))
				}
			}
			if now := string(d.files[path].data); now != was && now != is {
				return fmt.Errorf("failure at step %d: a save of %d bytes", fail, len(now))
			}
			if !crash && err != nil && len(d.files) > 1 {
				return fmt.Errorf("failure at step %d leaves %d files", fail, len(d.files))
			}
			if fail > 0 && d.step < fail {
				break
			}
		}
	}
	return nil
}

// TestOldSaveOrNewOne: whatever fails and whenever the power does, there is the old save or the new
// one, and the new one once it was reported as written.
func TestOldSaveOrNewOne(t *testing.T) {
	if err := crashes(func(*modelDisk) {}); err != nil {
		t.Error(err)
	}
}

// TestMissingSyncsAreFound: a disk that does not sync files, or folders, is found out.
func TestMissingSyncsAreFound(t *testing.T) {
	for name, faulty := range map[string]func(*modelDisk){
		"files": func(d *modelDisk) { d.noSync = true }, "folders": func(d *modelDisk) { d.noOrder = true },
	} {
		if crashes(faulty) == nil {
			t.Errorf("nobody has found that %s are not synced", name)
		}
	}
}

// TestFileSystemSaysNo: a folder in the way, one that is not there, one without permission.
func TestFileSystemSaysNo(t *testing.T) {
	dir := t.TempDir()
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }
	if err := os.MkdirAll(filepath.Join(dir, "taken", "inside"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := toDisk(realDisk{}, filepath.Join(dir, "taken"), hello); err == nil {
		t.Error("a file has taken the place of a folder")
	}
	if err := toDisk(realDisk{}, filepath.Join(dir, "nowhere", "a"), hello); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := toDisk(realDisk{}, dir+string(filepath.Separator), hello); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
	path := filepath.Join(dir, "a")
	for _, text := range []string{"first", "second"} {
		err := toDisk(realDisk{}, path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, []byte(text)) {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := toDisk(realDisk{}, path, func(io.Writer) error { return errDisk }); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	if os.Geteuid() != 0 {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		err := toDisk(realDisk{}, path, hello)
		_ = os.Chmod(dir, 0o777)
		if !errors.Is(err, fs.ErrPermission) {
			t.Error(err)
		}
	}
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, _ := os.ReadFile(path); string(got) != "second" || !slices.Equal(names, []string{"a", "taken"}) {
		t.Errorf("%q, %v", got, names)
	}
}
