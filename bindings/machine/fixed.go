package machine

// A fixed table is one that a host has filled and that does not change any more. Scripts read it
// as they read any table, at the same price; whatever they assign is asked of its metatable.
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

// Fix ends the filling of a table of [Heap.NewFixed]. meta has a function __newindex, which is
// asked for each key from now on, whether the table has it or not, and no __index: a place that
// reads a field remembers that the table lacks it, as of a table without a metatable.
func (t *Table) Fix(meta *Table) {
	t.meta, t.sealed = meta, true
}
