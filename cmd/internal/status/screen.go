// Package status shows a running game on a terminal, or in a log.
//
// There are two nouns. A [Screen] writes lines, and on a terminal it keeps a
// block of lines at the end that is redrawn in place. A [Report] is what is known
// about the game at one moment; it can be rendered as such a block or as one
// line. [NewLogger] leads log records to a screen.
package status

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/term" // whether a file is a terminal, and how large: asked differently on every system

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// Screen is where a run is shown. Its methods may be called from any goroutine.
//
// Invariant: while shown is not empty, the cursor is at the beginning of the
// line below the block.
type Screen struct {
	mu    sync.Mutex
	out   io.Writer
	size  func() (width, height int, err error) // nil: not a terminal
	shown []string                              // the lines of the block
	plain bool                                  // no colors
}

// NewScreen returns a screen on out. It is live if out is a terminal that can
// move its cursor.
func NewScreen(out io.Writer) *Screen {
	s := &Screen{out: out, plain: os.Getenv("NO_COLOR") != ""}
	if f, ok := out.(interface{ Fd() uintptr }); ok && term.IsTerminal(int(f.Fd())) && moves() {
		s.size = func() (int, int, error) { return term.GetSize(int(f.Fd())) }
	}
	return s
}

// moves reports whether the terminal understands ANSI sequences. On Windows only
// the new terminal does so without being asked.
func moves() bool {
	if runtime.GOOS == "windows" {
		return os.Getenv("WT_SESSION") != ""
	}
	return os.Getenv("TERM") != "dumb"
}

// Live reports whether the screen can show a block.
func (s *Screen) Live() bool { return s.size != nil }

// Alert is Print for what has gone wrong: a live screen shows it in red.
func (s *Screen) Alert(text string) {
	if s.Live() {
		s.write(s.paint(red + s.fit(text) + reset))
		return
	}
	s.Print(text)
}

// fit makes a text visible, and on a terminal breaks its lines at words.
func (s *Screen) fit(text string) string {
	text = diag.Visible(text)
	if s.Live() {
		text = diag.Wrap(text, s.Width())
	}
	return text
}

// Width returns how many columns lines should have: those of the terminal, and 120
// elsewhere.
func (s *Screen) Width() int {
	if s.Live() {
		if width, _, err := s.size(); err == nil && width > 0 {
			return width
		}
	}
	return 120
}

// paint takes the colors out again for those who asked for none: see
// https://no-color.org.
func (s *Screen) paint(text string) string {
	if s.plain {
		return strings.NewReplacer(bold, "", dim, "", red, "", reset, "").Replace(text)
	}
	return text
}

// Print writes a line above the block, which stays: a script that logs in every tick must
// not hide it. The text may have several lines. Whatever else is in it, it cannot steer the
// terminal.
func (s *Screen) Print(text string) { s.write(s.fit(text)) }

// write prints a text; an error of the terminal has no place to be reported at.
func (s *Screen) write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	block := s.shown
	above := s.erase() + strings.TrimRight(text, "\n") + "\n"
	// Nobody is left to be told when the terminal has gone; the game goes on.
	_, _ = io.WriteString(s.out, above+s.draw(block))
}

// draw returns what shows a block, from the beginning of a line on.
func (s *Screen) draw(block []string) string {
	if s.shown = block; len(block) == 0 {
		return ""
	}
	return strings.Join(block, "\n") + "\n"
}

// Show replaces the block. Lines that do not fit are cut, and the last ones are
// left out when there are more than fit. On a screen that is not live it does
// nothing.
func (s *Screen) Show(v *Report) {
	if !s.Live() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	width, height, err := s.size()
	if err != nil || width < 10 || height < 3 {
		return // too small for anything, or gone
	}
	block := v.Block(width-1, height-1)
	for i := range block {
		block[i] = s.paint(block[i])
	}
	_, _ = io.WriteString(s.out, s.erase()+hideCursor+s.draw(block)) // one write, so that nobody sees half a frame
}

// Close takes the block away and leaves the terminal as it was. The screen can
// be used again.
func (s *Screen) Close() {
	if !s.Live() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, s.erase()+showCursor)
}

// The sequences used. All terminals since the VT100 know them, but for the
// cursor's, which some ignore.
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	bold       = "\x1b[1m"
	dim        = "\x1b[2m"
	red        = "\x1b[31m"
	reset      = "\x1b[0m"
)

// erase returns what removes the block. A terminal that has become narrower has
// broken the block's lines into several rows each.
func (s *Screen) erase() string {
	if len(s.shown) == 0 {
		return ""
	}
	rows := len(s.shown)
	if width, _, err := s.size(); err == nil && width > 0 {
		for _, line := range s.shown {
			rows += max(visible(line)-1, 0) / width
		}
	}
	s.shown = nil
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", rows)
}

// visible returns how many columns a line takes: sequences take none.
func visible(line string) int {
	n := diag.Columns(line)
	for rest := line; ; {
		i := strings.IndexByte(rest, 0x1b)
		if i < 0 {
			return n
		}
		end := strings.IndexByte(rest[i:], 'm') + 1
		n -= end
		rest = rest[i+end:]
	}
}

// cut shortens plain text to a number of columns.
func cut(text string, width int) string { return diag.Shorten(diag.OneLine(text), width) }
