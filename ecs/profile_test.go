package ecs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
)

// labelsNow returns the labels of this goroutine, as a profile of goroutines shows them. Two
// goroutines must not be in it at the same time.
//
//go:noinline
func labelsNow() string {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1) // into a buffer
	for record := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(record, "ecs.labelsNow+") {
			labels, _, _ := strings.Cut(labelLine.FindString(record), "\n")
			return strings.TrimPrefix(labels, "# labels: ")
		}
	}
	return "this goroutine was not found"
}

var labelLine = regexp.MustCompile(`(?m)^# labels: .*$`)

// seen collects the labels that functions had, by a name of their own.
type seen struct {
	mu  sync.Mutex
	got map[string]string
}

func (s *seen) note(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.got == nil {
		s.got = map[string]string{}
	}
	labels := labelsNow()
	if before, ok := s.got[name]; ok && before != labels {
		labels = before + " and " + labels
	}
	s.got[name] = labels
}

// TestGoroutinesAreLabelled: with what runs, on all goroutines, and with nothing after it.
func TestGoroutinesAreLabelled(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			g := newPlanWorld(t, Options{Workers: workers, ProfileLabels: true})
			g.worth = 0
			g.many(4000)
			s := &seen{}
			meet := g.spread(t, s)
			must(t, g.Schedule().Add(System{Name: "serial", Run: func(tick *Tick) error {
				s.note("serial")
				tick.Commands.Do(func(*World) error { s.note("serial's commands"); return nil })
				tick.Commands.Spawn()
				err := tick.ParallelFor(4, func(int) { s.note("serial's jobs") })
				s.note("serial")
				return err
			}}))
			must(t, g.Observe(Observer{Name: "eye", On: OnSpawn, Run: func(*Tick, Notice) error { s.note("eye"); return nil }}))
			box, err := NewInbox(g.World, 1)
			must(t, err)
			must(t, box.Post(0, func(*Tick) error { s.note("inbox"); return nil }))
			must(t, g.Step(1))
			s.note("after")
			must(t, g.Run("once", func(*Tick) error { s.note("once"); return nil }))
			want := map[string]string{
				"serial": `{"system":"serial"}`, "serial's commands": `{"system":"serial"}`, "serial's jobs": `{"system":"serial"}`,
				"a": `{"system":"a"}`, "b": `{"system":"b"}`, "a's rows": `{"system":"a"}`, "b's rows": `{"system":"b"}`, "b's commands": `{"system":"b"}`,
				"eye": `{"system":"eye"}`, "inbox": `{"system":"inbox"}`, "once": `{"system":"once"}`, "after": "",
			}
			for name, labels := range want {
				if got, ok := s.got[name]; !ok || got != labels {
					t.Errorf("%s had the labels %q, want %q", name, got, labels)
				}
			}
			if len(s.got) != len(want) {
				t.Errorf("%v", s.got)
			}
			meet()
		})
	}
}

// spread adds two parallel systems that share rows out, at the same time where there are
// goroutines for it.
func (g *planWorld) spread(t *testing.T, s *seen) (check func()) {
	t.Helper()
	for name, q := range map[string]*Query{"a": g.Query(Write(g.position)), "b": g.Query(Write(g.velocity))} {
		must(t, g.Schedule().Add(System{Name: name, Phase: Physics, Parallel: true, Queries: []*Query{q}, Run: func(tick *Tick) error {
			s.note(name)
			if name == "b" {
				tick.Commands.Do(func(*World) error { s.note("b's commands"); return nil })
			}
			err := tick.Parallel(q, func(*Tick, *Chunk) { s.note(name + "'s rows") })
			s.note(name)
			return err
		}}))
	}
	return func() {
		if g.workers != nil && !g.workers.Idle() {
			t.Error("jobs are left")
		}
	}
}

// TestLabelsOfAContext: those of StepContext stay, and come back; other steps, other labels.
func TestLabelsOfAContext(t *testing.T) {
	w := open(t, Options{ProfileLabels: true})
	s := &seen{}
	name := ""
	must(t, w.Schedule().Add(System{Name: "a", Run: func(*Tick) error { s.note(name); return nil }}))
	for _, room := range []string{"1", "2"} {
		ctx := pprof.WithLabels(context.Background(), pprof.Labels("room", room))
		name = "in " + room
		must(t, w.Schedule().StepContext(ctx, 1))
		s.note("after " + room)
	}
	name = "no room"
	must(t, w.Step(1))
	for name, labels := range map[string]string{
		"in 1": `{"room":"1", "system":"a"}`, "after 1": `{"room":"1"}`, "in 2": `{"room":"2", "system":"a"}`, "after 2": `{"room":"2"}`, "no room": `{"system":"a"}`,
	} {
		if s.got[name] != labels {
			t.Errorf("%s: labels %q, want %q", name, s.got[name], labels)
		}
	}
}

// TestNoLabelsUnlessAsked: the labels of the host stay as they are.
func TestNoLabelsUnlessAsked(t *testing.T) {
	w := open(t, Options{})
	s := &seen{}
	must(t, w.Schedule().Add(System{Name: "a", Run: func(*Tick) error { s.note("a"); return errors.New("fails") }}))
	pprof.Do(t.Context(), pprof.Labels("host", "h"), func(context.Context) { _ = w.Step(1); s.note("after") })
	if want := `{"host":"h"}`; s.got["a"] != want || s.got["after"] != want {
		t.Errorf("labels %v", s.got)
	}
}

// TestTracesShowSystems: a region for each, in a task for the tick; jobs of other goroutines
// too. What was traced is read by its strings.
func TestTracesShowSystems(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("a trace is being taken already")
	}
	g := newPlanWorld(t, Options{Workers: 2})
	g.worth = 0
	g.many(3000)
	spreading := g.Query(Write(g.position))
	must(t, g.Schedule().Add(
		System{Name: "perigee serial", Run: idle},
		System{Name: "perigee spread", Parallel: true, Queries: []*Query{spreading}, Run: func(tick *Tick) error {
			return tick.Parallel(spreading, func(*Tick, *Chunk) {})
		}},
		System{Name: "perigee panics", Run: func(*Tick) error { panic("so") }}))
	must(t, g.Run("perigee once", idle))
	if n := g.schedule.scopes.Of("perigee serial"); n != nil {
		t.Error("names are made without a trace")
	}
	var b bytes.Buffer
	must(t, trace.Start(&b))
	_ = g.Step(1)
	must(t, g.Run("perigee once", idle))
	trace.Stop()
	for _, name := range []string{"tick", "perigee serial", "perigee spread", "perigee panics", "perigee once"} {
		if !bytes.Contains(b.Bytes(), []byte(name)) {
			t.Errorf("the trace does not mention %q", name)
		}
	}
	_ = g.Step(1)
	if n := g.schedule.scopes.Of("perigee serial"); n != nil {
		t.Error("names are made after the trace")
	}
}
