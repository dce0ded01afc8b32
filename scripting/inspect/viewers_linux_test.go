package inspect

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
	"unsafe"

	"github.com/coder/websocket"

	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// The ways in which a game is looked at. They take turns of a second.
const (
	unasked     = iota // there is an inspector, and nobody asks it
	oneViewer          // a viewer gets pictures
	manyViewers        // twenty do
	journaled          // a journal is kept, and nobody looks
	ways
)

const turnTicks = 60

// BenchmarkViewersOfTheDemo steps the demo with its full population twice: without an inspector, and with one that is looked at in
// four ways. Both have the same seed, so that each tick does the same work in both. The games take turns of half a frame, so that what is done beside one of them
// is done in the time that a game with 60 ticks a second has left.
//
// The time is that of the processor on the goroutine of the game, which has the systems to itself (one worker), and beside it that by the clock.
// A figure in % is the median of how much longer a tick takes than the same tick without an inspector. pictures/s is what the one viewer
// gets, or the slowest of twenty. Run it with -benchtime 2400x or more: ten turns of each way.
func BenchmarkViewersOfTheDemo(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	plain, _ := battle(b)
	looked, screen := battle(b)
	i, err := New(looked, Options{View: screen, Logger: slog.New(slog.DiscardHandler)})
	checked(b, err)
	defer i.Close()
	server := httptest.NewServer(i)
	defer server.Close()
	defer server.CloseClientConnections()
	audience := audience{b: b, i: i, url: "ws" + strings.TrimPrefix(server.URL, "http") + "/api/v1/view"}
	defer audience.leave()
	var all [ways]paired
	var rates [ways][]float64
	next := time.Now()
	for n := 0; b.Loop(); n++ {
		way := n / turnTicks % ways
		if n%turnTicks == 0 {
			audience.leave()
			checked(b, i.keepJournal(way == journaled))
			audience.join([ways]int{oneViewer: 1, manyViewers: 20}[way])
			next = time.Now()
		}
		one := &all[way]
		one.plain.step(b, plain, nil)
		next = wait(next)
		one.looked.step(b, looked, i)
		next = wait(next)
		if n%turnTicks == turnTicks-1 {
			rates[way] = append(rates[way], audience.rate())
		}
	}
	b.ReportMetric(median(all[unasked].plain.own), "tick-us")
	for way, name := range [ways]string{"unasked", "viewer", "20viewers", "journal"} {
		b.ReportMetric(more(all[way].looked.own, all[way].plain.own), name+"-%")
		b.ReportMetric(more(all[way].looked.clock, all[way].plain.clock), name+"-clock-%")
	}
	b.ReportMetric(median(rates[oneViewer]), "viewer-pictures/s")
	b.ReportMetric(median(rates[manyViewers]), "20viewers-pictures/s")
}

// BenchmarkTrailsOfTheDemo steps the demo twice in turns, with its trails and without: how much longer a tick takes with them, and a tick
// with what a viewer costs it, the copy of what is to be drawn; in %, medians of the same ticks, time of the processor on the goroutine of the game.
func BenchmarkTrailsOfTheDemo(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	files, err := scriptsWithout("prefabs.lua", "Trail {")
	checked(b, err)
	with, _ := battle(b)
	without, _ := battleOf(b, files)
	lists := [2]*kit.DrawList{}
	var ticks, viewed [2][]float64
	for k, host := range []*scripting.Host{with, without} {
		lists[k], err = kit.NewDrawList(host.World())
		checked(b, err)
	}
	for n := 0; b.Loop(); n++ {
		for k := range lists {
			k = (k + n) % 2
			began := threadTime(b)
			checked(b, []*scripting.Host{with, without}[k].Step(1.0/60))
			ticks[k] = append(ticks[k], microseconds(threadTime(b)-began))
			lists[k].Update()
			viewed[k] = append(viewed[k], microseconds(threadTime(b)-began))
		}
	}
	if len(lists[0].Trails) == 0 || len(lists[1].Trails) > 0 {
		b.Fatalf("%d and %d trails", len(lists[0].Trails), len(lists[1].Trails))
	}
	b.ReportMetric(median(ticks[0]), "tick-us")
	b.ReportMetric(more(ticks[0], ticks[1]), "trails-%")
	b.ReportMetric(more(viewed[0], viewed[1]), "viewed-trails-%")
	b.ReportMetric(float64(len(lists[0].Trails)), "trails")
}

// scriptsWithout are the scripts of the demo, without the lines of one of them that have a text.
func scriptsWithout(file, part string) (fs.FS, error) {
	files := fstest.MapFS{}
	demo := os.DirFS("../../scripts/demo")
	err := fs.WalkDir(demo, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(demo, path)
		if path == file {
			text = []byte(strings.Join(slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool { return strings.Contains(line, part) }), ""))
		}
		files[path] = &fstest.MapFile{Data: text}
		return err
	})
	return files, err
}

// wait waits for the next half of a frame. One that is late begins at once, and those after it are late as well.
func wait(last time.Time) time.Time {
	next := last.Add(time.Second / 120)
	if now := time.Now(); now.After(next) {
		return now
	}
	time.Sleep(time.Until(next))
	return next
}

// paired are the same ticks in both games, in microseconds.
type paired struct{ plain, looked stepTimes }

// stepTimes are what steps took, one by one, in microseconds: of the processor on the goroutine that made them, and by the clock.
type stepTimes struct{ own, clock []float64 }

// step makes a step, and answers questions if there is an inspector.
func (s *stepTimes) step(b *testing.B, host *scripting.Host, i *Inspector) {
	own, began := threadTime(b), time.Now()
	if err := host.Step(1.0 / 60); err != nil {
		b.Fatal(err)
	}
	i.Answer()
	s.clock = append(s.clock, microseconds(time.Since(began)))
	s.own = append(s.own, microseconds(threadTime(b)-own))
}

// threadTime is what this thread has had of the processor. Why not getrusage? It counts what the thread has had up to the last tick of the
// system's clock.
func threadTime(b *testing.B) time.Duration {
	const thisThread = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thisThread, uintptr(unsafe.Pointer(&t)), 0); failed != 0 {
		b.Fatal(failed)
	}
	return time.Duration(t.Nano())
}

// more is the median of how much more the numbers of one list are than those of the other, in %.
func more(list, than []float64) float64 {
	var parts []float64
	for k := range list {
		parts = append(parts, (list[k]/than[k]-1)*100)
	}
	return median(parts)
}

// median is the number in the middle of a list, 0 of none.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}

// audience are viewers that read pictures and say at once that they have drawn them.
type audience struct {
	b     *testing.B
	i     *Inspector
	url   string
	stop  context.CancelFunc
	all   sync.WaitGroup
	began time.Time
	got   []*atomic.Int64 // pictures of each viewer
}

// join lets so many viewers in, and waits until each has had a picture.
func (a *audience) join(viewers int) {
	ctx, stop := context.WithCancel(context.Background())
	a.stop, a.got = stop, nil
	for range viewers {
		got := new(atomic.Int64)
		a.got = append(a.got, got)
		a.all.Go(func() {
			c, _, err := websocket.Dial(ctx, a.url, &websocket.DialOptions{Subprotocols: []string{viewProtocol, protocolToken + a.i.Token()}})
			if err != nil {
				a.b.Error(err)
				return
			}
			defer c.CloseNow()
			c.SetReadLimit(1 << 24)
			into := make([]byte, 64<<10)
			for {
				_, r, err := c.Reader(ctx)
				for err == nil {
					_, err = r.Read(into)
				}
				if err != io.EOF || c.Write(ctx, websocket.MessageBinary, []byte{messageDrawn}) != nil {
					return // it leaves
				}
				got.Add(1)
			}
		})
	}
	for _, got := range a.got {
		for end := time.Now().Add(time.Minute); got.Load() == 0; time.Sleep(time.Millisecond) {
			if a.i.Answer(); time.Now().After(end) {
				a.b.Fatal("a viewer gets nothing")
			}
		}
	}
	for _, got := range a.got {
		got.Store(0)
	}
	a.began = time.Now()
}

// rate is how many pictures in a second the slowest viewer has had.
func (a *audience) rate() float64 {
	least := int64(0)
	for n, got := range a.got {
		if one := got.Load(); n == 0 || one < least {
			least = one
		}
	}
	return float64(least) / time.Since(a.began).Seconds()
}

// leave has all viewers leave.
func (a *audience) leave() {
	if a.stop == nil {
		return
	}
	a.stop()
	a.all.Wait()
	a.stop = nil
	for a.i.watch.users.Load() > 0 { // the server still notes that they have gone
		time.Sleep(time.Millisecond)
	}
}
