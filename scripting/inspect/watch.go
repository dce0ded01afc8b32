package inspect

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// watch sums up ticks while somebody looks.
//
// Invariant: a function of OnTick is there only if users was above zero at the last tick, or
// since. users counts the streams and traces that are open, the sums of metrics, and who looks at ticks that are kept.
type watch struct {
	users  atomic.Int32
	remove func() // of the function of OnTick; nil: there is none. Of the goroutine of the host

	mu     sync.Mutex // guards what follows; held for copying only
	window window
	trace  *recording // that is being recorded; may be nil
	flames flames     // the last ticks, run by run
}

// window is what ticks were like since it was taken last.
type window struct {
	ticks     int
	took, max time.Duration
	systems   []systemWindow
}

// systemWindow is the part of one system.
type systemWindow struct {
	name              string
	took, max         time.Duration // with what its commands and observers took
	runs, rows, fails int
}

// attend begins to watch; the caller calls leave when it no longer looks.
func (i *Inspector) attend(ctx context.Context) (leave func(), err error) {
	i.watch.users.Add(1)
	leave = func() { i.watch.users.Add(-1) }
	if err = i.ask(ctx, i.hook); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// hook adds the function at ticks, if it is not there; for the goroutine of the host.
func (i *Inspector) hook() (err error) {
	if i.watch.remove == nil {
		i.watch.remove, err = i.world.Schedule().OnTick(i.onTick)
	}
	return err
}

// onTick is called at the end of each step while somebody looks.
func (i *Inspector) onTick(r *ecs.TickReport) {
	w := &i.watch
	w.leaveTicks(r.Began)
	if w.users.Load() == 0 || i.isClosed() {
		w.remove()
		w.remove = nil
		return
	}
	if l := i.options.Loop; l != nil && l.Paused() {
		i.show() // a single step: no tick follows
	} else {
		i.paint()
	}
	i.metrics.add(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.window.add(r)
	w.flames.add(r)
	if w.trace != nil && w.trace.add(r) {
		close(w.trace.full)
		w.trace = nil
	}
}

// leaveTicks no longer keeps ticks once nobody has asked for them for long.
func (w *watch) leaveTicks(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flames.left(now) {
		w.users.Add(-1)
	}
}

// add adds a tick.
func (w *window) add(r *ecs.TickReport) {
	w.ticks++
	w.took += r.Took
	w.max = max(w.max, r.Took)
	if !w.fits(r.Systems) {
		w.systems = make([]systemWindow, len(r.Systems))
		for k := range r.Systems {
			w.systems[k].name = r.Systems[k].Name
		}
	}
	for k := range r.Systems {
		s, of := &w.systems[k], &r.Systems[k]
		took := of.Total()
		s.took += took
		s.max = max(s.max, took)
		s.runs, s.rows, s.fails = s.runs+of.Runs, s.rows+of.Rows, s.fails+of.Failures
	}
}

// fits reports whether a window is of these systems.
func (w *window) fits(list []ecs.SystemReport) bool {
	if len(w.systems) != len(list) {
		return false
	}
	for k := range list {
		if w.systems[k].name != list[k].Name {
			return false
		}
	}
	return true
}

// take returns what ticks were like since the last call.
func (w *watch) take() window {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.window
	w.window = window{}
	return all
}
