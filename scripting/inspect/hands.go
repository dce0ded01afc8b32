package inspect

import (
	"sync"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

// hands are what all viewers hold, for whom the game has one input. A key is up when the last one who holds it has let it go. Who holds a
// button has the pointer: another one who only points elsewhere does not take it, and so it is with the stick.
//
// Invariant: keys, pointers, sticks and all count what the hands in use hold.
type hands struct {
	play func(kit.Signal) bool

	mu       sync.Mutex
	keys     [256]int // by kit.KeyCode
	pointers int
	sticks   int
	all      int
}

// hand is what one viewer holds.
type hand struct {
	keys    map[kit.KeyCode]bool
	pointer kit.Signal // the last one
	presses bool
	pushes  bool
}

// signal gives the game what a viewer does. The lock is held meanwhile: what two do at once comes in the order in which it was counted.
func (h *hands) signal(of *hand, s kit.Signal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch s.Kind {
	case kit.KeyMoved:
		if h.hold(of, s.Key, s.Down); s.Down || h.keys[s.Key] == 0 {
			h.play(s)
		}
	case kit.PointerMoved:
		of.pointer = s
		if h.count(&of.presses, s.Down || s.Second, &h.pointers); of.presses || h.pointers == 0 {
			h.play(s)
		}
	case kit.StickMoved:
		if h.count(&of.pushes, s.X != 0 || s.Y != 0, &h.sticks); of.pushes || h.sticks == 0 {
			h.play(s)
		}
	case kit.Released:
		h.release(of)
	default:
		h.play(s)
	}
}

// hold notes whether a viewer holds a key.
func (h *hands) hold(of *hand, k kit.KeyCode, down bool) {
	if of.keys == nil {
		of.keys = map[kit.KeyCode]bool{}
	}
	is := of.keys[k]
	if h.count(&is, down, &h.keys[k]); is {
		of.keys[k] = true
	} else {
		delete(of.keys, k)
	}
}

// count changes what a viewer holds, and how many hold it.
func (h *hands) count(is *bool, holds bool, many *int) {
	switch {
	case holds && !*is:
		*many, h.all = *many+1, h.all+1
	case !holds && *is:
		*many, h.all = *many-1, h.all-1
	}
	*is = holds
}

// release lets go what a viewer holds, and nobody else does.
func (h *hands) release(of *hand) {
	var up []kit.Signal
	for k := range of.keys {
		if h.hold(of, k, false); h.keys[k] == 0 {
			up = append(up, kit.Signal{Kind: kit.KeyMoved, Key: k})
		}
	}
	if of.presses {
		if h.count(&of.presses, false, &h.pointers); h.pointers == 0 {
			up = append(up, kit.Signal{Kind: kit.PointerMoved, X: of.pointer.X, Y: of.pointer.Y})
		}
	}
	if of.pushes {
		if h.count(&of.pushes, false, &h.sticks); h.sticks == 0 {
			up = append(up, kit.Signal{Kind: kit.StickMoved})
		}
	}
	if h.all == 0 {
		h.play(kit.Signal{Kind: kit.Released}) // also what was held before a jump in time
		return
	}
	for _, s := range up {
		h.play(s)
	}
}
