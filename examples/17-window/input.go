package main

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

// keys are the keys of a window, and what scripts call them.
var keys = []struct {
	key  ebiten.Key
	name string
}{
	{ebiten.KeySpace, "space"}, {ebiten.KeyEnter, "enter"}, {ebiten.KeyTab, "tab"}, {ebiten.KeyBackspace, "backspace"},
	{ebiten.KeyShift, "shift"}, {ebiten.KeyControl, "ctrl"}, {ebiten.KeyAlt, "alt"},
	{ebiten.KeyArrowUp, "up"}, {ebiten.KeyArrowDown, "down"}, {ebiten.KeyArrowLeft, "left"}, {ebiten.KeyArrowRight, "right"},
}

func init() {
	for k := range 26 {
		keys = append(keys, struct {
			key  ebiten.Key
			name string
		}{ebiten.KeyA + ebiten.Key(k), string(rune('a' + k))})
	}
	for k := range 10 {
		keys = append(keys, struct {
			key  ebiten.Key
			name string
		}{ebiten.KeyDigit0 + ebiten.Key(k), "n" + string(rune('0'+k))})
	}
}

// player is what the one at the window does.
type player struct {
	down    map[ebiten.Key]bool
	pointer kit.Signal
	stick   kit.Signal
	fire    bool // of the gamepad
	focused bool
}

// play tells the game what has changed since the last picture.
func (p *player) play(g *game, f *frame) {
	if focused := ebiten.IsFocused(); !focused {
		if p.focused {
			g.view.Feed(kit.Signal{Kind: kit.Released})
			p.down = nil
		}
		p.focused = false
		return
	}
	p.focused = true
	if p.down == nil {
		p.down = map[ebiten.Key]bool{}
	}
	for _, k := range keys {
		if down := ebiten.IsKeyPressed(k.key); down != p.down[k.key] {
			p.down[k.key] = down
			press(g, k.name, down)
		}
	}
	sx, sy := ebiten.CursorPosition()
	x, y := f.point(float64(sx), float64(sy))
	pointer := kit.Signal{
		Kind: kit.PointerMoved, X: x, Y: y, Down: ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft), Second: ebiten.IsMouseButtonPressed(ebiten.MouseButtonRight),
	}
	if pointer != p.pointer {
		p.pointer = pointer
		g.view.Feed(pointer)
	}
	if _, turned := ebiten.Wheel(); turned != 0 {
		g.view.Feed(kit.Signal{Kind: kit.WheelTurned, Y: turned})
	}
	p.steer(g)
}

// slack is how far a stick may be off its middle at rest.
const slack = 0.15

// steer tells the game about the first gamepad.
func (p *player) steer(g *game) {
	stick, fire := kit.Signal{Kind: kit.StickMoved}, false
	for _, id := range ebiten.AppendGamepadIDs(nil) {
		if ebiten.IsStandardGamepadLayoutAvailable(id) {
			stick.X = ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickHorizontal)
			stick.Y = -ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickVertical)
			fire = ebiten.IsStandardGamepadButtonPressed(id, ebiten.StandardGamepadButtonRightBottom)
			break
		}
	}
	if math.Hypot(stick.X, stick.Y) < slack {
		stick.X, stick.Y = 0, 0
	}
	if stick != p.stick {
		p.stick = stick
		g.view.Feed(stick)
	}
	if fire != p.fire {
		p.fire = fire
		press(g, "space", fire)
	}
}

// press tells the game that a key has gone down or up.
func press(g *game, name string, down bool) {
	if code, ok := kit.ParseKey(name); ok {
		g.view.Feed(kit.Signal{Kind: kit.KeyMoved, Key: code, Down: down})
	}
}
