package machine

import "unsafe"

// cache is a place in the code that reads or sets a field by name. It remembers where the
// field was in tables of a shape that it has seen, and in others where such tables of a few
// shapes more have it: objects of several classes come to one place, or those that have got
// a field late.
//
// Nothing has to be made invalid: a shape never changes, and what is remembered holds for
// every table that has it. No cache remembers the shape of tables in dictionary mode: of
// those it remembers where the key stood, and looks whether it stands there.
//
// The loop looks at what is remembered first, and only there; others are for the slow way, which takes some
// ten nanoseconds. So what others find again and again takes the first place.
type cache struct {
	remembered
	others *others // nil: one shape was enough so far
}

// others are what a cache remembers besides.
type others struct {
	list   [mostOthers]remembered
	n      int // of list
	found  uint8
	missed uint8
}

const (
	mostOthers = 8
	// A shape takes the first place when the others have found fields so often, and the place of
	// another one when they have not found so many.
	takesFirst, takesOther = 32, 8
)

// remembered is where tables of one shape have the key of a cache.
type remembered struct {
	key *Str // if place was learnt, the very text that is the key there

	// A table of this shape has the key in this slot.
	shape  *Shape
	offset uint32

	place uint32 // of an entry of a dictionary

	// A table of the shape lacking does not have the key; with it, it has the shape grown.
	// Where its metatable has the shape of meta, __index is in the slot index: a function is called
	// for the key; of a table of the shape of class, the key is in the slot method.
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

// find returns the place of the key in a table, or in the tables that it inherits from, and how many of
// those count as instructions; nil if it is not known.
func (s *remembered) find(t *Table) (v *Value, steps int) {
	if t.shape == s.shape {
		return t.slot(uintptr(s.offset)), 0
	}
	if v = s.inherited(t); v == nil && s.steps != nil {
		v, steps = s.far(t), len(s.steps)-1
	}
	return v, steps
}

// lacks reports whether it is remembered that a table has no such key, nor anything to inherit it from.
func (s *remembered) lacks(t *Table) bool {
	return t.shape == s.lacking && (t.meta == nil || t.shape.fixed)
}

// about reports whether something is remembered of tables such as this one, which has the key itself or not.
// Tables of one shape may inherit it in several ways.
func (s *remembered) about(t *Table, own bool) bool {
	if own {
		return t.shape == s.shape
	}
	return t.shape == s.lacking && t.meta == nil
}

// free reports whether nothing is remembered of tables that have the key themselves, or of those that
// do not.
func (s *remembered) free(own bool) bool {
	if own {
		return s.shape == nil
	}
	return s.lacking == nil
}

// find looks for the key of a table among the others.
func (c *cache) find(t *Table) (v Value, steps int, ok bool) {
	o := c.others
	if o == nil {
		return Nil, 0, false
	}
	for i := range o.list[:o.n] {
		s := &o.list[i]
		if v, steps := s.find(t); v != nil && v.n != tagNil {
			found := *v
			c.promote(i)
			return found, steps, true
		} else if v == nil && s.lacks(t) {
			c.promote(i)
			return Nil, 0, true
		}
	}
	return Nil, 0, false
}

// change sets the field of a table whose shape is among the others, and reports whether it is.
func (c *cache) change(t *Table, v *Value) bool {
	o := c.others
	if o == nil {
		return false
	}
	for i := range o.list[:o.n] {
		if o.list[i].set(t, v) {
			c.promote(i)
			return true
		}
	}
	return false
}

// promote counts what the ith of the others has found, and lets it take the first place now and then.
func (c *cache) promote(i int) {
	o := c.others
	if o.found++; o.found >= takesFirst {
		o.found = 0
		c.remembered, o.list[i] = o.list[i], c.remembered
	}
}

// place returns what is to remember a table: the first, if it is free, or one of the others. It is nil
// where a place meets so many shapes that most of them are not worth it.
func (c *cache) place(t *Table) *remembered {
	if t.dict != nil {
		return &c.remembered
	}
	own := t.shape.find(c.key) >= 0
	if c.free(own) || c.about(t, own) {
		return &c.remembered
	}
	o := c.others
	if o == nil {
		o = new(others)
		c.others = o
	}
	for i := range o.list[:o.n] {
		if s := &o.list[i]; s.free(own) || s.about(t, own) {
			return s
		}
	}
	i := o.n
	if i < mostOthers {
		o.n++
	} else if o.missed++; o.missed%takesOther != 0 {
		return nil
	} else {
		i = int(o.missed/takesOther) % mostOthers
	}
	o.list[i] = remembered{key: c.key}
	return &o.list[i]
}

// inherited returns the place of the key in the class of a table that does not have it
// itself; nil if the cache does not know.
func (s *remembered) inherited(t *Table) *Value {
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
func (s *remembered) far(t *Table) *Value {
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
func (s *remembered) learn(t *Table) {
	if s.learnOwn(t) {
		return
	}
	s.learnClass(t)
}

// learnOwn is learn for a key of the table itself, or for any key of a dictionary. It reports
// whether there is nothing else to learn.
func (s *remembered) learnOwn(t *Table) bool {
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
func (s *remembered) learnAbsent(t *Table) {
	if t.dict == nil && t.shape.find(s.key) < 0 {
		s.lacking, s.grown = t.shape, nil
	}
}

// entry returns the place of the key in a dictionary, nil if it stands elsewhere or the cache
// does not know.
func (s *remembered) entry(d *dict) *Value {
	if i := int(s.place); i < len(d.entries) {
		if e := &d.entries[i]; e.key.p == unsafe.Pointer(s.key) && e.key.n == tagStr {
			return &e.value
		}
	}
	return nil
}

// learnClass remembers where the classes of a table have the key.
func (s *remembered) learnClass(t *Table) {
	lacking := t.shape
	var way [mostHops]hop
	for n := range way {
		next, ok := hopFrom(t)
		if !ok {
			if n == 0 {
				s.learnHandler(t)
			}
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

// learnHandler remembers that tables with the keys of t lack this one, and where their metatable has a
// function __index.
func (s *remembered) learnHandler(t *Table) {
	m := t.meta
	if m == nil || m.shape == m.shape.heap.keyed {
		return
	}
	if i := m.shape.find(eventNames[evIndex]); i >= 0 {
		s.lacking, s.grown, s.class, s.steps = t.shape, nil, nil, nil
		s.meta, s.index = m.shape, uint32(i)*uint32(valueSize)
	}
}

// handler returns the function __index of a table that does not have the key; nil if the cache does not
// know, or there is no function.
func (c *cache) handler(t *Table) *Function {
	if h := c.remembered.handler(t); h != nil || c.others == nil {
		return h
	}
	for i := range c.others.list[:c.others.n] {
		if h := c.others.list[i].handler(t); h != nil {
			return h
		}
	}
	return nil
}

func (s *remembered) handler(t *Table) *Function {
	if t.shape != s.lacking || t.meta == nil || t.meta.shape != s.meta || t.shape.fixed {
		return nil
	}
	if h := t.meta.slot(uintptr(s.index)); h.n == tagFunc {
		return (*Function)(h.p)
	}
	return nil
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
func (s *remembered) set(t *Table, v *Value) bool {
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
func (s *remembered) replace(d *dict, v *Value) bool {
	x := s.entry(d)
	if x == nil || x.n == tagNil || v.n == tagNil {
		return false
	}
	store(x, v)
	return true
}

// learnSet remembers how the field of a table without a metatable is set, before it is.
func (s *remembered) learnSet(t *Table, v *Value) {
	if t.sealed || s.learnOwn(t) {
		return
	}
	if t.meta == nil && v.n != tagNil {
		if grown := t.shape.add(s.key); grown != nil {
			s.lacking, s.grown = t.shape, grown
		}
	}
}
