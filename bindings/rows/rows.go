// Package rows has the one shape that rows have on their way from a query to what works on
// them, and says what a compiled function is.
//
// There are five nouns.
//
//   - A [View] has the rows for one call: part of a chunk as it lies in memory, or rows
//     gathered from short chunks. Lua, functions beside the VM and kernels all get this.
//   - A [Column] of it finds the values of one term of the query.
//   - A [Kernel] is an each function that was compiled.
//   - [Ran] says how many rows of a system a kernel has run, how many the VM, and how long
//     it took.
//   - A [KernelCall] is one call of it: the rows of a view that it runs over, what it may
//     use, and what has become of both.
//
// A view is made from chunks of the query ([ecs.Chunk]), and the values stay where they are:
// its columns have addresses, and the instructions of a kernel work there.
//
// # Lifetimes
//
// A view and its columns are good inside of the function that got them. Whoever makes views
// uses their memory again for the next one.
package rows

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// View has the rows for one call into Lua or into a kernel: a long chunk as it lies in
// memory, or rows gathered from short ones.
//
// Invariant: Chunk is set, or each row is in the chunk whose rows end at the first of Ends
// that is greater; without Ends, nobody asks where chunks end.
type View struct {
	Entities []ecs.Entity
	Columns  []Column // by term
	Chunk    *ecs.Chunk
	Ends     []int // of gathered rows: where those of each chunk end
}

// Column finds a term's values: at a stride, or one pointer a row. Both are nil
// when no row has the component.
type Column struct {
	ID     ecs.ComponentID
	Schema *ecs.Schema
	Heap   bool // the values hold Go pointers
	Saved  bool // the call has kept the old bytes
	Stamps bool // whoever changes a row has to stamp its chunk
	Base   unsafe.Pointer
	Stride uintptr
	Ptrs   []unsafe.Pointer
}

// At returns the address of a row's value, nil when it has none.
func (c *Column) At(i int) unsafe.Pointer {
	if c.Base != nil {
		return unsafe.Add(c.Base, uintptr(i)*c.Stride)
	}
	if c.Ptrs != nil {
		return c.Ptrs[i]
	}
	return nil
}

// Within returns where the chunk of a row begins in the view, and where it ends.
func (v *View) Within(i int) (from, to int) {
	if v.Chunk != nil || len(v.Ends) == 0 {
		return 0, len(v.Entities)
	}
	k, _ := slices.BinarySearch(v.Ends, i+1)
	if k > 0 {
		from = v.Ends[k-1]
	}
	return from, v.Ends[k]
}

// Part makes some a view of the n rows from the i-th on, and returns it. It does not know
// where chunks end.
func (v *View) Part(i, n int, some *View) *View {
	some.Entities, some.Columns = v.Entities[i:i+n], append(some.Columns[:0], v.Columns...)
	for k := range some.Columns {
		c := &some.Columns[k]
		c.Stamps = false
		if c.Ptrs != nil {
			c.Ptrs = c.Ptrs[i : i+n]
		} else {
			c.Base = c.At(i)
		}
	}
	return some
}
