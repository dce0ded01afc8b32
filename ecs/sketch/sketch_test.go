package sketch_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/sketch"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// board is a world with a sketch, and a system that draws what the test says.
type board struct {
	*testing.T
	w    *ecs.World
	s    *sketch.Sketch
	draw func(t *ecs.Tick)
}

func open(t *testing.T) *board {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 4 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	s, err := sketch.Open(w)
	must(t, err)
	b := &board{T: t, w: w, s: s}
	must(t, w.Schedule().Add(ecs.System{Name: "draw", Run: func(tick *ecs.Tick) error {
		if b.draw != nil {
			b.draw(tick)
		}
		return nil
	}}))
	return b
}

// step makes a tick in which something is drawn.
func (b *board) step(strokes ...sketch.Stroke) {
	b.Helper()
	b.draw = func(t *ecs.Tick) { b.s.Draw(t, strokes...) }
	must(b, b.w.Step(0.1))
	b.draw = nil
}

// sees holds that these texts are seen, in order.
func (b *board) sees(texts string) {
	b.Helper()
	var got []string
	for _, s := range b.s.At(nil) {
		got = append(got, s.Text)
	}
	if strings.Join(got, " ") != texts {
		_, tick := b.w.Time()
		b.Errorf("in tick %d there is %q, want %q", tick, got, texts)
	}
}

func text(s string, seconds float64) sketch.Stroke {
	return sketch.Stroke{Kind: sketch.Text, Text: s, Seconds: seconds}
}

// TestStrokesLastAsTheySay: for a tick, or for some seconds; those of a program until the next step has ended.
func TestStrokesLastAsTheySay(t *testing.T) {
	b := open(t)
	b.step(text("early", 1))
	b.sees("") // nobody looks yet
	b.s.Show()
	b.step(text("one", 0), text("long", 0.25))
	b.sees("one long")
	b.step(text("two", 0))
	b.sees("long two")
	b.step()
	b.sees("long")
	b.s.Draw(nil, text("host", 0))
	b.sees("long host")
	b.step()
	b.sees("host")
	b.step()
	b.sees("")
	must(t, b.w.Run("tool", func(tick *ecs.Tick) error { b.s.Draw(tick, text("tool", 0)); return nil }))
	b.sees("tool") // at once, while time stands
	b.step()
	b.sees("tool")
	b.step()
	b.sees("")
}

// TestBounds: what is too much is left out and counted, and what no view can draw is passed over.
func TestBounds(t *testing.T) {
	b := open(t)
	b.s.Show()
	lines := make([]sketch.Stroke, sketch.Most+7)
	b.step(lines...)
	if n, dropped := len(b.s.At(nil)), b.s.Dropped(); n != sketch.Most || dropped != 7 {
		t.Errorf("%d are seen, %d left out", n, dropped)
	}
	texts := make([]sketch.Stroke, sketch.MostTexts+1)
	for i := range texts {
		texts[i] = text(strings.Repeat("ä", 300), 0)
	}
	b.step(texts...)
	if seen := b.s.At(nil); len(seen) != sketch.MostTexts || len(seen[0].Text) != 200 || b.s.Dropped() != 8 {
		t.Errorf("%d texts of %d bytes, %d left out", len(seen), len(seen[0].Text), b.s.Dropped())
	}
	b.step(sketch.Stroke{X1: math.NaN()}, sketch.Stroke{Y2: math.Inf(1)}, sketch.Stroke{X2: 1e9}, sketch.Stroke{Kind: 9}, sketch.Stroke{Kind: sketch.Circle, Radius: -1},
		sketch.Stroke{Seconds: math.Inf(1)}, sketch.Stroke{Seconds: -1}, sketch.Stroke{Radius: math.NaN()})
	if seen := b.s.At(nil); len(seen) != 0 || b.s.Dropped() != 8 {
		t.Errorf("%v", seen)
	}
	for range 20_000 / sketch.Most * 3 {
		b.step(lines...) // more than is kept of the past
	}
	if n := len(b.s.At(nil)); n != sketch.Most {
		t.Errorf("%d are seen", n)
	}
}

// TestDropSaysItOnce, and again when it has been well for a while.
func TestDropSaysItOnce(t *testing.T) {
	b := open(t)
	b.s.Show()
	said := 0
	for _, tick := range []uint64{5, 5, 6, 600, 1200, 1801, 3} {
		if b.s.Drop(tick) {
			said++
		}
	}
	if said != 3 {
		t.Errorf("it is said %d times", said)
	}
}

// TestSystemsAtTheSameTime draw, and nothing is lost.
func TestSystemsAtTheSameTime(t *testing.T) {
	b := open(t)
	b.s.Show()
	b.draw = func(tick *ecs.Tick) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 100 {
					b.s.Draw(tick, sketch.Stroke{})
				}
			})
		}
		all.Wait()
	}
	must(t, b.w.Step(0.1))
	if n := len(b.s.At(nil)); n != 400 {
		t.Errorf("%d strokes", n)
	}
}

// TestOpenRefuses worlds that cannot have a sketch; without one, nothing is drawn.
func TestOpenRefuses(t *testing.T) {
	b := open(t)
	if _, err := sketch.Open(b.w); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := sketch.Open(nil); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	w := ecs.NewWorld()
	must(t, w.Close())
	if _, err := sketch.Open(w); !errors.Is(err, ecs.ErrClosed) {
		t.Error(err)
	}
	none := sketch.Of(nil)
	for _, s := range []*sketch.Sketch{none, {}} {
		s.Show()
		if n, m := s.Left(&ecs.Tick{}); s.Shown() || s.Draw(nil, sketch.Stroke{}) != 0 || len(s.At(nil)) != 0 || s.Dropped() != 0 || s.Drop(1) || n+m != 0 {
			t.Error("a sketch that Open has not made shows something")
		}
	}
}
