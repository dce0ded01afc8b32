package exec

import (
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/bindings/rows"
)

// What a run copies beside its rows: columns that a kernel may write are kept for the undo, or
// until they are compared. Values of up to shortValue bytes are part of what a row counts; longer
// ones count a nanosecond for each bytesPerWork bytes, whoever shares the rows out. A part of a
// chunk is kept at a time, mostCopied bytes or one row, so that it is still in the cache when it
// is compared.
const (
	shortValue   = 64
	bytesPerWork = 4
	mostCopied   = 128 << 10
)

// copyWork returns how many nanoseconds it counts to copy and compare a value of so many bytes.
func copyWork(bytes uintptr) int64 {
	if bytes <= shortValue {
		return 0
	}
	return int64(bytes) / bytesPerWork
}

// keepingWork returns what it counts to keep the columns of a view.
func (k *kernelRunner) keepingWork(v *rows.View) (work int64) {
	for i := range k.opens {
		if c := &v.Columns[k.opens[i].term]; c.Base != nil {
			work += copyWork(c.Stride)
		}
	}
	return work * int64(len(v.Entities))
}

// watchingWork returns what it counts at most for a row to watch the columns for whose changes
// queries ask.
func (x *EachRunner) watchingWork() (work int64) {
	for _, t := range x.kernel.opens {
		if c := x.Terms[t.term]; x.m.World.Raw().ChangesAsked(c.ID) {
			work += copyWork(c.Schema.Size)
		}
	}
	return work
}

// longest is how many rows a view may have: many where nothing is copied for the undo, few where
// they are long.
func (x *EachRunner) longest() int {
	k, bytes := x.kernel, 0
	if k.sure {
		return view.LongestSure
	}
	for _, t := range k.opens {
		bytes += int(x.Terms[t.term].Schema.Size)
	}
	return min(view.Longest, mostCopied/max(bytes, 1)+1)
}

// pay counts so many nanoseconds before they are used, and ends the call where they are not left.
func (k *kernelRunner) pay(work int64) (ok bool) {
	if work == 0 || k.budget == nil {
		return true
	}
	if k.budget.LeftForRows(k.script) < work {
		k.budget.EndForRows()
		return false
	}
	k.budget.SpendOnRows(k.script, work)
	return true
}
