package slots

// Cursor foretells the handles that Issue will return, one after the other, and
// changes nothing: the pool may be read meanwhile by other goroutines. It holds
// until the next Issue or Release.
type Cursor struct {
	slots  *Slots
	used   uint32
	head   uint32
	free   int
	issued int
}

// Cursor returns one that stands before the next handle.
func (s *Slots) Cursor() Cursor {
	return Cursor{slots: s, used: s.used, head: s.head, free: s.free}
}

// Next returns what the next call of Issue would, had it been called for each
// Next so far.
func (c *Cursor) Next() (handle uint64, ok bool) {
	s := c.slots
	last := int(c.used) == len(s.records)
	switch {
	case c.free > s.threshold || c.free > 0 && last:
		r := &s.records[c.head]
		handle = uint64(r.Row+s.step)<<IndexBits | uint64(c.head)
		c.head = r.Chunk
		c.free--
	case last:
		return 0, false
	default:
		handle = uint64(s.step|s.base)<<IndexBits | uint64(c.used)
		c.used++
	}
	c.issued++
	return handle, true
}

// Issue makes the pool issue the handles that were reserved.
func (c *Cursor) Issue() {
	for ; c.issued > 0; c.issued-- {
		c.slots.Issue()
	}
}
