package kit

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// Input is the resource that says what the players do: all who watch play together. It changes in the
// phase "input" only, so it is the same for all systems of a tick.
type Input struct {
	X, Y           float64 // where the arrows, WASD or a stick lead, at most 1 long; Y is up
	Fire           bool    // space, enter, the pointer or a button is down
	FirePressed    bool    // and it went down in this tick
	Pointer        bool    // the mouse button, or the finger, is down
	Pressed        bool    // it went down in this tick
	Secondary      bool    // the other button of the mouse is down
	PointerX       float64 // where the pointer is, world units
	PointerY       float64
	Wheel          float64   // turned in this tick, in notches; above zero: away from the player
	StickX, StickY float64   // where a stick leads, -1 to 1
	Down           KeyStates // the keys that are down
	JustPressed    KeyStates // those that went down in this tick, also when they are up again
}

// KeyStates has a field for each key that is known.
type KeyStates struct {
	A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z  bool
	N0, N1, N2, N3, N4, N5, N6, N7, N8, N9                                        bool
	Space, Enter, Escape, Tab, Backspace, Shift, Ctrl, Alt, Up, Down, Left, Right bool
}

// Key is an event: a key has gone down or up.
type Key struct {
	Key  KeyCode `ecs:"key,enum=a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z|n0|n1|n2|n3|n4|n5|n6|n7|n8|n9|space|enter|escape|tab|backspace|shift|ctrl|alt|up|down|left|right"`
	Down bool
}

// KeyCode is a key, by its place in KeyStates.
type KeyCode uint8

// keyNames are the names of keys in Lua, by number. Those of digits are n0 to n9.
var keyNames = [...]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "space", "enter", "escape", "tab", "backspace", "shift", "ctrl", "alt", "up", "down", "left", "right"}

// ParseKey returns the key of a name in Lua: "a", "n0", "space", "up".
func ParseKey(name string) (k KeyCode, ok bool) {
	for n, is := range keyNames {
		if is == name {
			return KeyCode(n), true
		}
	}
	return 0, false
}

// Signal is something that a player has done.
type Signal struct {
	Kind   SignalKind
	Key    KeyCode // of KeyMoved
	Down   bool    // of KeyMoved, and of PointerMoved: the first button, or a finger
	Second bool    // of PointerMoved: the other button
	X, Y   float64 // of PointerMoved: world units. Of StickMoved: -1 to 1, y is up. Of WheelTurned: Y, in notches
}

// SignalKind says what a player has done.
type SignalKind uint8

// The kinds of signals.
const (
	KeyMoved     SignalKind = iota // a key went down or up
	PointerMoved                   // the pointer is there, with these buttons
	WheelTurned
	StickMoved // of a gamepad, or of fingers on a screen
	Released   // all keys and buttons are up: the player has left
)

// mostSignals bounds those that wait.
const mostSignals = 1024

// inputs take signals to the resource.
type inputs struct {
	to   *Input
	keys ecs.Event[Key]

	waits atomic.Bool // there are signals; so that a tick without any takes no lock
	mu    sync.Mutex
	queue []Signal

	spare []Signal
}

// feed leaves a signal for the next tick.
func (in *inputs) feed(s Signal) bool {
	if s.Kind > Released || int(s.Key) >= len(keyNames) || !(math.Abs(s.X) < 1e12 && math.Abs(s.Y) < 1e12) {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	switch n := len(in.queue); {
	case n > 0 && s.follows(in.queue[n-1]):
		in.queue[n-1] = s
	case n < mostSignals:
		in.queue = append(in.queue, s)
	case s.lifts(): // what is lost of the last one is up as well
		in.queue[n-1] = Signal{Kind: Released}
	default:
		return false
	}
	in.waits.Store(true)
	return true
}

// follows reports whether a signal says all that the one before it has said: a pointer that has only moved on, or a stick.
func (s Signal) follows(last Signal) bool {
	return s.Kind == last.Kind && (s.Kind == StickMoved || s.Kind == Released || s.Kind == PointerMoved && s.Down == last.Down && s.Second == last.Second)
}

// lifts reports whether a signal ends what a player holds: it is not dropped, or it would be held for good.
func (s Signal) lifts() bool {
	switch s.Kind {
	case KeyMoved, PointerMoved:
		return !s.Down
	case StickMoved:
		return s.X == 0 && s.Y == 0
	}
	return s.Kind == Released
}

// run is the system kit.input.
func (in *inputs) run(t *ecs.Tick) error {
	if to := in.to; to.FirePressed || to.Pressed || to.Wheel != 0 || to.JustPressed != (KeyStates{}) {
		to.FirePressed, to.Pressed, to.Wheel, to.JustPressed = false, false, 0, KeyStates{}
	}
	if !in.waits.Load() {
		return nil
	}
	in.mu.Lock()
	in.queue, in.spare = in.spare[:0], in.queue
	in.waits.Store(false)
	in.mu.Unlock()
	for _, s := range in.spare {
		in.take(t, s)
	}
	in.sum()
	return nil
}

// take does what a signal says.
func (in *inputs) take(t *ecs.Tick, s Signal) {
	to := in.to
	switch s.Kind {
	case KeyMoved:
		in.key(t, s.Key, s.Down)
	case PointerMoved:
		in.press(s.Down && !to.Pointer)
		to.Pressed = to.Pressed || s.Down && !to.Pointer
		to.Pointer, to.Secondary, to.PointerX, to.PointerY = s.Down, s.Second, s.X, s.Y
	case WheelTurned:
		to.Wheel += s.Y
	case StickMoved:
		to.StickX, to.StickY = clamp(s.X), clamp(s.Y)
	case Released:
		for k, down := range to.Down.all() {
			if down {
				in.key(t, KeyCode(k), false)
			}
		}
		to.Pointer, to.Secondary, to.StickX, to.StickY = false, false, 0, 0
	}
}

// key notes that a key is down or up, and sends the event if that is new.
func (in *inputs) key(t *ecs.Tick, k KeyCode, down bool) {
	is := &in.to.Down.all()[k]
	if *is == down {
		return
	}
	*is = down
	if down {
		in.to.JustPressed.all()[k] = true
		in.press(keyNames[k] == "space" || keyNames[k] == "enter")
	}
	in.keys.Send(t.Commands, Key{k, down})
}

// press notes that a button to fire has gone down.
func (in *inputs) press(is bool) {
	in.to.FirePressed = in.to.FirePressed || is
}

// sum works out what several keys say together.
func (in *inputs) sum() {
	to, d := in.to, &in.to.Down
	to.X = clamp(to.StickX + side(d.D || d.Right) - side(d.A || d.Left))
	to.Y = clamp(to.StickY + side(d.W || d.Up) - side(d.S || d.Down))
	if long := math.Sqrt(float64(to.X*to.X) + float64(to.Y*to.Y)); long > 1 {
		to.X, to.Y = to.X/long, to.Y/long
	}
	to.Fire = d.Space || d.Enter || to.Pointer
}

func side(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

func clamp(v float64) float64 { return min(max(v, -1), 1) }

// all are the keys by number. The fields of KeyStates are bools only, and in that order.
func (k *KeyStates) all() *[len(keyNames)]bool { return (*[len(keyNames)]bool)(unsafe.Pointer(k)) }

// KeyStates has as many fields as there are names; a test holds their order.
const _ = -(unsafe.Sizeof(KeyStates{}) ^ uintptr(len(keyNames)))
