package machine

// Heap counts what one virtual machine allocates, and owns its shapes. Every table
// belongs to one.
type Heap struct {
	// Taken is how many bytes were taken since the beginning, garbage included. It only
	// grows.
	Taken int64
	// Limit is the value of Taken beyond which Full is called.
	Limit int64
	// Full is called before more than Limit bytes are taken. It may panic, and then
	// nothing has changed; if it returns, the bytes are taken. Nil: nothing is called.
	Full func(bytes int)

	// MaxEntries is how many items and keys a table may have; TooLarge is called before one
	// gets more, and may panic, too. 0: any number.
	MaxEntries int
	TooLarge   func(entries int)

	root   *Shape // of a table without keys
	keyed  *Shape // of a table whose keys are in a dictionary
	shapes int    // made since root
	walks  uint32 // begun
}

// NewHeap makes a heap without a limit.
func NewHeap() *Heap {
	h := &Heap{Limit: 1<<63 - 1}
	h.root, h.keyed = &Shape{heap: h}, &Shape{heap: h, events: 1<<events - 1}
	return h
}

// Grow counts bytes before they are taken.
func (h *Heap) Grow(bytes int) {
	if h.Taken += int64(bytes); h.Taken > h.Limit {
		h.full(bytes)
	}
}

func (h *Heap) full(bytes int) {
	if h.Full != nil {
		h.Full(bytes)
	}
}

// entries is asked before a table gets so many entries.
func (h *Heap) entries(n int) {
	if h.MaxEntries > 0 && n > h.MaxEntries && h.TooLarge != nil {
		h.TooLarge(n)
	}
}
