package hotreload

import (
	"sync"
	"time"
)

// maxNews bounds the memory of an inbox while the sink takes its time. Beyond
// it, looking at every file is cheaper than remembering which ones moved.
const maxNews = 4096

// An inbox stands between the notifier, which must never wait, and the loop,
// which waits for disks and for the sink. News merge, so it stays small.
type inbox struct {
	wake chan struct{} // holds one token while there is news
	mu   sync.Mutex
	news news
}

// news is what a notifier reported since the last take.
type news struct {
	touched     map[string]bool // files that may have other content now
	named       map[string]bool // names that came or went: perhaps folders
	rescan      bool            // events were lost: all of the above, for everything
	problems    []Problem
	first, last time.Time // when the first and the last file was touched
}

// newInbox returns an inbox without news.
func newInbox() *inbox {
	return &inbox{wake: make(chan struct{}, 1)}
}

// touch reports that a file may have changed. Only this moves the quiet time:
// a log file beside the scripts must not hold them up.
func (b *inbox) touch(path string) {
	b.update(func(n *news) {
		n.last = time.Now()
		if n.first.IsZero() {
			n.first = n.last
		}
		add(&n.touched, path)
	})
}

// name reports that a name came or went.
func (b *inbox) name(path string) {
	b.update(func(n *news) { add(&n.named, path) })
}

// lose reports that events were lost.
func (b *inbox) lose(p Problem) {
	b.update(func(n *news) {
		n.rescan = true
		n.problems = appendNew(n.problems, p)
	})
}

// update changes the news and wakes the loop. Beyond maxNews the names are dropped,
// and all files are looked at instead.
func (b *inbox) update(change func(*news)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.news)
	if len(b.news.touched)+len(b.news.named) > maxNews {
		b.news.touched, b.news.named, b.news.rescan = nil, nil, true
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take empties the inbox.
func (b *inbox) take() news {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.news
	b.news = news{}
	return n
}

// add puts a path into a set, which it makes if there is none.
func add(set *map[string]bool, path string) {
	if *set == nil {
		*set = make(map[string]bool)
	}
	(*set)[path] = true
}

// appendNew keeps a storm of equal errors from growing the list.
func appendNew(list []Problem, p Problem) []Problem {
	for _, old := range list {
		if old.Error() == p.Error() {
			return list
		}
	}
	return append(list, p)
}
