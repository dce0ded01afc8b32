package machine

// Foreign is the content of a table that somebody else has, too: a host whose code has
// tables of its own kind. The table asks it for everything, so both see each other's
// changes at once. Keys are neither nil nor NaN, and values may be nil.
type Foreign interface {
	Get(k Value) Value
	Set(k, v Value)
	// Next is [Table.Next], but that it may go on anywhere after what never was a key.
	Next(after Value) (key, value Value, passed int)
	Len() int
	// Entries returns about how many items and keys there are.
	Entries() int
	// Clear removes all keys, and no metatable.
	Clear()
	Walk(w *Walk) (looked int)
	Ruled
}

// Ruled is what has a metatable.
type Ruled interface {
	Metatable() *Table
	SetMetatable(m *Table)
}

// far is the content of a table without one of its own.
//
// How does the loop know? It does not: such a table has a dictionary without entries, the
// shape of which nobody remembers, and a metatable, the gate. Whoever finds no key asks the
// gate, which is a table of the same kind: it has what the metatable of the moment has.
type far struct {
	content Foreign
	list    *Deferred // in place of content: the table is a list that is not filled yet
	gate    bool
}

// get returns the value of a key.
func (f *far) get(k Value) Value {
	if f.list != nil {
		return f.list.get(&k)
	}
	return f.content.Get(k)
}

// gate is the content of a gate.
type gate struct{ Ruled }

// Get implements Foreign.
func (g gate) Get(k Value) Value {
	if m := g.Metatable(); m != nil {
		return m.Get(k)
	}
	return Nil
}

// Set implements Foreign. Nobody has a gate in hand.
func (gate) Set(Value, Value) {}

// Next implements Foreign.
func (gate) Next(Value) (key, value Value, passed int) { return Nil, Nil, 0 }

// Len implements Foreign.
func (gate) Len() int { return 0 }

// Entries implements Foreign.
func (gate) Entries() int { return 0 }

// Clear implements Foreign.
func (gate) Clear() {}

// Walk implements Foreign.
func (g gate) Walk(w *Walk) int {
	if m := g.Metatable(); m != nil {
		w.Push(OfTable(m))
	}
	return 1
}

// farBytes is what a table takes beside itself that has its content elsewhere: the gate, and
// both dictionaries.
const farBytes = 2*tableBytes + 3*dictBytes

// newFar makes a table without content of its own.
func (h *Heap) newFar(f far) *Table {
	return &Table{shape: h.keyed, dict: &dict{far: &f}}
}

// newGate makes the gate of what has a metatable elsewhere.
func (h *Heap) newGate(r Ruled) *Table { return h.newFar(far{content: gate{r}, gate: true}) }

// NewForeign makes a table that has its content elsewhere. It counts no bytes: it may be made
// as often as somebody looks for it.
func (h *Heap) NewForeign(f Foreign) *Table {
	t := h.newFar(far{content: f})
	t.meta = h.newGate(f)
	return t
}

// Share drops the content of a table and its metatable: f has both from now on.
func (t *Table) Share(f Foreign) {
	t.grow(farBytes)
	shared := t.shape.heap.newFar(far{content: f})
	shared.meta = t.shape.heap.newGate(f)
	shared.mark, shared.blank, shared.rare = t.mark, t.blank, t.rare
	*t = *shared
	t.dict.live = f.Entries()
}

// Foreign returns the content of a table that has it elsewhere, nil for all others. A list that
// is not filled yet is filled then: whoever asks works on the table as a whole.
func (t *Table) Foreign() Foreign {
	if t.dict == nil || t.dict.far == nil {
		return nil
	}
	if l := t.dict.far.list; l != nil {
		l.fill()
		return nil
	}
	return t.dict.far.content
}

// behindGate returns the metatable that a gate stands for, and any other as it is.
func behindGate(meta *Table) *Table {
	if meta != nil && meta.dict != nil && meta.dict.far != nil && meta.dict.far.gate {
		return meta.dict.far.content.Metatable()
	}
	return meta
}

// setFar sets a key of a table that has its content elsewhere.
func (t *Table) setFar(k, v *Value) {
	f := t.Foreign()
	if f == nil {
		t.set(k, v)
		return
	}
	f.Set(clean(*k), clean(*v))
	t.dict.live = f.Entries()
}

// copyTo gives another table all that this one has, and takes it from this one. It is
// MoveTo where one of the two has its content elsewhere. O(entries).
func (t *Table) copyTo(to *Table) {
	meta := t.Metatable()
	to.SetMetatable(nil)
	to.Clear()
	for k, v, _ := t.Next(Nil); k.n != tagNil; k, v, _ = t.Next(k) {
		to.Set(k, v)
	}
	t.Clear()
	t.SetMetatable(nil)
	to.SetMetatable(meta)
}

// Rule has a userdata ask r for its metatable.
func (u *Userdata) Rule(h *Heap, r Ruled) {
	u.meta = h.newGate(r)
}

// ruled returns what a userdata asks for its metatable, nil if it has one of its own.
func (u *Userdata) ruled() Ruled {
	if m := u.meta; m != nil && m.dict != nil && m.dict.far != nil && m.dict.far.gate {
		return m.dict.far.content
	}
	return nil
}
