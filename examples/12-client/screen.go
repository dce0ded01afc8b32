package main

import (
	"math"
	"strings"
)

// screen is a picture of points that are lit or not. A character shows two of them, one above
// the other.
type screen struct {
	width, height int
	lit           []bool
}

func newScreen(width, height int) *screen {
	return &screen{width, height, make([]bool, width*height)}
}

func (s *screen) clear() { clear(s.lit) }

// fill lights the points whose middle is in a box. What is outside of the picture, or is no
// number, is not drawn.
func (s *screen) fill(b Box) {
	left, right := s.bound(b.X-b.W/2, s.width), s.bound(b.X+b.W/2, s.width)
	top, bottom := s.bound(b.Y-b.H/2, s.height), s.bound(b.Y+b.H/2, s.height)
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			s.lit[y*s.width+x] = true
		}
	}
}

// bound rounds a coordinate and keeps it in the picture.
func (s *screen) bound(x float64, size int) int {
	if x != x { // no number, for a script may write anything: NaN as an int could be any
		return 0
	}
	return int(math.Round(math.Max(0, math.Min(float64(size), x))))
}

// text returns the picture in a frame, with a line above it.
func (s *screen) text(title string) string {
	var t strings.Builder
	pad := strings.Repeat("─", max(0, s.width-len([]rune(title))-3))
	t.WriteString("┌─ " + title + " " + pad[:max(0, len(pad)-len("─"))] + "─┐\n")
	for y := 0; y < s.height; y += 2 {
		t.WriteString("│")
		for x := range s.width {
			t.WriteString(s.character(x, y))
		}
		t.WriteString("│\n")
	}
	t.WriteString("└" + strings.Repeat("─", s.width) + "┘\n")
	return t.String()
}

func (s *screen) character(x, y int) string {
	above := s.lit[y*s.width+x]
	below := y+1 < s.height && s.lit[(y+1)*s.width+x]
	switch {
	case above && below:
		return "█"
	case above:
		return "▀"
	case below:
		return "▄"
	}
	return " "
}
