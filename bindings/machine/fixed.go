package machine

// A fixed table is one whose keys no script assigns by itself: what a script assigns, to a key
// that is there as to a new one, is asked of the metatable. Scripts read it as they read any table, at
// the same price. The host may change it by Set, as it does when it permits an assignment.
//
// Why not an empty table with __index, as proxies are? Each read would take one more look-up, and
// the items of a list the slow way. And why is a flag not enough? A place in the code that
// assigns a field has learnt a shape and asks nothing else of a table that has it. So fixed
// tables have shapes of their own, and such a place never learns one of them.

// NewFixed makes a table with room for a list and for text keys, to be filled by the caller and
// then given to [Table.Fix]. No script sees it before.
func (h *Heap) NewFixed(list, keys int) *Table {
	t := h.NewTable(list, keys)
	t.shape = h.fixed
	return t
}

// FixInPlace makes any table a fixed one with a metatable, as Fix has it, where it is: whoever
// holds it holds the same table. What its constructor has noted of absent keys is forgotten. It
// returns false, and does nothing, if the table has its content elsewhere. O(text keys).
func (t *Table) FixInPlace(meta *Table) bool {
	if t.Elsewhere() {
		return false
	}
	if t.dict == nil {
		if s := t.shape.fixedOne(); s != nil {
			t.shape = s
		} else {
			t.toDict(1)
		}
	}
	if t.rare != nil {
		t.rare.absent, t.rare.ends = nil, 0
	}
	t.meta, t.sealed = meta, true
	return true
}

// isFixed reports whether a table is a fixed one.
func (t *Table) isFixed() bool { return t.sealed && (t.shape.fixed || t.dict != nil) }

// Sealed reports whether __newindex is asked for the keys that the table has, too.
func (t *Table) Sealed() bool { return t.sealed }

// fixedOne returns the shape of fixed tables with the same keys, nil if there is no room for it.
func (s *Shape) fixedOne() *Shape {
	fixed := s.heap.fixed
	for _, k := range s.keys {
		if fixed = fixed.add(k); fixed == nil {
			return nil
		}
	}
	return fixed
}

// Fix ends the filling of a table of [Heap.NewFixed]. meta has a function __newindex, which is
// asked for each key from now on, whether the table has it or not, and no __index: a place that
// reads a field remembers that the table lacks it, as of a table without a metatable.
func (t *Table) Fix(meta *Table) {
	t.meta, t.sealed = meta, true
}
