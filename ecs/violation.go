package ecs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// Violation says that the values of an entity break an [Invariant].
type Violation struct {
	Invariant string // its name
	Text      string // what it demands: "hp <= max"
	Component string // that it was declared with; "" for one of a View
	Owner     string // who has declared it, as Raw.SetInvariants says; "" for the program
	Entity    Entity
	Tick      uint64
	// Value shows the values that the invariant is about: "hp = 7, max = 5". It is for readers.
	Value string
	// Before shows what they were at the last comparison, where the world knows: for
	// [Transitions], and where all components are [Tracked]; else "".
	Before string
	// System is what has stamped the column last of which the invariant is broken: a system,
	// an observer, an inbox, or the name of a World.Run. It has written some row of the chunk,
	// perhaps not this one. It is "" when it was the host between two steps, or when several ran at the same time.
	System string
	// Systems are System and all others that could have done it: those that ran in this tick, and
	// declare to write a component that the invariant reads.
	Systems []string
	// Count is how many rows broke the invariant at this check, reported or not.
	Count int
}

// Error says all of it in one line.
func (v *Violation) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "invariant %q: %v has %s", v.Invariant, v.Entity, v.Value)
	if v.Before != "" {
		fmt.Fprintf(&b, ", and had %s", v.Before)
	}
	fmt.Fprintf(&b, ", where %s must hold (tick %d", v.Text, v.Tick)
	if v.System != "" {
		fmt.Fprintf(&b, ", written by %q", v.System)
	} else if len(v.Systems) > 0 {
		fmt.Fprintf(&b, ", written by one of %q", v.Systems)
	}
	if v.Count > 1 {
		fmt.Fprintf(&b, ", one of %d rows", v.Count)
	}
	return b.String() + ")"
}

// Unwrap returns ErrInvariant.
func (v *Violation) Unwrap() error { return ErrInvariant }

// mostViolations bounds Options.MaxViolations.
const mostViolations = 1000

// invariants are those of a world. A nil one has none.
//
// Invariant: each rule has been checked in all rows that were stamped up to changed.since, but for
// those that wait, see rulePass; runs are in the order of their versions.
type invariants struct {
	rules   []*rule
	runs    []systemRun
	hooks   []*violationHook
	looking bool         // a rule is being checked
	told    []*Violation // of the step at hand

	allowed int64 // to a step, see Schedule.LimitChecks; 0 is no limit
	left    int64 // of that, in the step at hand
	next    int   // the rule that the next step begins with
	behind  int   // rules that have not been checked in all that was written up to the last step
}

// violationHook is a function of OnViolation; nil once it was removed.
type violationHook struct{ report func(*Violation) }

// systemRun says which system has written with a version.
type systemRun struct {
	version uint64
	name    string
	of      *scheduled // of a parallel stage: several have the same version
}

// mostRuns bounds what is remembered of runs between two checks: World.Run may be called without end.
const mostRuns = 1 << 12

// ran notes that a function under the rules for systems writes with a version.
func (v *invariants) ran(version uint64, name string) {
	if v != nil && len(v.rules) > 0 {
		v.note(systemRun{version: version, name: name})
	}
}

// ranTogether is ran for the systems of a stage.
func (v *invariants) ranTogether(version uint64, systems []*scheduled) {
	if v == nil || len(v.rules) == 0 {
		return
	}
	for _, o := range systems {
		v.note(systemRun{version, o.Name, o})
	}
}

// ended notes that a run outside of a step is over, so that the host is not taken for it.
func (v *invariants) ended(w *World) {
	if v != nil && len(v.rules) > 0 {
		w.version++
		v.note(systemRun{version: w.version})
	}
}

func (v *invariants) note(r systemRun) {
	if len(v.runs) >= mostRuns {
		v.runs = slices.Delete(v.runs, 0, mostRuns/2)
	}
	v.runs = append(v.runs, r)
}

// rule is an invariant of a world.
type rule struct {
	Invariant
	of    *component // nil for one of a View
	owner string
	reads []*component
	needs []ComponentID // of a View: those that are not optional
	era   uint32        // the sum of those of the components, when check was made
	check ruleCheck     // nil while a field is gone
	// changed finds the chunks that were written since its last loop, all finds every chunk.
	changed, all *Query
	pass         rulePass

	// The look at hand.
	chunk    *Chunk
	columns  []unsafe.Pointer // of the chunk, as reads; nil for one that it lacks
	most     int
	declared []string // systems that ran, and declare to write what the rule reads
	count    int      // rows that break the rule
	found    []*Violation
	broken   func(row int) // made once: a step allocates nothing
}

// addRule adds an invariant that can be checked.
func (w *World) addRule(r *rule) {
	if w.invariants == nil {
		w.invariants = &invariants{}
	}
	if r.of != nil {
		r.reads = []*component{r.of}
	}
	r.broken = func(row int) { r.noteBroken(w, row) }
	r.bind(w)
	w.invariants.rules = append(slices.Clip(w.invariants.rules), r)
}

// removeRules drops some invariants.
func (w *World) removeRules(which func(*rule) bool) {
	if w.invariants != nil {
		w.invariants.rules = slices.DeleteFunc(slices.Clone(w.invariants.rules), which)
	}
}

// eras tells apart the fields that the components have had.
func (r *rule) eras() (sum uint32) {
	for _, c := range r.reads {
		sum += c.era
	}
	return sum
}

// bind finds the fields of a rule, and makes its queries. It begins with all rows.
func (r *rule) bind(w *World) {
	r.era = r.eras()
	r.pass.forget()
	b := &ruleBinder{world: w, find: w.findComponent, of: r.of}
	b.reads = r.reads[:min(len(r.reads), 1)]
	if r.of == nil {
		b.reads = r.reads
	}
	var err error
	if r.check, err = r.make(b); err != nil {
		r.check = nil // until the next migration
		return
	}
	r.reads = b.reads
	r.changed, r.all = r.query(w), r.query(w)
	for _, c := range r.reads {
		r.changed.changed = append(r.changed.changed, c.id)
	}
	if k, ok := r.check.(*transitionCheck); ok {
		k.history.compare(&w.store)
		w.version++
	}
}

// query makes a query for what the rule reads. It has no number, so that no snapshot knows it.
func (r *rule) query(w *World) *Query {
	if r.of == nil {
		var required, optional []Term
		for _, c := range r.reads {
			t := Read(c.id)
			if slices.Contains(r.needs, c.id) {
				required = append(required, t)
			} else {
				optional = append(optional, t)
			}
		}
		return w.Query(required...).Optional(optional...)
	}
	var terms []Term
	for _, c := range r.reads {
		terms = append(terms, Read(c.id))
	}
	return w.Query(terms...)
}

// title is the name of the invariant.
func (r *rule) title() string {
	if r.name == "" && r.of != nil {
		return r.of.schema.Name + ": " + r.text
	}
	return r.name
}

// look checks a rule in the chunks of a query, and keeps up to most of what breaks it. In a step,
// which asks for what was changed, the chunks wait for which nothing is left.
func (v *invariants) look(r *rule, q *Query, most int) {
	defer v.begin(r, most)()
	tested := q.tested
	for c := range q.Chunks() {
		if q == r.changed {
			v.lookAtPart(r, c)
		} else {
			v.inspect(r, c, false)
		}
	}
	v.left -= int64(q.tested-tested) * perTestedRow
	r.tellCount()
}

// begin begins a look at some chunks, and returns what ends it.
func (v *invariants) begin(r *rule, most int) (end func()) {
	r.count, r.found, r.declared, r.most = 0, nil, nil, most
	v.looking = true
	return func() { v.looking, r.chunk = false, nil }
}

// tellCount says in what was found how much it is.
func (r *rule) tellCount() {
	for _, x := range r.found {
		x.Count = r.count
	}
}

// inspect checks a rule in a chunk, and charges the step for it. With follow, the states that
// it sees are those that the next check compares with.
func (v *invariants) inspect(r *rule, c *Chunk, follow bool) {
	r.chunk, r.columns = c, r.columns[:0]
	for _, of := range r.reads {
		r.columns = append(r.columns, c.columnOf(of))
	}
	count, shown := r.count, len(r.found)
	r.check.scan(c, r.columns, r.broken)
	if k, ok := r.check.(*transitionCheck); ok && follow {
		k.history.follow(c, r.columns[0])
	}
	v.left -= perCheckedChunk + int64(c.n)*r.check.cost() + int64(r.count-count)*perBrokenRow + int64(len(r.found)-shown)*perViolation
}

// noteBroken counts a row of the chunk at hand that breaks the rule, and describes it if there is room.
func (r *rule) noteBroken(w *World, row int) {
	if r.count++; len(r.found) == r.most {
		return
	}
	c, e := r.chunk, r.chunk.Entities()[row]
	x := &Violation{Invariant: r.title(), Text: r.text, Owner: r.owner, Entity: e, Tick: w.clock.tick, Value: r.check.show(r.columns, row)}
	if r.of != nil {
		x.Component = r.of.schema.Name
	}
	if was := r.before(e); was != nil {
		x.Before = r.check.show(was, 0)
	}
	var stamped uint64
	for i, of := range r.reads {
		if r.columns[i] != nil {
			stamped = max(stamped, c.Version(of.id))
		}
	}
	if r.count == 1 {
		r.declared = w.invariants.declared(w, r)
	}
	x.System, x.Systems = w.invariants.writers(r, stamped)
	r.found = append(r.found, x)
}

// before returns the values of an entity at the last comparison, nil where nobody knows them.
func (r *rule) before(e Entity) (was []unsafe.Pointer) {
	if k, ok := r.check.(*transitionCheck); ok {
		return []unsafe.Pointer{k.history.shadow.Value(uint64(e))}
	}
	for _, c := range r.reads {
		if c.tracker == nil {
			return nil
		}
		p := c.tracker.shadow.Value(uint64(e))
		if p == nil {
			return nil
		}
		was = append(was, p)
	}
	return was
}

// declared lists the systems that ran since the last check, and declare to write what a rule reads.
func (v *invariants) declared(w *World, r *rule) (names []string) {
	for _, o := range w.schedule.order {
		if r.writtenBy(o) && slices.ContainsFunc(v.runs, func(s systemRun) bool { return s.name == o.Name }) {
			names = append(names, o.Name)
		}
	}
	return names
}

// writtenBy reports whether a system declares to write what the rule reads.
func (r *rule) writtenBy(o *scheduled) bool {
	a := accessOf(&o.System)
	return slices.ContainsFunc(r.reads, func(c *component) bool { return slices.Contains(a.writes, c.id) })
}

// last returns the systems that wrote with the highest version up to one.
func (v *invariants) last(stamped uint64) []systemRun {
	end, _ := slices.BinarySearchFunc(v.runs, stamped+1, func(r systemRun, version uint64) int { return cmp.Compare(r.version, version) })
	begin := end
	for begin > 0 && v.runs[begin-1].version == v.runs[end-1].version {
		begin--
	}
	return v.runs[begin:end]
}

// writers returns who has stamped a column with a version, if it was one, and all who could have. Of
// a stage, those that declare to write are asked first: the others have only recorded commands.
func (v *invariants) writers(r *rule, stamped uint64) (one string, all []string) {
	last := v.last(stamped)
	declares := func(s systemRun) bool { return s.of != nil && r.writtenBy(s.of) }
	some := slices.ContainsFunc(last, declares)
	for _, s := range last {
		if s.name != "" && (!some || declares(s)) {
			all = append(all, s.name)
		}
	}
	if len(all) == 1 {
		one = all[0]
	}
	for _, name := range r.declared {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return one, all
}

// checkInvariants looks at what was written since the last step, and reports what breaks a rule.
func (w *World) checkInvariants() {
	v := w.invariants
	if v == nil {
		return
	}
	v.checkRules(w)
	v.runs = v.runs[:0]
	for _, r := range v.rules {
		if w.schedule.telemetry != nil {
			w.schedule.telemetry.report.Violations += r.count
		}
		v.told = append(v.told, r.found...) // who is told may ask for Violations, a look of its own
		r.count, r.found = 0, nil
	}
	for _, x := range v.told {
		v.tell(w, x)
	}
	clear(v.told)
	v.told = v.told[:0]
	v.dropHooks()
}

// checkRule looks at what was written since the last step, or at what waits since an earlier one. A
// function of the rule that panics fails the step.
func (v *invariants) checkRule(w *World, r *rule) {
	if r.era != r.eras() {
		r.bind(w)
	}
	if r.check == nil {
		return
	}
	waited := r.pass.waits()
	if !waited {
		r.pass.since = r.changed.since
	}
	locks, since := w.locks, r.pass.since
	stack, err := protect(func() error {
		if waited {
			v.goOn(w, r)
		} else {
			v.look(r, r.changed, w.options.MaxViolations)
		}
		return nil
	})
	w.locks = locks // a loop that a panic has ended
	if err != nil {
		r.pass.forget()
		r.changed.since = since // what comes after the row is looked at the next time
		w.schedule.note(&SystemError{System: r.title(), Tick: w.clock.tick, Err: err, Stack: stack})
	}
	if k, ok := r.check.(*transitionCheck); ok && !r.pass.waits() {
		v.left -= k.history.followed(&w.store, r.changed.since) * perPruned
	}
}

// tell gives a violation to the functions of OnViolation.
func (v *invariants) tell(w *World, x *Violation) {
	if w.options.StrictInvariants {
		w.schedule.note(x)
	}
	for _, h := range v.hooks {
		if h.report == nil {
			continue
		}
		hold := w.hold()
		stack, err := protect(func() error { h.report(x); return nil })
		hold.Release()
		if err != nil {
			w.schedule.note(&SystemError{System: "OnViolation", Tick: x.Tick, Err: err, Stack: stack})
		}
	}
}

// dropHooks forgets the functions that were removed.
func (v *invariants) dropHooks() {
	v.hooks = slices.DeleteFunc(v.hooks, func(h *violationHook) bool { return h.report == nil })
}

// OnViolation has a function called for each [Violation] that the end of a step finds: of each
// [Invariant] the first Options.MaxViolations, in the order in which invariants were declared and rows
// lie. Several functions are called in the order in which they came. The world may be read in it and
// not changed: that returns ErrIterating. A function that panics fails the step with a
// *[SystemError] of the name "OnViolation"; the others are called all the same. remove takes the
// function away; it may be called at any time, by the goroutine of the world.
//
// The error wraps ErrConflict for a nil function, ErrClosed, or ErrIterating inside of a step.
func (s *Schedule) OnViolation(report func(*Violation)) (remove func(), err error) {
	w := s.world
	switch {
	case w.closed():
		return nil, fmt.Errorf("a function for violations: %w", w.closedError())
	case report == nil:
		return nil, fmt.Errorf("%w: violations go to a nil function", ErrConflict)
	case w.clock.running.Load():
		return nil, fmt.Errorf("%w: OnViolation inside a step", ErrIterating)
	}
	if w.invariants == nil {
		w.invariants = &invariants{}
	}
	h := &violationHook{report}
	w.invariants.hooks = append(w.invariants.hooks, h)
	return func() {
		if h.report = nil; !w.clock.running.Load() {
			w.invariants.dropHooks()
		}
	}, nil
}

// Violations looks at all rows, and returns what breaks an [Invariant] now: of each up to so
// many, or all for 0 or less. It reports to nobody, and the next step finds what it would have
// found. A closed world has no violations. Where a query could not be iterated, as in a system
// that runs beside others, it panics as [Query.Chunks] does, and so it does when a function of
// [Holds] does. O(rows with invariants).
func (s *Schedule) Violations(most int) (all []*Violation) {
	w := s.world
	v := w.invariants
	if v == nil || w.closed() || v.looking {
		return nil
	}
	if w.frozen.on {
		(&Query{world: w}).lockFrozen()
	}
	if most <= 0 {
		most = int(^uint(0) >> 1)
	}
	for _, r := range v.rules {
		if r.era != r.eras() {
			r.bind(w)
		}
		if r.check != nil {
			v.look(r, r.all, most)
			all = append(all, r.found...)
		}
		r.count, r.found = 0, nil
	}
	return all
}

// restored begins anew after a restore: all rows are looked at, and states are followed from here on.
func (v *invariants) restored(w *World) {
	if v == nil {
		return
	}
	v.runs = v.runs[:0]
	for _, r := range v.rules {
		r.bind(w)
	}
}

// check: what was not written since has the states that were seen.
func (v *invariants) check(s *store) error {
	if v == nil {
		return nil
	}
	var errs []error
	for _, r := range v.rules {
		if k, ok := r.check.(*transitionCheck); ok && r.era == r.eras() {
			errs = append(errs, k.history.check(s))
		}
	}
	return errors.Join(errs...)
}

// What a check costs besides its rows, in nanoseconds by a count of its own: each chunk, each row that breaks
// a rule, each violation that is told, what looks for chunks per row that a query has tested, and each row
// of which somebody asks whether it is still there.
const (
	perCheckedChunk = 16
	perBrokenRow    = 4
	perViolation    = 5000
	perTestedRow    = 16
	perPruned       = 20
)

// LimitChecks bounds how long the checks of invariants hold a step: about so many nanoseconds, by a
// count of the values that is the same on every machine; 0 or less is no limit, which is what a world
// begins with. A step checks one invariant after the other, as far as that goes. The next one goes on where it has
// stopped, and takes them in turn: so nothing is left out, and what was written since is looked at again when
// all have had their turn. A [Violation] has the tick in which it is found then, and System is "" where
// nothing has written the column in that tick; what is right again by then is not found.
// [Stats].Unchecked and [TickReport].Unchecked say how many invariants are behind.
//
// Transitions are between the states of two checks. A step may take longer by one row, by a
// function of [Holds] that takes more than some nanoseconds, and where rows of pools have to be found
// one by one. [Schedule.Violations] looks at all rows, and Options.StrictInvariants is for
// tests: with it there is no limit.
func (s *Schedule) LimitChecks(nanoseconds int64) {
	w := s.world
	if w.closed() {
		return
	}
	if w.invariants == nil {
		w.invariants = &invariants{}
	}
	w.invariants.allowed = max(nanoseconds, 0)
}

// rulePass is what is left of the last look at all that had changed.
//
// Why chunks, and not where the look has stopped? Chunks come, go and change their places between two
// steps. A row that moves is stamped, so that the next pass looks at it; one that does not is
// in its chunk. Where a chunk is gone, its rows may be in a longer one, with the stamps that they had.
type rulePass struct {
	since  uint64         // what had changed since this version is looked at
	again  bool           // a chunk is gone: the next pass is about the same, and what was written since
	chunks []waitingChunk // to be looked at, from done on
	done   int
	rows   []Entity // likewise, the last one first: rows of spans
}

// waitingChunk names a chunk of the arena, from a row on.
type waitingChunk struct {
	unit   uint32
	row    int
	serial uint64
}

// waits reports whether something is left.
func (p *rulePass) waits() bool { return p.done < len(p.chunks) || len(p.rows) > 0 }

// forget drops what is left.
func (p *rulePass) forget() { p.chunks, p.done, p.rows, p.again = p.chunks[:0], 0, p.rows[:0], false }

// putOff keeps a chunk, a page or a span for later.
func (p *rulePass) putOff(c *Chunk) {
	at := waitingChunk{c.unit, c.first, c.serial}
	if c.span == nil && c.serial != 0 && c.store.chunkOf(at) != nil {
		p.chunks = append(p.chunks, at)
		return
	}
	p.rows = append(p.rows, c.Entities()...)
}

// chunkOf finds a chunk that has waited; nil if there is no such chunk any more.
func (s *store) chunkOf(at waitingChunk) *Chunk {
	if int(at.unit) >= len(s.chunks) || s.chunks[at.unit] == nil || s.chunks[at.unit].serial != at.serial {
		return nil
	}
	return s.chunks[at.unit]
}

// lookAtPart looks at as many rows of a chunk, a page or a span as the step has time for, and puts
// off the others. It looks at one at least if there is time at all.
func (v *invariants) lookAtPart(r *rule, c *Chunk) {
	n := c.n
	if cost := r.check.cost(); cost > 0 {
		n = int(min(int64(n), v.left/cost+1))
	}
	switch {
	case v.left <= 0:
		r.pass.putOff(c)
	case n == c.n:
		v.inspect(r, c, true)
	default:
		part, rest := c.rows(0, n), c.rows(n, c.n-n)
		v.inspect(r, &part, true)
		r.pass.putOff(&rest)
	}
}

// goOn looks at what waits.
func (v *invariants) goOn(w *World, r *rule) {
	defer v.begin(r, w.options.MaxViolations)()
	locks := r.all.lock()
	defer r.all.unlock(locks)
	r.all.refresh()
	p := &r.pass
	for p.done < len(p.chunks) && v.left > 0 {
		at := p.chunks[p.done]
		c := w.chunkOf(at)
		p.done++
		switch {
		case c == nil:
			p.again = true
			v.left--
		case c.n <= at.row:
			v.left-- // what was there has moved, or is gone
		case c.layout.arch.pooled && w.hasPrefabs():
			rest := c.rows(at.row, c.n-at.row)
			p.rows = append(p.rows, rest.Entities()...) // some of them may be prefabs, since
			v.left -= int64(rest.n)
		case c.layout.arch.pooled || r.all.fit[c.layout.arch.id]: // if not, it was handed over, and stamped
			rest := c.rows(at.row, c.n-at.row)
			v.lookAtPart(r, &rest)
		}
	}
	for len(p.rows) > 0 && v.left > 0 {
		e := p.rows[len(p.rows)-1]
		p.rows = p.rows[:len(p.rows)-1]
		v.left -= perTestedRow
		if c, row := r.all.Find(e); c != nil {
			one := c.rows(row, 1)
			v.inspect(r, &one, true)
		}
	}
	if !p.waits() {
		if p.again {
			r.changed.since = p.since
		}
		p.forget()
	}
	r.tellCount()
}

// checkRules checks the rules in turn, from the one on at which the last step has stopped, until nothing is left.
func (v *invariants) checkRules(w *World) {
	v.left = math.MaxInt64
	if v.allowed > 0 && !w.options.StrictInvariants {
		v.left = v.allowed
	}
	first, n := v.next, len(v.rules)
	v.next, v.behind = 0, 0
	for i := range n {
		at := (first + i) % n
		r := v.rules[at]
		if v.left <= 0 {
			if v.behind += n - i; !v.rules[v.next].pass.waits() {
				v.next = at
			}
			return
		}
		waited := r.pass.waits()
		v.checkRule(w, r)
		if waited || r.pass.waits() {
			v.behind++
		}
		v.next = at
	}
	if n > 0 && !v.rules[v.next].pass.waits() {
		v.next = 0
	}
}

// unchecked returns how many rules the steps are behind with.
func (v *invariants) unchecked() int {
	if v == nil {
		return 0
	}
	return v.behind
}
