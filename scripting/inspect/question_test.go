package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// idle makes an inspector of a host that nobody steps.
func idle(t testing.TB) *Inspector {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 1 << 22})
	if err != nil {
		t.Fatal(err)
	}
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = host.Load(fstest.MapFS{})
	}
	if err != nil {
		t.Fatal(err)
	}
	i, err := New(host, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(i.Close(), host.Close(), w.Close()); err != nil {
			t.Error(err)
		}
	})
	return i
}

// statusIn returns the status of an error, 0 for none.
func statusIn(err error) int {
	if err == nil {
		return 0
	}
	return statusOf(err)
}

// TestQuestionsThatNobodyAnswers are given up, and never asked later.
func TestQuestionsThatNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := idle(t)
		asked := 0
		began := time.Now()
		if err := i.ask(t.Context(), func() error { asked++; return nil }); statusIn(err) != http.StatusGatewayTimeout {
			t.Error(err)
		}
		if took := time.Since(began); took != questionTime {
			t.Errorf("after %v", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := i.ask(ctx, func() error { asked++; return nil }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		i.Answer()
		if asked != 0 {
			t.Error("it was asked all the same")
		}
	})
}

// TestAPulseOfAGameThatDoesNotAnswer says so, and what the game was when it last did.
func TestAPulseOfAGameThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := idle(t)
		i.world.Spawn()
		one, _ := i.streams.join()
		var publisher sync.WaitGroup
		publisher.Go(i.publish)
		for _, answers := range []bool{true, false, true} {
			synctest.Wait()
			if answers {
				i.Answer()
			}
			event := string(<-one.next)
			var p pulse
			if err := json.Unmarshal([]byte(event[strings.Index(event, "{"):]), &p); err != nil {
				t.Fatal(err)
			}
			if p.Answering != answers || p.Entities != 1 || p.Faults != 0 {
				t.Errorf("answers: %v, and the event is %s", answers, event)
			}
			if answers {
				time.Sleep(beat) // the next question waits
			}
		}
		i.streams.leave(one)
		synctest.Wait()
		i.Answer()
		publisher.Wait()
	})
}

// TestQuestionsAreBounded: the 65th that waits is refused, and those that wait get their answers.
func TestQuestionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := idle(t)
		var all sync.WaitGroup
		answered := 0
		for range mostQuestions {
			all.Go(func() {
				if err := i.ask(t.Context(), func() error { answered++; return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := i.ask(t.Context(), func() error { return nil }); statusIn(err) != http.StatusServiceUnavailable {
			t.Error(err)
		}
		i.Answer()
		all.Wait()
		if answered != mostQuestions {
			t.Errorf("%d answers", answered)
		}
	})
}

// TestAnswersTakeAboutAMillisecond: what is slow is done alone, and the rest waits.
func TestAnswersTakeAboutAMillisecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := idle(t)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := i.ask(t.Context(), func() error { time.Sleep(3 * time.Millisecond); return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		for step := range 5 {
			began := time.Now()
			i.Answer()
			if took := time.Since(began); took != 3*time.Millisecond {
				t.Errorf("step %d is held up for %v", step, took)
			}
		}
		all.Wait()
	})
}

// TestAPanicIsAnAnswer, and the game goes on.
func TestAPanicIsAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := idle(t)
		go func() { synctest.Wait(); i.Answer() }()
		if err := i.ask(t.Context(), func() error { panic("broken") }); statusIn(err) != http.StatusInternalServerError {
			t.Error(err)
		}
	})
}

// TestIdleCostsNothing: no function at ticks, no allocation.
func TestIdleCostsNothing(t *testing.T) {
	i := idle(t)
	if n := testing.AllocsPerRun(100, i.Answer); n != 0 {
		t.Errorf("Answer allocates %v times", n)
	}
	asked := make(chan error)
	var leave func()
	go func() {
		var err error
		leave, err = i.attend(t.Context())
		asked <- err
	}()
	for done := false; !done; {
		select {
		case err := <-asked:
			if done = true; err != nil {
				t.Fatal(err)
			}
		default:
			i.Answer()
		}
	}
	step := func() {
		t.Helper()
		if err := i.host.Step(0.1); err != nil {
			t.Fatal(err)
		}
	}
	if step(); i.watch.remove == nil || i.watch.take().ticks != 1 {
		t.Error("nothing is summed up")
	}
	leave()
	if step(); i.watch.remove != nil || i.watch.take().ticks != 0 {
		t.Error("the function at ticks stays")
	}
}

// TestSlowStreamsMissEvents, and hold up nobody.
func TestSlowStreamsMissEvents(t *testing.T) {
	var s streams
	slow, start := s.join()
	if quick, again := s.join(); !start || again || quick == nil {
		t.Error("one publisher is started")
	}
	for n := range 5 {
		s.publish([]byte{byte(n)})
	}
	if got := <-slow.next; got[0] != 4 {
		t.Errorf("got %d, want the newest", got[0])
	}
	for range mostStreams - 2 {
		s.join()
	}
	if more, _ := s.join(); more != nil {
		t.Error("streams have no bound")
	}
}

// BenchmarkIdle measures a step with and without an inspector whom nobody asks.
func BenchmarkIdle(b *testing.B) {
	i := idle(b)
	for b.Loop() {
		i.Answer()
	}
}

// TestWrongUses have documented outcomes.
func TestWrongUses(t *testing.T) {
	var zero Inspector
	for _, i := range []*Inspector{nil, &zero} {
		i.Answer()
		if err := i.Close(); err != nil || i.Token() != "" {
			t.Error(err)
		}
		if i.URL("127.0.0.1:1") != "http://127.0.0.1:1/#" {
			t.Error(i.URL("127.0.0.1:1"))
		}
	}
	var closed scripting.Host
	for _, h := range []*scripting.Host{nil, &closed} {
		if _, err := New(h, Options{}); !errors.Is(err, ErrOptions) {
			t.Error(err)
		}
	}
	i := idle(t)
	for _, token := range []string{"short", "with a space in the middle", "ä234567890123456"} {
		if _, err := New(i.host, Options{Token: token}); !errors.Is(err, ErrOptions) {
			t.Errorf("%q: %v", token, err)
		}
	}
	if got := i.URL("[::]:80"); got != "http://127.0.0.1:80/#"+i.token {
		t.Error(got)
	}
}
