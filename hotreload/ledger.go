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
	text []byte // kept for the host if it is changed content, see ledger.lend
	sum  digest
	err  error
}

// A difference compares a reading with what the ledger remembers.
type difference int

const (
	same    difference = iota // nothing to deliver
	changed                   // created, or other content
	moving                    // still being written: look again
	gone                      // the host may have it, and it is missing now
	broken                    // cannot be read, and that is news
)

// A ledger remembers, for each file, what the sink got last and what the
// host read since. Only if both agree with the disk is there nothing to deliver.
//
// Why both? A set may wait in a queue of the host's while the host, at work on
// the set before, reads a file. Say the waiting set removes the file, and the
// host reads what has been created in its place. To call that content known
// would be wrong: the host drops the file as soon as it comes to the waiting
// set. So a reading never silences anything, and costs at most a set that tells
// the host what it has already.
//
// Invariant: an entry exists if and only if the file was delivered, read or in
// trouble.
type ledger struct {
	mu      sync.Mutex // the loop writes, and so does ReadFile
	entries map[string]ledgerEntry
	lent    map[string][]byte // texts of the Change that the sink is working on
}

// A ledgerEntry is what the ledger remembers of one file.
type ledgerEntry struct {
	delivered *digest // content that the sink has got, or that of the baseline
	read      *digest // content that the host has read since
	trouble   string  // the last problem that was reported, "" for none
}

// digest is the SHA-256 of a file's content.
type digest = [sha256.Size]byte

// has tells whether content is what both the sink and the host have.
func (e ledgerEntry) has(s digest) bool {
	return e.delivered != nil && *e.delivered == s && (e.read == nil || *e.read == s)
}

// isFile tells whether the host may have some content of the file.
func (e ledgerEntry) isFile() bool { return e.delivered != nil || e.read != nil }

// judge decides and changes nothing, because the same file may be looked at
// again before anything is delivered.
func (l *ledger) judge(r reading) difference {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[r.path]
	switch {
	case r.err == nil && e.has(r.sum):
		return same
	case r.err == nil:
		return changed
	case r.err == errUnsettled:
		return moving
	case missing(r.err) && e.isFile():
		return gone
	case missing(r.err):
		return same
	case r.err == errFolder && !e.isFile(): // a folder that is called x.lua
		return same
	case e.trouble == r.err.Error():
		return same
	}
	return broken
}

// record remembers that the difference on a reading is being delivered. Content survives
// a problem: when the file can be read again and is as before, the host need
// not hear of it.
func (l *ledger) record(r reading, v difference) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.entries[r.path]
	switch {
	case missing(r.err):
		delete(l.entries, r.path)
		return
	case v == changed:
		e = ledgerEntry{delivered: &r.sum}
	case v == broken:
		e.trouble = r.err.Error()
	case ok && r.err == nil:
		e.trouble = ""
	default:
		return
	}
	l.entries[r.path] = e
}

// readByHost remembers which content the host has got by itself.
func (l *ledger) readByHost(path string, s digest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[path]
	e.read = &s
	l.entries[path] = e
}

// lend keeps the texts of a Change for the call of the sink that gets it, so that
// the host reads what was compared and hashed, and the disk is read once. Nil ends that.
//
// Why is that right? The entry of such a file says that the sink got this very content. If
// the disk has other content by now, it differs from the entry, so the next look finds it.
func (l *ledger) lend(texts map[string][]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent = texts
}

// take returns a text that is lent, once: after that the disk is read again.
func (l *ledger) take(path string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, ok := l.lent[path]
	delete(l.lent, path)
	return text, ok
}

// files returns the paths whose content was delivered, sorted.
func (l *ledger) files() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var files []string
	for path, e := range l.entries {
		if e.delivered != nil {
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
