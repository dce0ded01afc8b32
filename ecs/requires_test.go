package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// clinic is a world of systems that fail when told to; each step is a second.
type clinic struct {
	w    *World
	sick map[string]bool
	ran  []string // by the last step
}

func newClinic(t *testing.T, systems ...System) *clinic {
	c := &clinic{w: open(t, Options{MaxBytes: 1, Breaker: Breaker{Failures: 1, Retry: 2}}), sick: map[string]bool{}}
	for i := range systems {
		name := systems[i].Name
		systems[i].Run = func(*Tick) error {
			c.ran = append(c.ran, name)
			if c.sick[name] {
				return errors.New("sick")
			}
			return nil
		}
	}
	must(t, c.w.Schedule().Add(systems...))
	return c
}

// step returns who ran and who is what, such as "a c; a healthy, b blocked by c".
func (c *clinic) step(dt float64) string {
	c.ran = nil
	_ = c.w.Step(dt)
	var states []string
	for _, s := range c.w.Stats().Systems {
		state := s.Name + " " + s.Health.String()
		if s.Blocker != "" {
			state += " by " + s.Blocker
		}
		states = append(states, state)
	}
	return strings.Join(c.ran, " ") + "; " + strings.Join(states, ", ")
}

func (c *clinic) expect(t *testing.T, want string) {
	t.Helper()
	if got := c.step(1); got != want {
		t.Errorf("second %v:\n%s\nwant\n%s", c.w.clock.tick, got, want)
	}
}

// TestWhoIsBlocked follows a system that fails and those that need it, before
// and after it in the order.
func TestWhoIsBlocked(t *testing.T) {
	c := newClinic(t,
		System{Name: "a", Requires: []string{"b"}}, System{Name: "b"}, System{Name: "c", Requires: []string{"a"}}, System{Name: "d", Requires: []string{"b?", "nobody?"}},
	)
	c.expect(t, "a b c d; a healthy, b healthy, c healthy, d healthy")
	c.sick["b"] = true
	c.expect(t, "a b d; a blocked by b, b parked, c blocked by a, d healthy") // c is blocked within the tick
	c.expect(t, "d; a blocked by b, b parked, c blocked by a, d healthy")
	c.sick["b"] = false
	c.expect(t, "b c d; a healthy, b healthy, c healthy, d healthy") // a comes before b: its turn was over
	c.expect(t, "a b c d; a healthy, b healthy, c healthy, d healthy")
}

// TestASystemParkedItselfSaysSo: its own failure outranks that of another.
func TestASystemParkedItselfSaysSo(t *testing.T) {
	c := newClinic(t, System{Name: "a"}, System{Name: "b", Requires: []string{"a"}})
	c.sick["b"] = true
	c.expect(t, "a b; a healthy, b parked")
	c.sick["a"] = true
	c.expect(t, "a; a parked, b parked by a")
	c.expect(t, "; a parked, b parked by a") // b's time has come, but a is parked
	c.sick["a"], c.sick["b"] = false, false
	c.expect(t, "a b; a healthy, b healthy")
	if h, ok := c.w.Schedule().Health("b"); h != Healthy || !ok {
		t.Errorf("the health of b is %v, %v", h, ok)
	}
	if _, ok := c.w.Schedule().Health("nobody"); ok {
		t.Error("nobody has a health")
	}
}

// TestBlockedFollowsTheHost: a system that is switched off, or replaced, blocks
// nobody; one that is switched on again does.
func TestBlockedFollowsTheHost(t *testing.T) {
	c := newClinic(t, System{Name: "a"}, System{Name: "b", Requires: []string{"a"}, Every: 2})
	s := c.w.Schedule()
	c.sick["a"] = true
	c.expect(t, "a; a parked, b blocked by a")
	s.Enable("a", false)
	c.expect(t, "b; a parked, b healthy")
	s.Enable("a", true)
	if h, _ := s.Health("b"); h != Blocked {
		t.Errorf("with a parked system switched on again b is %v", h)
	}
	must(t, s.Change([]string{"a"}, []System{{Name: "a", Run: idle}}))
	c.expect(t, "; a healthy, b healthy") // its interval went on
	c.expect(t, "b; a healthy, b healthy")
	if err := s.Change([]string{"a"}, nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("removing what is required answered %v", err)
	}
	must(t, s.Change([]string{"a", "b"}, nil))
}

// TestBlockedIsWhatItSays: after every step of a random schedule, exactly those
// are blocked that require somebody who is parked or blocked.
func TestBlockedIsWhatItSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(rt, "systems")
		systems := make([]System, n)
		for i := range systems {
			systems[i] = System{Name: fmt.Sprint(i), Priority: rapid.IntRange(0, 9).Draw(rt, "priority")}
			for range rapid.IntRange(0, 2).Draw(rt, "requires") {
				if i > 0 {
					systems[i].Requires = append(systems[i].Requires, fmt.Sprint(rapid.IntRange(0, i-1).Draw(rt, "of")))
				}
			}
		}
		c := newClinic(t, systems...)
		defer c.w.Close()
		for range 12 {
			c.sick[fmt.Sprint(rapid.IntRange(0, n-1).Draw(rt, "who"))] = rapid.Bool().Draw(rt, "sick")
			c.w.Schedule().Enable(fmt.Sprint(rapid.IntRange(0, n-1).Draw(rt, "switch")), rapid.Bool().Draw(rt, "on"))
			c.step(1)
			for _, o := range c.w.schedule.order {
				idle := func(name string) bool {
					other := c.w.schedule.find(name)
					return !other.Disabled && (other.health.open() || other.blocked != "")
				}
				if (o.blocked != "") != slices.ContainsFunc(o.Requires, idle) {
					rt.Fatalf("%s requires %q and is blocked by %q", o.Name, o.Requires, o.blocked)
				}
			}
		}
	})
}
