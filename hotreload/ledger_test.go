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
		if !e.known && e.told == "" {
			t.Errorf("%q has an entry without reason", path)
		}
	}
}

// TestVerdictDoesNotUndoReadFile: the host reads newer content between a verdict
// and its record. What the host has must stay known.
func TestVerdictDoesNotUndoReadFile(t *testing.T) {
	l := ledger{entries: map[string]entry{}}
	one, two := sha256.Sum256([]byte("1")), sha256.Sum256([]byte("2"))
	l.know("f.lua", one)
	seen := reading{path: "f.lua", sum: one}
	v := l.judge(seen)
	l.know("f.lua", two)
	l.record(seen, v)
	if got := l.judge(seen); got != changed {
		t.Errorf("verdict %d, want changed: the host runs the other content", got)
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
