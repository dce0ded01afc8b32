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

// Keep appends all timers to a list, between two ticks, when all of them are in the queue: the soonest
// first. data gets those that have data, and returns the number of these. O(timers), if they were in
// order.
func (t *timers) Keep(to []KeptTimer, data func(x *Timer) int) []KeptTimer {
	t.inOne()
	if !slices.IsSortedFunc(t.Queue, sooner) {
		slices.SortFunc(t.Queue, sooner) // which is a heap, too
	}
	for i, x := range t.Queue {
		x.place = i
		k := KeptTimer{x.Id, x.At, x.Every, x.retry, x.due, x.Handler, x.Ordered, -1}
		if x.Data != nil && x.Data != lua.LNil {
			k.Data = data(x)
		}
		to = append(to, k)
	}
	return to
}

// Bring makes these the timers, in place of all that there are. Belong says then whose they are.
// O(timers).
func (t *timers) Bring(list []KeptTimer, data func(i int) lua.LValue) {
	made := make([]Timer, len(list))
	clear(t.Queue)
	t.lines, t.ahead = nil, nil
	t.Queue, t.Known, t.Waiting = t.Queue[:0], make(map[uint64]*Timer, len(list)), map[string]int{}
	for i, k := range list {
		x := &made[i]
		*x = Timer{Id: k.ID, At: k.At, Every: k.Every, retry: k.Retry, due: k.Due, Handler: k.Handler, Ordered: k.Ordered, Data: lua.LNil, place: i}
		if k.Data >= 0 {
			x.Data = data(k.Data)
		}
		t.Queue, t.Known[k.ID] = append(t.Queue, x), x
	}
	heap.Init(t)
}
