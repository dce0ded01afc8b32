package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// measure opens rooms, lets clients play in them, and prints what that takes.
func measure(out io.Writer, scripts fs.FS, rooms, clients int, during time.Duration) error {
	switch {
	case rooms < 1 || rooms > maxRooms:
		return fmt.Errorf("%d rooms: there can be 1 to %d", rooms, maxRooms)
	case clients < 1 || clients > maxClients:
		return fmt.Errorf("%d clients: a room can have 1 to %d", clients, maxClients)
	case during <= 0 || during > 24*time.Hour: // a number of seconds that is none comes out anywhere
		return fmt.Errorf("a time of %v: it has to be above zero, and a day at most", during)
	}
	g, err := start(scripts, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer g.stop()
	before := heap()
	began := time.Now()
	ids := make([]string, rooms)
	for i := range ids {
		if ids[i], err = g.open(); err != nil {
			return err
		}
	}
	opening := time.Since(began)
	fmt.Fprintf(out, "rooms           %d, with %d clients each\n", rooms, clients)
	fmt.Fprintf(out, "open a room     %.2f ms, by HTTP\n", ms(opening)/float64(rooms))
	fmt.Fprintf(out, "heap for each   %.0f KB\n", float64(heap()-before)/1e3/float64(rooms))

	var all sync.WaitGroup
	failures := make(chan error, rooms*clients)
	deadline := time.Now().Add(during)
	bytes := make(chan int, rooms*clients)
	for _, id := range ids {
		for k := range clients {
			all.Go(func() {
				n, err := g.wander(id, k, deadline)
				bytes <- n
				failures <- err
			})
		}
	}
	all.Wait()
	close(bytes)
	close(failures)
	slow := 0
	for failed := range failures {
		if closed := (websocket.CloseError{}); errors.As(failed, &closed) {
			slow++ // these clients share the processors with the rooms
			continue
		}
		err = errors.Join(err, failed)
	}
	total := 0
	for n := range bytes {
		total += n
	}
	g.report(out)
	fmt.Fprintf(out, "clients dropped %d of %d\n", slow, rooms*clients)
	fmt.Fprintf(out, "sent            %.1f KB/s to each client\n", float64(total)/1e3/during.Seconds()/float64(rooms*clients))
	return errors.Join(err, g.stop())
}

// wander plays until the deadline, with another direction each second, and returns how many
// bytes came.
func (g *game) wander(id string, k int, deadline time.Time) (int, error) {
	p, err := g.play(id)
	if err != nil {
		return 0, err
	}
	ways := []Steering{{X: 1}, {Y: 1}, {X: -1, Y: 0.5}, {X: 0.5, Y: -1}}
	for next := time.Now(); time.Now().Before(deadline); {
		if !time.Now().Before(next) {
			next = next.Add(time.Second)
			k++
			if err := p.steer(ways[k%len(ways)]); err != nil {
				return p.bytes, err
			}
		}
		if err := p.read(); err != nil {
			return p.bytes, err
		}
	}
	return p.bytes, p.conn.CloseNow()
}

// report prints how the rooms have done.
func (g *game) report(out io.Writer) {
	var ticks, spent, longest int64
	var dropped uint64
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, o := range g.rooms {
		ticks += o.figures.ticks.Load()
		spent += o.figures.spent.Load()
		longest = max(longest, o.figures.longest.Load())
		dropped += o.paced.Counts().Dropped
	}
	fmt.Fprintf(out, "tick            %.3f ms in the mean, %.1f ms at most, updates included\n",
		float64(spent)/1e6/float64(max(ticks, 1)), float64(longest)/1e6)
	fmt.Fprintf(out, "ticks dropped   %d of %d\n", dropped, uint64(ticks)+dropped)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// heap returns how many bytes are reachable.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
