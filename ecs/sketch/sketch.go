package sketch

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// The bounds of a sketch.
const (
	Most        = 4096 // strokes that are seen at a time
	MostTexts   = 512  // of these, texts
	LongestText = 200  // bytes
	MostSeconds = 3600 // that a stroke is seen
	mostPast    = 8192 // strokes that are over and kept
	far         = 1e9  // coordinates are below
)

// sketchName is the name of the resource, which no type can have.
const sketchName = "sketch.board"

// Kind says what a stroke is.
type Kind uint8

// The kinds of strokes.
const (
	Line   Kind = iota // from X1, Y1 to X2, Y2
	Circle             // around X1, Y1, with a Radius
	Box                // between the corners X1, Y1 and X2, Y2
	Text               // centered on X1, Y1
)

// Stroke is one line, circle, box or text. Places are in world units.
type Stroke struct {
	Kind           Kind
	X1, Y1, X2, Y2 float64
	Radius         float64 // of a Circle
	Text           string  // of a Text
	Color          uint32  // 0xRRGGBB; 0: the usual one of the view
	Seconds        float64 // of simulation that it is seen; 0: in one tick
}

// sane reports whether all numbers are such that a view can draw the stroke.
func (s *Stroke) sane() bool {
	for _, v := range [...]float64{s.X1, s.Y1, s.X2, s.Y2, s.Radius} {
		if !(math.Abs(v) < far) {
			return false
		}
	}
	return s.Kind <= Text && s.Radius >= 0 && s.Seconds >= 0 && s.Seconds <= MostSeconds
}

// CutText returns as much of a text as a stroke may have.
func CutText(text string) string {
	if len(text) <= LongestText {
		return text
	}
	end := LongestText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// Sketch is what is drawn in one world. Use Open.
//
// Invariant: live has at most Most strokes, of which texts are texts, and those that are over before the tick swept are gone; past has
// those that are over, as a ring that is filled up to mostPast and goes on at next.
type Sketch struct {
	world *ecs.World
	shown atomic.Bool

	mu      sync.Mutex
	live    []dated
	texts   int
	past    []dated
	next    int
	swept   uint64 // the tick for which live was looked through
	newest  uint64 // the last tick in which something was drawn
	begun   uint64 // the ticks that there were when a step or a Run began
	dropped uint64
	said    uint64 // the tick in which Drop was last called, at least 1; 0: it was not
}

// dated is a stroke with when it is seen: in the ticks from and last and those between, and until a time.
type dated struct {
	Stroke
	from, last uint64
	until      float64
}

// seenAt reports whether a stroke is seen in a tick that ends at a time.
func (d *dated) seenAt(tick uint64, time float64) bool {
	return d.from <= tick && (tick <= d.last || time < d.until)
}

// Open makes the sketch of a world. The error wraps [ecs.ErrConflict] for a nil world, and for one that has
// a sketch, and [ecs.ErrClosed].
func Open(w *ecs.World) (*Sketch, error) {
	if w == nil {
		return nil, fmt.Errorf("sketch: %w: the world is nil", ecs.ErrConflict)
	}
	if err := w.Raw().Ready(); errors.Is(err, ecs.ErrClosed) {
		return nil, fmt.Errorf("sketch: %w", err)
	}
	if Of(w) != nil {
		return nil, fmt.Errorf("sketch: %w: the world has a sketch", ecs.ErrConflict)
	}
	if err := snapshot.Leave[Sketch](w); err != nil {
		return nil, fmt.Errorf("sketch: %w", err)
	}
	s := &Sketch{world: w}
	if err := w.Raw().ProvideNamed(sketchName, s); err != nil {
		return nil, fmt.Errorf("sketch: %w", err)
	}
	w.Raw().OnBegin(s.begin)
	return s, nil
}

// Of returns the sketch of a world, nil if it has none.
func Of(w *ecs.World) *Sketch {
	if w == nil {
		return nil
	}
	s, _ := w.Raw().ResourceNamed(sketchName).(*Sketch)
	return s
}

// Show has strokes kept from now on, since there is a view that shows them. A second call does nothing.
func (s *Sketch) Show() {
	if s != nil && s.world != nil {
		s.shown.Store(true)
	}
}

// Shown reports whether strokes are kept.
func (s *Sketch) Shown() bool { return s != nil && s.shown.Load() }

// Draw adds strokes, and returns how many of them were taken: those beyond the bounds of the package are left
// out, and counted. t is the tick of the system that draws; nil is for a program that draws between two steps, whose
// strokes are seen until the next one has ended. O(strokes), and once in a tick O(strokes that are seen).
func (s *Sketch) Draw(t *ecs.Tick, strokes ...Stroke) (taken int) {
	if !s.Shown() {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from, last, now := s.span(t)
	s.sweep(from, now)
	for i := range strokes {
		one := &strokes[i]
		if !one.sane() {
			continue
		}
		if len(s.live) >= Most || one.Kind == Text && s.texts >= MostTexts {
			s.dropped++
			continue
		}
		d := dated{Stroke: *one, from: from, last: last}
		if d.Text = CutText(one.Text); one.Seconds > 0 {
			d.until = now + one.Seconds
		}
		s.add(&d)
		taken++
	}
	return taken
}

// span returns in which ticks a stroke is seen that is drawn now, and what time it is.
func (s *Sketch) span(t *ecs.Tick) (from, last uint64, now float64) {
	if t == nil {
		now, from = s.world.Time()
		return from, from + 1, now
	}
	return t.N, max(t.N, s.begun+1), t.Time
}

// Left returns how many strokes, and how many texts, may still be drawn in a tick.
func (s *Sketch) Left(t *ecs.Tick) (strokes, texts int) {
	if !s.Shown() || t == nil {
		return 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(t.N, t.Time)
	return Most - len(s.live), MostTexts - s.texts
}

// Drop counts a stroke that was not drawn, since there was no room, in a tick. It reports whether that is to be said: it was not
// for 600 ticks.
func (s *Sketch) Drop(tick uint64) (say bool) {
	if !s.Shown() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	say = s.said == 0 || tick < s.said || tick > s.said+600
	s.dropped++
	s.said = max(tick, 1)
	return say
}

// Dropped returns how many strokes were left out so far.
func (s *Sketch) Dropped() uint64 {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

// At appends the strokes that are seen in the tick that the world is after, which may be an earlier
// one, in no certain order. O(strokes that are kept).
func (s *Sketch) At(list []Stroke) []Stroke {
	if !s.Shown() {
		return list
	}
	now, tick := s.world.Time()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sweep(tick, now); tick < s.swept {
		list = appendSeen(list, s.past, tick, now)
	}
	return appendSeen(list, s.live, tick, now)
}

func appendSeen(list []Stroke, from []dated, tick uint64, now float64) []Stroke {
	for i := range from {
		if d := &from[i]; d.seenAt(tick, now) && len(list) < Most {
			list = append(list, d.Stroke)
		}
	}
	return list
}

// add keeps a stroke.
func (s *Sketch) add(d *dated) {
	s.live = append(s.live, *d)
	if d.Kind == Text {
		s.texts++
	}
	s.newest = max(s.newest, d.from)
}

// sweep moves the strokes that are over to the past, once in a tick.
func (s *Sketch) sweep(tick uint64, now float64) {
	if tick <= s.swept {
		return
	}
	s.swept = tick
	live := s.live
	s.live, s.texts = live[:0], 0
	for i := range live {
		if d := live[i]; tick <= d.last || now < d.until {
			s.add(&d)
		} else {
			s.bury(&d)
		}
	}
	clear(live[len(s.live):])
}

// bury keeps a stroke that is over, in the place of the oldest one when there are many.
func (s *Sketch) bury(d *dated) {
	if len(s.past) < mostPast {
		s.past = append(s.past, *d)
		return
	}
	s.past[s.next] = *d
	s.next = (s.next + 1) % mostPast
}

// begin forgets the strokes of ticks that did not happen, when the world has gone back.
func (s *Sketch) begin() {
	if !s.Shown() {
		return
	}
	now, tick := s.world.Time()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun = tick; tick >= max(s.newest, s.swept) {
		return
	}
	// The past in its order, and then those that are seen.
	all := append(append(append([]dated{}, s.past[s.next:]...), s.past[:s.next]...), s.live...)
	s.live, s.texts, s.past, s.next, s.newest, s.swept = s.live[:0], 0, s.past[:0], 0, 0, tick
	for i := range all {
		switch d := &all[i]; {
		case d.from > tick:
		case d.seenAt(tick, now) && len(s.live) < Most:
			s.add(d)
		default:
			s.bury(d)
		}
	}
}
