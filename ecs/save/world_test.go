package save_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// TestWorldWithoutTheProgram: the world of a save has all that its manifest describes, under the old
// handles; what is not in it is withheld with a reason, and nothing else is missing.
func TestWorldWithoutTheProgram(t *testing.T) {
	s := declare(t, 3).fill(t, 30)
	f := s.opened(t, save.Options{})
	w, withheld, err := f.World(ecs.Options{MaxBytes: 16 << 20})
	must(t, err)
	defer w.Close()
	must(t, w.Check())
	var names, souls []ecs.Entity
	for e := range s.Entities() {
		if s.name.Has(e) {
			names = append(names, e)
		}
		if s.soul.Has(e) {
			souls = append(souls, e)
		}
	}
	if len(withheld) != 2 {
		t.Fatalf("%v", withheld)
	}
	for i, want := range []struct {
		component, why string
		entities       []ecs.Entity
	}{{"soul", "36 bytes of it are in no field", souls}, {"name", "its values of the Go type save_test.name have pointers", names}} {
		got := withheld[i]
		slices.Sort(got.Entities)
		slices.Sort(want.entities)
		if got.Component != want.component || !strings.HasPrefix(got.Why, want.why) || !slices.Equal(got.Entities, want.entities) {
			t.Errorf("withheld %v, wanted %v", got, want)
		}
	}
	kept, err := snapshot.Capture(w)
	must(t, err)
	var b bytes.Buffer
	must(t, save.Write(&b, kept, save.Options{}))
	again, err := save.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	gone := 0
	for _, line := range differences(t, f, again) {
		switch {
		case strings.HasPrefix(line, "component ") && strings.HasSuffix(line, " name gone"):
			gone++
		case strings.HasPrefix(line, "field ") && strings.Contains(line, " soul _hidden"),
			strings.HasPrefix(line, "event "), strings.HasPrefix(line, "resource "):
		default:
			t.Errorf("it differs: %s", line)
		}
	}
	if gone != len(names) {
		t.Errorf("%d of %d entities have lost their names", gone, len(names))
	}
}

// TestWorldNames the component that a world without the program cannot have, if entities have it.
func TestWorldNames(t *testing.T) {
	type wide struct{ Bytes [5000]uint8 }
	s := declare(t, 3)
	e := s.Spawn(ecs.Register[wide](s.World).With(wide{}), s.position.With(position{7, 8}))
	w, withheld, err := s.opened(t, save.Options{}).World(ecs.Options{MaxBytes: 16 << 20})
	must(t, err)
	defer w.Close()
	if len(withheld) != 1 || withheld[0].Component != "wide" || !strings.Contains(withheld[0].Why, "5000 elements") || !slices.Equal(withheld[0].Entities, []ecs.Entity{e}) {
		t.Errorf("%v", withheld)
	}
	id, ok := w.Raw().ComponentNamed("position")
	if !ok || *(*position)(w.Raw().Pointer(e, id)) != (position{7, 8}) {
		t.Error("what the world can have is not there")
	}
}

// TestReplaceKeepsTheOldFile when writing fails, and leaves nothing else in the folder.
func TestReplaceKeepsTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lua")
	must(t, save.Replace(path, func(w io.Writer) error { _, err := io.WriteString(w, "old"); return err }))
	err := save.Replace(path, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return errors.Join(err, errFull) })
	if !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
	text, err := os.ReadFile(path)
	must(t, err)
	files, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if string(text) != "old" || len(files) != 1 {
		t.Errorf("%q, %v", text, files)
	}
	must(t, save.Replace(path, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }))
	if text, _ := os.ReadFile(path); string(text) != "new" {
		t.Errorf("%q", text)
	}
}
