package inspect

import (
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

// hands are what all viewers hold, for whom the game has one input. A key or a button is up when the last one who holds it has let it go.
// Who holds a button has the pointer: another one who only points elsewhere does not take it, and so it is with the stick.
//
// Invariant: a hand that holds something is in all.
type hands struct {
	play func(kit.Signal) bool

	mu  sync.Mutex
	all []*hand
}

// hand is what one viewer holds.
type hand struct {
	keys    map[kit.KeyCode]bool
	pointer kit.Signal // where it points, with its buttons
	stick   kit.Signal
}

func (o *hand) presses() bool { return o.pointer.Down || o.pointer.Second }
func (o *hand) pushes() bool  { return o.stick.X != 0 || o.stick.Y != 0 }
func (o *hand) holds() bool   { return len(o.keys) > 0 || o.presses() || o.pushes() }

// signal gives the game what a viewer does. The lock is held meanwhile: what two do at once comes in the order in which it is noted here.
func (h *hands) signal(of *hand, s kit.Signal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !(math.Abs(s.X) < far && math.Abs(s.Y) < far) {
		return // which no game would take
	}
	if !slices.Contains(h.all, of) {
		h.all = append(h.all, of)
	}
	switch s.Kind {
	case kit.KeyMoved:
		h.key(of, s)
	case kit.PointerMoved:
		of.pointer = s
		h.point(of)
	case kit.StickMoved:
		of.stick = s
		h.push(of)
	case kit.Released:
		h.release(of)
	default:
		h.play(s)
	}
}

// far is beyond what kit.Screen takes as a place.
const far = 1e12

// key notes a key of a viewer.
func (h *hands) key(of *hand, s kit.Signal) {
	if s.Down {
		if of.keys == nil {
			of.keys = map[kit.KeyCode]bool{}
		}
		of.keys[s.Key] = true
	} else {
		delete(of.keys, s.Key)
	}
	if s.Down || !slices.ContainsFunc(h.all, func(o *hand) bool { return o.keys[s.Key] }) {
		h.play(s)
	}
}

// point gives the game the place of a viewer, or of one who holds a button if this one holds none, with the buttons of all.
func (h *hands) point(of *hand) {
	at := of.pointer
	for _, o := range h.all {
		if !of.presses() && o.presses() && !at.Down && !at.Second {
			at.X, at.Y = o.pointer.X, o.pointer.Y
		}
		at.Down, at.Second = at.Down || o.pointer.Down, at.Second || o.pointer.Second
	}
	at.Kind = kit.PointerMoved
	h.play(at)
}

// push gives the game the stick of a viewer, or of one who pushes it if this one does not.
func (h *hands) push(of *hand) {
	at := of.stick
	for _, o := range h.all {
		if at.X == 0 && at.Y == 0 {
			at = o.stick
		}
	}
	at.Kind = kit.StickMoved
	h.play(at)
}

// release lets go what a viewer holds, and nobody else does.
func (h *hands) release(of *hand) {
	had := hand{of.keys, of.pointer, of.stick}
	of.keys, of.pointer.Down, of.pointer.Second, of.stick = nil, false, false, kit.Signal{}
	h.all = slices.DeleteFunc(h.all, func(o *hand) bool { return o == of })
	if !slices.ContainsFunc(h.all, (*hand).holds) {
		h.play(released) // also what was held before a jump in time
		return
	}
	for _, k := range slices.Sorted(maps.Keys(had.keys)) {
		h.key(of, kit.Signal{Kind: kit.KeyMoved, Key: k})
	}
	if had.presses() {
		h.point(of)
	}
	if had.pushes() {
		h.push(of)
	}
}
