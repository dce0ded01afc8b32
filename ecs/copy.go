package ecs

import "unsafe"

// Copy creates an entity with all that e has, and then the overrides. Values are
// copied as Go assigns them: strings are equal, slices and maps are shared. The
// copy has neither parent nor children, and no relations. It costs what spawning
// does. The error wraps ErrDead, for an entity that is dead or has no place, or
// what TrySpawn returns.
func (w *World) Copy(e Entity, overrides ...Value) (Entity, error) {
	switch {
	case !w.placed(e):
		return 0, w.deadError(e)
	case w.locks > 0:
		return 0, ErrIterating
	}
	copied, err := w.issue()
	if err != nil {
		return 0, err
	}
	if err := w.copyTo(copied, e, overrides); err != nil {
		w.slots.Release(uint64(copied))
		return 0, err
	}
	return copied, nil
}

// copyTo settles a reserved entity as a copy of e, which has a place.
//
// Room for the copy in e's own archetype is made first, as rows move when their
// archetype gets a longer chunk, and given back if the copy went elsewhere. If
// there is none, nothing moves, and whoever needs it says so.
func (w *World) copyTo(copied, e Entity, overrides []Value) error {
	a, _ := w.find(e)
	_, _ = a.reserve(w)
	defer a.trim(w)
	values := w.takeValues()
	defer func() { w.giveBack(values) }()
	for _, id := range a.ids {
		if c := w.components[id]; c.reserved == "" { // the copy of a prefab entity is an ordinary one
			values = append(values, c.valueAt(c.find(e)))
		}
	}
	for _, p := range w.pools {
		at := p.find(e)
		switch c := p.of(); {
		case at == nil || c.reserved != "":
		case c.group != nil: // whose rows change places as entities come
			values = append(values, c.copyOut(at))
		default:
			values = append(values, c.valueAt(at))
		}
	}
	values = append(values, overrides...)
	return w.settle(copied, w.slots.At(uint64(copied)), values)
}

// copyBytes copies pointer-free memory. The sizes that components mostly have
// are copied by words: a call of the runtime costs more than they do.
func copyBytes(to, from unsafe.Pointer, n uintptr) {
	switch n {
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	case 16:
		*(*[2]uint64)(to) = *(*[2]uint64)(from)
	case 24:
		*(*[3]uint64)(to) = *(*[3]uint64)(from)
	case 32:
		*(*[4]uint64)(to) = *(*[4]uint64)(from)
	default:
		copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
	}
}
