package hotreload

import (
	"crypto/sha256"
	"io/fs"
	"slices"
	"testing"
)

func TestVerdicts(t *testing.T) {
	content := func(text string) reading { return reading{path: "f.lua", sum: sha256.Sum256([]byte(text))} }
	failed := func(err error) reading { return reading{path: "f.lua", err: err} }
	type step struct {
		reading
		want verdict
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
		l := ledger{entries: map[string]entry{}}
		for i, step := range steps {
			got := l.judge(step.reading)
			if got != step.want {
				t.Errorf("%s: verdict %d of step %d, want %d", name, got, i, step.want)
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
		want       verdict
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
		l := ledger{entries: map[string]entry{"f.lua": {told: test.told, read: test.read}}}
		if got := l.judge(reading{path: "f.lua", sum: test.disk}); got != test.want {
			t.Errorf("told %v, read %v: verdict %d, want %d", test.told, test.read, got, test.want)
		}
	}
}

// TestReadingBetweenVerdictAndRecord: what the host reads meanwhile is not
// forgotten if nothing is told.
func TestReadingBetweenVerdictAndRecord(t *testing.T) {
	l := ledger{entries: map[string]entry{}}
	seen := reading{path: "f.lua", sum: sha256.Sum256([]byte("1"))}
	l.record(seen, changed)
	v := l.judge(seen)
	l.readByHost("f.lua", sha256.Sum256([]byte("2")))
	l.record(seen, v)
	if got := l.judge(seen); got != changed {
		t.Errorf("verdict %d, want changed: the host has the other content", got)
	}
}

func TestBelow(t *testing.T) {
	l := ledger{entries: map[string]entry{"a/f.lua": {}, "ab/f.lua": {}, "a/b/f.lua": {}, "f.lua": {}}}
	for dir, want := range map[string]int{".": 4, "a": 2, "a/b": 1, "b": 0, "f.lua": 1} {
		if got := l.below(dir); len(got) != want {
			t.Errorf("below %q are %q, want %d", dir, got, want)
		}
	}
	if got := l.files(); !slices.Equal(got, nil) {
		t.Errorf("files are %q, but none has content", got)
	}
}
