package hotreload

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// lanes is how many tests run at once, unless go test -parallel says otherwise. They wait
// for files to be quiet, and hardly use the processor.
const lanes = "16"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", lanes); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// A set is a Change and when it was handed over.
type set struct {
	Change
	at time.Time
}

// sets is a sink that keeps all sets for the test to fetch. It must have room
// for all of them, or Close would wait for a test that is over.
type sets chan set

func newSets() sets { return make(sets, 4096) }

func (s sets) FilesChanged(c Change) { s <- set{c, time.Now()} }

// A disk performs single file operations, as an editor does, and fails the test
// if one does not work. Its names are slash-separated and relative to the root.
type disk struct {
	t    testing.TB
	root string
}

// newDisk returns a folder with f.lua in it. The folder has a parent of its own,
// so that a test can move it.
func newDisk(t testing.TB) disk {
	d := disk{t, filepath.Join(t.TempDir(), "scripts")}
	d.mkdir(".")
	d.write("f.lua", "return 1\n")
	return d
}

func (d disk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d disk) path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

// put opens a file with the flags that the writer under test uses.
func (d disk) put(name, text string, flags int) {
	d.t.Helper()
	file, err := os.OpenFile(d.path(name), os.O_WRONLY|flags, 0o644)
	d.must(err)
	_, err = file.WriteString(text)
	d.must(err)
	d.must(file.Close())
}

func (d disk) write(name, text string)  { d.put(name, text, os.O_CREATE|os.O_TRUNC) }
func (d disk) append(name, text string) { d.put(name, text, os.O_APPEND) }
func (d disk) create(name, text string) { d.put(name, text, os.O_CREATE|os.O_EXCL) }
func (d disk) rename(from, to string)   { d.t.Helper(); d.must(os.Rename(d.path(from), d.path(to))) }
func (d disk) remove(name string)       { d.t.Helper(); d.must(os.Remove(d.path(name))) }
func (d disk) removeAll(name string)    { d.t.Helper(); d.must(os.RemoveAll(d.path(name))) }
func (d disk) mkdir(name string)        { d.t.Helper(); d.must(os.MkdirAll(d.path(name), 0o755)) }
func (d disk) chmod(name string, mode os.FileMode) {
	d.t.Helper()
	d.must(os.Chmod(d.path(name), mode))
}

func (d disk) touch(name string) {
	d.t.Helper()
	now := time.Now().Add(time.Minute)
	d.must(os.Chtimes(d.path(name), now, now))
}

func (d disk) symlink(target, name string) {
	d.t.Helper()
	if err := os.Symlink(target, d.path(name)); err != nil {
		d.t.Skipf("this system makes no symbolic links here: %v", err)
	}
}

func (d disk) read(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(d.path(name))
	d.must(err)
	return string(text)
}

// A rig is a watched disk.
type rig struct {
	disk
	w    *Watcher
	sets sets
}

func watching(d disk, opts Options) rig {
	d.t.Helper()
	r := rig{disk: d, sets: newSets()}
	w, err := Watch(d.root, r.sets, opts)
	d.must(err)
	r.w = w
	return r
}

func (r rig) close() { r.must(r.w.Close()) }

// An outcome is what a number of sets amount to: "changed", "removed" or the
// text of a problem, by path.
type outcome map[string]string

func (o outcome) add(c Change) {
	for _, path := range c.Removed {
		o[path] = "removed"
	}
	for _, path := range c.Changed {
		o[path] = "changed"
	}
	for _, p := range c.Problems {
		o[p.Path] = p.Err.Error()
	}
}

func amounts(changed, removed []string) outcome {
	o := outcome{}
	o.add(Change{Changed: changed, Removed: removed})
	return o
}

// await fetches sets until they amount to want. On a busy machine one save may
// well arrive as two sets; where one set matters, time is simulated.
func (r rig) await(want outcome) {
	r.t.Helper()
	got := outcome{}
	for !maps.Equal(got, want) {
		c := <-r.sets
		r.t.Logf("set: %+v", c.Change)
		got.add(c.Change)
		for path := range got {
			if _, ok := want[path]; !ok {
				r.t.Fatalf("set %+v, want %v", c.Change, want)
			}
		}
	}
}

// nothingElse saves one more file and demands that the next set holds only that. The file
// comes by a rename: on a busy machine a watcher would see one that is written in place
// twice, empty and full.
func (r rig) nothingElse() {
	r.t.Helper()
	r.write("zz.new", time.Now().String())
	r.rename("zz.new", "zz.lua")
	if got := <-r.sets; !got.is(Change{Changed: []string{"zz.lua"}}) {
		r.t.Fatalf("set %+v, want only zz.lua", got.Change)
	}
}

// expect demands that the next set is exactly this one, and returns when it was
// handed over.
func (r rig) expect(changed, removed []string) time.Time {
	r.t.Helper()
	got := <-r.sets
	if !got.is(Change{Changed: changed, Removed: removed}) {
		r.t.Fatalf("set %+v, want changed %q, removed %q", got.Change, changed, removed)
	}
	return got.at
}

// silence demands, in simulated time, that nothing more is handed over.
func (r rig) silence() {
	r.t.Helper()
	time.Sleep(time.Minute)
	if len(r.sets) > 0 {
		r.t.Fatalf("another set: %+v", (<-r.sets).Change)
	}
}

func (c Change) is(d Change) bool {
	return slices.Equal(c.Changed, d.Changed) && slices.Equal(c.Removed, d.Removed) &&
		slices.EqualFunc(c.Problems, d.Problems, func(a, b Problem) bool { return a.Error() == b.Error() })
}

// bothWays runs a test with the events of the operating system, and polling in
// real time, beside other tests.
func bothWays(t *testing.T, test func(t *testing.T, opts Options)) {
	t.Parallel()
	for name, opts := range map[string]Options{
		"events": {},
		"poll":   {Poll: true, Interval: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, opts) })
	}
}

// simulated runs a test by polling in simulated time: an operation takes no
// time at all, and durations are exact. The bubble demands that all goroutines
// have ended, so the watcher is closed in it.
func simulated(t *testing.T, opts Options, test func(r rig)) {
	t.Helper()
	opts.Poll = true
	synctest.Test(t, func(t *testing.T) {
		r := watching(newDisk(t), opts)
		defer r.close()
		test(r)
	})
}
