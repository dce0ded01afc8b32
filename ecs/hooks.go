package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Hooks are functions that the world calls when an entity gets, is given anew or
// loses the component. They are an option of [Register] and [Raw.Define], and
// hold for the life of the world:
//
//	body := ecs.Register[Body](w, ecs.Hooks[Body]{Removed: func(_ ecs.Entity, b *Body) { engine.Free(b.ID) }})
//
// They are called at once and with the value in place, once for each entity and
// change, whoever makes it: Added and Set after the value was written, Removed
// before it goes, be it with its entity, with all of them (Reset) or to another
// world. World.Close calls none. The pointer is good during the call. Any of the
// three may be nil.
//
// Hooks may read and write values, their own too, but the world refuses structural
// changes while they run, with ErrIterating; World.DespawnLater is none. A panic
// of Added or Set finds the change made. One of Removed finds the entity with all it
// had; of a change of many, a part is made then.
//
// Set is called for a value that is given to an entity which has one, and for
// patches; values written in place, through Edit or a column, are written after
// the world has let go of them. Who is told of changes later, with commands to
// answer them, is an [Observer].
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
// that run beside each other may give them.
func (w *World) findDueHooks(e Entity, add []Value) []dueHook {
	if !slices.ContainsFunc(add, func(v Value) bool { return v.of.rules.hooks.typ != nil }) {
		return nil
	}
	due := w.dueHooks[:0]
	w.dueHooks = nil
	for i := range add {
		c := add[i].of
		if h := &c.rules.hooks; h.typ == nil || gives(add[:i], c.id) {
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
		if c.rules.hooks.removed != nil && !slices.Contains(ids[:i], id) && !gives(add, id) {
			w.callHook(c.rules.hooks.removed, e, c)
		}
	}
}

// callAllRemoveHooks is part for everything that a dying entity has.
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
