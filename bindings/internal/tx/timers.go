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
// Invariant: Queue is a heap, the soonest on top, ties in order of creation; place is
// where a timer stands in it, or below zero. Those in lines are not in Queue. Known has all timers by their id, those
// that RunTimers has taken out for a moment included. Waiting counts those of each
// script, by the Script of a timer.
//
// Why a heap? Ten thousand timers of each script may be due in one tick, and each may
// cancel others and make new ones: a list in order is moved for each of them.
//
// Why lines? The timers of a script that has used up its tick are due again in the next one. To take a hundred
// thousand of them out of the heap and put them back in each tick takes as long as several frames.
type timers struct {
	Queue   []*Timer
	lines   map[string]*line // by script: its timers that were due when it had used up what it may use in a tick
	ahead   lineHeap         // those of lines that may come in the tick at hand, see Begin
	Known   map[uint64]*Timer
	Waiting map[string]int
	Last    uint64  // id
	Now     float64 // the time up to which handlers were called
	runs    uint64  // how often they were
	Asked   []running.SlotRequest
}

// place of a timer that is not in the queue: nowhere, or in a line.
const (
	away   = -1
	inLine = -2
)

// line has timers of one script that are due, in the order in which they come. Those that are not Known any more were
// cancelled: gone counts them. They are at most half of the list, and the first of it, by which the line has its place
// in a heap.
type line struct {
	script string
	list   []*Timer
	gone   int
}

// lineHeap has the line on top whose first timer comes first.
type lineHeap []*line

func (h lineHeap) Len() int           { return len(h) }
func (h lineHeap) Less(i, j int) bool { return sooner(h[i].list[0], h[j].list[0]) < 0 }
func (h lineHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *lineHeap) Push(x any) { *h = append(*h, x.(*line)) }

// Pop implements heap.Interface.
func (h *lineHeap) Pop() any {
	end := len(*h) - 1
	l := (*h)[end]
	*h = (*h)[:end]
	return l
}

// sooner compares timers by the order in which they come.
func sooner(a, b *Timer) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Id, b.Id)) }

// wait puts a timer that is due into the line of its script.
func (t *timers) wait(x *Timer) {
	l := t.lines[x.Script]
	if l == nil {
		if t.lines == nil {
			t.lines = map[string]*line{}
		}
		l = &line{script: x.Script}
		t.lines[x.Script] = l
	}
	x.place = inLine
	at := len(l.list)
	if at > 0 && sooner(x, l.list[at-1]) < 0 {
		at, _ = slices.BinarySearchFunc(l.list, x, sooner)
	}
	l.list = slices.Insert(l.list, at, x)
}

// left takes note that a timer in a line is not Known any more.
func (t *timers) left(x *Timer) {
	l := t.lines[x.Script]
	if l.gone++; 2*l.gone <= len(l.list)+2 {
		return
	}
	cancelled := func(x *Timer) bool { return t.Known[x.Id] != x }
	l.list = l.list[:1+len(slices.DeleteFunc(l.list[1:], cancelled))]
	if l.gone = 0; cancelled(l.list[0]) {
		l.gone = 1
	}
}

// first returns the first timer of a line, nil for none.
func (t *timers) first(l *line) *Timer {
	for len(l.list) > 0 {
		if x := l.list[0]; t.Known[x.Id] == x {
			return x
		}
		l.list, l.gone = l.list[1:], l.gone-1
	}
	return nil
}

// OfScript yields the timers of a script, in an order that follows from what was done to them.
func (t *timers) OfScript(script string) iter.Seq[*Timer] {
	return func(yield func(*Timer) bool) {
		waiting := []*Timer(nil)
		if l := t.lines[script]; l != nil {
			waiting = l.list
		}
		for _, list := range [][]*Timer{t.Queue, waiting} {
			for _, x := range list {
				if x.Script == script && t.Known[x.Id] == x && !yield(x) {
					return
				}
			}
		}
	}
}

// inOne puts the timers of all lines back into Queue, which need not be a heap then. O(timers in lines).
func (t *timers) inOne() {
	for _, l := range t.lines {
		for _, x := range l.list {
			if t.Known[x.Id] == x {
				x.place = len(t.Queue)
				t.Queue = append(t.Queue, x)
			}
		}
	}
	t.lines, t.ahead = nil, nil
}

func (t *timers) Len() int { return len(t.Queue) }
func (t *timers) Less(i, j int) bool {
	return sooner(t.Queue[i], t.Queue[j]) < 0
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
	lined := x.place == inLine
	if x.place >= 0 {
		heap.Remove(t, x.place)
	}
	if delete(t.Known, x.Id); t.Waiting[x.Script] > 1 {
		t.Waiting[x.Script]--
	} else {
		delete(t.Waiting, x.Script)
	}
	if lined {
		t.left(x)
		x.place = away
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
	t.inOne()
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
func (t *timers) Begin(now float64) {
	t.Now, t.runs, t.ahead = now, t.runs+1, t.ahead[:0]
	for script, l := range t.lines {
		if t.first(l) == nil {
			delete(t.lines, script)
		} else {
			t.ahead = append(t.ahead, l)
		}
	}
	heap.Init(&t.ahead)
}

// Due takes out the timer that is due next, nil for no timer. The handler is called then, and Again or Orphan
// says what becomes of the timer. Those of scripts that are spent wait for the next Begin.
func (t *timers) Due(spent map[string]bool) *Timer {
	for len(t.Queue) > 0 && t.Queue[0].At <= t.Now+soon && spent[t.Queue[0].Script] {
		t.wait(heap.Pop(t).(*Timer))
	}
	due := len(t.Queue) > 0 && t.Queue[0].At <= t.Now+soon
	l := t.nextLine(spent)
	switch {
	case l != nil && (!due || sooner(l.list[0], t.Queue[0]) < 0):
		x := l.list[0]
		x.place, l.list[0] = away, nil
		if l.list = l.list[1:]; t.first(l) != nil {
			heap.Fix(&t.ahead, 0)
		} else {
			heap.Pop(&t.ahead)
			delete(t.lines, l.script)
		}
		return x
	case due:
		return heap.Pop(t).(*Timer)
	}
	return nil
}

// nextLine returns the line whose first timer comes first, of scripts that are not spent; nil for none.
func (t *timers) nextLine(spent map[string]bool) *line {
	for len(t.ahead) > 0 {
		l := t.ahead[0]
		switch x := l.list; {
		case t.first(l) == nil:
			heap.Pop(&t.ahead)
			delete(t.lines, l.script)
		case spent[l.script]:
			heap.Pop(&t.ahead)
		case len(l.list) < len(x): // some before it were cancelled
			heap.Fix(&t.ahead, 0)
		default:
			return l
		}
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
