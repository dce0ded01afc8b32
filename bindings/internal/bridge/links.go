package bridge

import (
	"unsafe"
	"weak"
)

// links says which objects of the machine, O, and of gopher-lua, T, belong together. It keeps
// neither alive.
//
// Invariant: an address may be that of an object that is gone, or of another one that has
// come in its place; so whoever finds one compares.
type links[O, T any] struct {
	ours   map[uintptr]*link[O, T]
	theirs map[uintptr]*link[O, T]
	live   int // after the last sweep
}

// link is one pair.
type link[O, T any] struct {
	ours   weak.Pointer[O]
	theirs weak.Pointer[T]
}

// fewLinks is how many links are never swept.
const fewLinks = 64

func address[A any](p *A) uintptr { return uintptr(unsafe.Pointer(p)) }

// join makes a pair. What either belonged to before is forgotten.
func (l *links[O, T]) join(ours *O, theirs *T) {
	if l.ours == nil {
		l.ours, l.theirs = map[uintptr]*link[O, T]{}, map[uintptr]*link[O, T]{}
	}
	if len(l.ours)+len(l.theirs) > 4*l.live+fewLinks {
		l.sweep()
	}
	x := &link[O, T]{weak.Make(ours), weak.Make(theirs)}
	l.ours[address(ours)], l.theirs[address(theirs)] = x, x
}

// of returns what belongs to an object of the machine, nil if nothing does.
func (l *links[O, T]) of(ours *O) *T {
	if x := l.ours[address(ours)]; x != nil && x.ours.Value() == ours {
		return x.theirs.Value()
	}
	return nil
}

// to returns what belongs to an object of gopher-lua, nil if nothing does.
func (l *links[O, T]) to(theirs *T) *O {
	if x := l.theirs[address(theirs)]; x != nil && x.theirs.Value() == theirs {
		return x.ours.Value()
	}
	return nil
}

// sweep forgets the pairs of which one is gone. O(pairs), and as many are made before the
// next time.
func (l *links[O, T]) sweep() {
	for _, side := range [...]map[uintptr]*link[O, T]{l.ours, l.theirs} {
		for at, x := range side { // the order does not matter
			if x.ours.Value() == nil || x.theirs.Value() == nil {
				delete(side, at)
			}
		}
	}
	l.live = len(l.ours)
}
