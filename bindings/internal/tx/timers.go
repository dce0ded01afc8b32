package tx

import (
	"cmp"
	"container/heap"
	"iter"
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
// Invariant: each timer is in the queue of its script, but those that RunTimers has taken out for a moment. heads has the
// queues that have timers, but those in held. Known has all timers by their id. Waiting counts those of each
// script, by the Script of a timer.
//
// Why a heap for each script? Ten thousand timers of each may be due in one tick, and each may
// cancel others and make new ones: a list in order is moved for each of them. And those of a script that has used up its
// tick are due again in the next one: to take all of them out of one heap and put them back takes as long as several frames.
type timers struct {
	queues  map[string]*scriptTimers // by script, those with timers
	heads   timerHeads
	held    []*scriptTimers // of scripts that are spent in this tick, see Due
	all     []*Timer        // for Keep
	Known   map[uint64]*Timer
	Waiting map[string]int
	Last    uint64  // id
	Now     float64 // the time up to which handlers were called
	runs    uint64  // how often they were
	Asked   []running.SlotRequest
}

// place of what is in no heap.
const away = -1

// scriptTimers is a heap of the timers of one script, the soonest on top, ties in order of creation. The place of a timer is
// where it stands in it, or below zero.
type scriptTimers struct {
	script string
	list   []*Timer
	place  int  // in heads, or below zero
	held   bool // it is in held
}

// sooner compares timers by the order in which they come.
func sooner(a, b *Timer) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Id, b.Id)) }

func (q *scriptTimers) Len() int           { return len(q.list) }
func (q *scriptTimers) Less(i, j int) bool { return sooner(q.list[i], q.list[j]) < 0 }
func (q *scriptTimers) Swap(i, j int) {
	l := q.list
	l[i], l[j] = l[j], l[i]
	l[i].place, l[j].place = i, j
}

// Push implements heap.Interface.
func (q *scriptTimers) Push(x any) {
	x.(*Timer).place = len(q.list)
	q.list = append(q.list, x.(*Timer))
}

// Pop implements heap.Interface.
func (q *scriptTimers) Pop() any {
	end := len(q.list) - 1
	x := q.list[end]
	q.list[end] = nil
	q.list = q.list[:end]
	x.place = away
	return x
}

// timerHeads is a heap of queues, that with the soonest timer on top.
type timerHeads []*scriptTimers

func (h timerHeads) Len() int           { return len(h) }
func (h timerHeads) Less(i, j int) bool { return sooner(h[i].list[0], h[j].list[0]) < 0 }
func (h timerHeads) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push implements heap.Interface.
func (h *timerHeads) Push(x any) {
	x.(*scriptTimers).place = len(*h)
	*h = append(*h, x.(*scriptTimers))
}

// Pop implements heap.Interface.
func (h *timerHeads) Pop() any {
	end := len(*h) - 1
	q := (*h)[end]
	(*h)[end] = nil
	*h = (*h)[:end]
	q.place = away
	return q
}

// queueOf returns the queue of a script, a new one if it has no timers.
func (t *timers) queueOf(script string) *scriptTimers {
	q := t.queues[script]
	if q == nil {
		if t.queues == nil {
			t.queues = map[string]*scriptTimers{}
		}
		q = &scriptTimers{script: script, place: away}
		t.queues[script] = q
	}
	return q
}

// moved is called when the first timer of a queue may be another one.
func (t *timers) moved(q *scriptTimers) {
	switch {
	case len(q.list) == 0:
		if delete(t.queues, q.script); q.place != away {
			heap.Remove(&t.heads, q.place)
		}
	case q.held:
	case q.place == away:
		heap.Push(&t.heads, q)
	default:
		heap.Fix(&t.heads, q.place)
	}
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
	q := t.queueOf(x.Script)
	heap.Push(q, x)
	t.moved(q)
}

// forget ends a timer, wherever it is.
func (t *timers) forget(x *Timer) {
	if x.place != away {
		q := t.queues[x.Script]
		heap.Remove(q, x.place)
		t.moved(q)
	}
	if delete(t.Known, x.Id); t.Waiting[x.Script] > 1 {
		t.Waiting[x.Script]--
	} else {
		delete(t.Waiting, x.Script)
	}
}

// OfScript yields the timers of a script, in an order that follows from what was done to them.
func (t *timers) OfScript(script string) iter.Seq[*Timer] {
	return func(yield func(*Timer) bool) {
		if q := t.queues[script]; q != nil {
			for _, x := range q.list {
				if !yield(x) {
					return
				}
			}
		}
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
	t.all = t.appendAll(t.all[:0])
	t.queues, t.heads, t.held = nil, nil, nil
	clear(t.Waiting)
	for _, x := range t.all {
		x.Script = owner(x.Handler)
		t.Waiting[x.Script]++
		if fresh[x.Handler] && x.retry > 0 {
			x.At, x.retry = t.Now, FirstRetry/2.0
		}
		t.queueOf(x.Script).Push(x)
	}
	clear(t.all)
	for _, q := range t.queues {
		heap.Init(q)
		heap.Push(&t.heads, q)
	}
}

// appendAll appends all timers to a list, in an order that follows from what was done to them.
func (t *timers) appendAll(list []*Timer) []*Timer {
	for _, script := range slices.Sorted(maps.Keys(t.queues)) {
		list = append(list, t.queues[script].list...)
	}
	return list
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
func (t *timers) Begin(now float64) {
	t.Now, t.runs = now, t.runs+1
	for _, q := range t.held {
		if q.held = false; len(q.list) > 0 {
			heap.Push(&t.heads, q)
		}
	}
	clear(t.held)
	t.held = t.held[:0]
}

// Due takes out the timer that is due next, nil for no timer. The handler is called then, and Again or Orphan
// says what becomes of the timer. Those of scripts that are spent are held until the next Begin.
func (t *timers) Due(spent map[string]bool) *Timer {
	for len(t.heads) > 0 && t.heads[0].list[0].At <= t.Now+soon {
		q := t.heads[0]
		if spent[q.script] {
			heap.Pop(&t.heads)
			q.held = true
			t.held = append(t.held, q)
			continue
		}
		x := heap.Pop(q).(*Timer)
		t.moved(q)
		return x
	}
	return nil
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
