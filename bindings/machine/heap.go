package machine

// Heap counts what one virtual machine allocates, and owns its shapes. Every table
// belongs to one.
type Heap struct {
	// Taken is how many bytes tables and shapes were given since the beginning, garbage
	// included. It only grows. What is given at once is at most as much as the table had
	// before, or a small number: whoever looks at Taken after each instruction that can grow
	// a table notes in time that it is too much.
	Taken int64

	// MaxEntries is how many items and keys a table may have; TooLarge is called before one
	// gets more. It may panic: the table is as it was. 0: any number.
	MaxEntries int
	TooLarge   func(entries int)

	root   *Shape   // of a table without keys
	fixed  *Shape   // of a table without keys whose keys will not change, see Table.Fix
	keyed  *Shape   // of a table whose keys are in a dictionary
	shapes int      // made since root
	alone  []*Shape // those that are in no tree, made since root
	walks  uint32   // begun

	blank    *Table // a gate that says nothing; nil: not needed yet
	epoch    uint32 // see EndDeferred
	deferred bool   // lists were begun since the last Settle
}

// NewHeap makes a heap without a limit.
func NewHeap() *Heap {
	h := &Heap{}
	h.root, h.keyed = &Shape{heap: h}, &Shape{heap: h, events: 1<<events - 1}
	h.fixed = &Shape{heap: h, fixed: true}
	return h
}

// Grow counts bytes that are taken.
func (h *Heap) Grow(bytes int) { h.Taken += int64(bytes) }

// Fit is called before a table that is filled at once, or has its content elsewhere, gets so many
// entries.
func (h *Heap) Fit(n int) { h.entries(n) }

// entries is asked before a table gets so many entries.
func (h *Heap) entries(n int) {
	if h.MaxEntries > 0 && n > h.MaxEntries && h.TooLarge != nil {
		h.TooLarge(n)
	}
}
