package ecs

import "fmt"

// ComponentRef names a component type: a Component[T], a Relation or a ComponentID.
// The first two belong to a world; whoever takes a ComponentRef refuses one of another
// world, where its number is that of another type. A bare ComponentID is taken
// by its word.
type ComponentRef interface{ ID() ComponentID }

// owned is a ComponentRef that knows its world: nil for a zero one.
type owned interface{ owner() *World }

func (c Component[T]) owner() *World {
	if c.info == nil {
		return nil
	}
	return c.info.world
}

func (r *Relation) owner() *World {
	if r == nil {
		return nil
	}
	return r.world
}

// resolve returns the component that a handle names. The error wraps ErrConflict
// for a handle of another world or of none, ErrUnknown for a number that nothing
// is registered under.
func (w *World) resolve(h ComponentRef) (*component, error) {
	if o, ok := h.(owned); h == nil || ok && o.owner() == nil {
		return nil, fmt.Errorf("%w: a handle of no component: nil or never registered", ErrConflict)
	} else if ok && o.owner() != w {
		name := o.owner().components[h.ID()].schema.Name
		return nil, fmt.Errorf("%w: component %q is of another world: register it in this one", ErrConflict, name)
	}
	return w.componentByID(h.ID())
}

// componentByID returns the component of a number, or an error that wraps ErrUnknown.
func (w *World) componentByID(id ComponentID) (*component, error) {
	if int(id) >= len(w.components) {
		return nil, fmt.Errorf("%w: component %d", ErrUnknown, id)
	}
	return w.components[id], nil
}

// named returns the component that a part of a query names, and panics when there
// is none: queries are put together without errors to look at.
func (q *Query) named(method string, h ComponentRef) *component {
	c, err := q.world.resolve(h)
	if err != nil {
		panic(fmt.Errorf("ecs: Query.%s: %w", method, err))
	}
	return c
}

// foreignComponent panics for a component that is used with a chunk of another world.
func (c *Chunk) foreignComponent() {
	panic(fmt.Errorf("ecs: Component.Of or Mut: %w: the component is of another world than the chunk", ErrConflict))
}
