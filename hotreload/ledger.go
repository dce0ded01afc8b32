package hotreload

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
)

// A reading is what one look at a file found: the hash of its content, or why
// there is none.
type reading struct {
	path string
	sum  [sha256.Size]byte
	err  error
}

// A verdict compares a reading with what is known.
type verdict int

const (
	same    verdict = iota // nothing to tell
	changed                // created, or other content
	moving                 // still being written: look again
	gone                   // known, and missing now
	broken                 // cannot be read, and that is news
)

// A ledger knows what the sink was told about each file, or the host read.
//
// Invariant: an entry exists if and only if its file is known or its problem
// was told.
type ledger struct {
	mu      sync.Mutex // the loop writes, and so does ReadFile
	entries map[string]entry
}

type entry struct {
	known bool // sum is what the host has
	sum   [sha256.Size]byte
	told  string // the problem last told, "" for none
}

// judge decides and changes nothing, because the same file may be looked at
// again before anything is told.
func (l *ledger) judge(r reading) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[r.path]
	switch {
	case r.err == nil && e.known && e.sum == r.sum:
		return same
	case r.err == nil:
		return changed
	case r.err == errUnsettled:
		return moving
	case missing(r.err) && e.known:
		return gone
	case missing(r.err):
		return same
	case r.err == errFolder && !e.known: // a folder that is called x.lua
		return same
	case e.told == r.err.Error():
		return same
	}
	return broken
}

// record makes a reading the known state, given the verdict on it. The content
// known survives a problem: when the file can be read again and is as before,
// the host need not hear of it.
func (l *ledger) record(r reading, v verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.entries[r.path]
	switch {
	case missing(r.err):
		delete(l.entries, r.path)
		return
	case v == changed:
		e = entry{known: true, sum: r.sum}
	case v == broken:
		e.told = r.err.Error()
	case ok && r.err == nil:
		// The sum stays as it is: ReadFile may have set it since the verdict.
		e.told = ""
	default:
		return
	}
	l.entries[r.path] = e
}

// know makes content the known one that nobody needs to be told of.
func (l *ledger) know(path string, sum [sha256.Size]byte) {
	l.record(reading{path: path, sum: sum}, changed)
}

// files returns the paths with known content, sorted.
func (l *ledger) files() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var files []string
	for path, e := range l.entries {
		if e.known {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return files
}

// below returns the paths of all entries in a folder and its subfolders.
func (l *ledger) below(dir string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var paths []string
	for path := range l.entries {
		if inside(path, dir) {
			paths = append(paths, path)
		}
	}
	return paths
}

// inside tells whether a slash path is dir or lies below it.
func inside(path, dir string) bool {
	return dir == "." || path == dir || strings.HasPrefix(path, dir+"/")
}
