package ir

// List is a list of numbers of the script. The kernel has a copy of it, which is
// made before it runs: at the end of the world's scratch memory, a float64 for each
// item, 1 for true.
type List struct {
	Name string
	Len  int
	// Read copies the items as they are now; false when they are not as many, or
	// not all of the kind that they were, and the kernel cannot run.
	Read func(items []float64) bool
}

// ListAt returns where in memory the copy of a list begins.
func (f *Func) ListAt(i int) uint32 {
	at := f.Memory.ScratchEnd
	for _, l := range f.Lists[:i+1] {
		at -= uint32(8 * l.Len)
	}
	return at
}

// ListBytes returns how much memory all copies take.
func (f *Func) ListBytes() int {
	n := 0
	for _, l := range f.Lists {
		n += 8 * l.Len
	}
	return n
}
