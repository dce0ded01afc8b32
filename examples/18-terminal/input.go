package main

import (
	"strings"
	"unicode"

	"github.com/gdamore/tcell/v2"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

// player is what the one at the terminal does. A terminal says that a key was pressed, again and again while it is down,
// and never that it is up: so it counts as up when nothing was heard of it for some pictures.
type player struct {
	game *game
	held map[string]int // keys that are down, and for how many more pictures
}

// patience is for how many pictures a key counts as down: the first pause of a key that repeats is half a second long.
const patience = 16

// names are the keys that have a name of their own.
var names = map[tcell.Key]string{
	tcell.KeyUp: "up", tcell.KeyDown: "down", tcell.KeyLeft: "left", tcell.KeyRight: "right",
	tcell.KeyEnter: "enter", tcell.KeyTab: "tab", tcell.KeyBackspace: "backspace", tcell.KeyBackspace2: "backspace",
}

// hear takes what has happened at the terminal. It reports whether the player ends the game.
func (p *player) hear(screen tcell.Screen, event tcell.Event) (end bool) {
	switch e := event.(type) {
	case *tcell.EventResize:
		screen.Sync()
	case *tcell.EventKey:
		return p.key(e)
	case *tcell.EventMouse:
		width, height := screen.Size()
		f := p.game.look(width, height-1)
		x, y := f.point(e.Position())
		p.game.view.Feed(kit.Signal{
			Kind: kit.PointerMoved, X: x, Y: y, Down: e.Buttons()&tcell.ButtonPrimary != 0, Second: e.Buttons()&tcell.ButtonSecondary != 0,
		})
		for button, turned := range map[tcell.ButtonMask]float64{tcell.WheelUp: 1, tcell.WheelDown: -1} {
			if e.Buttons()&button != 0 {
				p.game.view.Feed(kit.Signal{Kind: kit.WheelTurned, Y: turned})
			}
		}
	}
	return false
}

// key takes a key.
func (p *player) key(e *tcell.EventKey) (end bool) {
	name := names[e.Key()]
	if e.Key() == tcell.KeyRune {
		switch r := unicode.ToLower(e.Rune()); {
		case r == ' ':
			name = "space"
		case r >= '0' && r <= '9':
			name = "n" + string(r)
		default:
			name = string(r)
		}
	}
	paced := p.game.paced
	switch {
	case e.Key() == tcell.KeyEscape || e.Key() == tcell.KeyCtrlC:
		return true
	case name == "." || name == "p" && paced.Paused():
		paced.Resume()
		if name == "." {
			paced.Pause()
			paced.Once()
		}
	case name == "p":
		paced.Pause()
	case name != "":
		p.press(name)
	}
	return false
}

// opposite are keys of which one ends the other, since nobody presses both.
var opposite = map[string]string{"w": "s", "s": "w", "a": "d", "d": "a", "up": "down", "down": "up", "left": "right", "right": "left"}

// press has a key be down.
func (p *player) press(name string) {
	if other := opposite[name]; p.held[other] > 0 {
		delete(p.held, other)
		p.signal(other, false)
	}
	if p.held[name] == 0 {
		p.signal(name, true)
	}
	p.held[name] = patience
}

// release has keys be up of which nothing was heard for a while. It is called at each picture.
func (p *player) release() {
	for name, left := range p.held {
		if p.held[name] = left - 1; left <= 1 {
			delete(p.held, name)
			p.signal(name, false)
		}
	}
}

// signal tells the scripts about a key, if it is one that they know.
func (p *player) signal(name string, down bool) {
	if code, ok := kit.ParseKey(strings.ToLower(name)); ok {
		p.game.view.Feed(kit.Signal{Kind: kit.KeyMoved, Key: code, Down: down})
	}
}
