package tx

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTimersOfSpentScriptsWait: timers come in their order, those of a script that has used up its tick in a later one.
// Cancelled ones leave nothing.
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
			inQueues := 0
			for script, q := range x.queues {
				inQueues += len(q.list)
				for i, w := range q.list {
					if w.place != i || all[w.Id] != w || w.Script != script {
						t.Fatalf("seed %d: %+v is in the queue of %s", seed, w, script)
					}
				}
				if len(q.list) == 0 || q.held == (q.place != away) || q.held && !spent[script] {
					t.Fatalf("seed %d: the queue of %s has %d timers, place %d, held: %v", seed, script, len(q.list), q.place, q.held)
				}
			}
			if inQueues != len(all) {
				t.Fatalf("seed %d: %d timers are in queues, want %d", seed, inQueues, len(all))
			}
			if random.IntN(8) == 0 {
				if kept := x.Keep(nil, nil); len(kept) != len(all) || !slices.IsSortedFunc(kept, func(a, b KeptTimer) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID)) }) {
					t.Fatalf("seed %d: %d of %d timers are kept", seed, len(kept), len(all))
				}
			}
			if len(x.Known) != len(all) {
				t.Fatalf("seed %d: %d timers are known, want %d", seed, len(x.Known), len(all))
			}
		}
	}
}

// TestSpentTimersStay: the timers of a script that has used up its tick stay where they are, however many are due.
func TestSpentTimersStay(t *testing.T) {
	var x timers
	for i := range 1000 {
		x.Insert(&Timer{Id: uint64(i + 1), At: float64(1000 - i), Script: "spent"})
	}
	x.Insert(&Timer{Id: 2000, At: 999.5, Script: "other"})
	was := slices.Clone(x.queues["spent"].list)
	for now := range 3 {
		x.Begin(float64(2000 + now))
		spent := map[string]bool{"spent": true}
		if got := x.Due(spent); got == nil || got.Script != "other" {
			t.Fatalf("%+v comes first", got)
		} else {
			x.Insert(got)
			spent["other"] = true
		}
		if got := x.Due(spent); got != nil || !slices.Equal(x.queues["spent"].list, was) {
			t.Errorf("%+v comes, or the order of the others has changed", got)
		}
	}
	x.Begin(3000)
	if got := x.Due(nil); got.Id != 1000 {
		t.Errorf("%+v comes after that", got)
	}
}
