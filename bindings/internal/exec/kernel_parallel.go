package exec

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

const (
	// parallelRows is how many rows a query must have yielded for its next run to be
	// shared out, parallelTime how long that must have taken, and parallelRowTime how long for
	// each row. Below, what it costs to find the rows first and to stamp them later
	// is more than what is won.
	parallelRows    = 2 * view.Longest
	parallelTime    = 60 * time.Microsecond
	parallelRowTime = 6 * time.Nanosecond
	// mostPause bounds for how many runs nothing is shared out after a row has
	// stopped the kernel, or after it took much longer than in order.
	mostPause = 64
)

// parallelRunner runs a kernel on several goroutines, where rows have nothing to do with
// each other. First all views are found, then the kernel runs over them, a job for
// each 512 rows or so, then those are stamped in which something has changed.
//
// When the kernel stops at a row, what it has written is put back, and the rows
// are run again one after the other, those that stop by Lua. So the outcome is the
// same, whatever the number of goroutines.
type parallelRunner struct {
	x     *EachRunner
	parts []viewCall
	jobs  []int // the first part of each
	count int   // rows of the last job, so far
	kept  []keptColumn
	job   func(i int)

	stopped atomic.Bool
	used    atomic.Int64 // instructions
	outside atomic.Int64 // formulas that the host has computed
	most    int64        // instructions of a row
	until   time.Time    // when the loops of the rows are to have ended; zero: at any time

	last  int           // rows of the last run in order
	took  time.Duration // by that run
	pause int           // runs that are not shared out
	next  int           // how long the next pause will be
}

// viewCall is one view, and the call for it. What it may write is kept from..to.
type viewCall struct {
	view     rows.View
	call     rows.KernelCall
	from, to int
	safe     bool // that is copied
}

// keptColumn is a column of a part that the kernel may write, and room for what is in
// it: a piece of the call's undo. Of a column that the run does not keep there is none, piece is
// -1, and it counts as changed.
type keptColumn struct {
	term, piece int
	base        unsafe.Pointer
	old         []byte
	changed     bool
}

// newParallelRunner returns nil where nothing can be shared out.
func (x *EachRunner) newParallelRunner() *parallelRunner {
	if x.m.World.Raw().Workers() == 1 || !x.kernel.facts.Independent || len(x.s.Query.Change) > 0 {
		return nil // a query asks what has changed since its last look: it can look once only
	}
	for _, t := range x.kernel.opens {
		if x.Terms[t.term].Heap {
			return nil
		}
	}
	a := &parallelRunner{x: x}
	a.job = a.do
	return a
}

// begin reports whether a run is worth being shared out. If not, its rows run one
// after the other, and end is to be called behind them.
func (a *parallelRunner) begin() bool {
	if a.pause > 0 {
		a.pause--
		return false
	}
	enough := a.last >= parallelRows && a.took >= max(parallelTime, time.Duration(a.last)*parallelRowTime)
	return enough && len(a.x.faults.parked) == 0
}

// end notes what the rows of a run have taken, one after the other.
func (a *parallelRunner) end(began time.Time, rows int) { a.took, a.last = time.Since(began), rows }

// run runs the kernel over all views; false means that nothing has happened: the
// rows must run one after the other.
func (a *parallelRunner) run(t *ecs.Tick) bool {
	c := a.x.m.Tx.Call
	mark := c.Undo.Mark()
	began := time.Now()
	a.most, a.until = portion, time.Time{}
	if k := a.x.kernel; k.facts.Fuelled && k.budget != nil {
		_, left := k.budget.Glance(0)
		a.most, a.until = max(min(portion, k.budget.Left()), 0), began.Add(left)
	}
	a.stopped.Store(false)
	a.used.Store(0)
	a.outside.Store(0)
	n, keeping, room := a.gather()
	work := a.x.entrance.ahead() + keeping
	ok := room && a.x.kernel.fitsBeside(n, work) && a.share(t) && a.x.kernel.afford(a.used.Load(), n, a.outside.Load(), work)
	if ok {
		a.x.record.byKernel(n, len(a.parts))
		a.stamp()
	} else {
		a.putBack()
		c.Undo.Cut(mark)
	}
	a.x.entrance.forget()
	if slow := a.took * time.Duration(n) / time.Duration(a.last) * 5 / 4; ok && time.Since(began) < slow {
		a.next = 0
	} else {
		a.next = min(2*a.next+1, mostPause)
		a.pause = a.next
	}
	a.parts, a.jobs, a.kept, a.count = a.parts[:0], a.jobs[:0], tx.Emptied(a.kept), 0
	return ok
}

// share has the jobs done, and reports whether no row has stopped the kernel. In a run that is sure none
// can, and nothing is kept to put back: a failure there is one of the engine, which ends the call.
func (a *parallelRunner) share(t *ecs.Tick) bool {
	err := t.ParallelFor(len(a.jobs), a.job)
	if err != nil && a.x.kernel.sure {
		panic(err)
	}
	return err == nil && !a.stopped.Load()
}

// gather finds the views and cuts them into jobs; it returns how many rows there are, what it
// counts to keep what is in them, as in order, and whether there is room.
func (a *parallelRunner) gather() (count int, keeping int64, room bool) {
	room = true
	a.x.views.Each(a.x.Query, func(v *rows.View) {
		n := len(v.Entities)
		if count += n; len(a.jobs) == 0 || a.count+n > view.Longest {
			a.jobs, a.count = append(a.jobs, len(a.parts)), 0
		}
		a.count += n
		if len(a.parts) < cap(a.parts) {
			a.parts = a.parts[:len(a.parts)+1] // with the room of an earlier run
		} else {
			a.parts = append(a.parts, viewCall{})
		}
		p := &a.parts[len(a.parts)-1]
		*p = viewCall{view: rows.View{Entities: v.Entities, Columns: append(p.view.Columns[:0], v.Columns...)}, from: len(a.kept)}
		if room = room && a.x.m.Tx.Affords(a.x.kernel.undoOf(a.x.m, v)); room {
			a.reserve(v)
		}
		if !a.x.kernel.sure {
			keeping += a.x.kernel.keepingWork(v)
		}
		p.to = len(a.kept)
	})
	return count, keeping, room
}

// reserve makes room for the old values of a view, as far as the run keeps them.
func (a *parallelRunner) reserve(v *rows.View) {
	u := &a.x.m.Tx.Call.Undo
	for _, t := range a.x.kernel.opens {
		c := &v.Columns[t.term]
		if c.Base == nil {
			continue // the rows lack it
		}
		kept := keptColumn{term: t.term, piece: -1, base: c.Base, changed: true}
		if a.x.kernel.keeps(a.x.m, c) {
			kept.piece, kept.old, kept.changed = len(u.List), u.Reserve(c.Base, len(v.Entities)*int(c.Stride)), false
		}
		a.kept = append(a.kept, kept)
	}
}

// do is the i-th job.
func (a *parallelRunner) do(i int) {
	end := len(a.parts)
	if i+1 < len(a.jobs) {
		end = a.jobs[i+1]
	}
	for at := a.jobs[i]; at < end && !a.stopped.Load(); at++ {
		p := &a.parts[at]
		kept := a.kept[p.from:p.to]
		for k := range kept {
			copy(kept[k].old, value.BytesAt(kept[k].base, uintptr(len(kept[k].old))))
		}
		p.safe = true
		used := a.runPart(a.x.tick, p)
		a.outside.Add(p.call.Outside)
		if a.used.Add(used); p.call.Next < p.call.End {
			a.stopped.Store(true)
			return
		}
		for k := range kept {
			c := &kept[k]
			c.changed = c.changed || !bytes.Equal(c.old, value.BytesAt(c.base, uintptr(len(c.old))))
		}
	}
}

// runPart runs the rows of a part. It stops where run would, but for the limit of
// instructions, and returns how many it has used.
func (a *parallelRunner) runPart(t *ecs.Tick, p *viewCall) (used int64) {
	c, k, size := &p.call, a.x.kernel, int64(firstPortion)
	*c = rows.KernelCall{View: &p.view, End: len(p.view.Entities), DT: t.DT, Time: t.Time, Tick: float64(t.N)}
	for c.Next < c.End {
		first, fuel := c.Next, min(size, a.most)
		c.Fuel = fuel
		if err := k.RunParallel(c); err != nil {
			panic(fmt.Errorf("a kernel failed: %w", err))
		}
		if used += fuel - c.Fuel; !c.Dry || !a.until.IsZero() && time.Now().After(a.until) {
			break
		}
		if c.Next == first && fuel >= a.most {
			break
		}
		if c.Next-first < fewRows {
			size *= morePortion
		}
	}
	return used
}

// afford counts what so many rows have used, if it is certain that run would have had enough.
// What rows use does not depend on how they were shared out: a row that is begun again does
// not count twice. work is what it took to come to them.
func (k *kernelRunner) afford(used int64, count int, outside, work int64) bool {
	if k.budget == nil {
		return true
	}
	if used > 0 && used > k.budget.Left() {
		return false
	}
	k.budget.Spend(used)
	k.spend(count, outside)
	k.budget.SpendOnRows(k.script, work)
	return true
}

// putBack restores what the parts have written.
func (a *parallelRunner) putBack() {
	for i := range a.parts {
		if p := &a.parts[i]; p.safe {
			for _, c := range a.kept[p.from:p.to] {
				copy(value.BytesAt(c.base, uintptr(len(c.old))), c.old)
			}
		}
	}
}

// stamp marks what has changed, and forgets what the other columns were. The query
// yields the same views as before.
func (a *parallelRunner) stamp() {
	at := 0
	a.x.views.Each(a.x.Query, func(v *rows.View) {
		for p := &a.parts[at]; p.from < p.to; p.from++ {
			if c := &a.kept[p.from]; c.changed {
				a.x.m.Tx.Stamp(v, &v.Columns[c.term], 0, len(v.Entities))
			}
		}
		at++
	})
	for i := len(a.kept) - 1; i >= 0; i-- {
		if c := &a.kept[i]; c.piece >= 0 && (!c.changed || a.x.kernel.sure) {
			a.x.m.Tx.Call.Undo.Release(c.piece)
		}
	}
}
