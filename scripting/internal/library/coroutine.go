package library

import (
	"maps"
	"runtime"
	"slices"
	"sync/atomic"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// Coroutines: threads of the machine. resume, wrap and yield are the machine's own; here
// coroutines are made, counted and cancelled.

// threadBytes is about how much memory a coroutine takes.
const threadBytes = 8 << 10

// coroutineSet holds the coroutines of one environment's functions.
//
// Invariant: alive is at least how many members values still lead to, the fresh ones among
// them, and the same in each run of a game. A coroutine that no value leads to any more counts
// as alive until recount has run.
type coroutineSet struct {
	alive   int
	members []weak.Pointer[machine.Thread] // weak, so that the collector can take them; some are dead
	fresh   []*machine.Thread              // the last ones that were made in the call that runs; some are dead
}

// mostFresh is how many coroutines are held until the call of the host that has made them ends.
//
// Why at all? Most coroutines are soon dead. A weak pointer takes longer than to make and to
// run such a one, for the collector, too.
const mostFresh = 16

// join adds a coroutine.
func (s *coroutineSet) join(th *machine.Thread, c *collections) {
	if len(s.fresh) == mostFresh {
		s.weaken(c)
	}
	s.fresh = append(s.fresh, th)
	s.alive++
}

// weaken lets go of the fresh coroutines. It drops dead members when they are more than half, so
// each join takes O(1) in the mean.
func (s *coroutineSet) weaken(c *collections) {
	for _, th := range s.fresh {
		if th.Status() == machine.Dead {
			continue
		}
		c.kept++
		if len(s.members) >= 2*s.alive+16 {
			s.members = slices.DeleteFunc(s.members, isDead)
		}
		s.members = append(s.members, weak.Make(th))
	}
	clear(s.fresh)
	s.fresh = s.fresh[:0]
	c.start()
}

// isDead reports whether a coroutine has ended, or the collector has taken it.
func isDead(w weak.Pointer[machine.Thread]) bool {
	th := w.Value()
	return th == nil || th.Status() == machine.Dead
}

// recount counts the coroutines that values still lead to: all of them where they may be more
// than half of most, else half of most. Where a collection beside the game has found that they are
// not, it is done; else the collector runs now, in O(heap). That is why crowded charges
// CollectSteps, in both cases.
//
// Why half? When a collection beside the game was over depends on the machine. What is
// counted does not: half of most is at least what there is, whoever has found it.
func (s *coroutineSet) recount(most int, c *collections) {
	s.weaken(c)
	half := most / 2
	s.members = slices.DeleteFunc(s.members, isDead)
	if len(s.members) > half {
		runtime.GC()
		s.members = slices.DeleteFunc(s.members, isDead)
	}
	s.alive = max(len(s.members), half)
}

// collections are runs of the collector beside the game, for coroutines that nobody leads to any more: they
// take as long as the heap is large, and a frame does not wait for them.
type collections struct {
	kept  int // coroutines that were kept since the last one began
	every int // as many begin one; 0: none begins
	runs  atomic.Bool
}

// fewestKept is how many coroutines are worth a collection.
const fewestKept = 1000

// start begins a collection if it is time for one.
func (c *collections) start() {
	if c.every == 0 || c.kept < c.every || !c.runs.CompareAndSwap(false, true) {
		return
	}
	c.kept = 0
	go func() {
		runtime.GC()
		c.runs.Store(false)
	}()
}

// coroutines lists the functions of the table coroutine.
func (lib *Library) coroutines() []builtin {
	resume := lib.vm.Builtin(machine.Resume)
	return []builtin{
		native("create", func(c *machine.Call) { c.Push(machine.OfThread(lib.create(args{c}))) }),
		{"resume", resume},
		native("running", lib.running),
		native("status", statusFunction()),
		native("wrap", func(c *machine.Call) { c.Push(machine.OfFunction(lib.vm.Wrap(lib.create(args{c})))) }),
		{"yield", lib.vm.Builtin(machine.Yield)},
	}
}

// create makes a coroutine, unless its script has too many.
func (lib *Library) create(a args) *machine.Thread {
	body := a.function(1)
	if body.IsNative() {
		a.fail(1, "Lua function expected")
	}
	group := lib.groupOf(body.Env())
	if lib.crowded(a, group) {
		a.raiseAt(1, diag.Reached("Coroutines", "too many coroutines: %s of %s are alive",
			diag.Grouped(int64(group.alive)+1), diag.Grouped(int64(lib.opts.MaxCoroutines))))
	}
	a.Alloc(threadBytes)
	th := lib.vm.NewThread(body)
	group.join(th, &lib.beside)
	return th
}

// maxEnvironments is how many groups are kept before those without living coroutines are
// dropped: most of these belong to old versions of scripts.
const maxEnvironments = 1 << 10

// groupOf returns the coroutines of an environment's functions.
func (lib *Library) groupOf(env *machine.Table) *coroutineSet {
	if lib.group.set != nil && lib.group.env == env {
		return lib.group.set
	}
	set := lib.groups[env]
	if set == nil {
		if len(lib.groups) >= maxEnvironments {
			maps.DeleteFunc(lib.groups, func(_ *machine.Table, s *coroutineSet) bool { return s.alive == 0 })
		}
		set = new(coroutineSet)
		lib.groups[env] = set
	}
	lib.weaken()
	lib.group.env, lib.group.set = env, set
	return set
}

// weaken lets go of the fresh coroutines, and of the group that has them.
func (lib *Library) weaken() {
	if lib.group.set != nil {
		lib.group.set.weaken(&lib.beside)
		lib.group.env, lib.group.set = nil, nil
	}
}

// crowded reports whether a script must not make another coroutine. When there seem to be
// too many, they are counted again, which the script pays for as for a run of the collector.
//
// Why not use the runs that the collector makes by itself? When these happen depends on
// the machine, and so would the place where a script is stopped.
func (lib *Library) crowded(a args, group *coroutineSet) bool {
	if group.alive < lib.opts.MaxCoroutines {
		return false
	}
	a.Charge(lib.opts.CollectSteps)
	a.Forget()
	group.recount(lib.opts.MaxCoroutines, &lib.beside)
	return group.alive >= lib.opts.MaxCoroutines
}

// ended counts a coroutine that has become dead. The machine calls it once for each.
func (lib *Library) ended(th *machine.Thread) {
	env := th.Body().Env()
	if group := &lib.group; group.set != nil && group.env == env {
		group.set.alive--
	} else if set := lib.groups[env]; set != nil {
		set.alive--
	}
}

// cancelled is why a coroutine of an old version cannot be resumed.
const cancelled = "it was cancelled, its script has a new version or is gone"

// Cancel ends the suspended coroutines of an environment's functions, and returns how many
// they were. For scripts that hold them they are dead from now on. Coroutines that no
// value leads to are counted, too, until the collector has taken them.
func (lib *Library) Cancel(env *machine.Table) int {
	lib.weaken()
	group := lib.groups[env]
	if group == nil {
		return 0
	}
	delete(lib.groups, env) // env leads to everything of the old version
	n := 0
	for _, w := range group.members {
		if th := w.Value(); th != nil && th.Status() == machine.Suspended {
			th.Cancel(cancelled)
			n++
		}
	}
	return n
}

// Suspended counts the suspended coroutines of an environment's functions. One that no value leads to
// any more may be among them, until the collector has taken it.
func (lib *Library) Suspended(env *machine.Table) (n int) {
	lib.weaken()
	group := lib.groups[env]
	if group == nil {
		return 0
	}
	for _, w := range group.members {
		if th := w.Value(); th != nil && th.Status() == machine.Suspended {
			n++
		}
	}
	return n
}

// statusFunction returns coroutine.status. Its results are made once.
func statusFunction() machine.Native {
	var names [machine.Dead + 1]machine.Value
	for status := range names {
		names[status] = machine.String(machine.Status(status).String())
	}
	return func(c *machine.Call) {
		a := args{c}
		th := a.Arg(1).Thread()
		if th == nil {
			a.expected(1, "coroutine")
		}
		a.Push(names[th.Status()])
	}
}

// running is coroutine.running: the coroutine that runs, or nil in the main program.
func (lib *Library) running(c *machine.Call) {
	if th := c.Thread(); th.Body() != nil {
		c.Push(machine.OfThread(th))
		return
	}
	c.Push(machine.Nil)
}
