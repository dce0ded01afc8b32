package ecs

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

type inscription struct {
	Title string
	Lines [3]string
	Back  struct{ Text string }
	Size  float64
}

// TestTextBytes counts the strings of components that are there, and no more.
func TestTextBytes(t *testing.T) {
	w := open(t, Options{})
	position, stone := Register[Position](w), Register[inscription](w)
	if n := w.Raw().TextBytes(); n != 0 {
		t.Errorf("%d bytes of nothing", n)
	}
	v := inscription{Title: "four", Lines: [3]string{"1", "", "333"}}
	v.Back.Text = "behind"
	e := w.Spawn(position.With(Position{}), stone.With(v))
	w.Spawn(stone.With(v))
	if n := w.Raw().TextBytes(); n != 28 {
		t.Errorf("%d bytes, want 28", n)
	}
	w.Despawn(e)
	if n := w.Raw().TextBytes(); n != 14 {
		t.Errorf("%d bytes after a despawn, want 14", n)
	}
}

// TestTextBytesAreNeverStale: whatever is written between two counts, and in which version of the world, the
// second one sees it; also where a write is taken back together with its version.
func TestTextBytesAreNeverStale(t *testing.T) {
	w := open(t, Options{})
	stone, bare := Register[inscription](w), Register[Position](w)
	all := w.Query(Write(stone))
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string { return strings.Repeat("x", r.IntN(50)) }
	count := func() (n int64) {
		for c := range all.Chunks() {
			for _, v := range stone.Of(c) {
				n += int64(len(v.Title) + len(v.Lines[0]) + len(v.Lines[1]) + len(v.Lines[2]) + len(v.Back.Text))
			}
		}
		return n
	}
	var living []Entity
	changed := w.Query(Read(bare)).Changed(bare)
	for range 3000 {
		switch r.IntN(8) {
		case 0:
			living = append(living, w.Spawn(stone.With(inscription{Title: text()}), bare.With(Position{})))
		case 1, 2:
			if len(living) > 0 {
				stone.Edit(living[r.IntN(len(living))]).Title = text()
			}
		case 3:
			if len(living) > 20 {
				w.Despawn(living[0])
				living = living[1:]
			}
		case 4:
			_ = w.Run("writes and fails", func(tick *Tick) error {
				if len(living) > 0 {
					var dates Dates
					e := living[r.IntN(len(living))]
					dates.Touch(w, e, stone.ID())
					v := (*inscription)(w.Raw().Pointer(e, stone.ID()))
					old := v.Lines
					for i := range 3 {
						v.Lines[i] += text()
						if got, want := w.Raw().TextBytes(), count(); got != want {
							t.Errorf("in the run: %d bytes, want %d", got, want)
						}
						for range changed.Chunks() {
						} // a look raises the version of the world, and not that of the pool
					}
					v.Lines = old
					dates.Rewind()
				}
				return errors.New("undone")
			})
		case 5:
			for c := range all.Chunks() {
				for i := range stone.Mut(c) {
					stone.Mut(c)[i].Back.Text = text()
				}
			}
		case 6:
			if err := w.Step(1); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := w.Raw().TextBytes(), count(); got != want {
			t.Fatalf("%d bytes, want %d", got, want)
		}
	}
}
