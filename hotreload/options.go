package hotreload

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Options say how long a [Watcher] waits and what it looks at. The zero value
// is meant for a local disk and a person at an editor. A duration or size below
// zero counts as zero.
type Options struct {
	// Settle is how long a folder must be quiet before its files are read.
	// Zero means 60 ms: longer than any editor's pause within one save, shorter
	// than a person notices.
	Settle time.Duration

	// MaxWait bounds the wait when events keep coming: a set is looked at no
	// later than this after its first event. A file that is missing or
	// unreadable then costs one more Settle. Zero means 1 s; less than Settle
	// means Settle.
	MaxWait time.Duration

	// Poll compares the files' metadata again and again instead of listening to
	// the operating system, whose events do not cross most network disks. A
	// clock may be too coarse to tell two saves of the same size apart (2 s on
	// FAT), so each file is read once more 2 s after it changed.
	Poll bool

	// Interval is the time between two polls, and in both modes the time
	// between two checks that the folder itself still stands. Zero means
	// 500 ms.
	Interval time.Duration

	// Match picks the files, by slash-separated path relative to the folder.
	// Nil means names that end in ".lua", ".json" or ".csv", scripts and their
	// data files, and do not start with a dot. Folders
	// whose name starts with a dot are skipped whatever Match says. It is
	// called from several goroutines at once.
	Match func(path string) bool

	// MaxFile is the size in bytes above which a file is not read, and reported
	// as a Problem instead. Zero means 1 MiB.
	MaxFile int64

	// OnProblem gets each Problem that [Follow] meets, on the Watcher's goroutine;
	// [Watch] has no use for it, for its sink gets them in a Change. Nil means that
	// problems are logged as warnings by slog's default logger.
	OnProblem func(Problem)
}

// filled returns o with its defaults in place.
func (o Options) filled() Options {
	o.Settle = positive(o.Settle, 60*time.Millisecond)
	o.MaxWait = max(positive(o.MaxWait, time.Second), o.Settle)
	o.Interval = positive(o.Interval, 500*time.Millisecond)
	o.MaxFile = positive(o.MaxFile, 1<<20)
	if o.Match == nil {
		o.Match = isSource
	}
	return o
}

// positive returns n, or the default for zero and below.
func positive[N time.Duration | int64](n, zero N) N {
	if n <= 0 {
		return zero
	}
	return n
}

// isSource leaves out what editors put beside a script while they save it:
// ".f.lua.swp" and ".#f.lua" start with a dot, "f.lua~" and "f.lua___jb_tmp___"
// do not end in ".lua".
func isSource(name string) bool {
	return slices.Contains(sources, path.Ext(name)) && !hidden(name)
}

// sources is what the names of scripts and of data files end in.
var sources = []string{".lua", ".json", ".csv"}

// hidden tells whether the last element of a slash path starts with a dot. The
// folder itself, ".", is not hidden.
func hidden(name string) bool {
	return name != "." && strings.HasPrefix(path.Base(name), ".")
}
