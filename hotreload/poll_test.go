package hotreload

import (
	"os"
	"slices"
	"testing"
	"time"
)

// polled polls once and returns the names that were touched.
func (p *poller) polled(at time.Time) []string {
	p.poll(at)
	var names []string
	for name := range p.box.take().touched {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func newTestPoller(d disk) *poller {
	opts := Options{}.filled()
	return newPoller(folder{d.root, opts.Match, opts.MaxFile}, newInbox(), opts)
}

// TestCoarseClock saves again with the same size within one step of the disk's
// clock: the metadata is the same, and only a second reading can tell.
func TestCoarseClock(t *testing.T) {
	d := newDisk(t)
	p := newTestPoller(d)
	now := time.Now()
	p.polled(now.Add(time.Hour)) // the second reading of what was there at first
	d.write("f.lua", "return 22")
	if got := p.polled(now); len(got) != 1 {
		t.Fatalf("touched %q after a save", got)
	}
	info, err := os.Stat(d.path("f.lua"))
	d.must(err)
	d.write("f.lua", "return 33")
	d.must(os.Chtimes(d.path("f.lua"), info.ModTime(), info.ModTime()))
	if got := p.polled(now.Add(coarseClock - 1)); len(got) != 0 {
		t.Errorf("touched %q, though the metadata is the same", got)
	}
	if got := p.polled(now.Add(coarseClock)); len(got) != 1 {
		t.Errorf("touched %q, want f.lua once more", got)
	}
	if got := p.polled(now.Add(2 * coarseClock)); len(got) != 0 {
		t.Errorf("touched %q, though it was read twice", got)
	}
}

// TestReplacedFileWithSameMetadata is what cp -p and mv can do.
func TestReplacedFileWithSameMetadata(t *testing.T) {
	d := newDisk(t)
	info, err := os.Stat(d.path("f.lua"))
	d.must(err)
	p := newTestPoller(d)
	d.write("tmp", "return 9\n")
	d.must(os.Chtimes(d.path("tmp"), info.ModTime(), info.ModTime()))
	d.rename("tmp", "f.lua")
	if got := p.polled(time.Now()); len(got) != 1 {
		t.Errorf("touched %q, want f.lua", got)
	}
}

func TestPollIsQuickWhileAFileSettles(t *testing.T) {
	d := newDisk(t)
	p := newTestPoller(d)
	now := time.Now()
	if got := p.pause(now); got != 500*time.Millisecond {
		t.Errorf("pause of %v at rest", got)
	}
	d.write("f.lua", edited)
	p.poll(now)
	if got := p.pause(now); got > 20*time.Millisecond {
		t.Errorf("pause of %v while a file settles", got)
	}
	if got := p.pause(now.Add(p.settle)); got != 500*time.Millisecond {
		t.Errorf("pause of %v after that", got)
	}
}
