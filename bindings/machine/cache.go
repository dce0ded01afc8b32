package machine

// cache is a place in the code that reads or sets a field by name. It remembers where the
// field was in tables of the shape that it has seen last.
//
// Nothing has to be made invalid: a shape never changes, and what is remembered holds for
// every table that has it. No cache remembers the shape of tables in dictionary mode.
type cache struct {
	key *Str

	// A table of this shape has the key in this slot.
	shape  *Shape
	offset uintptr

	// A table of the shape lacking does not have the key; with it, it has the shape grown.
	// Where its metatable has the shape of meta, __index is in that slot; where that is a
	// table of the shape of class, the key is in that slot of it.
	lacking *Shape
	grown   *Shape
	meta    *Shape
	index   uintptr
	class   *Shape
	method  uintptr
}

// inherited returns the place of the key in the class of a table that does not have it
// itself; nil if the cache does not know.
func (s *cache) inherited(t *Table) *Value {
	if t.shape == s.lacking && t.meta != nil && t.meta.shape == s.meta {
		if x := t.meta.slot(s.index); x.n == tagTable {
			if class := (*Table)(x.p); class.shape == s.class {
				return class.slot(s.method)
			}
		}
	}
	return nil
}

// learn remembers where a table has the key, if it has it.
func (s *cache) learn(t *Table) {
	if t.shape == t.shape.heap.keyed {
		return
	}
	if i := t.shape.find(s.key); i >= 0 {
		s.shape, s.offset = t.shape, uintptr(i)*valueSize
		return
	}
	s.learnClass(t)
}

// learnClass remembers where the class of a table has the key.
func (s *cache) learnClass(t *Table) {
	m := t.meta
	if m == nil || m.shape == m.shape.heap.keyed {
		return
	}
	i := m.shape.find(eventNames[evIndex])
	if i < 0 {
		return
	}
	x := m.slot(uintptr(i) * valueSize)
	if x.n != tagTable {
		return
	}
	class := (*Table)(x.p)
	if j := class.shape.find(s.key); j >= 0 && class.shape != class.shape.heap.keyed {
		s.lacking, s.grown = t.shape, nil
		s.meta, s.index = m.shape, uintptr(i)*valueSize
		s.class, s.method = class.shape, uintptr(j)*valueSize
	}
}

// set sets the field of a table, and reports whether the cache knew how: the table has the
// key, or it gets it without a metatable that could object.
func (s *cache) set(t *Table, v *Value) bool {
	if t.shape == s.shape {
		x := t.slot(s.offset)
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

// learnSet remembers how the field of a table without a metatable is set, before it is.
func (s *cache) learnSet(t *Table, v *Value) {
	if t.shape == t.shape.heap.keyed {
		return
	}
	if i := t.shape.find(s.key); i >= 0 {
		s.shape, s.offset = t.shape, uintptr(i)*valueSize
		return
	}
	if t.meta == nil && v.n != tagNil {
		if grown := t.shape.add(s.key); grown != nil {
			s.lacking, s.grown = t.shape, grown
		}
	}
}
