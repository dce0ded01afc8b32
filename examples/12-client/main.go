// Command 12-client is the loop of a client that draws, without the window: steps of a fixed
// length, pictures between them, pause, single steps, slow motion, keys, and scripts that reload
// while it plays. The pictures are text.
package main

import (
	"bufio"
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/perigee-ecs/perigee/scripting"
)

//go:embed *.lua
var scripts embed.FS

func main() {
	live := flag.Bool("live", false, "play in the terminal; without it, a short game is printed")
	folder := flag.String("scripts", "", "folder of scripts for -live; empty makes a copy of the example's")
	figures := flag.Int("figures", 0, "draw so many frames as fast as it goes, and print figures")
	flag.Parse()
	var err error
	switch {
	case *figures < 0:
		err = fmt.Errorf("-figures is %d: there are no such frames", *figures)
	case *figures > 0:
		err = measure(os.Stdout, scripts, *figures)
	case *live:
		err = play(os.Stdout, os.Stdin, *folder)
	default:
		err = run(os.Stdout, scripts)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// manual is a clock that stands still until somebody moves it.
type manual struct{ now time.Time }

func (m *manual) Now() time.Time                         { return m.now }
func (m *manual) After(d time.Duration) <-chan time.Time { return time.After(d) }

// run plays a short game by a clock of its own, so that it is the same each time.
func run(out io.Writer, scripts fs.FS) error {
	dir, err := copied(scripts)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	clock, staged := &manual{now: time.Unix(0, 0)}, make(chan struct{}, 16)
	c, err := newClient(dir, scripting.Options{OnReload: func(r scripting.Reload) {
		fmt.Fprintf(out, "reload of %v: %d scripts ran again\n", r.Changed, r.Files)
	}}, clock, func() { staged <- struct{}{} })
	if err != nil {
		return err
	}
	defer c.close()

	picture := ""
	seconds := func(s float64) error { // 60 frames in each
		for range int(s * 60) {
			clock.now = clock.now.Add(time.Second / 60)
			if err := c.steer(c.aim()); err != nil {
				return err
			}
			if picture, err = c.frame(); err != nil {
				return err
			}
		}
		return nil
	}
	steps := func() uint64 { return c.paced.Counts().Steps }

	if err := seconds(4); err != nil {
		return err
	}
	fmt.Fprint(out, picture)

	c.paced.Pause()
	before := steps()
	if err := seconds(1); err != nil {
		return err
	}
	fmt.Fprintf(out, "paused for a second: %d steps\n", steps()-before)
	c.paced.Once()
	if err := seconds(1); err != nil {
		return err
	}
	fmt.Fprintf(out, "paused, and once asked for a step: %d step\n", steps()-before)
	c.paced.Resume()

	if err := c.paced.SetScale(0.5); err != nil {
		return err
	}
	before = steps()
	if err := seconds(2); err != nil {
		return err
	}
	fmt.Fprintf(out, "two seconds at half the speed: %d steps\n", steps()-before)
	if err := c.paced.SetScale(1); err != nil {
		return err
	}

	if err := edit(filepath.Join(dir, "paddle.lua"), "width = 10", "width = 20"); err != nil {
		return err
	}
	<-staged // for the example's output only: a game goes on with its frames
	if err := seconds(12); err != nil {
		return err
	}
	_, err = fmt.Fprint(out, picture)
	return err
}

// copied writes the scripts to a folder of their own, for an editor to change.
func copied(scripts fs.FS) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "perigee-client"); err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, scripts)
}

func edit(file, old, new string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o644)
}

// play draws 30 frames in a second in a terminal. Keys come line by line, as terminals give
// them: a and d and s steer, p pauses, . makes one step, + and - change the speed, q ends.
func play(out io.Writer, in io.Reader, dir string) error {
	if dir == "" {
		var err error
		if dir, err = copied(scripts); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	verdict := ""
	c, err := newClient(dir, scripting.Options{
		OnReload: func(r scripting.Reload) { verdict = r.String() },
		OnError:  func(e *scripting.Error) { verdict = e.Error() },
	}, nil, func() {})
	if err != nil {
		return err
	}
	defer c.close()
	lines := make(chan string)
	go func() {
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
		close(lines)
	}()
	frames := time.NewTicker(time.Second / 30)
	defer frames.Stop()
	fmt.Fprint(out, "\x1b[2J")
	for {
		select {
		case line, ok := <-lines:
			if !ok || line == "q" {
				return nil
			}
			if err := c.command(line); err != nil {
				return err
			}
		case <-frames.C:
			picture, err := c.frame()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "\x1b[H%s\x1b[Ja d s p . + - q, and Enter. Edit %s\n%s\n", picture, dir, strings.Map(shown, verdict))
		}
	}
}

// shown leaves out what a script could write into its errors to command the terminal.
func shown(r rune) rune {
	if unicode.IsPrint(r) || r == '\n' {
		return r
	}
	return ' '
}

// command does what a line of keys says.
func (c *client) command(line string) error {
	for _, key := range line {
		var err error
		switch key {
		case 'a':
			err = c.press(keyLeft)
		case 'd':
			err = c.press(keyRight)
		case 's':
			err = c.press(keyStop)
		case 'p':
			if c.paced.Paused() {
				c.paced.Resume()
			} else {
				c.paced.Pause()
			}
		case '.':
			c.paced.Once()
		case '+':
			err = c.paced.SetScale(min(c.paced.Scale()*2, 16))
		case '-':
			err = c.paced.SetScale(c.paced.Scale() / 2)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measure draws frames of a game that goes on by a clock of its own.
func measure(out io.Writer, scripts fs.FS, frames int) error {
	dir, err := copied(scripts)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	clock := &manual{now: time.Unix(0, 0)}
	c, err := newClient(dir, scripting.Options{}, clock, func() {})
	if err != nil {
		return err
	}
	defer c.close()
	var drawing time.Duration
	began := time.Now()
	for range frames {
		clock.now = clock.now.Add(time.Second / 60)
		if err := c.steer(c.aim()); err != nil {
			return err
		}
		alpha, err := c.paced.Frame(c.host.Step)
		if err != nil {
			return err
		}
		drew := time.Now()
		_ = c.draw(alpha)
		drawing += time.Since(drew)
	}
	n := time.Duration(max(frames, 1))
	all := time.Since(began)
	fmt.Fprintf(out, "frames      %d, with %d steps\n", frames, c.paced.Counts().Steps)
	fmt.Fprintf(out, "frame       %.3f ms, of which %.3f ms are the picture\n", ms(all/n), ms(drawing/n))
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
