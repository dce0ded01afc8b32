package ecs

import (
	"errors"
	"slices"
	"testing"
)

// patient is a system that fails when told to.
type patient struct {
	w    *World
	sick bool
	runs []float64 // the times at which it ran
}

func newPatient(t *testing.T, b Breaker) *patient {
	p := &patient{w: open(t, Options{MaxBytes: 1, Breaker: b})}
	broken := errors.New("broken")
	must(t, p.w.Schedule().Add(System{Name: "patient", Run: func(tick *Tick) error {
		p.runs = append(p.runs, tick.Time)
		if p.sick {
			return broken
		}
		return nil
	}}))
	return p
}

// step advances a second and returns the health, and whether this very run
// parked the system.
func (p *patient) step() (h Health, parked bool) {
	var failed *SystemError
	if errors.As(p.w.Step(1), &failed) {
		parked = failed.Parked
	}
	return p.w.Stats().Systems[0].Health, parked
}

// TestTheWayOfAFailingSystem: healthy, monitoring, parked, tried again, healthy.
func TestTheWayOfAFailingSystem(t *testing.T) {
	p := newPatient(t, Breaker{Failures: 3, Retry: 2, MaxRetry: 5})
	for i, c := range []struct {
		sick   bool
		health Health
		parked bool
		ran    bool
	}{
		{false, Healthy, false, true},   // 1
		{true, Monitoring, false, true}, // 2
		{false, Healthy, false, true},   // 3: failures in a row count, not in all
		{true, Monitoring, false, true}, // 4
		{true, Monitoring, false, true}, // 5
		{true, Parked, true, true},      // 6: until 8
		{true, Parked, false, false},    // 7
		{true, Parked, true, true},      // 8: tried, until 8 + 4
		{true, Parked, false, false},    // 9
		{true, Parked, false, false},    // 10
		{true, Parked, false, false},    // 11
		{true, Parked, true, true},      // 12: tried, until 12 + 5, the limit
		{true, Parked, false, false},    // 13
		{true, Parked, false, false},    // 14
		{true, Parked, false, false},    // 15
		{true, Parked, false, false},    // 16
		{false, Healthy, false, true},   // 17
		{true, Monitoring, false, true}, // 18: and all begins anew
		{true, Monitoring, false, true}, // 19
		{true, Parked, true, true},      // 20: until 22
		{true, Parked, false, false},    // 21
		{false, Healthy, false, true},   // 22
	} {
		p.sick = c.sick
		before := len(p.runs)
		health, parked := p.step()
		if health != c.health || parked != c.parked || (len(p.runs) > before) != c.ran {
			t.Errorf("second %d: %v, parked now %v, ran %v; want %v, %v, %v", i+1, health, parked, len(p.runs) > before, c.health, c.parked, c.ran)
		}
	}
	if s := p.w.Stats().Systems[0]; s.Failures != 9 || s.Runs != uint64(len(p.runs)) {
		t.Errorf("%d failures and %d runs are counted", s.Failures, s.Runs)
	}
}

// TestTheBreakerKeepsSimulationTime: a paused game does not retry.
func TestTheBreakerKeepsSimulationTime(t *testing.T) {
	p := newPatient(t, Breaker{Failures: 1})
	p.sick = true
	p.step()
	before := len(p.runs)
	for range 1000 {
		_ = p.w.Step(0)
	}
	if len(p.runs) != before {
		t.Error("a parked system was tried although no time had passed")
	}
	if p.step(); len(p.runs) != before+1 {
		t.Error("a parked system was not tried after its second")
	}
}

func TestABreakerThatNeverParks(t *testing.T) {
	p := newPatient(t, Breaker{Failures: -1})
	p.sick = true
	for range 20 {
		if h, parked := p.step(); h != Monitoring || parked {
			t.Fatalf("the system is %v", h)
		}
	}
}

func TestBreakerDefaults(t *testing.T) {
	p := newPatient(t, Breaker{})
	p.sick = true
	for range 300 {
		p.step()
	}
	want := []float64{1, 2, 3, 4, 6, 10, 18, 34, 66, 126, 186, 246}
	if !slices.Equal(p.runs, want) {
		t.Errorf("ran at the seconds %v, want %v", p.runs, want)
	}
}

// TestAConditionThatPanicsParks its system like a run that fails.
func TestAConditionThatPanicsParks(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	asked := 0
	must(t, w.Schedule().Add(System{Name: "a", When: func(*World) bool { asked++; panic("no") }, Run: idle}))
	for range 10 {
		_ = w.Step(0.01)
	}
	if s := w.Stats().Systems[0]; asked != 3 || s.Health != Parked || s.Runs != 0 || s.Failures != 3 {
		t.Errorf("asked %d times; %+v", asked, s)
	}
}

func TestHealthNames(t *testing.T) {
	for h, want := range map[Health]string{Healthy: "healthy", Monitoring: "monitoring", Parked: "parked", HalfOpen: "half-open", Blocked: "blocked"} {
		if h.String() != want {
			t.Errorf("state %d is called %q, want %q", h, h, want)
		}
	}
}
