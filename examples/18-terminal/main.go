// Command 18-terminal plays a game in a terminal: colored signs for shapes, lines for labels, keys and the mouse for the
// player. Scripts reload while it plays.
package main

import (
	"errors"
	"flag"
	"io/fs"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/perigee-ecs/perigee/scripts"
)

func main() {
	dir := flag.String("scripts", "", "folder of scripts, which reload when they are saved; empty plays the demo")
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // what scripts log would be written over the picture
	if err := play(*dir); err != nil {
		log.Fatal(err)
	}
}

// play plays in this terminal until somebody presses Esc or Ctrl-C.
func play(dir string) (err error) {
	if dir != "" {
		if info, err := os.Stat(dir); err != nil {
			return err
		} else if !info.IsDir() {
			return &fs.PathError{Op: "open", Path: dir, Err: errors.New("it is no folder")}
		}
	}
	g, err := newGame(dir, scripts.Demo())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	screen, err := tcell.NewScreen()
	if err != nil {
		return err
	}
	if err := screen.Init(); err != nil {
		return err
	}
	defer screen.Fini()
	screen.EnableMouse(tcell.MouseMotionEvents)
	return g.show(screen, time.NewTicker(time.Second/30).C)
}

// show plays on a screen, with a picture at each tick of a clock, until the player ends it.
func (g *game) show(screen tcell.Screen, clock <-chan time.Time) error {
	events, quit := make(chan tcell.Event, 64), make(chan struct{})
	defer close(quit)
	go screen.ChannelEvents(events, quit)
	p := player{game: g, held: map[string]int{}}
	for {
		select {
		case e, ok := <-events:
			if !ok || p.hear(screen, e) {
				return nil
			}
		case <-clock:
			if _, err := g.paced.Frame(g.host.Step); err != nil {
				return err
			}
			p.release()
			g.draw(screen)
			screen.Show()
		}
	}
}
