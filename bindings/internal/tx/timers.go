package tx

import (
	"cmp"
	"container/heap"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/running"
)

// timers are the timers of a world.
//
// Invariant: Queue is a heap, the soonest on top, ties in order of creation; place is
// where a timer stands in it, or below zero. Known has all timers by their id, those
// that RunTimers has taken out for a moment included. Waiting counts those of each
// script, by the Script of a timer.
//
// Why a heap? Ten thousand timers of each script may be due in one tick, and each may
// cancel others and make new ones: a list in order is moved for each of them.
type timers struct {
	Queue   []*Timer
	Known   map[uint64]*Timer
	Waiting map[string]int
	Last    uint64  // id
	Now     float64 // the time up to which handlers were called
	runs    uint64  // how often they were
	Asked   []running.SlotRequest
}

// place of a timer that is not in the queue.
const away = -1

func (t *timers) Len() int { return len(t.Queue) }
func (t *timers) Less(i, j int) bool {
	a, b := t.Queue[i], t.Queue[j]
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Id, b.Id)) < 0
}

func (t *timers) Swap(i, j int) {
	q := t.Queue
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push implements heap.Interface.
func (t *timers) Push(x any) {
	x.(*Timer).place = len(t.Queue)
	t.Queue = append(t.Queue, x.(*Timer))
}

// Pop implements heap.Interface.
func (t *timers) Pop() any {
	end := len(t.Queue) - 1
	x := t.Queue[end]
	t.Queue[end] = nil
	t.Queue = t.Queue[:end]
	x.place = away
	return x
}

// Insert takes a timer in.
func (t *timers) Insert(x *Timer) {
	if t.Known == nil {
		t.Known, t.Waiting = map[uint64]*Timer{}, map[string]int{}
	}
	if t.Known[x.Id] == nil {
		t.Known[x.Id] = x
		t.Waiting[x.Script]++
	}
	heap.Push(t, x)
}

// forget ends a timer, wherever it is.
func (t *timers) forget(x *Timer) {
	if x.place != away {
		heap.Remove(t, x.place)
	}
	if delete(t.Known, x.Id); t.Waiting[x.Script] > 1 {
		t.Waiting[x.Script]--
	} else {
		delete(t.Waiting, x.Script)
	}
}

// Waiting are the timers of one handler.
type Waiting struct {
	N  int
	at map[diag.Place]bool // where they were ordered
}

// Of counts the timers of some handlers. Those without any are not in it. O(timers), however many
// handlers there are.
func (t *timers) Of(handlers []string) map[string]*Waiting {
	found := map[string]*Waiting{}
	for _, name := range handlers {
		found[name] = &Waiting{at: map[diag.Place]bool{}}
	}
	for _, x := range t.Known {
		if w := found[x.Handler]; w != nil {
			w.N++
			w.at[diag.Place{Script: x.Ordered.Script, Line: x.Ordered.Line, Column: x.Ordered.Column}] = true
		}
	}
	maps.DeleteFunc(found, func(_ string, w *Waiting) bool { return w.N == 0 })
	return found
}

// Places says where they were ordered.
func (w *Waiting) Places() string {
	list := []string{}
	for at := range w.at {
		list = append(list, at.String())
	}
	slices.Sort(list)
	if more := len(list) - maxPlaces; more > 0 {
		list = append(list[:maxPlaces], diag.Plural(more, "other place"))
	}
	return strings.Join(list, ", ")
}

// maxPlaces is how many places a verdict names for the timers of one handler.
const maxPlaces = 3

// commit makes real what a call did to the timers.
func (t *timers) commit(c *Call) {
	for _, p := range c.Timers {
		if p.Timer != nil {
			t.Insert(p.Timer)
		} else if p.Slot.Slot != "" {
			t.ask(p.Slot)
		} else if x := t.Known[p.Cancel]; x != nil {
			t.forget(x)
		}
	}
}

// MostAsked is how many saves and loads wait for the host.
const MostAsked = 64

// ask notes a save or a load for the host, once.
func (t *timers) ask(r running.SlotRequest) {
	if !slices.Contains(t.Asked, r) && len(t.Asked) < MostAsked {
		t.Asked = append(t.Asked, r)
	}
}

// Belong says anew which script the handler of each timer is part of, since handlers
// have come or gone, and makes those due at once that have failed and whose handlers are
// new.
func (t *timers) Belong(owner func(handler string) (script string), fresh map[string]bool) {
	clear(t.Waiting)
	for _, x := range t.Known {
		x.Script = owner(x.Handler)
		t.Waiting[x.Script]++
		if fresh[x.Handler] && x.retry > 0 {
			x.At, x.retry = t.Now, FirstRetry/2.0
		}
	}
	heap.Init(t)
}

// Timer is a call in the future. Times are simulation time.
type Timer struct {
	Id      uint64
	At      float64
	Every   float64 // 0: once
	retry   float64 // seconds until the next try, when the last one failed
	due     float64 // when it would have fired, had it not failed first; while retry > 0
	Handler string
	Script  string // of the handler
	Data    lua.LValue
	Ordered diag.Place // of the call that made it
	place   int        // see timers
	run     uint64     // of timers, in which it has fired last,
	beats   int        // and how often in that
}

// PendingTimer is a timer that a running call made or cancelled or, with a slot, a save or a load that
// it has asked for.
type PendingTimer struct {
	Timer  *Timer
	Cancel uint64
	Slot   running.SlotRequest
}

// maxBeats is how often a timer of ecs.every fires in one tick at most, which is for a
// second of the shortest interval; what a long tick has missed beyond that is left out.
const maxBeats = 1000

// Seconds until a failed timer is tried again.
const (
	FirstRetry = 1
	LastRetry  = 60
)

// soon is how much later than now a timer is due as well.
const soon = 1e-9

// Begin begins to call what is due at a time.
func (t *timers) Begin(now float64) { t.Now, t.runs = now, t.runs+1 }

// Due takes out the timer that is due next, nil for no timer. The handler is called then, and Again or Orphan
// says what becomes of the timer.
func (t *timers) Due() *Timer {
	if len(t.Queue) == 0 || t.Queue[0].At > t.Now+soon {
		return nil
	}
	return heap.Pop(t).(*Timer)
}

// rest leaves out what a timer has missed beyond maxBeats in one run, whatever its times are.
func (t *timers) rest(x *Timer) {
	if x.run != t.runs {
		x.run, x.beats = t.runs, 0
	}
	if x.beats++; x.beats < maxBeats || x.At > t.Now+soon {
		return
	}
	x.At += float64((math.Floor((t.Now+soon-x.At)/x.Every) + 1) * x.Every)
	for step := x.Every; x.At <= t.Now+soon; step *= 2 {
		x.At += step
	}
}

// Again puts a timer that has fired back if it is to fire once more.
func (t *timers) Again(x *Timer, undone bool) {
	switch {
	case undone:
		x.fails(min(max(x.retry*2, FirstRetry), LastRetry))
		x.At = t.Now + x.retry
	case x.Every > 0 && x.retry > 0:
		x.At = max(x.due, x.due+float64(math.Floor((t.Now-x.due)/x.Every)*x.Every)) + x.Every
		x.retry = 0
	case x.Every > 0:
		x.At = max(x.At, t.Now-float64(maxBeats*x.Every)) + x.Every
		t.rest(x)
	default:
		t.forget(x)
		return
	}
	t.Insert(x)
}

// Orphan sets a timer aside whose handler is gone, until a script declares it again.
func (t *timers) Orphan(x *Timer) {
	x.fails(LastRetry)
	x.At = math.Inf(1)
	t.Insert(x)
}

// fails notes that a timer could not do what it was due for.
func (x *Timer) fails(retry float64) {
	if x.retry == 0 {
		x.due = x.At
	}
	x.retry = retry
}
