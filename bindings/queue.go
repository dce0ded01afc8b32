package bindings

import (
	"cmp"
	"container/heap"
)

// timers are the timers of a world.
//
// Invariant: queue is a heap, the soonest on top, ties in order of creation; place is
// where a timer stands in it, or below zero. known has all timers by their id, those
// that RunTimers has taken out for a moment included. waiting counts those of each
// script, by what script says of a timer.
//
// Why a heap? Ten thousand timers of each script may be due in one tick, and each may
// cancel others and make new ones: a list in order is moved for each of them.
type timers struct {
	queue   []*timer
	known   map[uint64]*timer
	waiting map[string]int
	last    uint64  // id
	now     float64 // the time up to which handlers were called
}

// place of a timer that is not in the queue.
const away = -1

func (t *timers) Len() int { return len(t.queue) }
func (t *timers) Less(i, j int) bool {
	a, b := t.queue[i], t.queue[j]
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) < 0
}

func (t *timers) Swap(i, j int) {
	q := t.queue
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push implements heap.Interface.
func (t *timers) Push(x any) {
	x.(*timer).place = len(t.queue)
	t.queue = append(t.queue, x.(*timer))
}

// Pop implements heap.Interface.
func (t *timers) Pop() any {
	end := len(t.queue) - 1
	x := t.queue[end]
	t.queue[end] = nil
	t.queue = t.queue[:end]
	x.place = away
	return x
}

// insert takes a timer in.
func (t *timers) insert(x *timer) {
	if t.known == nil {
		t.known, t.waiting = map[uint64]*timer{}, map[string]int{}
	}
	if t.known[x.id] == nil {
		t.known[x.id] = x
		t.waiting[x.script]++
	}
	heap.Push(t, x)
}

// forget ends a timer, wherever it is.
func (t *timers) forget(x *timer) {
	if x.place != away {
		heap.Remove(t, x.place)
	}
	if delete(t.known, x.id); t.waiting[x.script] > 1 {
		t.waiting[x.script]--
	} else {
		delete(t.waiting, x.script)
	}
}

// commit makes real what a call did to the timers.
func (t *timers) commit(c *call) {
	for _, p := range c.timers {
		if p.timer != nil {
			t.insert(p.timer)
		} else if x := t.known[p.cancel]; x != nil {
			t.forget(x)
		}
	}
}

// belong says anew which script the handler of each timer is part of, since handlers
// have come or gone, and makes those due at once that have failed and whose handlers are
// new.
func (t *timers) belong(handlers map[string]*handler, fresh map[string]bool) {
	clear(t.waiting)
	for _, x := range t.known {
		x.script = ""
		if h := handlers[x.handler]; h != nil {
			x.script = h.script
		}
		t.waiting[x.script]++
		if fresh[x.handler] && x.retry > 0 {
			x.at, x.retry = t.now, firstRetry/2.0
		}
	}
	heap.Init(t)
}
