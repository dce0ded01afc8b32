package hotreload

import (
	"io/fs"
	"os"
	"sync"
	"time"
)

// coarseClock is the coarsest step of modification times in use (FAT).
const coarseClock = 2 * time.Second

// poller is the notifier that compares metadata. It reads no content: that is
// left to the loop, like everything that decides.
type poller struct {
	folder           folder
	box              *inbox
	settle, interval time.Duration

	seen  map[string]metadata
	odd   map[string]bool // names whose problem was passed on
	moved time.Time       // when a poll last found a difference

	stop chan struct{}
	once sync.Once
}

// A metadata is a file's metadata. The time again is when the content must be read
// once more, because a second save within one step of the disk's clock leaves
// the metadata as it is; it is zero once that was done. It counts by our clock:
// the one of a network disk may be wrong.
type metadata struct {
	info  fs.FileInfo
	again time.Time
}

// newPoller takes the metadata first, so that every later save makes a difference.
func newPoller(f folder, box *inbox, opts Options) *poller {
	p := &poller{
		folder: f, box: box, settle: opts.Settle, interval: opts.Interval,
		odd: map[string]bool{}, stop: make(chan struct{}),
	}
	names, _ := p.list()
	p.seen = p.metadataOf(names, time.Now())
	return p
}

// watch and forget have nothing to do: each poll lists all folders.
func (p *poller) watch(string) error { return nil }
func (p *poller) forget(string)      {}

// close ends run. It may be called more than once.
func (p *poller) close() error {
	p.once.Do(func() { close(p.stop) })
	return nil
}

// run polls until close.
func (p *poller) run() {
	timer := time.NewTimer(p.interval)
	defer timer.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-timer.C:
		}
		p.poll(time.Now())
		timer.Reset(p.pause(time.Now()))
	}
}

// pause is short while a change settles: how quiet a file is can be seen only
// at several polls within the settle time.
func (p *poller) pause(now time.Time) time.Duration {
	if now.Sub(p.moved) < p.settle {
		return min(p.settle/4+1, p.interval)
	}
	return p.interval
}

// poll passes on every difference to the poll before.
func (p *poller) poll(now time.Time) {
	names, problems := p.list()
	next := p.metadataOf(names, now)
	for path, is := range next {
		was, ok := p.seen[path]
		switch {
		case !ok || !is.equal(was):
			p.move(now, path)
		case was.again.IsZero() || now.Before(was.again):
			is.again = was.again
		default:
			is.again = time.Time{}
			p.box.touch(path)
		}
		next[path] = is
	}
	for path := range p.seen {
		if _, ok := next[path]; !ok {
			p.move(now, path)
		}
	}
	p.seen = next
	p.complain(problems)
}

// move reports a file, and notes that something is happening: polls come more often
// then.
func (p *poller) move(now time.Time, path string) {
	p.moved = now
	p.box.touch(path)
}

// complain lets the loop look at a folder that cannot be listed, once.
func (p *poller) complain(problems []Problem) {
	odd := make(map[string]bool, len(problems))
	for _, problem := range problems {
		odd[problem.Path] = true
		if !p.odd[problem.Path] {
			p.box.name(problem.Path)
		}
	}
	p.odd = odd
}

// list includes folders that are called like a script: where one of them was a
// file before, it matters that it goes.
func (p *poller) list() ([]string, []Problem) {
	var folders []string
	files, problems := p.folder.walk(".", func(dir string) error {
		if dir != "." && p.folder.match(dir) {
			folders = append(folders, dir)
		}
		return nil
	})
	return append(files, folders...), problems
}

// metadataOf leaves out what cannot be looked at: for the loop it makes no
// difference whether a file came, went or changed.
func (p *poller) metadataOf(names []string, now time.Time) map[string]metadata {
	all := make(map[string]metadata, len(names))
	for _, path := range names {
		if info, err := os.Stat(p.folder.local(path)); err == nil {
			all[path] = metadata{info, now.Add(coarseClock)}
		}
	}
	return all
}

// equal tells whether the metadata is the same, and of the same file.
func (s metadata) equal(t metadata) bool {
	return s.info.Size() == t.info.Size() &&
		s.info.ModTime().Equal(t.info.ModTime()) &&
		s.info.Mode() == t.info.Mode() &&
		os.SameFile(s.info, t.info)
}
