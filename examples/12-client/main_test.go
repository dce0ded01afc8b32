package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/internal/hosttest"
	"github.com/perigee-ecs/perigee/scripting"
)

func TestOutput(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := run(&got, scripts); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("output:\n%swant:\n%s", got.Bytes(), want)
	}
}

func TestSurvivesAFault(t *testing.T) { hosttest.Survives(t, scripts, run) }

// TestPicturesLieBetweenSteps: what moves is drawn where it was and is, mixed by the part of the
// step that has passed; what is new is drawn where it is.
func TestPicturesLieBetweenSteps(t *testing.T) {
	dir := t.TempDir()
	mover := `local ecs = require "ecs"
local Box, Was = ecs.native("Box"), ecs.native("Was")
ecs.on_start(function() ecs.spawn(Was, Box { x = 10, y = 21, w = 2, h = 2 }) end)
ecs.system "right" { phase = "logic", query = { Box }, each = function(_, box) box.x = box.x + 20 end }`
	if err := os.WriteFile(filepath.Join(dir, "mover.lua"), []byte(mover), 0o644); err != nil {
		t.Fatal(err)
	}
	clock := &manual{now: time.Unix(0, 0)}
	c, err := newClient(dir, scripting.Options{}, clock, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	step := time.Second / stepsPerSecond
	for i, c2 := range []struct {
		pass time.Duration
		left int // column of the box
	}{{0, 9}, {step / 2, 19}, {step / 2, 29}, {step / 4, 34}, {0, 34}} {
		clock.now = clock.now.Add(c2.pass)
		picture, err := c.frame()
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Split(picture, "\n")[11]
		if got := len([]rune(strings.Split(line, "█")[0])) - 1; got != c2.left {
			t.Errorf("frame %d: the box is drawn in column %d, want %d:\n%s", i, got, c2.left, picture)
		}
	}
}

// TestScreenTakesAnything: boxes that scripts have made huge, negative or no number.
func TestScreenTakesAnything(t *testing.T) {
	values := []float64{0, 1, -1, 3, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	s := newScreen(4, 4)
	for _, x := range values {
		for _, y := range values {
			for _, w := range values {
				s.fill(Box{x, y, w, y})
				s.fill(Box{x, x, w, w})
			}
		}
	}
	s.clear()
	s.fill(Box{2, 2, 2, 2})
	s.fill(Box{math.NaN(), 2, 2, 2})
	if !strings.Contains(s.text("a"), "│ ▄▄ │\n│ ▀▀ │\n") {
		t.Errorf("the picture is\n%s", s.text("a"))
	}
}

// TestLive plays by lines of keys, as in a terminal, and a key that there is not.
func TestLive(t *testing.T) {
	in, keys := io.Pipe()
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- play(&out, in, "") }()
	for _, line := range []string{"a", "p", ".", "+", "-", "-", "x?", "p", "q"} {
		if _, err := io.WriteString(keys, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := strings.Map(shown, "a\x1b[2Jb\nc\r\u202e"); got != "a [2Jb\nc  " {
		t.Errorf("a text for the terminal became %q", got)
	}
}

// TestNoFolder: a folder of scripts that there is not, or that is refused, is an error.
func TestNoFolder(t *testing.T) {
	if err := play(io.Discard, strings.NewReader("q\n"), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that there is not was played")
	}
}

// TestCommands: what keys do to the loop.
func TestCommands(t *testing.T) {
	dir, err := copied(scripts)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	clock := &manual{now: time.Unix(0, 0)}
	c, err := newClient(dir, scripting.Options{}, clock, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	steps := func(line string, seconds time.Duration) uint64 {
		t.Helper()
		before := c.paced.Counts().Steps
		if err := c.command(line); err != nil {
			t.Fatal(err)
		}
		for range 10 * seconds {
			clock.now = clock.now.Add(time.Second / 10)
			if _, err := c.frame(); err != nil {
				t.Fatal(err)
			}
		}
		return c.paced.Counts().Steps - before
	}
	steps("", 1) // the first frame makes a step at once
	for _, c := range []struct {
		line string
		want uint64
	}{{"", stepsPerSecond}, {"p", 0}, {"..", 2}, {"p", stepsPerSecond}, {"-", stepsPerSecond / 2}, {"++", 2 * stepsPerSecond}, {"-", stepsPerSecond}} {
		if got := steps(c.line, 1); got != c.want {
			t.Errorf("after %q there are %d steps in a second, want %d", c.line, got, c.want)
		}
	}
	x := c.aimed()
	if steps("a", 1); c.aimed() >= x {
		t.Errorf("the paddle has not gone left: %g, then %g", x, c.aimed())
	}
}

// aimed returns where the paddle is.
func (c *client) aimed() float64 {
	for chunk := range c.moved.Chunks() {
		for _, b := range c.box.Of(chunk) {
			if b.H == 1 {
				return b.X
			}
		}
	}
	return math.NaN()
}

func TestFigures(t *testing.T) {
	var out bytes.Buffer
	if err := measure(&out, scripts, 60); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "frames      60, with 20 steps") {
		t.Errorf("of 60 frames in a second:\n%s", out.String())
	}
}
