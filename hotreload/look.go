package hotreload

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// A finding is what a look makes of one file.
type finding struct {
	reading
	difference difference
	final      bool // the look before came to the same, or there is no need to ask again
}

// look reads what moved and hands over the differences, unless some file is
// missing or unreadable for the first time: then the whole set waits once.
func (l *loop) look(now time.Time) {
	if !l.stands(now) {
		return
	}
	findings := l.findings()
	if doubts := doubtful(findings); len(doubts) > 0 && !l.pending.held {
		l.pending.held = true
		l.pending.doubt(now, doubts)
		return
	}
	change, texts := Change{Problems: l.pending.problems}, map[string][]byte{}
	l.pending = newPendingSet(l.opts)
	for _, f := range findings {
		l.settle(now, f, &change)
		if f.text != nil {
			texts[f.path] = f.text
		}
	}
	if doubts := doubtful(findings); len(doubts) > 0 {
		l.pending.doubt(now, doubts)
	}
	l.ledger.lend(texts)
	l.deliver(change)
	l.ledger.lend(nil)
}

// settle tells and records one finding, or keeps the file for the next set.
func (l *loop) settle(now time.Time, f finding, c *Change) {
	if f.difference == moving {
		l.pending.move(now, now, f.path)
	}
	if !f.final {
		return
	}
	switch f.difference {
	case changed:
		c.Changed = append(c.Changed, f.path)
	case gone:
		c.Removed = append(c.Removed, f.path)
	case broken:
		c.Problems = append(c.Problems, Problem{f.path, f.err})
	}
	l.ledger.record(f.reading, f.difference)
}

// deliver calls the sink if there is anything to tell. The paths are sorted
// already, because the files were looked at in order.
func (l *loop) deliver(c Change) {
	if len(c.Changed)+len(c.Removed)+len(c.Problems) == 0 {
		return
	}
	slices.SortStableFunc(c.Problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	l.sink.FilesChanged(c)
}

// maxLent is how many bytes of changed files are kept for the host; it reads the others
// from the disk.
const maxLent = 16 << 20

// findings looks at the files of the set and, as nothing tells when the target
// of a link is saved, at all links.
func (l *loop) findings() []finding {
	for path := range l.links {
		l.pending.paths[path] = true
	}
	var findings []finding
	kept := 0
	for _, path := range slices.Sorted(maps.Keys(l.pending.paths)) {
		f := finding{reading: l.read(path)}
		f.difference = l.ledger.judge(f.reading)
		switch f.difference {
		case same, changed:
			f.final = true
		case gone, broken:
			f.final = l.pending.doubted[path]
		}
		if kept += len(f.text); f.difference != changed || kept > maxLent {
			kept -= len(f.text)
			f.text = nil
		}
		findings = append(findings, f)
	}
	return findings
}

// doubtful returns the files that are missing or unreadable for the first time.
func doubtful(findings []finding) []string {
	var paths []string
	for _, f := range findings {
		if !f.final && f.difference != moving {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// read looks at one file, and remembers whether it is a link.
func (l *loop) read(path string) reading {
	delete(l.links, path)
	info, err := os.Lstat(l.folder.local(path))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		l.links[path] = true
	}
	text, err := l.folder.read(path)
	if err != nil {
		return reading{path: path, err: problem(path, err).Err}
	}
	return reading{path: path, text: text, sum: sha256.Sum256(text)}
}
