package hotreload

import "time"

// A pendingSet gathers the files that moved until they are quiet.
//
// It is empty, or waiting (some files moved), or held (a look found a file
// missing or unreadable, and the whole set waits for a second one). A pendingSet is
// held once: what turns doubtful only at the second look starts the next pendingSet.
type pendingSet struct {
	settle, maxWait time.Duration

	paths    map[string]bool
	doubted  map[string]bool // were missing or unreadable at the look before
	problems []Problem       // to be handed over with the set
	held     bool
	last     time.Time // of the last move
	latest   time.Time // look then, even if files still move
}

// newPendingSet returns an empty set.
func newPendingSet(opts Options) pendingSet {
	return pendingSet{settle: opts.Settle, maxWait: opts.MaxWait, paths: map[string]bool{}, doubted: map[string]bool{}}
}

// move adds files that moved between first and last.
func (b *pendingSet) move(first, last time.Time, paths ...string) {
	for _, path := range paths {
		b.paths[path] = true
	}
	if last.After(b.last) {
		b.last = last
	}
	if b.latest.IsZero() {
		b.latest = first.Add(b.maxWait)
	}
}

// complain adds a problem to the set.
func (b *pendingSet) complain(p Problem) {
	b.problems = appendNew(b.problems, p)
}

// due returns when to look, and false if there is nothing to look at.
func (b *pendingSet) due() (time.Time, bool) {
	quiet := b.last.Add(b.settle)
	if quiet.After(b.latest) {
		quiet = b.latest
	}
	return quiet, !b.latest.IsZero()
}

// doubt remembers what was missing or unreadable, to be looked at once more
// after another settle.
func (b *pendingSet) doubt(now time.Time, paths []string) {
	for _, path := range paths {
		b.doubted[path] = true
	}
	b.move(now, now, paths...)
	if again := now.Add(b.settle); again.After(b.latest) {
		b.latest = again
	}
}
