package ecs

import (
	"fmt"
	"math"
)

// Breaker says when a failing system is parked and when it is tried again.
type Breaker struct {
	// Failures in a row that park a system; zero means 3, negative never.
	Failures int
	// Retry is the simulation time in seconds until a parked system is tried
	// again; it doubles with each failed retry. Zero means 1.
	Retry float64
	// MaxRetry bounds the doubling; zero means 60 seconds.
	MaxRetry float64
}

// check refuses times that are none. Without end is one only as a bound.
func (b *Breaker) check() error {
	switch {
	case !(b.Retry >= 0) || math.IsInf(b.Retry, 1):
		return fmt.Errorf("%w: Breaker.Retry is %v seconds", ErrRange, b.Retry)
	case !(b.MaxRetry >= 0):
		return fmt.Errorf("%w: Breaker.MaxRetry is %v seconds", ErrRange, b.MaxRetry)
	}
	return nil
}

func (b *Breaker) fill() {
	if b.Failures == 0 {
		b.Failures = 3
	}
	if b.Retry == 0 {
		b.Retry = 1
	}
	if b.MaxRetry == 0 {
		b.MaxRetry = 60
	}
}

// Health is the state of a system's breaker.
type Health uint8

// The states, in the order in which a failing system goes through them.
const (
	Healthy    Health = iota // the last run succeeded
	Monitoring               // failed, but not often enough to be parked
	Parked                   // open: not run until its retry time
	HalfOpen                 // being tried again
	Blocked                  // not run: a system that it requires does not run
)

// String returns the name of the state.
func (h Health) String() string {
	if names := [...]string{"healthy", "monitoring", "parked", "half-open", "blocked"}; int(h) < len(names) {
		return names[h]
	}
	return fmt.Sprintf("health %d", uint8(h))
}

// health is one breaker.
type health struct {
	state    Health
	failures int // in a row
	total    uint64
	wait     float64
	retryAt  float64
}

// open reports whether the system has failed too often and not succeeded since.
func (h *health) open() bool { return h.state == Parked || h.state == HalfOpen }

// ready reports whether the system may run now.
func (h *health) ready(now float64) bool {
	if h.state == Parked && now >= h.retryAt {
		h.state = HalfOpen
	}
	return h.state != Parked
}

// note counts a run; it reports whether this failure parked the system.
func (h *health) note(ok bool, now float64, b *Breaker) bool {
	if ok {
		h.state, h.failures, h.wait = Healthy, 0, 0
		return false
	}
	h.failures++
	h.total++
	if h.state != HalfOpen && (b.Failures < 0 || h.failures < b.Failures) {
		h.state = Monitoring
		return false
	}
	h.wait = min(max(h.wait*2, b.Retry), b.MaxRetry)
	h.state, h.retryAt = Parked, now+h.wait
	return true
}
