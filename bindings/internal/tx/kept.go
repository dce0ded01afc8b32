package tx

import (
	"container/heap"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// KeptTimer is a timer as it was at one moment. Its data are kept elsewhere, under a number.
type KeptTimer struct {
	ID         uint64
	At, Every  float64
	Retry, Due float64
	Handler    string
	Ordered    diag.Place
	Data       int // below zero: it has none
}

// Keep appends all timers to a list, between two ticks, when all of them are in queues: the soonest
// first. data gets those that have data, and returns the number of these. O(timers), and what it takes to
// sort them if they are not in order.
func (t *timers) Keep(to []KeptTimer, data func(x *Timer) int) []KeptTimer {
	t.all = t.all[:0]
	for _, q := range t.queues { // in any order: they are sorted after that
		q.sort()
		t.all = append(t.all, q.list...)
	}
	defer clear(t.all)
	if !slices.IsSortedFunc(t.all, sooner) {
		slices.SortFunc(t.all, sooner)
	}
	for _, x := range t.all {
		k := KeptTimer{x.Id, x.At, x.Every, x.retry, x.due, x.Handler, x.Ordered, -1}
		if x.Data != nil && x.Data != lua.LNil {
			k.Data = data(x)
		}
		to = append(to, k)
	}
	return to
}

// sort puts the timers in order, which is a heap, too.
func (q *scriptTimers) sort() {
	if slices.IsSortedFunc(q.list, sooner) {
		return
	}
	slices.SortFunc(q.list, sooner)
	for i, x := range q.list {
		x.place = i
	}
}

// Bring makes these the timers, in place of all that there are. Belong says then whose they are.
// O(timers).
func (t *timers) Bring(list []KeptTimer, data func(i int) lua.LValue) {
	made := make([]Timer, len(list))
	t.queues, t.heads, t.held = nil, nil, nil
	t.Known, t.Waiting = make(map[uint64]*Timer, len(list)), map[string]int{}
	if len(list) == 0 {
		return
	}
	q := t.queueOf("") // until Belong is called
	for i, k := range list {
		x := &made[i]
		*x = Timer{Id: k.ID, At: k.At, Every: k.Every, retry: k.Retry, due: k.Due, Handler: k.Handler, Ordered: k.Ordered, Data: lua.LNil}
		if k.Data >= 0 {
			x.Data = data(k.Data)
		}
		q.Push(x)
		t.Known[k.ID] = x
	}
	heap.Init(q)
	heap.Push(&t.heads, q)
}
