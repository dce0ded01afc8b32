package tx

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Written is one write into a state table: what the key held before, and how long the list
// was, which depends on earlier writes where items are missing.
type Written struct {
	Content  *lua.LTable
	Key, Old lua.Value
	Len      int
}

// StateWrites are those of a call, of a load, or of a function that reads a save. Where a key that
// has a value gets another one, and its value was noted since the last mark, there is nothing more
// to note: who takes all back, or what was done since a mark, puts that first value back in any
// case, and the table has the same keys.
//
// Invariant: what was noted before marked is not enough for who rewinds to the mark. latest has
// places in list at most; each is a guess, which is looked at before it is believed.
type StateWrites struct {
	list   []Written
	marked int     // how long the list was at the last mark
	latest []int32 // by table and key: where a write was noted; its length is a power of two
}

const (
	// fewPlaces is how long latest is at first. It grows with the list to manyPlaces: a call that
	// writes the same thousands of keys again and again notes each about once.
	fewPlaces, manyPlaces = 64, 1 << 20
	// keptWrites is how many notes a call has room for when it begins, whatever others had.
	keptWrites = 1 << 14
	// nearWrites is about how many notes the processor has at hand.
	nearWrites = 1 << 12
)

// Far reports whether the notes are so many that each look at them takes long.
func (w *StateWrites) Far() bool { return len(w.list) > nearWrites }

// Noted reports whether a write, which is not done yet, needs no note: of a key that gets a value
// or, where that is nil, loses it.
func (w *StateWrites) Noted(x *Written, given lua.Value) bool {
	if len(w.latest) == 0 || lua.IsNil(x.Old) || lua.IsNil(given) {
		return false
	}
	at := x.place(w.latest)
	return w.noted(at, x) || w.noted(at^1, x)
}

// noted reports whether a place leads to a note of the same table and key since the mark.
func (w *StateWrites) noted(at uint, x *Written) bool {
	i := int(w.latest[at])
	return w.counts(i) && w.list[i].Content == x.Content && w.list[i].Key.Same(x.Key)
}

// counts reports whether a note exists and was made since the mark.
func (w *StateWrites) counts(i int) bool { return i >= w.marked && i < len(w.list) }

// Note notes a write before it is done.
func (w *StateWrites) Note(x Written) {
	if n := len(w.latest); n == 0 || n < manyPlaces && len(w.list) >= n/2 {
		w.latest = make([]int32, max(fewPlaces, 4*n))
		for i := w.marked; i < len(w.list); i++ {
			w.put(&w.list[i], i)
		}
	}
	w.put(&x, len(w.list))
	w.list = append(w.list, x)
}

// put makes one of the two places of a write lead to its note, the second one if the first is
// in use.
func (w *StateWrites) put(x *Written, i int) {
	at := x.place(w.latest)
	if old := int(w.latest[at]); old != i && w.counts(old) {
		at ^= 1
	}
	w.latest[at] = int32(i)
}

// forget makes it ready for the next call.
func (w *StateWrites) forget() {
	if cap(w.list) > keptWrites {
		*w = StateWrites{}
		return
	}
	w.list, w.marked = Emptied(w.list), 0
}

// place returns where the note of a table and key is looked for, there and in the place beside it:
// whole numbers differ in the highest bits alone. No order depends on it.
func (w *Written) place(places []int32) uint {
	mixed := (uint64(uintptr(unsafe.Pointer(w.Content))>>4)*31 + uint64(w.Key.Identity())) * spread
	mixed = (mixed ^ mixed>>32) * spread
	return uint(mixed>>40) & uint(len(places)-1)
}

// spread is 2^64 divided by the golden ratio, made odd: it carries each bit into the highest ones
// (Knuth, The Art of Computer Programming 3, 6.4).
const spread = 0x9e3779b97f4a7c15

// Any reports whether there are notes.
func (w *StateWrites) Any() bool { return len(w.list) > 0 }

// Undo puts back what the tables held.
func (w *StateWrites) Undo() { undoWrites(w.list) }

// undoWrites undoes writes, newest first.
func undoWrites(list []Written) {
	for i := len(list) - 1; i >= 0; i-- {
		w := &list[i]
		Put(w.Content, w.Key, w.Old)
		lua.RestoreLen(w.Content, w.Len)
	}
}

// Put sets a key of a content. The last item of a list is taken off: a nil in its
// place would have to be skipped by every # from then on.
func Put(content *lua.LTable, key, given lua.Value) {
	if n, ok := lua.AsNumber(key); ok && lua.IsNil(given) && n >= 1 && int(n) == content.Len() && n == float64(int(n)) {
		content.RawSetInt(int(n), lua.LNil) // Remove only shortens the list: the value would stay behind its end
		content.Remove(int(n))
		return
	}
	lua.RawSet(content, key, given)
}
