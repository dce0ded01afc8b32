package main

import (
	"math"
	"runtime"
	"time"
)

// trial is one contender ready for one operation on one number of entities.
type trial struct {
	// prepare brings the world back to where steps can run; nil when they leave
	// it as they found it. It is not timed.
	prepare func()
	// steps are the operation, timed together. The test looks at sum after each.
	steps []func()
	// sum adds up what the world holds, or what the steps have read so far: plain
	// Go must come to the same number, or something was not done.
	sum func() float64
	// close frees the world; nil when the collector does.
	close func()
}

// contender is a library, or plain Go, and how it does each operation it can.
type contender struct {
	name  string
	floor bool // not a peer: what the machine can do
	make  map[string]func(n int) *trial
}

// operation is one line of the comparison.
type operation struct {
	name string
	n    int     // when the operation has a size of its own; else those asked for
	each int     // how often a step does it, to be worth a look at the clock; 0 is once
	most float64 // the target: nanoseconds as a multiple of the best peer's
	slow float64 // the target against plain slices; 0 is none
}

// result is one measurement: the least time of all rounds.
type result struct {
	Op    string  `json:"op"`
	N     int     `json:"n"`
	Who   string  `json:"who"`
	Nanos float64 `json:"ns_per_entity"`
}

// turn is the shortest time that a contender runs in one round.
const turn = 2 * time.Millisecond

// measure lets the contenders take turns at an operation and keeps the fastest
// turn of each.
//
// Why turns and minima? The machine is shared: another program slows down
// whoever is running at that moment, and nothing makes a loop faster than it is.
func measure(op operation, n, rounds int, who []contender) []result {
	trials, results := []*trial{}, []result{}
	for _, c := range who {
		if build := c.make[op.name]; build != nil {
			t := build(n)
			t.run() // first touch of memory, first growth of tables
			trials = append(trials, t)
			results = append(results, result{op.name, n, c.name, math.Inf(1)})
		}
	}
	runtime.GC()
	per := float64(n * max(op.each, 1))
	for range rounds {
		for i, t := range trials {
			results[i].Nanos = min(results[i].Nanos, t.nanos()/per)
		}
	}
	for _, t := range trials {
		if t.close != nil {
			t.close()
		}
	}
	return results
}

// run does the operation once and returns how long it took.
func (t *trial) run() time.Duration {
	if t.prepare != nil {
		t.prepare()
	}
	began := time.Now()
	for _, step := range t.steps {
		step()
	}
	return time.Since(began)
}

// nanos returns the mean time of a run over one turn. Operations that must be
// prepared are timed one by one, less the price of looking at the clock; others
// in one piece.
func (t *trial) nanos() float64 {
	if t.prepare == nil {
		return t.together()
	}
	total, runs := time.Duration(0), 0
	for total < turn && runs < 10_000 {
		total += t.run() - clock
		runs++
	}
	return max(float64(total)/float64(runs), 0)
}

func (t *trial) together() float64 {
	runs := int(turn/max(t.run(), 1)) + 1
	began := time.Now()
	for range runs {
		for _, step := range t.steps {
			step()
		}
	}
	return float64(time.Since(began)) / float64(runs)
}

// clock is what it costs to look at the clock twice.
var clock = func() time.Duration {
	least := time.Hour
	for range 1000 {
		began := time.Now()
		least = min(least, time.Since(began))
	}
	return least
}()
