package scripting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// endless stands for no limit where a number is needed.
const endless = int64(1) << 62

// limiter is the budget of the call that is running, and of the tick.
type limiter struct {
	budget            callBudget
	migrate           int64  // what the migrate function that is called may use, 0 for none
	migrated          int64  // what all migrate functions of this reload have used
	bound             string // the limit that migrate comes from
	limits            Limits
	library           *library      // knows which thread runs
	looks             int           // at the clock, in this call
	tick              int64         // instructions that the calls of this tick have used
	made              int64         // bytes that all calls have made
	tickNumber        uint64        // of the tick that is counted
	ticks             func() uint64 // how many ticks there were; nil: nobody knows
	always            bool          // watch, even if there are no limits
	script            string
	overdraft         map[string]int64 // by script: what it used when the tick's were gone
	refused           map[string]error // by script: why its calls fail
	unrepeatableCalls int              // calls that the clock has ended, or what scripts hold
	ended             bool             // the call is one of these
	loading           bool             // Load is running, and no frame waits
	starting          bool             // on_start functions of a load run, likewise
	swapping          bool             // on_unload or on_reload functions run: what one version has made, the next must get
	dry               bool             // this is a dry run, and no frame waits
	untried           bool             // top levels run in a step that no dry run could try to their ends
	untriedAll        used             // what these may use together
	untriedLeft       used             // what is left of it
	heapAt            time.Time        // when a count was last considered in this call
	gauge             heapGauge
	gauged            time.Duration // when the gauge was looked at last
	count             func() error  // counts what scripts hold; nil: it is not counted
	inCall            bool
	ending            error              // of the call that is about to begin; nil: it may go on
	rows              tickLimit          // what nothing counts otherwise, in nanoseconds
	clock             tickLimit          // what instructions take, in nanoseconds
	scripts           int                // how many there are
	step              context.Context    // for functions of the host; nil for none
	ctx               context.Context    // of the tick, the load or the dry run; nil for none
	spent             map[spender]*Spent // what calls have used, for [Host.Usage]
	byCall            map[string]*Spent  // the same, by the name of the call: of several scripts, the last
	spending          *Spent             // by the call that is running; nil for a top level
	call              string             // the name of that call
	stopped           map[string]bool    // the names of calls that a limit has ended in this tick
	starved           bool               // nothing was left for the call that is running
	shortages         []shortage         // of this tick
}

// shortage is why calls of a tick were not made.
type shortage struct {
	script, limit string // script is empty for a limit that all scripts share
	why           *diag.Error
}

// spender is what a figure of Usage is of: a system, or a callback, of a script.
type spender struct{ script, call string }

// account notes that a call begins whose use belongs to a system.
func (g *limiter) account(script, call string) {
	if g.spending, g.call = nil, call; script == "" {
		return
	}
	if g.spending = g.spent[spender{script, call}]; g.spending == nil {
		g.spending = &Spent{}
		g.spent[spender{script, call}] = g.spending
		g.byCall[call] = g.spending
	}
}

// forget drops the figures of a script that is gone.
func (g *limiter) forget(script string) {
	for of, spent := range g.spent {
		if of.script != script {
			continue
		}
		delete(g.spent, of)
		if g.byCall[of.call] == spent {
			delete(g.byCall, of.call)
		}
	}
}

// failed counts a fault of a system or of a callback.
func (g *limiter) failed(call string) {
	if s := g.byCall[call]; s != nil {
		s.Failures++
	}
}

// cutShort returns the error of a call whose context has ended, if that has ended.
func (g *limiter) cutShort() error {
	if g.ctx == nil || g.ctx.Err() == nil {
		return nil
	}
	return &diag.Error{Message: "the host has cut this short: " + context.Cause(g.ctx).Error(), Err: fmt.Errorf("%w: %w", diag.ErrCut, ecs.ContextError(g.ctx))}
}

// newLimiter makes a limiter without a library; serve ties it to one.
func newLimiter(limits Limits) *limiter {
	g := &limiter{limits: limits, overdraft: map[string]int64{}, spent: map[spender]*Spent{}, byCall: map[string]*Spent{}, stopped: map[string]bool{}}
	g.budget.Watch = g.watch
	g.budget.MaxText = limits.String
	g.setLimits(limits)
	return g
}

// setLimits takes over other limits.
func (g *limiter) setLimits(limits Limits) {
	g.limits = limits
	g.budget.Stretch = max(limits.Time/stretches, 0)
	g.rows.limit, g.clock.limit = max(limits.TickRows, 0), max(int64(limits.TickInstructionTime), 0)
}

// serve ties the guard to the library of the state whose calls it limits.
func (g *limiter) serve(library *library) {
	g.library = library
	serveBudget(&g.budget, library, g.limits.Table > 0)
}

// newTick starts the limits of a tick for so many scripts.
func (g *limiter) newTick(scripts int) {
	g.tick, g.scripts = 0, scripts
	g.rows.newTick()
	g.clock.newTick()
	g.gauge.newTick()
	clear(g.overdraft)
	clear(g.stopped)
	clear(g.shortages) // faults are kept by those who want them
	g.shortages = g.shortages[:0]
}

// follow begins a new tick where the world has been stepped without its host.
func (g *limiter) follow() {
	if g.ticks == nil {
		return
	}
	if n := g.ticks(); n > g.tickNumber {
		g.newTick(g.scripts)
		g.tickNumber = n
	}
}

// share is what a script may use of a tick that is used up, as a part of
// Limits.Instructions.
const share = 50

// part is what each script may still use when the limit of the tick is used up. All
// scripts together get no more than half of that limit.
func (g *limiter) part() int64 {
	part := g.limits.TickInstructions / max(2*int64(g.scripts), 1)
	if one := g.limits.Instructions; one > 0 {
		part = min(part, one/share)
	}
	return part
}

// Spent reports whether nothing is left for a script in this tick.
func (g *limiter) Spent(script string) bool {
	g.follow()
	if g.clock.left(script, g.parts()) == 0 {
		return true
	}
	all := g.limits.TickInstructions
	return all > 0 && g.leftOfTick(script, all) == 0
}

// leftOfTick is how many of all instructions of a tick are left for a script. When they are used
// up it has its part, while all scripts together have used no more than half as many again.
func (g *limiter) leftOfTick(script string, all int64) int64 {
	if all > g.tick {
		return max(all-g.tick, g.part()-g.overdraft[script])
	}
	return max(min(g.part()-g.overdraft[script], all+all/2-g.tick), 0)
}

// Barred reports whether a call of a script would fail at its first instruction: there is
// nothing left for it, or it holds too much.
func (g *limiter) Barred(script string) bool { return g.refused[script] != nil || g.Spent(script) }

// mostShortages is how many reasons of one tick are told apart. Those of further scripts count as
// the last one.
const mostShortages = 16

// Refuse implements bindings.Budget. It is asked before each run of a system, and says no most of
// the time.
func (g *limiter) Refuse(script, call string, rows int64) (refused bool, why *diag.Error) {
	g.follow()
	limit, held := "", g.refused[script]
	switch _, all, _ := g.allowed(script); {
	case held != nil:
	case all > 0 && all <= g.tick && g.leftOfTick(script, all) == 0:
		limit = "TickInstructions"
	case g.limitsTime() && g.clock.left(script, g.parts()) == 0:
		limit = "TickInstructionTime"
	case rows > 0 && g.rows.left(script, g.parts()) < rows:
		limit = "TickRows"
	default:
		return false, nil
	}
	if held != nil || limit == "TickInstructionTime" {
		g.unrepeatableCalls++
	}
	if held == nil && g.stopped[call] { // it has used up what is missing now: one more failure
		delete(g.stopped, call)
		why = nothingLeft(limit)
		why.Err = nil
		return true, why
	}
	of := ""
	if held != nil {
		of = script
	}
	for i, r := range g.shortages {
		if r.script == of && r.limit == limit || i == mostShortages-1 {
			r.why.Others++
			return true, nil
		}
	}
	why = nothingLeft(limit)
	if held != nil {
		why = &diag.Error{}
		if e, ok := errors.AsType[*diag.Error](held); ok {
			*why = *e
		}
		why.Err = ecs.ErrTransient
	}
	g.shortages = append(g.shortages, shortage{of, limit, why})
	return true, why
}

// nothingLeft is the error of a call for which others have left nothing in this tick. It has done
// nothing wrong, so that its system is not parked for that.
func nothingLeft(limit string) *diag.Error {
	var e *diag.Error
	switch limit {
	case "TickInstructionTime":
		e = diag.Reached(limit, "script ran too long: no time is left for it").And(notRepeatable)
	case "TickRows":
		e = diag.Reached(limit, "functions over rows ran too long: no time is left for those of this script")
	default:
		e = diag.Reached(limit, "script ran too long: no instructions are left for it")
	}
	e.Err = ecs.ErrTransient
	return e
}

// Attach implements bindings.Budget.
func (g *limiter) Attach(L *lua.LState, ctx context.Context) { attach(L, ctx) }

// Context implements bindings.Budget.
func (g *limiter) Context() context.Context { return g.step }

// Scripts implements bindings.Budget.
func (g *limiter) Scripts() int { return g.scripts }

// Begin implements bindings.Budget.
func (g *limiter) Begin(L *lua.LState, script, call string, migrate bool) {
	g.account(script, call)
	if migrate {
		g.beginMigrate(L, script)
		return
	}
	g.begin(L, script)
}

// begin starts the limits of a call into a script.
func (g *limiter) begin(L *lua.LState, script string) {
	g.script = script
	g.follow()
	g.budget.Name = "Instructions"
	steps, all, bytes := g.allowed(script)
	if all > 0 && all-g.tick < steps {
		g.budget.Name = "TickInstructions"
		steps = min(steps, g.leftOfTick(script, all))
	}
	if g.migrate > 0 && g.migrate < steps {
		g.budget.Name = g.bound
		steps = g.migrate
	}
	if g.untried && script == "" {
		steps = max(min(steps, g.untriedLeft.instructions), 0)
		if left := max(g.untriedLeft.bytes, 1); bytes == 0 || left < bytes {
			bytes = left
		}
		if steps == 0 || g.untriedLeft.bytes <= 0 {
			g.ending = othersUsedAll()
		}
	}
	g.allowTime(script)
	g.budget.Reset(steps, bytes)
	g.looks, g.inCall = 0, true
	if g.count != nil && g.budget.Clock()-g.gauged > heapEvery {
		g.gauged = g.budget.Clock()
		if g.gauge.due(g.soFar().bytes) {
			_ = g.count() // the call gets the error below
		}
	}
	if g.gauge.share > 0 {
		g.beScarce(steps)
	}
	g.ended = false
	refused := g.refused[script]
	if refused != nil {
		g.unrepeatable()
	}
	if g.ending != nil {
		refused, g.ending = g.ending, nil
	}
	if g.starved = refused == nil; g.starved {
		refused = g.starve(script, steps)
		g.starved = refused != nil
	}
	if refused != nil {
		g.budget.Refuse(refused)
	}
	g.library.Enter(L)
	if g.always || g.ctx != nil || refused != nil || !g.limits.none() {
		attach(L, &g.budget)
	}
}

// starve returns the error of a call for which nothing is left in this tick, nil if something is. A
// limit may have ended a call of the same name before: then it is a failure like others.
func (g *limiter) starve(script string, steps int64) error {
	var e *diag.Error
	switch {
	case steps == 0 && g.budget.Name == "TickInstructions":
		e = nothingLeft("TickInstructions")
	case g.budget.Longest > 0 && g.clock.left(script, g.parts()) == 0:
		e = nothingLeft("TickInstructionTime")
		g.unrepeatable()
	default:
		return nil
	}
	if g.stopped[g.call] {
		e.Err = nil
	}
	return e
}

// limitsTime reports whether the clock ends calls: no frame waits for what a load or a dry run
// executes, and what cannot be handed over in a reload would be lost.
func (g *limiter) limitsTime() bool { return !(g.loading || g.starting || g.swapping || g.dry) }

// allowTime sets how long the instructions of a call may take by the clock.
func (g *limiter) allowTime(script string) {
	b := &g.budget
	b.Longest, b.LongestName = max(g.limits.InstructionTime, 0), "InstructionTime"
	if !g.limitsTime() {
		b.Longest = 0
	} else if left := g.clock.left(script, g.parts()); left < endless && (b.Longest == 0 || left < int64(b.Longest)) {
		b.Longest, b.LongestName = time.Duration(max(left, 1)), "TickInstructionTime"
	}
}

// allowed returns what a call of a script may use: instructions, those of the tick, 0 for no
// limit, and bytes, likewise. The top level of a file has more in a load, and so have the on_start functions that
// come after it: no frame waits for them. on_unload and on_reload have it in each reload: a frame waits for these, but
// what a version cannot hand over within it would be lost, and only the host brings a reload about.
func (g *limiter) allowed(script string) (steps, all, bytes int64) {
	steps, all, bytes = g.limits.Instructions, g.limits.TickInstructions, g.limits.Bytes
	if steps < 0 {
		steps = endless
	}
	if load := g.limits.Load; (g.loading && script == "" || g.starting || g.swapping) && load > steps {
		g.budget.Name = "Load"
		steps, all = load, max(all, loadInstructions*load)
		if bytes > 0 {
			bytes = max(bytes, loadBytes*load)
		}
	}
	return steps, max(all, 0), max(bytes, 0)
}

// swap has on_unload and on_reload functions run, until end, as calls of a load.
func (g *limiter) swap(scripts int) (end func()) {
	g.swapping = true
	return func() {
		g.swapping = false
		g.newTick(scripts)
	}
}

// What all files of a load may use where Limits.Load is above Instructions, in loads of one
// file, and the bytes that go with an instruction.
const loadInstructions, loadBytes = 4, 10

// used is what calls have used, or may use.
type used struct{ instructions, bytes int64 }

// mostUntried is how many instructions the top levels of a set may use together in a step, and how many bytes they may
// make, if no dry run could try them to their ends: some milliseconds, in which a game goes on as if nothing had happened.
const mostUntried, mostUntriedBytes = 500_000, 4 << 20

// tryInStep has top levels run, until end, that no dry run could try to their ends.
func (g *limiter) tryInStep() (end func()) {
	g.untried = true
	return func() { g.untried = false }
}

// allowUntried says what they may use. The step waited for what their last versions have used, or a load did: so they have
// twice as much, where that is more.
func (g *limiter) allowUntried(before used) {
	g.untriedAll = used{max(mostUntried, 2*before.instructions), max(mostUntriedBytes, 2*before.bytes)}
	g.untriedLeft = g.untriedAll
}

// othersUsedAll is the error of a top level for which others of its set have left nothing: it is no reason of its own.
func othersUsedAll() error {
	e := diag.Reached("Instructions", "the other files of this reload have run too long: no instructions are left for this one")
	e.Echo = true
	return e
}

// sayUntried says of top levels that were ended why they have less than the limit that is named.
func (g *limiter) sayUntried(problems []*Error) {
	for _, e := range problems {
		all, limit := g.untriedAll.instructions, g.limits.Instructions
		if e.Limit == "Bytes" {
			all, limit = g.untriedAll.bytes, g.limits.Bytes
		} else if e.Limit != "Instructions" {
			continue
		}
		if g.untried && (limit < 0 || all < limit) {
			e.Message += "; this top level asks for what only the running game knows, such as the content of ecs.state or a function of the host, so it runs within a tick: there it may use as much, or twice what its last version used; let a function that runs later do the rest, or start the game anew"
		}
	}
}

// soFar is what was used in this tick, by the call that is running included.
func (g *limiter) soFar() used {
	if g.inCall {
		return used{g.tick + g.budget.Used(), g.made + g.budget.vm.Bytes()}
	}
	return used{g.tick, g.made}
}

// minus is what one has more than another.
func (u used) minus(v used) used { return used{u.instructions - v.instructions, u.bytes - v.bytes} }

// plus is both together.
func (u used) plus(v used) used { return used{u.instructions + v.instructions, u.bytes + v.bytes} }

// beginMigrate starts the limits of one call of a migrate function. There is a call for
// each value, within the step, so the sum of all calls of a reload is limited, too.
func (g *limiter) beginMigrate(L *lua.LState, script string) {
	one, all := g.limits.Migrate, g.limits.MigrateTotal
	if g.migrate, g.bound = one, "Migrate"; all > 0 && (one <= 0 || all-g.migrated < one) {
		g.migrate, g.bound = max(all-g.migrated, 1), "MigrateTotal"
	}
	g.migrate = max(g.migrate, 0)
	g.begin(L, script)
}

// End counts what the call has used for the tick, with what it took around it. If the tick is used
// up, it counts as the part that the script still had.
func (g *limiter) End(L *lua.LState, around int64) {
	if g.budget.Late() || g.budget.Wary && g.budget.Spent() {
		g.unrepeatable()
	}
	g.budget.End()
	g.clock.spend(g.script, int64(g.budget.Took()))
	used := g.budget.Used()
	g.made += lua.VM(L).Bytes()
	if s := g.spending; s != nil {
		if g.budget.Stopped() && !g.starved {
			g.stopped[g.call] = true
		}
		s.Calls++
		s.Instructions += used
		s.Made += lua.VM(L).Bytes()
	}
	used += around
	if all := g.limits.TickInstructions; all > 0 && g.tick+used > all {
		g.overdraft[g.script] += used
	}
	g.tick += used
	if g.untried && g.script == "" {
		g.untriedLeft.instructions -= used
		g.untriedLeft.bytes -= lua.VM(L).Bytes()
	}
	if g.migrate > 0 {
		g.migrated += used
		g.migrate = 0
	}
	g.library.Leave()
	L.RemoveContext()
	g.inCall, g.budget.BytesName, g.budget.Wary = false, "", false
}

// beScarce limits the bytes of a call to a small share, while all scripts together hold
// too much.
func (g *limiter) beScarce(steps int64) {
	share := g.gauge.share
	if most := g.limits.Bytes; most > 0 {
		share = min(share, most)
	}
	g.budget.BytesName, g.budget.Wary = "HeldTotal", true
	g.budget.Reset(steps, share)
}

// heapEvery is how long the heap is left alone between two looks at it, which
// cost more than those at the clock.
const heapEvery = 2 * time.Millisecond

// notRepeatable ends the messages of limits that measure the machine.
const notRepeatable = "; what counts did not stop it first, so this run cannot be repeated exactly"

// stretches is how many times long stretches between two looks at the clock must come in a call until
// Limits.Time ends it: in one, the program may have been stopped, or the machine busy with others.
const stretches = 4

// watch looks at the clock, which is for faults of the host, and has counted now and then what
// scripts hold.
//
// Why is the growth of the program's heap no limit? It is that of all goroutines: a host that
// loads a level beside the game would have scripts parked that make nothing. What a script makes
// counts against Bytes, by the machine's own count, and what it keeps against Held, by a walk
// over its variables.
func (g *limiter) watch() error {
	now := time.Now()
	if err := g.cutShort(); err != nil {
		return err
	}
	g.looks++
	if g.looks == 1 {
		g.heapAt = now
	}
	if t := g.limits.Time; t > 0 && g.budget.Passed() > t {
		g.unrepeatable()
		return diag.Reached("Time", "script ran too long: used %v of %v", g.budget.Passed().Round(time.Millisecond), t).And(notRepeatable)
	}
	if now.Sub(g.heapAt) < heapEvery {
		return nil
	}
	g.heapAt = now
	if g.count != nil {
		g.gauged = g.budget.Clock()
		if g.gauge.due(g.soFar().bytes) {
			if err := g.count(); err != nil {
				g.unrepeatable()
				return err
			}
		}
	}
	return nil
}

// unrepeatable notes that a measured limit ends the call, and not a counted one.
func (g *limiter) unrepeatable() {
	if !g.ended {
		g.ended = true
		g.unrepeatableCalls++
	}
}

// Unrepeatable returns how many calls of scripts were ended so far by what is measured:
// the clock (Limits.Time), or what scripts hold, where it is counted because the heap has grown
// (Limits.Held, Limits.HeldTotal) and not because the call has made so many bytes. All other limits cut
// the same call at the same place each time; where this is not 0, the same run may come to
// another world. What else can make a run unrepeatable (steps of another length, inputs in other ticks,
// Go code that asks the clock) no count shows: the list is in the handbook for hosts, "The same game again".
func (h *Host) Unrepeatable() int {
	if !h.made() {
		return 0
	}
	return h.limiter.unrepeatableCalls
}

// tickLimit is a limit on what the calls of a tick use together, in nanoseconds: on functions
// over rows that nothing counts while they run, those that are compiled, and those that
// provably end; and on what instructions take by the clock.
//
// Rows count as what they may need at most, as the compiler reckons it, and what formulas do not
// hold for as calls of the host, each when it is made. Both are the same however many goroutines
// share the rows, and on every interpreter.
type tickLimit struct {
	limit     int64 // 0: there is none
	used      int64
	overdraft map[string]int64 // by script: what it used when the tick's were gone
}

// newTick starts the limit anew.
func (m *tickLimit) newTick() {
	m.used = 0
	clear(m.overdraft)
}

// left is how much a script may still use; each has a small part when all is gone.
func (m *tickLimit) left(script string, part int64) int64 {
	if m.limit <= 0 {
		return endless
	}
	return max(m.limit-m.used, m.limit/part-m.overdraft[script], 0)
}

// spend counts what a script uses.
func (m *tickLimit) spend(script string, work int64) {
	if m.used += work; m.used > m.limit && m.limit > 0 && work > 0 {
		if m.overdraft == nil {
			m.overdraft = map[string]int64{}
		}
		m.overdraft[script] += work
	}
}

// tooMuch is the error of a call that needs more.
func (m *tickLimit) tooMuch() error {
	return diag.Reached("TickRows", "functions over rows ran too long: they need more than %s nanoseconds in one tick of all scripts, as the compiler counts them", diag.Grouped(m.limit))
}

// parts is into how many a limit of a tick is divided of which each script has one when
// all is gone. What all of them use then is no more than half of it.
func (g *limiter) parts() int64 { return max(2*int64(g.scripts), share) }

// Left implements bindings.Budget.
func (g *limiter) Left() int64 { return g.budget.Left() }

// Spend implements bindings.Budget.
func (g *limiter) Spend(instructions int64) { g.budget.Spend(instructions) }

// Glance implements bindings.Budget.
func (g *limiter) Glance(lost int64) (took, left time.Duration) { return g.budget.Lose(lost) }

// LeftForRows implements bindings.Budget.
func (g *limiter) LeftForRows(script string) int64 {
	g.follow()
	if g.ctx != nil && g.ctx.Err() != nil {
		return 0
	}
	return g.rows.left(script, g.parts())
}

// SpendOnRows implements bindings.Budget.
func (g *limiter) SpendOnRows(script string, nanoseconds int64) { g.rows.spend(script, nanoseconds) }

// SpendBeyond implements bindings.Budget.
func (g *limiter) SpendBeyond(script string, nanoseconds int64) (left bool) {
	if !g.limitsTime() {
		return true
	}
	g.clock.spend(script, nanoseconds)
	return g.clock.left(script, g.parts()) > 0
}

// EndBeyond implements bindings.Budget.
func (g *limiter) EndBeyond() {
	g.unrepeatableCalls++
	g.cut(diag.Reached("TickInstructionTime", "functions over rows ran too long: they took many times as long as the compiler counts them; arithmetic with numbers next to zero does").And(notRepeatable))
}

// EndForRows implements bindings.Budget.
func (g *limiter) EndForRows() {
	if err := g.cutShort(); err != nil {
		g.cut(err)
		return
	}
	g.cut(g.rows.tooMuch())
}

// cut ends the call that is running, or that is about to begin for the row at which a
// kernel has stopped.
func (g *limiter) cut(err error) {
	if g.inCall {
		g.budget.Refuse(err)
		return
	}
	g.ending = err
}
