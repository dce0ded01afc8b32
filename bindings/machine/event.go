package machine

// event is one of the things that a metatable can say about its values.
type event uint8

const (
	evIndex event = iota
	evNewindex
	evCall
	evAdd
	evSub
	evMul
	evDiv
	evMod
	evPow
	evUnm
	evConcat
	evLen
	evEq
	evLt
	evLe
	evTostring
	evMetatable
	events
)

// eventNames are looked up by all machines, in goroutines of their own: nothing of them is
// written late.
var eventNames = [events]*Str{
	evIndex: shared("__index"), evNewindex: shared("__newindex"), evCall: shared("__call"),
	evAdd: shared("__add"), evSub: shared("__sub"), evMul: shared("__mul"), evDiv: shared("__div"),
	evMod: shared("__mod"), evPow: shared("__pow"), evUnm: shared("__unm"), evConcat: shared("__concat"),
	evLen: shared("__len"), evEq: shared("__eq"), evLt: shared("__lt"), evLe: shared("__le"),
	evTostring: shared("__tostring"), evMetatable: shared("__metatable"),
}

// eventBit returns the bit of the event that a key names, 0 if it names none.
func eventBit(k *Str) uint32 {
	if len(k.s) < 4 || k.s[:2] != "__" {
		return 0
	}
	for e, name := range eventNames {
		if name.s == k.s {
			return 1 << e
		}
	}
	return 0
}

// lacks reports that a metatable surely says nothing about an event. Nothing has to be
// invalidated: it is a fact about the shape.
func (t *Table) lacks(e event) bool { return t.shape.events>>e&1 == 0 }

// event returns what a metatable, which may be nil, says about an event.
func (t *Table) event(e event) Value {
	if t == nil || t.lacks(e) {
		return Value{n: tagNil}
	}
	s := t.shape
	if s.places == nil {
		if t.dict != nil {
			return t.getStr(eventNames[e])
		}
		s.findEvents()
	}
	return *t.slot(uintptr(s.places[e]) * 16)
}

// findEvents remembers where the events are among the keys.
func (s *Shape) findEvents() {
	s.heap.Grow(int(events))
	s.places = new([events]uint8)
	for e, name := range eventNames {
		if s.events>>e&1 != 0 {
			s.places[e] = uint8(s.find(name))
		}
	}
}
