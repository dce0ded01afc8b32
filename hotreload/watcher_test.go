package hotreload

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWatchRefuses(t *testing.T) {
	d := newDisk(t)
	for name, watch := range map[string]func() (*Watcher, error){
		"a missing folder": func() (*Watcher, error) { return Watch(d.path("none"), newSets(), Options{}) },
		"a file":           func() (*Watcher, error) { return Watch(d.path("f.lua"), newSets(), Options{}) },
		"a missing sink":   func() (*Watcher, error) { return Watch(d.root, nil, Options{}) },
	} {
		w, err := watch()
		if err == nil {
			d.must(w.Close())
			t.Errorf("%s is watched", name)
		} else if !strings.HasPrefix(err.Error(), `watch "`) {
			t.Errorf("%s: error %q does not name the folder first", name, err)
		}
	}
	if _, err := Watch(d.path("none"), newSets(), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v does not wrap fs.ErrNotExist", err)
	}
}

func TestBaselineIsNoChange(t *testing.T) {
	simulated(t, Options{}, func(r rig) {
		r.silence()
		if got := r.w.Files(); !slices.Equal(got, []string{"f.lua"}) {
			t.Errorf("files are %q", got)
		}
	})
}

func TestCloseTwiceAndTogether(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newDisk(t), opts)
		var closing sync.WaitGroup
		for range 8 {
			closing.Go(func() {
				if err := r.w.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		closing.Wait()
		r.close()
	})
}

// TestCloseWaitsForTheSink: the host may tear down what the sink uses as soon as
// Close has returned.
func TestCloseWaitsForTheSink(t *testing.T) {
	d := newDisk(t)
	sink := newSlow()
	w, err := Watch(d.root, sink, Options{Settle: time.Millisecond})
	d.must(err)
	d.write("f.lua", edited)
	c := make(chan int)
	go func() {
		d.must(w.Close())
		c <- len(sink.sets)
	}()
	// Closing may win, before the save was seen; then there is no set at all.
	select {
	case n := <-c:
		if n != 0 {
			t.Errorf("%d sets before the sink was let go", n)
		}
	case <-sink.busy:
		close(sink.let)
		if n := <-c; n == 0 {
			t.Error("closed before the sink was done")
		}
	}
}

func TestFolderIsRememberedAbsolutely(t *testing.T) {
	d := newDisk(t)
	t.Chdir(filepath.Dir(d.root))
	r := rig{disk: d, sets: newSets()}
	w, err := Watch("scripts", r.sets, Options{})
	r.must(err)
	r.w = w
	defer r.close()
	t.Chdir(os.TempDir())
	r.write("f.lua", edited)
	r.await(outcome{"f.lua": "changed"})
}

func TestMatchPicksFiles(t *testing.T) {
	opts := Options{Match: func(path string) bool { return strings.HasPrefix(path, "a/") && path != "a/skip" }}
	bothWays(t, func(t *testing.T, with Options) {
		with.Match = opts.Match
		r := watching(newTree(t), with)
		defer r.close()
		r.write("a/skip", edited)
		r.write("f.lua", edited)
		r.write("a/.dot", edited)
		r.await(outcome{"a/.dot": "changed"})
	})
}

// TestNoSaveIsLostBetweenWatchingAndLoading goes through the ways in which a
// save and the host's own reading can fall together.
func TestNoSaveIsLostBetweenWatchingAndLoading(t *testing.T) {
	load := func(r rig) {
		if _, err := r.w.ReadFile("f.lua"); err != nil {
			t.Error(err)
		}
	}
	t.Run("saved before loading", func(t *testing.T) {
		told(t, Options{}, func(r rig) {
			r.saveAndTell("f.lua", edited)
			load(r)
			r.expect([]string{"f.lua"}, nil) // the host has it already; no harm done
			load(r)
			r.silence()
		})
	})
	t.Run("saved after loading", func(t *testing.T) {
		told(t, Options{}, func(r rig) {
			load(r)
			r.saveAndTell("f.lua", edited)
			r.expect([]string{"f.lua"}, nil)
		})
	})
	t.Run("undone after loading", func(t *testing.T) {
		told(t, Options{}, func(r rig) {
			r.saveAndTell("f.lua", edited)
			load(r)
			r.saveAndTell("f.lua", "return 1\n") // the baseline, but not what runs
			r.expect([]string{"f.lua"}, nil)
		})
	})
	t.Run("undone after a set", func(t *testing.T) {
		told(t, Options{}, func(r rig) {
			r.saveAndTell("f.lua", edited)
			r.expect([]string{"f.lua"}, nil)
			r.saveAndTell("f.lua", "return 3")
			load(r)
			r.saveAndTell("f.lua", edited)
			r.expect([]string{"f.lua"}, nil)
		})
	})
	t.Run("created while its removal waits", func(t *testing.T) {
		told(t, Options{}, func(r rig) {
			r.remove("f.lua")
			r.w.box.touch("f.lua")
			time.Sleep(time.Second) // the set is on its way
			r.saveAndTell("f.lua", edited)
			load(r)                          // for a set before
			r.expect(nil, []string{"f.lua"}) // now the host drops what it has just read
			r.expect([]string{"f.lua"}, nil)
		})
	})
	t.Run("removed after loading", func(t *testing.T) {
		told(t, Options{}, func(r rig) {
			r.write("g.lua", edited)
			if _, err := r.w.ReadFile("g.lua"); err != nil {
				t.Error(err)
			}
			r.remove("g.lua")
			r.w.box.touch("g.lua")
			r.expect(nil, []string{"g.lua"})
		})
	})
}

func TestReadFile(t *testing.T) {
	simulated(t, Options{MaxFile: 100}, func(r rig) {
		r.mkdir(".git")
		for _, name := range []string{"notes.txt", ".git/g.lua"} {
			r.write(name, edited)
			if text, err := r.w.ReadFile(name); err != nil || string(text) != edited {
				t.Errorf("%q is read as %q, %v", name, text, err)
			}
		}
		if got := r.w.Files(); !slices.Equal(got, []string{"f.lua"}) {
			t.Errorf("files are %q, though the others are not watched", got)
		}
		if _, err := r.w.ReadFile("none.lua"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v does not wrap fs.ErrNotExist", err)
		}
		r.write("huge.txt", string(make([]byte, 101)))
		for name, want := range map[string]string{
			"none.lua":  `"none.lua": no such file or directory`,
			"../f.lua":  `"../f.lua": invalid argument`,
			".git":      `".git": ` + errFolder.Error(),
			"huge.txt":  `"huge.txt": 101 bytes, more than the limit of 100`,
			"f.lua/x/y": `"f.lua/x/y": not a directory`,
		} {
			if _, err := r.w.ReadFile(name); err == nil || err.Error() != want {
				t.Errorf("reading %q: %v, want %s", name, err, want)
			}
		}
	})
}

// refusing is a notifier that cannot watch one folder, as when the system has no
// watches left.
type refusing struct {
	mute
	dir string
}

func (r refusing) watch(dir string) error {
	if dir == r.dir {
		return errors.New("no watches left")
	}
	return nil
}

// TestRefusedWatch: without the folder itself there is nothing to do, while a
// subfolder that is not watched must not cost the others.
func TestRefusedWatch(t *testing.T) {
	d := newTree(t)
	for dir, fatal := range map[string]bool{".": true, "a": false} {
		w, err := newWatcher(d.root, newSets(), withPoll(Options{}.filled()))
		d.must(err)
		w.loop.notifier = refusing{dir: dir}
		if err := w.loop.start(time.Now()); (err != nil) != fatal {
			t.Errorf("%q is not watched: error %v", dir, err)
		}
		if got := w.loop.pending.problems; !fatal && (len(got) != 1 || got[0].Path != dir) {
			t.Errorf("%q is not watched: problems %v", dir, got)
		}
		if got := w.Files(); !fatal && len(got) != 2 {
			t.Errorf("files are %q", got)
		}
	}
}

// TestRefusedWatchOfANewFolder: that it is not watched is reported, and its files are looked at.
func TestRefusedWatchOfANewFolder(t *testing.T) {
	d := newTree(t)
	w, err := newWatcher(d.root, newSets(), withPoll(Options{}.filled()))
	d.must(err)
	w.loop.notifier = refusing{dir: "late"}
	d.must(w.loop.start(time.Now()))
	d.mkdir("late")
	d.create("late/g.lua", edited)
	w.loop.survey(time.Now(), "late")
	set := w.loop.pending
	if len(set.problems) != 1 || set.problems[0].Path != "late" || !set.paths["late/g.lua"] {
		t.Errorf("problems %v, files to look at %v", set.problems, set.paths)
	}
}
