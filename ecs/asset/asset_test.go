package asset_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// picture is what the tests load.
type picture struct{ text string }

// sprite is a component that names one.
type sprite struct {
	Layer   uint8
	Picture asset.ID[*picture]
	Frames  [2]struct{ Picture asset.ID[*picture] }
}

// fixture is a world with a store.
type fixture struct {
	*ecs.World
	files    fstest.MapFS
	store    *asset.Store
	pictures *asset.Cache[*picture]
	sprite   ecs.Component[sprite]
	loads    int
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open makes a world whose files are some names, each with its name as its text.
func open(t testing.TB, names ...string) *fixture {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 4 << 20, Tag: 3})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	f := &fixture{World: w, files: fstest.MapFS{}, sprite: ecs.Register[sprite](w)}
	for _, name := range names {
		f.write(name, name)
	}
	f.store, err = asset.Open(w, f.files)
	must(t, err)
	f.pictures, err = asset.Register(f.store, func(files fs.FS, name string) (*picture, error) {
		f.loads++
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(text, []byte("bad")) {
			return nil, fmt.Errorf("it is %s", text)
		}
		if name, ok := bytes.CutPrefix(text, []byte("needs ")); ok {
			if _, err := f.pictures.Load(string(name)); err != nil {
				return nil, err
			}
		}
		if string(text) == "panic" {
			panic(text)
		}
		return &picture{string(text)}, nil
	}, "*.png", "*.svg")
	must(t, err)
	return f
}

// write writes a file, later than all before.
func (f *fixture) write(name, text string) {
	f.files[name] = &fstest.MapFile{Data: []byte(text), ModTime: time.Unix(int64(len(f.files)), int64(len(text)))}
}

// load loads a path that is there.
func (f *fixture) load(t testing.TB, name string) asset.ID[*picture] {
	t.Helper()
	id, err := f.pictures.Load(name)
	must(t, err)
	return id
}

// text returns the text of a value, "" for one that is not loaded.
func (f *fixture) text(id asset.ID[*picture]) string {
	if p, ok := f.pictures.Get(id); ok {
		return p.text
	}
	return ""
}

// TestLoadedOnce: all who load a path get the same value and the same ID, in every world.
func TestLoadedOnce(t *testing.T) {
	f := open(t, "a.png", "dir/b.svg", "c.txt")
	a, b := f.load(t, "a.png"), f.load(t, "dir/b.svg")
	if f.load(t, "a.png") != a || f.loads != 2 || a == b || a == 0 || f.text(a) != "a.png" || f.text(b) != "dir/b.svg" {
		t.Errorf("%d loads, IDs %d and %d, texts %q and %q", f.loads, a, b, f.text(a), f.text(b))
	}
	other := open(t, "dir/b.svg", "a.png")
	if other.load(t, "dir/b.svg") != b || asset.IDOf[*picture]("a.png") != a || f.store.Path(uint32(a)) != "a.png" {
		t.Error("IDs are others in another world")
	}
	if n, err := f.store.LoadAny("a.png"); err != nil || n != uint32(a) || f.loads != 2 {
		t.Errorf("%d, %v, %d loads", n, err, f.loads)
	}
	if asset.Of(f.World) != f.store || asset.Of(nil) != nil || f.pictures.Len() != 2 {
		t.Error("the store is not found")
	}
}

// TestRefusals: wrong paths, files that are not there or do not load, loaders that panic or load themselves,
// two paths with one ID; then nothing is kept.
func TestRefusals(t *testing.T) {
	f := open(t, "a.png", "plumless.png", "buckeroo.png")
	f.write("bad.png", "bad")
	f.write("panic.png", "panic")
	f.write("one.png", "needs two.png")
	f.write("two.png", "needs one.png")
	for name, want := range map[string]string{
		"":                                 "is no path",
		"../a.png":                         "is no path",
		"/a.png":                           "is no path",
		".":                                "is no path",
		`dir\a.png`:                        "not exist",
		"a.txt":                            "takes no",
		"none.png":                         "not exist",
		"bad.png":                          "it is bad",
		"panic.png":                        "panics",
		"one.png":                          "loads itself",
		strings.Repeat("a", 2000) + ".png": "2004 bytes",
	} {
		if id, err := f.pictures.Load(name); id != 0 || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %d, %v", name, id, err)
		}
		if _, err := f.store.LoadAny(name); err == nil {
			t.Errorf("%.20q: a script gets it", name)
		}
	}
	if f.pictures.Len() != 0 || len(f.store.Paths()) != 0 {
		t.Errorf("%d values, paths %v", f.pictures.Len(), f.store.Paths())
	}
	if _, err := asset.Open(f.World, f.files); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := asset.Open(nil, f.files); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := asset.Open(f.World, nil); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	load := func(fs.FS, string) (int, error) { return 0, nil }
	for _, patterns := range [][]string{nil, {"["}} {
		if _, err := asset.Register(f.store, load, patterns...); !errors.Is(err, ecs.ErrConflict) {
			t.Error(patterns, err)
		}
	}
	if _, err := asset.Register(f.store, func(fs.FS, string) (*picture, error) { return nil, nil }, "*"); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	must(t, f.Close())
	if _, err := asset.Open(f.World, f.files); err == nil {
		t.Error("a closed world has a store")
	}
}

// TestSameID: of two paths with the same hash, the second one is refused, and named.
func TestSameID(t *testing.T) {
	seen := map[asset.ID[*picture]]string{}
	for i := 0; ; i++ {
		name := fmt.Sprintf("%d.png", i)
		id := asset.IDOf[*picture](name)
		if first := seen[id]; first != "" {
			f := open(t, first, name)
			f.load(t, first)
			if _, err := f.pictures.Load(name); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), name) {
				t.Error(err)
			}
			return
		}
		seen[id] = name
	}
}

// TestCollect: what somebody holds, a component of an entity or of a prefab names, or a script has
// got, stays; the rest goes.
func TestCollect(t *testing.T) {
	names := []string{"held.png", "field.png", "element.png", "prefab.png", "script.png", "released.png", "despawned.png"}
	f := open(t, names...)
	ids := map[string]asset.ID[*picture]{}
	for _, name := range names {
		ids[name] = f.load(t, name)
		if name != "held.png" && !f.pictures.Release(ids[name]) {
			t.Fatal(name)
		}
	}
	if f.pictures.Release(ids["released.png"]) || f.pictures.Release(12345) {
		t.Error("released twice")
	}
	_, err := f.store.LoadAny("script.png")
	must(t, err)
	f.Spawn(f.sprite.With(sprite{Picture: ids["field.png"]}))
	e := f.Spawn(f.sprite.With(sprite{Picture: ids["despawned.png"]}))
	f.Spawn(f.sprite.With(sprite{Frames: [2]struct{ Picture asset.ID[*picture] }{1: {ids["element.png"]}}}))
	must(t, f.MarkPrefab(f.Spawn(f.sprite.With(sprite{Picture: ids["prefab.png"]}))))
	must(t, f.Despawn(e))
	if gone := f.store.Collect(); !slices.Equal(gone, []string{"despawned.png", "released.png"}) || f.pictures.Len() != 5 {
		t.Errorf("%v went", gone)
	}
	if paths := f.store.Paths(); len(paths) != 5 {
		t.Error(paths)
	}
	if f.loads != len(names) || f.load(t, "released.png") != ids["released.png"] || f.loads != len(names)+1 {
		t.Error("what went does not come back")
	}
}

// TestReload: a file that has changed is loaded again under its ID, a broken one leaves the old value and
// is told once.
func TestReload(t *testing.T) {
	f := open(t, "a.png", "b.png", "c.png")
	a, b, c := f.load(t, "a.png"), f.load(t, "b.png"), f.load(t, "c.png")
	made, err := f.pictures.Put("made.png", &picture{"made"})
	must(t, err)
	if changed, err := f.store.Reload(); err != nil || len(changed) != 0 {
		t.Errorf("%v, %v", changed, err)
	}
	f.write("a.png", "new a")
	f.write("b.png", "bad b")
	delete(f.files, "c.png")
	changed, err := f.store.Reload()
	if !slices.Equal(changed, []string{"a.png"}) || err == nil || !strings.Contains(err.Error(), "bad b") || !strings.Contains(err.Error(), "c.png") {
		t.Errorf("%v, %v", changed, err)
	}
	if f.text(a) != "new a" || f.text(b) != "b.png" || f.text(c) != "c.png" || f.text(made) != "made" || f.pictures.Version(a) != 2 || f.pictures.Version(b) != 1 || f.pictures.Version(99) != 0 {
		t.Errorf("%q %q %q %q", f.text(a), f.text(b), f.text(c), f.text(made))
	}
	if changed, err := f.store.Reload(); err != nil || len(changed) != 0 {
		t.Errorf("told again: %v, %v", changed, err)
	}
	f.write("b.png", "b again")
	f.write("c.png", "c again, longer")
	if changed, err := f.store.Reload(); err != nil || !slices.Equal(changed, []string{"b.png", "c.png"}) {
		t.Errorf("%v, %v", changed, err)
	}
	if again, err := f.pictures.Put("a.png", &picture{"put"}); err != nil || again != a || f.text(a) != "put" || f.pictures.Version(a) != 3 {
		t.Error(err, f.text(a))
	}
}

// TestSaved: a save and a snapshot have the paths; a world that is loaded names values that Fetch loads, under their
// old IDs, also where a file has another name now; what is not there is told and tried again.
func TestSaved(t *testing.T) {
	f := open(t, "a.png", "old/b.png", "gone.png")
	a, b, gone := f.load(t, "a.png"), f.load(t, "old/b.png"), f.load(t, "gone.png")
	e := f.Spawn(f.sprite.With(sprite{Picture: a, Frames: [2]struct{ Picture asset.ID[*picture] }{{b}, {gone}}}))
	kept, err := snapshot.Capture(f.World)
	must(t, err)
	var text bytes.Buffer
	must(t, save.Write(&text, kept, save.Options{}))

	g := open(t, "a.png", "new/b.png", "own.png")
	own := g.load(t, "own.png")
	file, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
	must(t, err)
	_, err = file.Load(g.World, save.LoadOptions{})
	must(t, err)
	v := g.sprite.Peek(e)
	if v.Picture != a || g.text(a) != "" || g.text(own) != "own.png" {
		t.Error("after the load")
	}
	must(t, g.store.Rename("old/b.png", "new/b.png"))
	if err := g.store.Rename("", "x"); !errors.Is(err, asset.ErrNone) {
		t.Error(err)
	}
	if err := g.store.Fetch(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "gone.png") || strings.Contains(err.Error(), "b.png") {
		t.Error(err)
	}
	if g.text(v.Picture) != "a.png" || g.text(v.Frames[0].Picture) != "new/b.png" || g.text(v.Frames[1].Picture) != "" {
		t.Errorf("%q, %q", g.text(v.Picture), g.text(v.Frames[0].Picture))
	}
	g.write("gone.png", "found")
	if err := g.store.Fetch(); err != nil || g.text(gone) != "found" {
		t.Error(err)
	}
	g.write("new/b.png", "changed b")
	if changed, err := g.store.Reload(); err != nil || !slices.Equal(changed, []string{"new/b.png"}) || g.text(b) != "changed b" {
		t.Error(changed, err)
	}

	before, err := snapshot.Capture(g.World)
	must(t, err)
	g.write("late.png", "late")
	late := g.load(t, "late.png")
	must(t, snapshot.Restore(g.World, before))
	if paths := g.store.Paths(); slices.Contains(paths, "late.png") || g.text(late) != "late" {
		t.Errorf("%v, %q", paths, g.text(late))
	}
}

// TestForgedPaths: whatever the paths of a save are, they name no file outside, and there are not too many.
func TestForgedPaths(t *testing.T) {
	f := open(t, "a.png")
	paths := f.Raw().ResourceNamed("asset.paths").(*asset.Paths)
	paths.Paths = []string{"", "../../etc/passwd.png", "/etc/x.png", "a.png", "a\x00.png", strings.Repeat("x/", 600) + "a.png"}
	err := f.store.Fetch()
	if !errors.Is(err, asset.ErrNone) || !errors.Is(err, asset.ErrTooMany) || f.pictures.Len() != 1 {
		t.Errorf("%v, %d values", err, f.pictures.Len())
	}
	paths.Paths = make([]string, 1<<16+1)
	if err := f.store.Fetch(); !errors.Is(err, asset.ErrTooMany) {
		t.Error(err)
	}
}

// TestGoroutines: values are read on other goroutines while the one of the world loads, reloads and lets go.
func TestGoroutines(t *testing.T) {
	f := open(t)
	for i := range 20 {
		f.write(fmt.Sprintf("%d.png", i), "x")
	}
	stop := make(chan struct{})
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				id := asset.IDOf[*picture](fmt.Sprintf("%d.png", i%20))
				f.pictures.Get(id)
				f.pictures.Version(id)
				f.store.Path(uint32(id))
			}
		})
	}
	for i := range 400 {
		name := fmt.Sprintf("%d.png", i%20)
		f.pictures.Release(f.load(t, name))
		if i%50 == 0 {
			f.write(name, strings.Repeat("y", i))
			_, err := f.store.Reload()
			must(t, err)
		}
		if i%7 == 0 {
			f.store.Collect()
		}
	}
	close(stop)
	wait.Wait()
}

// TestPathsOfAnotherWorldAreForgotten: paths of a save that are no files stand in no way once another one is loaded, nor do
// they make an error without end.
func TestPathsOfAnotherWorldAreForgotten(t *testing.T) {
	f := open(t, "a.png", "kept.png")
	_, err := f.pictures.Load("kept.png")
	must(t, err)
	paths := f.Raw().ResourceNamed("asset.paths").(*asset.Paths)
	good, bad := slices.Clone(paths.Paths), []string(nil)
	for i := range 1<<16 - 1 {
		bad = append(bad, fmt.Sprintf("no/%05d.such", i))
	}
	paths.Paths = bad
	if err := f.store.Fetch(); !errors.Is(err, asset.ErrNone) || len(err.Error()) > 1<<15 || !strings.HasSuffix(err.Error(), "and 65435 more") {
		t.Fatalf("an error of %d bytes", len(err.Error()))
	}
	if _, err := f.pictures.Load("a.png"); !errors.Is(err, asset.ErrTooMany) {
		t.Fatal(err)
	}
	paths.Paths = good
	must(t, f.store.Fetch())
	id, err := f.pictures.Load("a.png")
	must(t, err)
	if f.store.Path(uint32(id)) != "a.png" || f.pictures.Len() != 2 {
		t.Error("a value is not there")
	}
}
