package tx

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTimersOfSpentScriptsWait: timers come in their order, those of a script that has used up its tick in a later one.
// They are not taken out of the heap and put back in each tick, and cancelled ones leave nothing.
func TestTimersOfSpentScriptsWait(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		var x timers
		x.Known = map[uint64]*Timer{}
		x.Waiting = map[string]int{}
		all := map[uint64]*Timer{}
		add := func(n int, now float64) {
			for range n {
				x.Last++
				made := &Timer{Id: x.Last, At: now + float64(random.IntN(4)), Script: fmt.Sprint("s", random.IntN(4)), Handler: "h"}
				all[made.Id] = made
				x.Insert(made)
			}
		}
		for now := range 40 {
			add(random.IntN(60), float64(now))
			spent, calls := map[string]bool{}, map[string]int{}
			x.Begin(float64(now))
			var order []*Timer // what must come
			for _, w := range all {
				if w.At <= x.Now {
					order = append(order, w)
				}
			}
			slices.SortFunc(order, sooner)
			for _, want := range order {
				if all[want.Id] == nil || spent[want.Script] {
					continue // cancelled, or it waits
				}
				got := x.Due(spent)
				if got != want {
					t.Fatalf("seed %d, time %d: got %+v, want %+v", seed, now, got, want)
				}
				x.Again(got, false)
				delete(all, got.Id)
				if calls[got.Script]++; calls[got.Script] == 3 {
					spent[got.Script] = true
				}
				for id, w := range all {
					if random.IntN(40) == 0 {
						x.forget(w)
						delete(all, id)
					}
				}
			}
			if got := x.Due(spent); got != nil {
				t.Fatalf("seed %d, time %d: %+v comes, too", seed, now, got)
			}
			for i, w := range x.Queue {
				if w.place != i || w.At <= x.Now && spent[w.Script] {
					t.Fatalf("seed %d: %+v is in the queue", seed, w)
				}
			}
			for script, l := range x.lines {
				gone := 0
				for _, w := range l.list {
					if all[w.Id] != w {
						gone++
					}
				}
				if gone != l.gone || 2*gone > len(l.list)+2 || !slices.IsSortedFunc(l.list, sooner) {
					t.Fatalf("seed %d: the line of %s has %d timers, %d of them gone, %d known to be", seed, script, len(l.list), gone, l.gone)
				}
			}
			if random.IntN(8) == 0 {
				if kept := x.Keep(nil, nil); len(kept) != len(all) || len(x.lines) > 0 {
					t.Fatalf("seed %d: %d of %d timers are kept", seed, len(kept), len(all))
				}
			}
			if len(x.Known) != len(all) {
				t.Fatalf("seed %d: %d timers are known, want %d", seed, len(x.Known), len(all))
			}
		}
	}
}
