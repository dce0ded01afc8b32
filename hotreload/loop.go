package hotreload

import (
	"io/fs"
	"maps"
	"slices"
	"time"
)

// A loop is what one goroutine owns: which folders are watched, and the set
// that is settling. News come from the inbox, time from its timers.
type loop struct {
	folder   folder
	ledger   *ledger
	box      *inbox
	notifier notifier
	sink     Sink
	opts     Options

	pending pendingSet
	dirs    map[string]bool // folders with a watch
	links   map[string]bool // files that are links: their target may change unseen
	root    fs.FileInfo     // the folder that is watched; nil while it is missing or new
	lost    bool            // it was reported that the folder is missing
}

// newLoop ties a loop to its watcher; start begins it.
func newLoop(w *Watcher, sink Sink, opts Options) loop {
	return loop{
		folder: w.folder, ledger: &w.ledger, box: w.box, notifier: w.notifier, sink: sink, opts: opts,
		pending: newPendingSet(opts), dirs: map[string]bool{}, links: map[string]bool{},
	}
}

// start takes the baseline. What cannot be read goes into the first set.
func (l *loop) start(now time.Time) error {
	info, err := l.folder.stat()
	if err != nil {
		return err
	}
	l.root = info
	files, problems := l.folder.walk(".", l.watch)
	for _, p := range problems {
		if p.Path == "." {
			return p.Err
		}
		l.complain(now, p)
	}
	for _, path := range files {
		r := l.read(path)
		if r.err != nil {
			l.pending.move(now, now, path)
			continue
		}
		l.ledger.record(r, changed)
	}
	return nil
}

// run ends when stop is closed. The timer runs if the set is not empty, and
// once at first, because start may have left something in it.
func (l *loop) run(stop <-chan struct{}) {
	beat := time.NewTicker(l.opts.Interval)
	defer beat.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-l.box.wake:
		case <-beat.C:
			l.check(time.Now())
		case <-timer.C:
		}
		l.collect(time.Now())
		if l.ready(time.Now()) {
			l.look(time.Now())
		}
		if due, ok := l.pending.due(); ok {
			timer.Reset(time.Until(due))
		}
	}
}

// ready tells whether the set has been quiet for long enough.
func (l *loop) ready(now time.Time) bool {
	due, ok := l.pending.due()
	return ok && !now.Before(due)
}

// collect moves the news into the set, and puts watches on new folders at
// once, so that writing in there counts towards the quiet time.
func (l *loop) collect(now time.Time) {
	n := l.box.take()
	if len(n.touched) > 0 {
		l.pending.move(n.first, n.last, slices.Collect(maps.Keys(n.touched))...)
	}
	for _, p := range n.problems {
		l.complain(now, p)
	}
	switch {
	case n.named["."]:
		l.replaced(now)
	case n.rescan:
		l.forget(now, ".")
		l.survey(now, ".")
	default:
		l.renamed(now, n.named)
	}
}
