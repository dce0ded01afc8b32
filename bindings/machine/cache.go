package machine

import "unsafe"

// cache is a place in the code that reads or sets a field by name. It remembers where the
// field was in tables of the shape that it has seen last.
//
// Nothing has to be made invalid: a shape never changes, and what is remembered holds for
// every table that has it. No cache remembers the shape of tables in dictionary mode: of
// those it remembers where the key stood, and looks whether it stands there.
type cache struct {
	key *Str // if place was learnt, the very text that is the key there

	// A table of this shape has the key in this slot.
	shape  *Shape
	offset uint32

	place uint32 // of an entry of a dictionary

	// A table of the shape lacking does not have the key; with it, it has the shape grown.
	// Where its metatable has the shape of meta, __index is in that slot; where that is a
	// table of the shape of class, the key is in that slot of it.
	lacking *Shape
	grown   *Shape
	meta    *Shape
	class   *Shape
	index   uint32
	method  uint32

	// Where the key is further away, class is nil, and these lead to the table that has it in
	// the slot method.
	steps []hop
}

// hop is a table without the key, by the shape of its metatable with the slot of __index,
// and by the shape of the table there.
type hop struct {
	meta  *Shape
	class *Shape
	index uint32
}

// mostHops is how many tables a cache remembers on the way to a key.
const mostHops = 6

// inherited returns the place of the key in the class of a table that does not have it
// itself; nil if the cache does not know.
func (s *cache) inherited(t *Table) *Value {
	if t.shape == s.lacking && t.meta != nil && t.meta.shape == s.meta {
		if x := t.meta.slot(uintptr(s.index)); x.n == tagTable {
			if class := (*Table)(x.p); class.shape == s.class {
				return class.slot(uintptr(s.method))
			}
		}
	}
	return nil
}

// far is inherited where there is more than one table on the way.
func (s *cache) far(t *Table) *Value {
	if t.shape != s.lacking {
		return nil
	}
	for i := range s.steps {
		x := &s.steps[i]
		if t.meta == nil || t.meta.shape != x.meta {
			return nil
		}
		next := t.meta.slot(uintptr(x.index))
		if next.n != tagTable {
			return nil
		}
		if t = (*Table)(next.p); t.shape != x.class {
			return nil
		}
	}
	return t.slot(uintptr(s.method))
}

// learn remembers where a table has the key, if it has it.
func (s *cache) learn(t *Table) {
	if s.learnOwn(t) {
		return
	}
	s.learnClass(t)
}

// learnOwn is learn for a key of the table itself, or for any key of a dictionary. It reports
// whether there is nothing else to learn.
func (s *cache) learnOwn(t *Table) bool {
	if d := t.dict; d != nil {
		if i := d.findText(s.key); i >= 0 {
			s.key, s.place = (*Str)(d.entries[i].key.p), uint32(i)
		}
		return true
	}
	i := t.shape.find(s.key)
	if i >= 0 {
		s.shape, s.offset = t.shape, uint32(i)*uint32(valueSize)
	}
	return i >= 0
}

// learnAbsent remembers that tables with the keys of t lack this one.
func (s *cache) learnAbsent(t *Table) {
	if t.dict == nil && t.shape.find(s.key) < 0 {
		s.lacking, s.grown = t.shape, nil
	}
}

// entry returns the place of the key in a dictionary, nil if it stands elsewhere or the cache
// does not know.
func (s *cache) entry(d *dict) *Value {
	if i := int(s.place); i < len(d.entries) {
		if e := &d.entries[i]; e.key.p == unsafe.Pointer(s.key) && e.key.n == tagStr {
			return &e.value
		}
	}
	return nil
}

// learnClass remembers where the classes of a table have the key.
func (s *cache) learnClass(t *Table) {
	lacking := t.shape
	var way [mostHops]hop
	for n := range way {
		next, ok := hopFrom(t)
		if !ok {
			return
		}
		way[n], t = next, (*Table)(t.meta.slot(uintptr(next.index)).p)
		i := t.shape.find(s.key)
		if i < 0 {
			continue
		}
		s.lacking, s.grown, s.method = lacking, nil, uint32(i)*uint32(valueSize)
		s.meta, s.index, s.class, s.steps = next.meta, next.index, next.class, nil
		if n > 0 {
			s.class, s.steps = nil, append(s.steps, way[:n+1]...)
		}
		return
	}
}

// hopFrom returns the hop from a table to the one that __index names; false where there
// is none that a cache could remember.
func hopFrom(t *Table) (s hop, ok bool) {
	m := t.meta
	if m == nil || m.shape == m.shape.heap.keyed {
		return s, false
	}
	i := m.shape.find(eventNames[evIndex])
	if i < 0 {
		return s, false
	}
	s.meta, s.index = m.shape, uint32(i)*uint32(valueSize)
	next := m.slot(uintptr(s.index))
	if next.n != tagTable {
		return s, false
	}
	s.class = (*Table)(next.p).shape
	return s, s.class != s.class.heap.keyed
}

// set sets the field of a table, and reports whether the cache knew how: the table has the
// key, or it gets it without a metatable that could object.
func (s *cache) set(t *Table, v *Value) bool {
	if t.shape == s.shape {
		x := t.slot(uintptr(s.offset))
		if x.n == tagNil || v.n == tagNil {
			return false // the key comes or goes
		}
		store(x, v)
		return true
	}
	if t.shape == s.lacking && s.grown != nil && t.meta == nil && v.n != tagNil {
		t.addSlot(s.grown, v)
		return true
	}
	return false
}

// replace is set for a key of a dictionary.
func (s *cache) replace(d *dict, v *Value) bool {
	x := s.entry(d)
	if x == nil || x.n == tagNil || v.n == tagNil {
		return false
	}
	store(x, v)
	return true
}

// learnSet remembers how the field of a table without a metatable is set, before it is.
func (s *cache) learnSet(t *Table, v *Value) {
	if t.sealed || s.learnOwn(t) {
		return
	}
	if t.meta == nil && v.n != tagNil {
		if grown := t.shape.add(s.key); grown != nil {
			s.lacking, s.grown = t.shape, grown
		}
	}
}
