package ecs

import "unsafe"

// Copy creates an entity with all that e has, and then the overrides. Values are
// copied as Go assigns them: strings are equal, slices and maps are shared. The
// copy has neither parent nor children, and no relations. It costs what spawning
// does. The error wraps ErrDead, for an entity that is dead or has no place, or
// what TrySpawn returns.
func (w *World) Copy(e Entity, overrides ...Value) (Entity, error) {
	a, r := w.find(e)
	if r == nil || r.Table == limbo {
		return 0, dead(e)
	}
	if w.locks > 0 {
		return 0, ErrIterating
	}
	values := w.takeValues()
	defer func() { w.giveBack(values) }()
	for _, id := range a.ids {
		if w.components[id].reserved != "" {
			continue // the copy of a prefab entity is an ordinary one
		}
		values = append(values, w.ValueAt(id, w.components[id].find(e)))
	}
	for _, p := range w.pools {
		if at := p.find(e); at != nil && p.of().reserved == "" {
			values = append(values, p.of().valueOf(at))
		}
	}
	values = append(values, overrides...)
	return w.TrySpawn(values...)
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
