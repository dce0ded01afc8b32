package save_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/save"
)

// TestASaveIsAllOfItsFile: what has something before a save or behind it is another file, such as a recording, which has
// saves in it.
func TestASaveIsAllOfItsFile(t *testing.T) {
	s := declare(t, 3).fill(t, 4)
	good := s.text(t, save.Options{})
	for name, text := range map[string][]byte{
		"something before": append([]byte("PK"), good...),
		"something behind": append(bytes.Clone(good), 'x'),
		"two saves":        append(bytes.Clone(good), good...),
		"much before":      append(make([]byte, 1<<16), good...),
	} {
		if _, err := save.Open(bytes.NewReader(text), int64(len(text))); !errors.Is(err, save.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhereSavesAreWritten: through a link into the file behind it, and into nothing that is no file.
func TestWhereSavesAreWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right of their own")
	}
	dir := t.TempDir()
	behind, link, loose := filepath.Join(dir, "behind"), filepath.Join(dir, "link"), filepath.Join(dir, "loose")
	must(t, os.WriteFile(behind, []byte("old"), 0o666))
	must(t, os.Symlink("behind", link))
	must(t, os.Symlink("nowhere", loose))
	write := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	must(t, save.Replace(link, write))
	if text, err := os.ReadFile(behind); err != nil || string(text) != "new" {
		t.Errorf("behind the link: %q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link has gone: %v, %v", info, err)
	}
	must(t, os.Symlink("loose", filepath.Join(dir, "looser")))
	must(t, save.Replace(filepath.Join(dir, "looser"), write))
	if text, err := os.ReadFile(filepath.Join(dir, "nowhere")); err != nil || string(text) != "new" {
		t.Errorf("behind links to nothing: %q, %v", text, err)
	}
	round := filepath.Join(dir, "round")
	must(t, os.Symlink("round", round))
	for _, path := range []string{round, dir} {
		if err := save.Replace(path, write); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		device := filepath.Join(dir, "device")
		must(t, os.Symlink(os.DevNull, device))
		if err := save.Replace(device, write); !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
		if _, err := save.OpenFile(device); !errors.Is(err, save.ErrFormat) {
			t.Error(err)
		}
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

// TestPermissionsStay: what only its owner may read stays so, whatever a process takes from new files.
func TestPermissionsStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	must(t, save.Replace(path, write))
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o444} {
		must(t, os.Chmod(path, mode))
		info, err := os.Stat(path)
		must(t, err)
		must(t, save.Replace(path, write))
		now, err := os.Stat(path)
		must(t, err)
		if now.Mode() != info.Mode() {
			t.Errorf("it was %v, and is %v", info.Mode(), now.Mode())
		}
		must(t, os.Chmod(path, 0o666)) // not every system renames over what may not be written
	}
}

// TestMakeDir makes what is missing, is content with what is there, and says what stands in the way.
func TestMakeDir(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	for range 2 {
		must(t, save.MakeDir(deep))
		if info, err := os.Stat(deep); err != nil || !info.IsDir() {
			t.Errorf("%v, %v", info, err)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o666))
	if err := save.MakeDir(filepath.Join(dir, "file", "x")); err == nil {
		t.Error("a folder in a file")
	}
	t.Chdir(dir)
	must(t, save.MakeDir("here/too"))
	must(t, save.MakeDir("."))
}
