package hotreload

import (
	"crypto/sha256"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestVerdicts(t *testing.T) {
	content := func(text string) reading { return reading{path: "f.lua", sum: sha256.Sum256([]byte(text))} }
	failed := func(err error) reading { return reading{path: "f.lua", err: err} }
	type step struct {
		reading
		want difference
	}
	for name, steps := range map[string][]step{
		"edit":             {{content("1"), changed}, {content("1"), same}, {content("2"), changed}, {content("1"), changed}},
		"empty is content": {{content(""), changed}, {content(""), same}},
		"removal":          {{content("1"), changed}, {failed(fs.ErrNotExist), gone}, {failed(fs.ErrNotExist), same}, {content("1"), changed}},
		"never was":        {{failed(fs.ErrNotExist), same}},
		"unsettled":        {{failed(errUnsettled), moving}, {failed(errUnsettled), moving}, {content("1"), changed}},
		"problem":          {{failed(fs.ErrPermission), broken}, {failed(fs.ErrPermission), same}, {failed(errIrregular), broken}},
		"problem comes and goes": {
			{content("1"), changed}, {failed(fs.ErrPermission), broken}, {content("1"), same}, {failed(fs.ErrPermission), broken},
		},
		"problem, then gone": {{content("1"), changed}, {failed(fs.ErrPermission), broken}, {failed(fs.ErrNotExist), gone}},
		"only a problem":     {{failed(fs.ErrPermission), broken}, {failed(fs.ErrNotExist), same}, {failed(fs.ErrPermission), broken}},
		"folder":             {{failed(errFolder), same}},
		"folder for a file":  {{content("1"), changed}, {failed(errFolder), broken}, {failed(errFolder), same}},
	} {
		l := ledger{entries: map[string]ledgerEntry{}}
		for i, step := range steps {
			got := l.judge(step.reading)
			if got != step.want {
				t.Errorf("%s: difference %d of step %d, want %d", name, got, i, step.want)
			}
			l.record(step.reading, got)
			l.check(t)
		}
	}
}

// check holds the ledger to its invariant.
func (l *ledger) check(t *testing.T) {
	t.Helper()
	for path, e := range l.entries {
		if !e.isFile() && e.trouble == "" {
			t.Errorf("%q has an entry without reason", path)
		}
	}
}

// TestReadingNeverSilences goes through what the host may have read between the
// sink's being told of content 1 and a look that finds content 1 or 2.
func TestReadingNeverSilences(t *testing.T) {
	one, two := sha256.Sum256([]byte("1")), sha256.Sum256([]byte("2"))
	for _, test := range []struct {
		told, read *digest
		disk       digest
		want       difference
	}{
		{nil, nil, one, changed},
		{nil, &one, one, changed},
		{nil, &two, one, changed},
		{&one, nil, one, same},
		{&one, &one, one, same},
		{&one, &two, one, changed},
		{&one, nil, two, changed},
		{&one, &one, two, changed},
		{&one, &two, two, changed},
	} {
		l := ledger{entries: map[string]ledgerEntry{"f.lua": {delivered: test.told, read: test.read}}}
		if got := l.judge(reading{path: "f.lua", sum: test.disk}); got != test.want {
			t.Errorf("told %v, read %v: difference %d, want %d", test.told, test.read, got, test.want)
		}
	}
}

// TestReadingBetweenVerdictAndRecord: what the host reads meanwhile is not
// forgotten if nothing is told.
func TestReadingBetweenVerdictAndRecord(t *testing.T) {
	l := ledger{entries: map[string]ledgerEntry{}}
	seen := reading{path: "f.lua", sum: sha256.Sum256([]byte("1"))}
	l.record(seen, changed)
	v := l.judge(seen)
	l.readByHost("f.lua", sha256.Sum256([]byte("2")))
	l.record(seen, v)
	if got := l.judge(seen); got != changed {
		t.Errorf("difference %d, want changed: the host has the other content", got)
	}
}

func TestBelow(t *testing.T) {
	l := ledger{entries: map[string]ledgerEntry{"a/f.lua": {}, "ab/f.lua": {}, "a/b/f.lua": {}, "f.lua": {}}}
	for dir, want := range map[string]int{".": 4, "a": 2, "a/b": 1, "b": 0, "f.lua": 1} {
		if got := l.below(dir); len(got) != want {
			t.Errorf("below %q are %q, want %d", dir, got, want)
		}
	}
	if got := l.files(); !slices.Equal(got, nil) {
		t.Errorf("files are %q, but none has content", got)
	}
}

// overwriting is a sink that saves each changed file once more before it reads it twice.
type overwriting struct {
	disk
	w    chan *Watcher
	read chan [2]string
}

func (o overwriting) FilesChanged(c Change) {
	w := <-o.w
	for _, name := range c.Changed {
		text := o.disk.read(name)
		if len(text) < len("return 1\n")+3 {
			o.write(name, text+"--")
		}
		first, err := w.ReadFile(name)
		o.must(err)
		second, err := w.ReadFile(name)
		o.must(err)
		o.read <- [2]string{string(first), string(second)}
	}
	o.w <- w
}

// TestAChangeIsReadOnce: the sink reads the content that led to the Change, whatever
// the disk has by then; after that it reads the disk, and what differs leads to another.
func TestAChangeIsReadOnce(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		o := overwriting{newDisk(t), make(chan *Watcher, 1), make(chan [2]string, 100)}
		w, err := Watch(o.root, o, opts)
		o.must(err)
		o.w <- w
		o.write("f.lua", "return 2\n")
		if got, want := <-o.read, [2]string{"return 2\n", "return 2\n--"}; got != want {
			t.Errorf("read %q, want %q", got, want)
		}
		for last := ""; last != "return 2\n----"; {
			last = (<-o.read)[1]
		}
		o.must(w.Close())
		o.write("f.lua", "return 3\n")
		if text, err := w.ReadFile("f.lua"); err != nil || string(text) != "return 3\n" {
			t.Errorf("after the sink was told, ReadFile returned %q, %v", text, err)
		}
	})
}

// TestManyChangesAreNotAllKept: beyond maxLent the sink reads the disk.
func TestManyChangesAreNotAllKept(t *testing.T) {
	d := newDisk(t)
	w, err := newWatcher(d.root, newSets(), Options{Poll: true, MaxFile: 8 << 20}.filled())
	d.must(err)
	for _, name := range []string{"a.lua", "b.lua", "c.lua"} {
		d.write(name, strings.Repeat("-", 6<<20))
		w.loop.pending.move(time.Now(), time.Now(), name)
	}
	var kept []string
	for _, f := range w.loop.findings() {
		if f.text != nil {
			kept = append(kept, f.path)
		}
	}
	if want := []string{"a.lua", "b.lua"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
	d.must(w.Close())
}
