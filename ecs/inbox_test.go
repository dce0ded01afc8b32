package ecs_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

type posted struct{ From, Order, Drawn uint64 }

// inboxWorld opens a world with an inbox.
func inboxWorld(t *testing.T, capacity int) (*ecs.World, *ecs.Inbox, ecs.Component[posted]) {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	c := ecs.Register[posted](w)
	b, err := ecs.NewInbox(w, capacity)
	if err != nil {
		t.Fatal(err)
	}
	return w, b, c
}

// TestInboxesDoNotDependOnWhichGoroutineIsFaster posts from many goroutines in random order,
// and compares the world with one where all were posted in turn.
func TestInboxesDoNotDependOnWhichGoroutineIsFaster(t *testing.T) {
	const senders, posts, ticks = 8, 20, 10
	message := func(c ecs.Component[posted], from, order uint64) func(*ecs.Tick) error {
		return func(tick *ecs.Tick) error {
			tick.Commands.Spawn(c.With(posted{from, order, tick.Random().Uint64()}))
			return nil
		}
	}
	plain, box, c := inboxWorld(t, senders*posts)
	for range ticks {
		for from := range uint64(senders) {
			for order := range uint64(posts) {
				if err := box.Post(from, message(c, from, order)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := plain.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	raced, box, c := inboxWorld(t, senders*posts)
	for range ticks {
		var all sync.WaitGroup
		for _, from := range rand.Perm(senders) {
			all.Go(func() {
				for order := range uint64(posts) {
					if err := box.Post(uint64(from), message(c, uint64(from), order)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if err := raced.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	if plain.Checksum() != raced.Checksum() || plain.Stats().Entities != senders*posts*ticks {
		t.Errorf("%d and %d entities; the worlds differ", plain.Stats().Entities, raced.Stats().Entities)
	}
}

// TestInboxWhileStepsRun posts without a break while the world steps and closes: each message
// that was taken is done once, or the world was closed before.
func TestInboxWhileStepsRun(t *testing.T) {
	w, box, c := inboxWorld(t, 50)
	var all sync.WaitGroup
	taken := make([]int, 4)
	full := make([]bool, 4)
	for i := range taken {
		all.Go(func() {
			for {
				switch err := box.Post(uint64(i), func(tick *ecs.Tick) error { tick.Commands.Spawn(c.With(posted{})); return nil }); {
				case err == nil:
					taken[i]++
				case errors.Is(err, ecs.ErrInboxFull):
					full[i] = true
				case errors.Is(err, ecs.ErrClosed):
					return
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	for w.Stats().Entities < 1000 {
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	entities := w.Stats().Entities
	waiting := box.Len()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	sum := taken[0] + taken[1] + taken[2] + taken[3]
	if sum < entities+waiting || sum > entities+50 {
		t.Errorf("%d messages were taken, %d done, %d waited", sum, entities, waiting)
	}
}

// TestMessagesThatFail are undone alone, and those that post wait for the next step.
func TestMessagesThatFail(t *testing.T) {
	w, box, c := inboxWorld(t, 10)
	why := errors.New("no such move")
	spawn := func(tick *ecs.Tick) error { tick.Commands.Spawn(c.With(posted{})); return nil }
	post := func(do func(*ecs.Tick) error) {
		if err := box.Post(1, do); err != nil {
			t.Fatal(err)
		}
	}
	post(func(tick *ecs.Tick) error { _ = spawn(tick); return why })
	post(func(tick *ecs.Tick) error { _ = spawn(tick); panic("broken") })
	post(func(tick *ecs.Tick) error { return errors.Join(spawn(tick), box.Post(0, spawn)) })
	err := w.Step(1)
	var system *ecs.SystemError
	if !errors.Is(err, why) || !errors.As(err, &system) || system.System != "inbox" || !strings.Contains(err.Error(), "broken") {
		t.Errorf("%v", err)
	}
	if w.Stats().Entities != 1 || box.Len() != 1 {
		t.Errorf("%d entities, %d wait", w.Stats().Entities, box.Len())
	}
	if err := w.Step(1); err != nil || w.Stats().Entities != 2 {
		t.Errorf("%v, %d entities", err, w.Stats().Entities)
	}
}

// TestWrongUsesOfInboxes are errors with a name.
func TestWrongUsesOfInboxes(t *testing.T) {
	w, box, _ := inboxWorld(t, 2)
	idle := func(*ecs.Tick) error { return nil }
	wrong := func(b *ecs.Inbox, err error) error {
		if b != nil {
			t.Error("there is an inbox")
		}
		return err
	}
	for _, capacity := range []int{0, -1, 1_000_001} {
		if err := wrong(ecs.NewInbox(w, capacity)); !errors.Is(err, ecs.ErrRange) {
			t.Errorf("%d: %v", capacity, err)
		}
	}
	if err := wrong(ecs.NewInbox(nil, 1)); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("no world: %v", err)
	}
	if err := box.Post(0, nil); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("no function: %v", err)
	}
	_ = box.Post(0, idle)
	_ = box.Post(0, idle)
	if err := box.Post(0, idle); !errors.Is(err, ecs.ErrInboxFull) || !strings.Contains(err.Error(), fmt.Sprint(2)) {
		t.Errorf("a full inbox: %v", err)
	}
	box.Close()
	box.Close()
	var zero ecs.Inbox
	for _, b := range []*ecs.Inbox{box, &zero, nil} {
		if err := b.Post(0, idle); !errors.Is(err, ecs.ErrClosed) || b.Len() != 0 {
			t.Errorf("a closed inbox: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := wrong(ecs.NewInbox(w, 1)); !errors.Is(err, ecs.ErrClosed) {
		t.Errorf("a closed world: %v", err)
	}
}

// TestAMessageThatEndsTheGoroutine leaves those behind it for the next step, which says it.
func TestAMessageThatEndsTheGoroutine(t *testing.T) {
	w, box, _ := inboxWorld(t, 10)
	other, err := ecs.NewInbox(w, 10)
	if err != nil {
		t.Fatal(err)
	}
	ran := ""
	post := func(to *ecs.Inbox, from uint64, name string) {
		t.Helper()
		if err := to.Post(from, func(*ecs.Tick) error { ran += name; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	post(box, 1, "a")
	if err := box.Post(2, func(*ecs.Tick) error { runtime.Goexit(); return nil }); err != nil {
		t.Fatal(err)
	}
	post(box, 3, "b")
	post(box, 3, "c")
	post(other, 1, "d")
	ended := make(chan bool)
	go func() {
		defer close(ended)
		w.Step(1)
	}()
	<-ended
	if ran != "a" || box.Len() != 2 || other.Len() != 1 {
		t.Errorf("ran %q, %d and %d wait", ran, box.Len(), other.Len())
	}
	if err := w.Step(1); err == nil || !strings.Contains(err.Error(), "Goexit") {
		t.Errorf("the next step says %v", err)
	}
	if err := w.Step(1); err != nil || ran != "abcd" || box.Len() != 0 {
		t.Errorf("ran %q, %d wait, %v", ran, box.Len(), err)
	}
}

// TestAMessageThatClosesItsInbox: what waits is forgotten, also what was taken for this step.
func TestAMessageThatClosesItsInbox(t *testing.T) {
	w, box, _ := inboxWorld(t, 10)
	ran := 0
	for from := range uint64(3) {
		if err := box.Post(from, func(*ecs.Tick) error {
			ran++
			box.Close()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Step(1); err != nil || ran != 1 {
		t.Errorf("%d messages have run, want 1; %v", ran, err)
	}
}
