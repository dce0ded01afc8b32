package ecs

// large counts what a [Preview] of commands would need for large components: each set of
// one field has all of the value foreseen, so that a few bytes of commands may stand for
// many of those.
//
// Why not when the preview is made? Then it would depend on who has asked for it how much
// the same commands take, and a host that limits them would cut a script there or not.
//
// Invariant: known holds the places in log. bytes is the sum of their sizes, and of those
// values that have no place.
type large struct {
	bytes int
	known map[largePlace]struct{}
	log   []largeNote
}

// largePlace is a component of an entity.
type largePlace struct {
	entity Entity
	id     ComponentID
}

// largeNote is a place, and the bytes before it.
type largeNote struct {
	largePlace
	before int
}

// smallValue is up to how many bytes a value is none of these: it takes little more than
// the command.
const smallValue = 128

// countLarge counts a component that a command changes in part.
func (c *Commands) countLarge(e Entity, id ComponentID) {
	if int(id) < len(c.world.components) {
		c.large.add(e, c.world.components[id])
	}
}

// add counts a component that a command changes, once for each entity, and those that it
// requires.
func (l *large) add(e Entity, info *component) {
	for _, need := range info.rules.requires {
		l.add(e, need)
	}
	if info.size <= smallValue || info.heap {
		return
	}
	at := largePlace{e, info.id}
	if _, ok := l.known[at]; ok {
		return
	}
	if l.known == nil {
		l.known = map[largePlace]struct{}{}
	}
	l.known[at] = struct{}{}
	l.log = append(l.log, largeNote{at, l.bytes})
	l.bytes += int(info.size)
}

// copy counts what a copy of an entity gets.
func (l *large) copy(w *World, e, copied Entity) {
	for _, info := range w.components {
		if info.size <= smallValue {
			continue
		}
		if _, known := l.known[largePlace{e, info.id}]; known || w.has(e, info.id) {
			l.add(copied, info)
		}
	}
}

// rewind takes back what was counted since a mark.
func (l *large) rewind(m Mark) {
	for n := len(l.log); n > 0 && l.log[n-1].before >= m.large; n-- {
		delete(l.known, l.log[n-1].largePlace)
		l.log = l.log[:n-1]
	}
	l.bytes = m.large
}

// forget empties it, but for the room of a usual tick.
func (l *large) forget() {
	if l.bytes == 0 {
		return
	}
	if len(l.log) > keptPlaces {
		l.known, l.log = nil, nil
	}
	clear(l.known)
	l.log, l.bytes = l.log[:0], 0
}

// keptPlaces is for how many places the room stays.
const keptPlaces = 1 << 16
