package main

import "sync/atomic"

// states counts people by their state. Several goroutines may add to it: sums of whole numbers
// are the same in every order.
type states [3]atomic.Int64

func (t *states) reset() {
	for i := range t {
		t[i].Store(0)
	}
}

func (t *states) add(people []Person) {
	var n [3]int64
	for i := range people {
		n[people[i].State%3]++
	}
	for i := range n {
		t[i].Add(n[i])
	}
}

func (t *states) of(state int) int64 { return t[state].Load() }
