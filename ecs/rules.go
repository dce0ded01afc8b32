package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Rules of a component type hold on every path by which an entity can get it:
// Spawn, Add, Exchange, their batches, Commands, prefabs, copies, and arrivals
// from other worlds. A type without rules costs nothing for them.

// Requires says that an entity that gets the component gets these too, with their
// defaults, unless it has them or is given them; and so on for what these require.
// Requirements may be circular. They concern the moment of adding only: a component
// that was required may be removed later. For more there is [Requirement].
func Requires(components ...ComponentRef) ComponentOption { return requireOption(components) }

// requireOption is the option of Requires.
type requireOption []ComponentRef

func (o requireOption) apply(s *componentSpec) { s.requires = append(s.requires, o...) }

// Requirement is [Requires] with a condition, and with a rule for the removal of what is
// required. It is an option of [Register] and [Raw.Define]; a component may have several:
//
//	turret := ecs.Register[Turret](w, ecs.Requirement{Components: []ecs.ComponentRef{base}, OnRemove: ecs.Refuse})
type Requirement struct {
	// Components are what is required, at least one.
	Components []ComponentRef
	// When is a condition: the requirement holds for entities that have all of these, too.
	// What is required comes then with the last of the component and these, and the requirement
	// ends with the first of them that goes. Nil means always.
	When []ComponentRef
	// OnRemove says what becomes of the removal of a required component from an entity for which
	// the requirement holds and goes on to hold after the change. Orphan allows it. Refuse refuses
	// the change with an error that wraps ErrConflict and names both. Cascade removes
	// the component that requires it in the same change, and so on for what requires that;
	// the change is refused if it gives the entity that component, or something that requires
	// it. All that goes is reported to hooks and observers. The death of the entity is no removal.
	//
	// Whether a condition holds for a cascade is asked of what the entity has once the removals
	// that the change names are made, before anything goes along: where A requires B when there is C,
	// and C requires B, the removal of B takes both. Refuse, and Excludes, are asked of what is left at
	// the end: what has gone along keeps nothing from being removed, and may be replaced by what
	// it excludes. So nothing depends on the order in which rules or components were registered.
	OnRemove Policy
}

func (o Requirement) apply(s *componentSpec) { s.requirements = append(s.requirements, o) }

// Excludes says that the component and these never meet in one entity: a change
// after which they would is refused with an error that wraps ErrConflict and
// names both. It holds in both directions.
func Excludes(components ...ComponentRef) ComponentOption { return excludeOption(components) }

// excludeOption is the option of Excludes.
type excludeOption []ComponentRef

func (o excludeOption) apply(s *componentSpec) { s.excludes = append(s.excludes, o...) }

// Default is the value that the component has when it comes without one: where
// it is required, in Raw.ValueAt(id, nil), and for scripts that give no field.
// Without Default that is the zero value. What it points to is shared by all who
// get it.
func Default[T any](v T) ComponentOption {
	p := new(T)
	*p = v
	return defaultOption{reflect.TypeFor[T](), unsafe.Pointer(p)}
}

// defaultOption is the option of Default: a type and the place of the value.
type defaultOption struct {
	typ reflect.Type
	ptr unsafe.Pointer
}

func (o defaultOption) apply(s *componentSpec) { s.def = o }

// rules are what a component's options ask for. All parts may be empty.
//
// Invariant: a lists b among its excludes exactly if b lists a.
type rules struct {
	requires []*component
	excludes []*component
	hooks    hooks
	// conditional are the requirements with a condition that may begin to hold when the
	// component comes, guarded those by which its removal is refused or has consequences.
	conditional, guarded []*dependency
}

// dependency is a Requirement of a component.
type dependency struct {
	of       *component
	needs    []*component
	when     []*component
	onRemove Policy
}

// holds reports whether an entity is one that the requirement is about.
func (q *dependency) holds(has func(*component) bool) bool {
	return has(q.of) && !slices.ContainsFunc(q.when, func(c *component) bool { return !has(c) })
}

// needs calls f for each component that an entity needs because c comes to it; has says what
// it will have then.
func (c *component) needs(has func(*component) bool, f func(*component)) {
	for _, need := range c.rules.requires {
		f(need)
	}
	for _, q := range c.rules.conditional {
		if q.holds(has) {
			for _, need := range q.needs {
				f(need)
			}
		}
	}
}

// withNeeds calls f for c and for all that comes with it, once each: requirements may be
// circular.
func (c *component) withNeeds(has func(*component) bool, f func(*component)) {
	f(c)
	if c.traits&ruledTrait == 0 {
		return
	}
	met := []*component{c}
	for i := 0; i < len(met); i++ { // grows as it goes
		met[i].needs(has, func(need *component) {
			if !slices.Contains(met, need) {
				met = append(met, need)
				f(need)
			}
		})
	}
}

// always is a condition that holds for every component, never one that holds for none.
func always(*component) bool { return true }
func never(*component) bool  { return false }

// withDependants returns what is removed from an entity together with what goes because it
// requires that. has says what the entity has now, gives what it is given in the same change.
//
// Conditions are asked of what the removals that were named leave, also about what goes along.
// Why not of what is left by then? That would depend on which of two rules is met first, and
// where one ends the other in a circle, on nothing else.
func withDependants(all []*component, named []ComponentID, has, gives func(*component) bool) ([]ComponentID, error) {
	left := func(c *component) bool { return gives(c) || has(c) && !slices.Contains(named, c.id) }
	remove := slices.Clip(named)       // the list is the caller's
	for i := 0; i < len(remove); i++ { // grows as it goes
		for _, q := range brokenRules(all[remove[i]], has, gives) {
			if q.onRemove == Cascade && q.holds(left) && !gives(q.of) && !slices.Contains(remove, q.of.id) {
				remove = append(remove, q.of.id)
			}
		}
	}
	stays := func(c *component) bool { return gives(c) || has(c) && !slices.Contains(remove, c.id) }
	for _, id := range remove {
		for _, q := range brokenRules(all[id], has, gives) {
			if q.holds(stays) {
				return remove, fmt.Errorf("%w: %q cannot be removed, for %q requires it", ErrConflict, all[id].schema.Name, q.of.schema.Name)
			}
		}
	}
	return remove, nil
}

// brokenRules returns the requirements that a removal breaks, if they hold: none if it takes
// nothing away.
func brokenRules(c *component, has, gives func(*component) bool) []*dependency {
	if len(c.rules.guarded) == 0 || !has(c) || gives(c) {
		return nil
	}
	return c.rules.guarded
}

// anyGuarded reports whether the removal of one of the components is somebody else's concern.
func (w *World) anyGuarded(remove []ComponentID) bool {
	return slices.ContainsFunc(remove, func(id ComponentID) bool { return len(w.components[id].rules.guarded) > 0 })
}

// follow returns what a change gives e, with what that requires, in a list for the caller to
// give back, and what it removes, with what goes because of that.
func (w *World) follow(e Entity, remove []ComponentID, add []Value) ([]Value, []ComponentID, error) {
	list, all := w.required(e, remove, add), remove
	if w.anyGuarded(remove) {
		var err error
		has := func(c *component) bool { return c.find(e) != nil }
		all, err = withDependants(w.components, remove, has, func(c *component) bool { return givesComponent(list, c.id) })
		if err == nil && len(all) > len(remove) {
			err = w.keepsNeeds(e, all, all[len(remove)], list)
		}
		if err != nil {
			return list, all, err
		}
	}
	return list, all, w.refuseMeeting(e, all, list)
}

// keepsNeeds refuses a change that gives e something, and removes what that requires; along is the
// first component that goes because of others.
func (w *World) keepsNeeds(e Entity, remove []ComponentID, along ComponentID, list []Value) (err error) {
	has := func(c *component) bool { return givesComponent(list, c.id) || w.keeps(e, c, remove) }
	for i := range list {
		c := list[i].of
		if w.keeps(e, c, remove) {
			continue
		}
		c.needs(has, func(need *component) {
			if !has(need) {
				err = fmt.Errorf("%w: %q goes because of %q, and %q, which is given, requires %q", ErrConflict,
					w.components[along].schema.Name, w.components[remove[0]].schema.Name, c.schema.Name, need.schema.Name)
			}
		})
	}
	return err
}

// checkRules refuses rules that cannot be kept, before c is registered; c is nil
// for a new type.
func (w *World) checkRules(spec *componentSpec, t reflect.Type, size uintptr, c *component) error {
	for _, h := range slices.Concat(spec.requires, spec.excludes) {
		o, err := w.resolve(h)
		if err != nil {
			return fmt.Errorf("a rule of %q: %w", spec.name, err)
		}
		if o.reserved != "" {
			return o.reservedError()
		}
	}
	if err := w.checkRequirements(spec, c); err != nil {
		return err
	}
	if spec.def.typ != nil && spec.def.typ != t {
		return fmt.Errorf("%w: %q is given a default of %s", ErrConflict, spec.name, spec.def.typ)
	}
	if err := spec.hooks.check(spec.name, t, size); err != nil {
		return err
	}
	return w.checkExcludes(spec, c)
}

// checkRequirements refuses requirements that make no sense, and those that entities break
// already.
func (w *World) checkRequirements(spec *componentSpec, c *component) error {
	for _, o := range spec.requirements {
		switch {
		case len(o.Components) == 0:
			return fmt.Errorf("%w: a Requirement of %q requires nothing", ErrConflict, spec.name)
		case o.OnRemove > Refuse:
			return fmt.Errorf("%w: a Requirement of %q: there is no %v", ErrRange, spec.name, o.OnRemove)
		}
		for _, h := range slices.Concat(o.Components, o.When) {
			need, err := w.resolve(h)
			switch {
			case err != nil:
				return fmt.Errorf("a Requirement of %q: %w", spec.name, err)
			case need.reserved != "":
				return need.reservedError()
			}
		}
		if c == nil || o.OnRemove == Orphan {
			continue
		}
		for _, h := range o.Components {
			q := w.Query(Read(c.id)).Without(h)
			for _, on := range o.When {
				q.With(on)
			}
			if q.First() != 0 {
				return fmt.Errorf("%w: %q requires %q, but an entity has it alone", ErrConflict, spec.name, w.components[h.ID()].schema.Name)
			}
		}
	}
	return nil
}

// checkExcludes refuses exclusions that requirements contradict, and those that
// entities break already.
func (w *World) checkExcludes(spec *componentSpec, c *component) error {
	var needs []*component
	for _, h := range spec.always() {
		needs = append(needs, w.components[h.ID()])
	}
	for i := 0; i < len(needs); i++ { // grows as it goes
		for _, r := range needs[i].rules.requires {
			if !slices.Contains(needs, r) {
				needs = append(needs, r)
			}
		}
	}
	for i, need := range needs {
		for _, other := range needs[:i] {
			if slices.Contains(need.rules.excludes, other) {
				return fmt.Errorf("%w: %q requires both %q and %q, which exclude each other", ErrConflict, spec.name, need.schema.Name, other.schema.Name)
			}
		}
	}
	for _, h := range spec.excludes {
		x := w.components[h.ID()]
		if x == c || slices.Contains(needs, x) {
			return fmt.Errorf("%w: %q excludes %q, which it requires or is", ErrConflict, spec.name, x.schema.Name)
		}
		if c != nil && w.Query(Read(c.id), Read(x.id)).First() != 0 {
			return fmt.Errorf("%w: %q excludes %q, but entities have both", ErrConflict, spec.name, x.schema.Name)
		}
	}
	return nil
}

// always returns what a component requires without a condition.
func (s *componentSpec) always() []ComponentRef {
	list := slices.Clone(s.requires)
	for _, o := range s.requirements {
		if len(o.When) == 0 {
			list = append(list, o.Components...)
		}
	}
	return list
}

// setRequirement gives a component a requirement that checkRequirements has accepted.
func (w *World) setRequirement(c *component, o *Requirement) {
	find := func(list []ComponentRef) (found []*component) {
		for _, h := range list {
			x := w.components[h.ID()]
			x.traits |= ruledTrait
			found = append(found, x)
		}
		return found
	}
	q := &dependency{of: c, needs: find(o.Components), when: find(o.When), onRemove: o.OnRemove}
	if len(q.when) > 0 {
		for _, x := range append([]*component{c}, q.when...) {
			x.rules.conditional = append(x.rules.conditional, q)
		}
	}
	if q.onRemove != Orphan {
		for _, x := range q.needs {
			x.rules.guarded = append(x.rules.guarded, q)
		}
	}
}

// setRules gives a component the rules that checkRules has accepted.
func (w *World) setRules(c *component, spec *componentSpec) {
	for _, h := range spec.always() {
		c.rules.requires = append(c.rules.requires, w.components[h.ID()])
		c.traits |= ruledTrait
	}
	for i := range spec.requirements {
		w.setRequirement(c, &spec.requirements[i])
		c.traits |= ruledTrait
	}
	for _, h := range spec.excludes {
		x := w.components[h.ID()]
		if !slices.Contains(c.rules.excludes, x) {
			c.rules.excludes, x.rules.excludes = append(c.rules.excludes, x), append(x.rules.excludes, c)
		}
		c.traits |= ruledTrait
		x.traits |= ruledTrait
	}
	if spec.hooks.typ != nil {
		c.rules.hooks = spec.hooks
		c.traits |= ruledTrait
		w.hasRemoveHooks = w.hasRemoveHooks || spec.hooks.removed != nil
	}
	w.setInvariants(c, "", spec.invariants)
	if spec.def.ptr != nil {
		c.fallback = spec.def.ptr
		if !c.heap {
			c.schema.Default = slices.Clone(unsafe.Slice((*byte)(spec.def.ptr), c.size))
		}
	}
}

// anyRuled reports whether one of the values is of a component that rules are about.
func anyRuled(values []Value) bool {
	for i := range values {
		if values[i].of.traits&ruledTrait != 0 {
			return true
		}
	}
	return false
}

// complete returns the values together with what they require and e lacks, in a
// list for the caller to give back. It refuses what must not meet.
func (w *World) complete(e Entity, remove []ComponentID, add []Value) ([]Value, error) {
	list := w.required(e, remove, add)
	return list, w.refuseMeeting(e, remove, list)
}

// defaultOf is Raw.Default.
func (s *store) defaultOf(id ComponentID) unsafe.Pointer {
	c, err := s.componentByID(id)
	if err != nil {
		return nil
	}
	return c.defaultData()
}

// together is complete for a new entity of values that may be anybody's.
func (w *World) together(values []Value) error {
	for i := range values {
		if of := values[i].of; of == nil || of.world != w || of.era != 0 && values[i].stale() {
			return fmt.Errorf("%w: value %d is of no component of this world", ErrConflict, i)
		}
	}
	list, err := w.complete(0, nil, values)
	w.values.give(list)
	return err
}

// required is complete without a look at what must not meet.
func (w *World) required(e Entity, remove []ComponentID, add []Value) []Value {
	list := append(w.values.take(), add...)
	has := func(c *component) bool { return givesComponent(list, c.id) || w.keeps(e, c, remove) }
	for i := 0; i < len(list); i++ { // grows as it goes
		c := list[i].of
		if w.keeps(e, c, remove) {
			continue // it is set, not added
		}
		c.needs(has, func(need *component) {
			if !has(need) {
				list = append(list, w.valueAt(need.id, nil))
			}
		})
	}
	return list
}

// refuseMeeting refuses a list of values, complete with what they require, some of which would
// meet in e what they exclude.
func (w *World) refuseMeeting(e Entity, remove []ComponentID, list []Value) error {
	for i := range list {
		if c := list[i].of; len(c.rules.excludes) > 0 && !w.keeps(e, c, remove) {
			if err := w.meets(e, c, remove, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// keeps reports whether e has a component that is not about to be removed.
func (w *World) keeps(e Entity, c *component, remove []ComponentID) bool {
	return c.find(e) != nil && !slices.Contains(remove, c.id)
}

// meets refuses a component that would meet one that it excludes.
func (w *World) meets(e Entity, c *component, remove []ComponentID, list []Value) error {
	for _, x := range c.rules.excludes {
		if givesComponent(list, x.id) || w.keeps(e, x, remove) {
			return fmt.Errorf("%w: %q and %q exclude each other", ErrConflict, c.schema.Name, x.schema.Name)
		}
	}
	return nil
}

// Hooks are functions that the world calls when an entity gets, is given anew or
// loses the component. They are an option of [Register] and [Raw.Define], and
// hold for the life of the world:
//
//	body := ecs.Register[Body](w, ecs.Hooks[Body]{Removed: func(_ ecs.Entity, b *Body) { engine.Free(b.ID) }})
//
// They are called at once and with the value in place, once for each entity and
// change, however it is made: Added and Set after the value was written, Removed
// before it goes, be it with its entity, with all of them (Reset) or to another
// world. World.Close calls none. The pointer is good during the call. Any of the
// three may be nil.
//
// Hooks may read and write values, their own too, but the world refuses structural
// changes while they run, with ErrIterating; World.DespawnLater is allowed. A panic
// of Added or Set finds the change made. One of Removed finds the entity with all it
// had; of a change of many, a part is made then.
//
// Set is called for a value that is given to an entity which has one, and for
// patches; values written in place, through Edit or a column, are written after
// the world has let go of them. For changes to be reported later, with commands of
// one's own in answer, there is the [Observer].
//
// For a type defined at run time, T is any pointer-free type of its size.
type Hooks[T any] struct {
	Added, Set, Removed func(Entity, *T)
}

func (h Hooks[T]) apply(s *componentSpec) {
	s.hooks = hooks{reflect.TypeFor[T](), erased(h.Added), erased(h.Set), erased(h.Removed)}
}

// hook is a function of Hooks without its type.
type hook func(Entity, unsafe.Pointer)

// hooks are those of one component; typ is nil when it has none.
type hooks struct {
	typ                 reflect.Type
	added, set, removed hook
}

// erased takes the type from a hook.
func erased[T any](f func(Entity, *T)) hook {
	if f == nil {
		return nil
	}
	return func(e Entity, p unsafe.Pointer) { f(e, (*T)(p)) }
}

// check refuses hooks that would see the values as something that they are not.
func (h *hooks) check(name string, t reflect.Type, size uintptr) error {
	switch {
	case h.typ == nil || h.typ == t:
		return nil
	case t != nil || hasPointers(h.typ) || h.typ.Size() != size:
		return fmt.Errorf("%w: %q is given hooks for %s", ErrConflict, name, h.typ)
	}
	return nil
}

// dueHook is a hook that is due once a change was made.
type dueHook struct {
	of    *component
	added bool
}

// findDueHooks notes which hooks the values call for, before they are written: then one
// can tell what is new. Values without hooks leave the world as it is: systems
// that run at the same time may give them.
func (w *World) findDueHooks(e Entity, add []Value) []dueHook {
	if !slices.ContainsFunc(add, func(v Value) bool { return v.of.rules.hooks.typ != nil }) {
		return nil
	}
	due := w.dueHooks[:0]
	w.dueHooks = nil
	for i := range add {
		c := add[i].of
		if h := &c.rules.hooks; h.typ == nil || givesComponent(add[:i], c.id) {
			continue
		}
		due = append(due, dueHook{c, c.find(e) == nil})
	}
	return due
}

// callDueHooks calls the hooks that are due.
func (w *World) callDueHooks(e Entity, due []dueHook) {
	if due == nil {
		return
	}
	defer func() { w.dueHooks = due[:0] }() // a hook may set values, which calls hooks
	for _, g := range due {
		if g.added {
			w.callHook(g.of.rules.hooks.added, e, g.of)
		} else {
			w.callHook(g.of.rules.hooks.set, e, g.of)
		}
	}
}

// callRemoveHooks calls the hooks of what e is about to lose.
func (w *World) callRemoveHooks(e Entity, ids []ComponentID, add []Value) {
	for i, id := range ids {
		c := w.components[id]
		if c.rules.hooks.removed != nil && !slices.Contains(ids[:i], id) && !givesComponent(add, id) {
			w.callHook(c.rules.hooks.removed, e, c)
		}
	}
}

// callAllRemoveHooks is callRemoveHooks for everything that a dying entity has.
func (w *World) callAllRemoveHooks(a *archetype, e Entity) {
	w.callRemoveHooks(e, a.ids, nil)
	for _, p := range w.pools {
		if c := p.of(); c.rules.hooks.removed != nil {
			w.callHook(c.rules.hooks.removed, e, c)
		}
	}
}

// callHook calls a hook with e's value, if it has one, under the iteration lock.
func (w *World) callHook(f hook, e Entity, c *component) {
	p := c.find(e)
	if f == nil || p == nil {
		return
	}
	w.locks++
	defer func() { w.locks-- }()
	f(e, p)
}

// allows says why no entity can have the values, limits aside.
func (w *World) allows(values []Value) error {
	if _, _, err := w.shape(w.empty(), values); err != nil {
		return err // before rules are asked: a value may be of another world
	}
	given, err := w.complete(0, nil, values)
	if err == nil {
		_, err = w.route(w.empty(), nil, given)
	}
	w.values.give(given)
	return err
}
