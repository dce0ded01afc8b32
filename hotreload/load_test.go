package hotreload

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestBurst saves 1,000 times as fast as the disk takes it. How many sets this
// makes is the machine's affair; the last content must win.
func TestBurst(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newDisk(t), opts)
		defer r.close()
		for i := range 1000 {
			r.write("f.lua", fmt.Sprintf("return %04d", i))
		}
		for text := ""; text != "return 0999"; {
			for _, name := range (<-r.sets).Changed {
				got, err := r.w.ReadFile(name)
				r.must(err)
				text = string(got)
			}
		}
		// A busy machine may tell the last text once more, but nothing else.
		r.write("zz.lua", "return 1")
		for told := false; !told; {
			for _, name := range (<-r.sets).Changed {
				told = told || name == "zz.lua"
				if name != "zz.lua" && name != "f.lua" {
					t.Errorf("%s was told, which nobody wrote", name)
				}
			}
		}
	})
}

// slow is a sink that is busy with its first set until it is let go.
type slow struct {
	sets
	first     *sync.Once
	busy, let chan struct{}
}

func newSlow() slow {
	return slow{newSets(), new(sync.Once), make(chan struct{}), make(chan struct{})}
}

func (s slow) FilesChanged(c Change) {
	s.first.Do(func() { close(s.busy); <-s.let })
	s.sets.FilesChanged(c)
}

// TestEventsAreDrainedWhileTheSinkIsAtWork sends on fsnotify's own channels,
// which have no room: each send is over only when the event was taken.
func TestEventsAreDrainedWhileTheSinkIsAtWork(t *testing.T) {
	d := newDisk(t)
	sink := newSlow()
	w, err := Watch(d.root, sink, Options{})
	d.must(err)
	r := rig{d, w, sink.sets}
	defer r.close()
	r.write("f.lua", edited)
	<-sink.busy
	notify := w.notifier.(*events).notify
	for i := range 3 * maxNews {
		notify.Events <- fsnotify.Event{Name: r.path(fmt.Sprintf("%d.lua", i)), Op: fsnotify.Write}
		if i%1000 == 0 {
			notify.Errors <- fsnotify.ErrEventOverflow
		}
	}
	r.mkdir("a")
	r.write("a/g.lua", edited)
	close(sink.let)
	r.await(outcome{"f.lua": "changed", "a/g.lua": "changed", ".": fsnotify.ErrEventOverflow.Error()})
	r.nothingElse()
}

// TestOverflowIsAnsweredByARescan takes the watch away, so that a save raises no
// event, and then reports lost events in the way fsnotify does.
func TestOverflowIsAnsweredByARescan(t *testing.T) {
	r := watching(newTree(t), Options{})
	defer r.close()
	notify := r.w.notifier.(*events).notify
	for _, dir := range []string{".", "a", "a/b"} {
		r.must(notify.Remove(r.path(dir)))
	}
	r.write("a/b/g.lua", edited)
	r.mkdir("c")
	r.write("c/h.lua", edited)
	r.remove("f.lua")
	notify.Errors <- fsnotify.ErrEventOverflow
	r.await(outcome{
		"a/b/g.lua": "changed", "c/h.lua": "changed", "f.lua": "removed",
		".": fsnotify.ErrEventOverflow.Error(),
	})
	r.write("a/b/g.lua", "return 3")
	r.await(outcome{"a/b/g.lua": "changed"})
	r.nothingElse()
}

// BenchmarkSave measures from the start of a save until the sink is called. The
// settle time, 60 ms, is part of it. Polling adds half an interval on average;
// here it is short, so that its own cost shows.
func BenchmarkSave(b *testing.B) {
	for name, opts := range map[string]Options{
		"events": {},
		"poll":   {Poll: true, Interval: 20 * time.Millisecond},
	} {
		b.Run(name, func(b *testing.B) {
			r := watching(newDisk(b), opts)
			defer r.close()
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				r.write("f.lua", fmt.Sprint("return ", i))
				took = append(took, (<-r.sets).at.Sub(start))
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-median")
		})
	}
}
