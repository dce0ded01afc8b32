package project_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/cmd/perigee/internal/project"
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
