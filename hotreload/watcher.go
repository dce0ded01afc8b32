package hotreload

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/perigee-ecs/perigee/internal/goroutine"
)

// ErrBusy is what Close returns to functions that the Watcher itself calls: Close would wait for
// them.
var ErrBusy = errors.New("called by the Watcher that it would wait for")

// A Watcher follows one folder until it is closed. Its methods may be called
// from any goroutine. The zero value watches nothing.
//
// It runs two goroutines. The notifier notices that something may have happened
// and puts it into the inbox, without ever waiting. The loop empties the inbox,
// waits for quiet, reads files and calls the sink. So events are drained while
// the sink is at work, however long it takes.
type Watcher struct {
	folder   folder
	ledger   ledger
	box      *inbox
	notifier notifier
	loop     loop

	stop     chan struct{}
	running  sync.WaitGroup
	own      [2]atomic.Uint64 // the numbers of the goroutines that Close waits for
	closing  sync.Once
	closeErr error
}

// Watch begins to watch a folder and everything below it. The content it finds
// is the baseline: the sink hears only of what differs from it later. Files that
// cannot be read are reported in a first Change.
//
// It fails if there is no such folder, or if the operating system refuses to
// watch it; Options.Poll needs no watches. The error wraps fs.ErrNotExist for what is no
// folder, and fs.ErrInvalid for a nil sink.
func Watch(dir string, sink Sink, opts Options) (*Watcher, error) {
	w, err := newWatcher(dir, sink, opts.filled())
	if err != nil {
		return nil, fmt.Errorf("watch %q: %w", dir, err)
	}
	// The notifier runs first, for events must be drained while watches are added.
	w.running.Go(func() { w.own[0].Store(uint64(goroutine.Current())); w.notifier.run() })
	if err := w.loop.start(time.Now()); err != nil {
		return nil, fmt.Errorf("watch %q: %w", dir, errors.Join(err, w.Close()))
	}
	w.running.Go(func() { w.own[1].Store(uint64(goroutine.Current())); w.loop.run(w.stop) })
	return w, nil
}

// newWatcher makes a watcher whose goroutines do not run yet.
func newWatcher(dir string, sink Sink, opts Options) (*Watcher, error) {
	if sink == nil {
		return nil, fmt.Errorf("%w: the sink is nil", fs.ErrInvalid)
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	w := &Watcher{
		folder: folder{root: root, match: opts.Match, maxFile: opts.MaxFile},
		ledger: ledger{entries: map[string]ledgerEntry{}},
		box:    newInbox(),
		stop:   make(chan struct{}),
	}
	if w.notifier, err = newNotifier(w.folder, w.box, opts); err != nil {
		return nil, err
	}
	w.loop = newLoop(w, sink, opts)
	return w, nil
}

// newNotifier chooses how the watcher notices that something has happened.
func newNotifier(f folder, box *inbox, opts Options) (notifier, error) {
	if opts.Poll {
		return newPoller(f, box, opts), nil
	}
	return newEvents(f, box)
}

// Files returns the slash-separated paths of the files of the baseline and of
// all sets since, without the removed ones, sorted.
func (w *Watcher) Files() []string {
	if !w.made() {
		return nil
	}
	return w.ledger.files()
}

// made reports whether Watch has made the watcher.
func (w *Watcher) made() bool { return w != nil && w.stop != nil }

// ReadFile returns the content of a file below the watched folder, and remembers
// it: should the file on the disk turn out to differ from the bytes returned,
// it leads to a Change, even if it is back at what it was at the last Change. A
// host that reads by other means can miss such an undo. During a call of the
// sink, the first ReadFile of each changed file returns the very content that
// led to the Change, without reading the disk again.
//
// The name is slash-separated and relative to the folder. The error wraps
// fs.ErrNotExist for a missing file, or fs.ErrInvalid for a name that is no such path.
func (w *Watcher) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) || !w.made() {
		return nil, problem(name, fs.ErrInvalid)
	}
	if text, ok := w.ledger.take(name); ok {
		return text, nil
	}
	text, err := w.folder.read(name)
	if err != nil {
		return nil, problem(name, err)
	}
	if w.folder.follows(name) {
		w.ledger.readByHost(name, sha256.Sum256(text))
	}
	return text, nil
}

// Close ends the watch. It waits for a running call of the sink, and none comes
// after it. So a function that the Watcher calls cannot close it: the sink, a Stager,
// Options.Match and OnProblem get [ErrBusy], and the watch goes on. Nor may these wait for
// another goroutine that closes it. Closing again does nothing and returns the same error.
func (w *Watcher) Close() error {
	if !w.made() {
		return nil
	}
	if me := uint64(goroutine.Current()); me == w.own[0].Load() || me == w.own[1].Load() {
		return fmt.Errorf("close the watch of %q: %w", w.folder.root, ErrBusy)
	}
	w.closing.Do(func() {
		close(w.stop)
		w.closeErr = w.notifier.close()
		w.running.Wait()
	})
	return w.closeErr
}
