package exec

import (
	"errors"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/rows"
)

// renewal decides when the kernel of a system is made anew. A kernel is made for the values
// outside of its function that there are at load: of a list, how long it is. If they are
// others later, the kernel cannot run, or leaves rows to the VM, and one for the new values
// may do better. So it is when on_start fills a list.
//
// To make a small kernel takes a millisecond; large ones are compiled beside the ticks, see
// kernel_concurrent.go. The first two come at once, each one after that later
// than the one before, unless that was of use for some runs: values that change all the time
// cost little, and a list that grows little more than the kernels of twice its length, or, where
// a kernel is large, than one for any length.
//
// Nothing here depends on the clock: with the same values, the same kernels run in the same ticks.
type renewal struct {
	made int // kernels, or attempts to make one, since the load
	good int // runs in turn, up to now, for which the kernel did
	bad  int // runs since it was made for which it did not
	wait int // how many of these there are before another one is made
}

const (
	atOnce   = 2 // kernels that come as soon as there is a bad run
	ofUse    = 8 // good runs in turn, after which so does the next one
	mostWait = 1023
)

// note notes a run.
func (r *renewal) note(good bool) {
	if good {
		r.good++
		return
	}
	if r.good >= ofUse {
		r.wait = 0
	}
	r.good = 0
	r.bad++
}

// due reports whether it is time for another kernel.
func (r *renewal) due() bool { return r.bad > r.wait }

// next begins to count for another kernel, or for the same one if none could be made.
func (r *renewal) next() {
	r.made++
	if r.wait = min(2*r.wait+1, mostWait); r.made < atOnce {
		r.wait = 0
	}
	r.bad = 0
}

// beginKernel makes the kernel Ready, or another one that is.
func (x *EachRunner) beginKernel() bool {
	if x.kernel.facts.Lists > 0 && x.Query.Empty() {
		return false // nothing is copied for no row
	}
	ready := x.kernel.again()
	x.renewal.note(ready)
	if ready || !x.renewal.due() {
		return ready
	}
	began := time.Now()
	made := x.remake()
	x.record.began = x.record.began.Add(time.Since(began)) // to compile is no part of the run
	if made && x.outside && x.kernel.facts.Metered {
		x.m.Tx.Meter()
	}
	return made && x.kernel.again()
}

// Renew makes a kernel of a function that has none, or one that leaves rows to the VM, if that
// is because of values which may be others by now. It is called before a run.
func (x *EachRunner) Renew() {
	x.arrive()
	switch why := x.s.Compiled.Why; {
	case x.kernel == nil && why != nil && passing(why), x.renewal.made == 0 && x.kernel != nil && x.kernel.facts.Passing:
		x.renewal.note(false)
	}
	if x.renewal.due() {
		x.remake()
	}
}

// mostRenewed is how many kernels are begun anew in a tick, of all systems together: to lower a
// function takes about a tenth of what the rest does. The others wait: to make one is the work of no
// script, and no limit of theirs counts it.
const mostRenewed = 2

// renews reports whether one more kernel may be begun in this tick.
func (m *Executor) renews() bool {
	if m.World == nil {
		return true // a rehearsal
	}
	if _, tick := m.World.Time(); m.renewed.tick != tick {
		m.renewed.tick, m.renewed.n = tick, 0
	}
	m.renewed.n++
	return m.renewed.n <= mostRenewed
}

// passing reports whether the reason why there is no kernel may be none later.
func passing(why *diag.Error) bool {
	reason, ok := errors.AsType[interface {
		error
		Passing() bool
	}](why.Err)
	return ok && reason.Passing()
}

// remake makes the kernel anew, for what is outside of the function now. If there can be none,
// the old one stays: it may be Ready again. From the second time on, the kernel is one for
// lists of any length: that is slower where they are short, but needs no other.
//
// A kernel that takes long is compiled beside the ticks: then there is no other one yet, and the
// VM has the rows. So it is one for lists of any length the first time, with all the room that
// there is for them; also where the one before it was small, as that of a list without items is. One that is huge stays as
// it is: where it cannot run, the VM does.
func (x *EachRunner) remake() bool {
	if x.m.Compile == nil || x.s.Compiled.coming != nil || x.s.Compiled.huge && x.m.World != nil || !x.m.renews() {
		return false
	}
	begun, why := x.beginAnew()
	x.renewal.next()
	switch {
	case begun == nil:
		x.remade(nil, why)
		return false
	case x.m.World != nil && x.s.Compiled.large:
		x.s.Compiled.coming = x.m.beside(begun)
		return false
	}
	return x.remade(begun.Kernel())
}

// beginAnew begins to make the kernel for what is outside of the function now. That it takes long is
// known only then; if nobody expected it, the function is read once more, which counts like the first time.
func (x *EachRunner) beginAnew() (Compilation, *diag.Error) {
	k := &x.s.Compiled
	source, _ := x.s.KernelSource()
	source.Growing, source.Ample = x.renewal.made > 0 || k.large, k.large
	begun, why := k.Begin(x.m.Compile, source)
	if begun == nil || source.Ample || !k.large || x.m.World == nil {
		return begun, why
	}
	x.m.renewed.n++
	source.Growing, source.Ample = true, true
	ample, _ := k.Begin(x.m.Compile, source)
	if ample == nil {
		return begun, nil // this one is for the lists as they are
	}
	begun.Drop()
	return ample, nil
}

// remade takes over a kernel, or notes why there is none.
func (x *EachRunner) remade(made rows.Kernel, why *diag.Error) bool {
	if made == nil {
		if x.kernel == nil {
			x.s.Compiled.Why = why
		}
		return false
	}
	x.s.Compiled.Close()
	x.s.Compiled.Made, x.s.Compiled.Why = made, nil
	x.runsKernel()
	return true
}

// arrive takes over a kernel that was compiled beside the ticks, if this is its tick.
func (x *EachRunner) arrive() {
	c := x.s.Compiled.coming
	if c == nil || c.left(x.m) > 0 {
		return
	}
	x.s.Compiled.coming = nil
	x.renewal.good, x.renewal.bad = 0, 0 // what was counted meanwhile is about the old one
	x.remade(c.Kernel())
}
