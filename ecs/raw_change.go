package ecs

import (
	"fmt"
	"slices"
)

// RawChange is one change of an entity, as the functions of [Raw.OnChange] get it. It is good during
// the call only, with its Components.
type RawChange struct {
	Number     uint64        // of the change: 1 for the first that was ever reported, and 1 more for each. No restore takes numbers back
	Tick       uint64        // of the world; of the step that begins, for what a host of scripts does before its systems
	Kind       Trigger       // OnSpawn, OnDespawn, OnAdd, OnSet or OnRemove; 0: another target of Relation
	Entity     Entity        // that changes
	Components []ComponentID // that it got, that were written, or that it lost; none of OnDespawn
	Relation   *Relation     // of Kind 0
	Target     Entity        // of Kind 0: whose source Entity is now; 0: of nobody
	With       Entity        // of OnDespawn, and of Kind 0: Entity follows this one, which dies; 0: it does not
	System     string        // that was at work, an observer, or a Run; "": none was
	Caller     Caller        // of the command that said so
	InPlace    bool          // of OnSet: a script has assigned to fields of a row, and the command stores that
}

// Caller is where in the code of a script a command was recorded, and of which prefab an entity was made. Of the zero
// Caller neither is known.
//
// Why no text? Each command has one while changes are reported, and few are ever looked at.
type Caller struct {
	Code   any    // a function, as the host of scripts knows it
	At     int    // an instruction in it
	Prefab string // of a spawn: the name of the prefab of which the entity was made; of several the first; "": of none
}

// changeReports is who gets the changes of a world as they are made.
//
// Invariant: on says that there are hooks. Without them, change, later and the rest are empty.
type changeReports struct {
	on     bool
	world  *World
	hooks  []*changeHook
	asked  func() Caller     // of the code that records a command
	change RawChange         // the last one; its memory is used again
	by     author            // at work
	with   Entity            // with whom the next one dies
	ahead  bool              // the holder of a claim has begun a step, and the world has not
	later  map[Entity]author // of those who were named for the end of the tick
}

// changeHook is a function of OnChange; nil once it was removed.
type changeHook struct{ see func(*RawChange) }

// reportedChanges counts the changes that were reported.
//
// Invariant: last is made while no snapshot was restored since the last change.
type reportedChanges struct {
	made    uint64
	last    uint64 // that the world has seen: after a restore, the last one before the capture
	unknown bool   // which that is: what was restored is of another world, or was read
}

// Reported returns the number of the last change that was reported and that the world has seen. After a restore that is the last one before
// the capture; known is then false if the snapshot is of another world or was read from a save, until the next
// change. What is captured after it, between two reported changes, has the same number. 0 before the first change. O(1).
func (r Raw) Reported() (number uint64, known bool) {
	return r.world.reported.last, !r.world.reported.unknown
}

// author is who makes a change: a system, with where its command was recorded.
type author struct {
	system string
	caller Caller
}

// OnChange has a function called for each change that is made to an entity: when it comes or goes, gets or
// loses components, has them written by a command, Add or Edit, or gets another target in a relation. It is for
// tools that say who has changed something. A batch is reported entity by entity. Not reported are what loops write
// into columns, what parallel systems edit, and what a snapshot brings back.
//
// The function is called in the middle of the change: it copies what it wants to keep, and asks nothing of the
// world, where a change returns ErrIterating. One that panics is called no more, and the next step returns
// a *[SystemError] of the name "OnChange". The world is the same with a function and without; what costs more is
// the report, and that Commands take note of the caller of each command. remove takes the function away. The
// error wraps ErrConflict for a nil function, ErrClosed, or ErrIterating inside of a step.
func (r Raw) OnChange(see func(*RawChange)) (remove func(), err error) {
	w := r.world
	switch {
	case w.closed():
		return nil, fmt.Errorf("a function for changes: %w", w.closedError())
	case see == nil:
		return nil, fmt.Errorf("%w: changes are reported to a nil function", ErrConflict)
	case w.clock.running.Load():
		return nil, fmt.Errorf("%w: OnChange inside a step", ErrIterating)
	}
	h := &changeHook{see}
	w.reports.hooks = append(slices.Clone(w.reports.hooks), h)
	w.reports.on, w.reports.world = true, w
	return func() {
		h.see = nil
		if !w.clock.running.Load() {
			w.reports.tidy()
		}
	}, nil
}

// CallersFrom has a function say where the code is that records a command: it is called for each one while
// changes are reported, but for those of parallel systems. It is for the host of scripts. Nil takes it away.
func (r Raw) CallersFrom(where func() Caller) { r.world.reports.asked = where }

// tidy forgets the hooks that were removed.
func (r *changeReports) tidy() {
	r.hooks = slices.DeleteFunc(slices.Clone(r.hooks), func(h *changeHook) bool { return h.see == nil })
	if len(r.hooks) == 0 {
		*r = changeReports{asked: r.asked}
	}
}

// begins takes note of the system at work, and ends of its end.
func (r *changeReports) begins(system string) {
	if r.on {
		r.by = author{system: system}
	}
}

// ends takes note that no system is at work.
func (r *changeReports) ends() { r.begins("") }

// send reports a change to the hooks.
func (r *changeReports) send(kind Trigger, e Entity) {
	c := &r.change
	c.Kind, c.Entity, c.System, c.Caller = kind, e, r.by.system, r.by.caller
	if c.Tick = r.world.clock.tick; r.ahead {
		c.Tick++
	}
	n := &r.world.reported
	n.made++
	c.Number = n.made
	for _, h := range r.hooks {
		if h.see != nil {
			r.call(h)
		}
	}
	n.last, n.unknown = n.made, false
	*c = RawChange{Components: c.Components[:0]}
}

// call gives the change to one function. One that panics gets no others: the change goes on.
func (r *changeReports) call(h *changeHook) {
	w := r.world
	w.locks++
	locks := w.locks
	stack, err := protect(func() error { h.see(&r.change); return nil })
	if w.locks = locks - 1; err != nil {
		h.see = nil
		w.schedule.postpone([]error{&SystemError{System: "OnChange", Tick: w.clock.tick, Err: err, Stack: stack}})
	}
}

// spawned reports an entity that got its first place, with values.
func (r *changeReports) spawned(e Entity, values []Value) {
	r.change.Components = appendGiven(r.change.Components[:0], values, func(*component) bool { return true })
	r.send(OnSpawn, e)
}

// appendGiven appends the numbers of the components of values for which a function is true, once.
func appendGiven(ids []ComponentID, values []Value, is func(*component) bool) []ComponentID {
	for i := range values {
		if of := values[i].of; !givesComponent(values[:i], of.id) && is(of) {
			ids = append(ids, of.id)
		}
	}
	return ids
}

// changing reports what is about to happen to an entity of an archetype.
func (w *World) changing(e Entity, from *archetype, remove []ComponentID, add []Value) {
	r := &w.reports
	if from.id == limbo {
		r.spawned(e, add)
		return
	}
	has := func(c *component) bool { return c.find(e) != nil }
	ids := r.change.Components[:0]
	for i, id := range remove {
		if has(w.components[id]) && !slices.Contains(remove[:i], id) && !givesComponent(add, id) {
			ids = append(ids, id)
		}
	}
	r.sendSome(OnRemove, e, ids)
	r.sendSome(OnAdd, e, appendGiven(r.change.Components[:0], add, func(c *component) bool { return !has(c) }))
	r.sendSome(OnSet, e, appendGiven(r.change.Components[:0], add, has))
}

// sendSome reports a change of components, if there are any.
func (r *changeReports) sendSome(kind Trigger, e Entity, ids []ComponentID) {
	if r.change.Components = ids; len(ids) > 0 {
		r.send(kind, e)
	}
}

// less returns the components of an archetype that another one lacks.
func (a *archetype) less(b *archetype) (ids []ComponentID) {
	for _, id := range a.ids {
		if !b.has(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// reportRows reports the last n rows of an archetype, which have just been spawned with the values.
func (w *World) reportRows(a *archetype, n int, values []Value) {
	if !w.reports.on {
		return
	}
	w.show(a, n, func(c *Chunk) {
		for _, e := range c.Entities() {
			w.reports.spawned(e, values)
		}
	})
}

// reportMoves reports what a move of a batch is about to do to each entity.
func (w *World) reportMoves(p batchMove, add []Value) {
	if !w.reports.on {
		return
	}
	removed := p.from.less(p.to)
	for _, c := range p.from.chunks {
		for _, e := range c.Entities() {
			w.changing(e, p.from, removed, add)
		}
	}
}

// wrote reports that a component of an entity is being written, for a script that has assigned to its fields or not.
func (w *World) wrote(e Entity, id ComponentID, inPlace bool) {
	if r := &w.reports; r.on && !w.frozen.on {
		r.change.InPlace = inPlace
		r.sendSome(OnSet, e, append(r.change.Components[:0], id))
	}
}

// died reports that an entity dies.
func (r *changeReports) died(e Entity) {
	r.change.Components, r.change.With, r.with = r.change.Components[:0], r.with, 0
	r.send(OnDespawn, e)
}

// named takes note of who has named an entity for the end of the tick.
func (r *changeReports) named(e Entity) {
	if r.later == nil {
		r.later = map[Entity]author{}
	}
	if _, known := r.later[e]; !known {
		r.later[e] = r.by
	}
}

// turnTo has who named an entity for the end of the tick be at work, until turnBack.
func (r *changeReports) turnTo(e Entity) (before author) {
	before = r.by
	if named, ok := r.later[e]; ok {
		delete(r.later, e)
		r.by = named
	}
	return before
}

// turnBack ends turnTo.
func (r *changeReports) turnBack(to author) { r.by = to }

// marked reports that an entity is a prefab from now on.
func (r *changeReports) marked(e Entity, mark ComponentID) {
	if r.on {
		r.sendSome(OnAdd, e, append(r.change.Components[:0], mark))
	}
}

// linked reports that an entity has another target in a relation, with the death of one or not.
func (r *changeReports) linked(of *Relation, source, target, with Entity) {
	if r.on {
		c := &r.change
		c.Components, c.Relation, c.Target, c.With = c.Components[:0], of, target, with
		r.send(0, source)
	}
}

// noteCaller takes note of where the last command was recorded.
func (c *Commands) noteCaller() {
	caller := Caller{}
	if w := c.world; w.reports.asked != nil && !w.frozen.on {
		caller = w.reports.asked()
	}
	c.callers = append(c.padCallers(len(c.ops)-1), caller)
}

// nameSpawn takes note of the prefab of the entity whose spawn was the last command.
func (c *Commands) nameSpawn(prefab string) {
	if n := len(c.callers); n > 0 && n == len(c.ops) {
		c.callers[n-1].Prefab = prefab
	}
}

// padCallers returns the callers of so many commands. Of those that came before changes were reported, the callers are
// not known.
func (c *Commands) padCallers(n int) []Caller {
	for len(c.callers) < n {
		c.callers = append(c.callers, Caller{})
	}
	return c.callers
}

// callerOf returns the caller of a command.
func (c *Commands) callerOf(i int) Caller {
	if i < len(c.callers) {
		return c.callers[i]
	}
	return Caller{}
}
