package project_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/cmd/internal/project"
)

var files = fstest.MapFS{
	"main.lua":        {Data: []byte("-- main")},
	"lib/geo.lua":     {Data: []byte("-- geo")},
	"lib/deep/x.lua":  {Data: []byte("-- x")},
	"notes/README.md": {Data: []byte("read me")},
}

// tree lists everything below dir.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names[1:]
}

func TestWriteCopiesAll(t *testing.T) {
	for _, into := range []string{"", "new", "new/and/deep"} {
		dir := filepath.Join(t.TempDir(), into)
		written, err := project.Write(dir, files)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"lib/deep/x.lua", "lib/geo.lua", "main.lua", "notes/README.md"}
		if !slices.Equal(written, want) {
			t.Errorf("written: %q", written)
		}
		if err := fstest.TestFS(os.DirFS(dir), want...); err != nil {
			t.Error(err)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "lib", "geo.lua")); string(text) != "-- geo" {
			t.Errorf("lib/geo.lua holds %q", text)
		}
	}
}

func TestWriteRefusesWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := project.Write(full, files); !errors.Is(err, project.ErrNotEmpty) {
		t.Errorf("a full folder: %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := project.Write(file, files); err == nil {
		t.Error("a file was taken for a folder")
	}
	if _, err := project.Write(filepath.Join(file, "below"), files); err == nil {
		t.Error("a file was taken for a parent folder")
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"file", "full", "full/mine"}) {
		t.Errorf("left on disk: %q", got)
	}
}

// broken fails when its last file is read, as a full disk would when written.
type broken struct{ fstest.MapFS }

func (b broken) ReadFile(name string) ([]byte, error) {
	if name == "notes/README.md" {
		return nil, errors.New("no more")
	}
	return b.MapFS.ReadFile(name)
}

func TestAFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, into := range []string{"", "new", "new/and/deep"} {
		written, err := project.Write(filepath.Join(dir, into), broken{files})
		if err == nil || err.Error() != "no more" || written != nil {
			t.Errorf("written %q, error %v", written, err)
		}
		if left := tree(t, dir); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

// TestOneOfManyWrites lets processes in all but name write the same folder at
// once: one succeeds, and whoever is refused finds the folder whole, or busy.
func TestOneOfManyWrites(t *testing.T) {
	const many = 16
	for _, form := range []string{"new", "deep", "empty"} {
		for range 20 {
			top := t.TempDir()
			dir := filepath.Join(top, "project")
			switch form {
			case "deep":
				dir = filepath.Join(top, "a", "b", "project")
			case "empty":
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			errs, whole := make([]error, many), make([]bool, many)
			var all sync.WaitGroup
			for i := range many {
				all.Go(func() {
					_, errs[i] = project.Write(dir, files)
					// A call that is about to be refused may come and go while this looks.
					for try := 0; try < 100 && !whole[i]; try++ {
						whole[i] = fstest.TestFS(os.DirFS(dir), "lib/deep/x.lua", "lib/geo.lua", "main.lua", "notes/README.md") == nil
					}
				})
			}
			all.Wait()
			made := 0
			for i, err := range errs {
				switch {
				case err == nil && whole[i]:
					made++
				case errors.Is(err, project.ErrNotEmpty) && whole[i]:
				case form == "empty" && errors.Is(err, project.ErrBusy):
				default:
					t.Errorf("%s: call %d: %v, the folder is whole: %v", form, i, err, whole[i])
				}
			}
			if made != 1 {
				t.Errorf("%s: %d calls made it", form, made)
			}
			for _, name := range tree(t, top) {
				if strings.Contains(name, ".perigee") {
					t.Errorf("%s: %q is left behind", form, name)
				}
			}
		}
	}
}

// TestLeftoversOfTheKilled: they go with the next write beside them, once they
// are old enough to belong to nobody.
func TestLeftoversOfTheKilled(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{".perigee-new-0123/lib", ".perigee-new-4567/lib"} {
		if err := os.MkdirAll(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(top, ".perigee-new-0123"), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := project.Write(filepath.Join(top, "new"), fstest.MapFS{"a.lua": {}}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, top); !slices.Equal(got, []string{".perigee-new-4567", ".perigee-new-4567/lib", "new", "new/a.lua"}) {
		t.Errorf("there is %q", got)
	}
	half := filepath.Join(top, "half")
	if err := os.MkdirAll(filepath.Join(half, ".perigee-new"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := project.Write(half, files); !errors.Is(err, project.ErrBusy) || !strings.Contains(err.Error(), "remove .perigee-new") {
		t.Errorf("a folder that is being written: %v", err)
	}
}
