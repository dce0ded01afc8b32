// Command 17-window plays a game in a window of its own: the host draws the shapes, sprites, labels and bars of package kit, and
// tells the scripts what keys, pointer and gamepad do. Scripts reload while it plays.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image/png"
	"log"
	"os"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
	"github.com/hajimehoshi/ebiten/v2/text/v2"

	"github.com/perigee-ecs/perigee/scripts"
)

func main() {
	dir := flag.String("scripts", "", "folder of scripts, which reload when they are saved; empty plays the demo")
	frames := flag.Int("frames", 0, "end after so many pictures; 0 plays until the window is closed")
	shot := flag.String("shot", "", "write the last of the pictures to this file, as PNG")
	flag.Parse()
	if err := play(*dir, *frames, *shot); err != nil {
		log.Fatal(err)
	}
}

// play opens the window, until it is closed.
func play(dir string, frames int, shot string) (err error) {
	if dir != "" {
		if err := folderOf(dir); err != nil {
			return err
		}
	}
	if frames < 0 || frames == 0 && shot != "" {
		return fmt.Errorf("-frames %d: it is a number of pictures, and -shot needs one", frames)
	}
	g, err := newGame(dir, scripts.Demo())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	painter, err := newPainter()
	if err != nil {
		return err
	}
	ebiten.SetWindowTitle("Perigee")
	ebiten.SetWindowSize(1280, 800)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetTPS(ebiten.SyncWithFPS) // the loop of the game knows when a step is due
	return ebiten.RunGame(&window{game: g, painter: painter, frames: frames, shot: shot})
}

// window is what Ebitengine asks for pictures.
type window struct {
	game    *game
	painter *painter
	player  player
	alpha   float64
	size    [2]int

	drawn, frames int // pictures, and how many there are to be
	shot          string
	failed        error // to write the picture
}

// Update implements ebiten.Game: it is called before each picture.
func (w *window) Update() error {
	paced := w.game.paced
	switch {
	case w.failed != nil:
		return w.failed
	case inpututil.IsKeyJustPressed(ebiten.KeyEscape), w.frames > 0 && w.drawn >= w.frames:
		return ebiten.Termination
	case inpututil.IsKeyJustPressed(ebiten.KeyF5) && paced.Paused():
		paced.Resume()
	case inpututil.IsKeyJustPressed(ebiten.KeyF5):
		paced.Pause()
	case inpututil.IsKeyJustPressed(ebiten.KeyF6):
		paced.Pause()
		paced.Once()
	}
	f, _ := w.game.look(w.size[0], w.size[1])
	w.player.play(w.game, &f)
	var err error
	w.alpha, err = w.game.frame()
	return err
}

// Draw implements ebiten.Game.
func (w *window) Draw(to *ebiten.Image) {
	w.painter.draw(w.game, to, w.alpha)
	w.say(to)
	if w.drawn++; w.drawn == w.frames && w.shot != "" {
		w.failed = write(w.shot, to)
	}
}

// say writes a line about the game below it, and what a script has failed with.
func (w *window) say(to *ebiten.Image) {
	y := float64(w.size[1])
	line := fmt.Sprintf("%d entities · %.0f pictures a second · F5 pauses, F6 steps, Esc ends", w.game.world.Len(), ebiten.ActualFPS())
	if w.game.paced.Paused() {
		line = "paused · " + line
	}
	w.painter.write(to, line, 18, y-26, 12, rgb(0x6f7ea3), text.AlignStart)
	if w.game.news != "" {
		w.painter.write(to, w.game.news, 18, y-46, 13, rgb(0xffb454), text.AlignStart)
	}
}

// Layout implements ebiten.Game: a pixel of the picture is one of the window.
func (w *window) Layout(width, height int) (int, int) {
	w.size = [2]int{max(width, 1), max(height, 1)}
	return w.size[0], w.size[1]
}

// write writes a picture to a file.
func write(path string, picture *ebiten.Image) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(file, picture), file.Close())
}
