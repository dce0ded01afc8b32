package ecs

import "reflect"

// Storage keeps the values of one component type in a way of its own: a grid, a
// ring, a file in memory. Give it to [Register] with [Stored]. The world calls it
// from one goroutine, except for Len, At and Find, which systems that run in
// parallel may call at the same time, while nothing is put or removed. It must not
// call the world.
//
// What a storage must do, and what ecstest.Conform tests:
//
//   - Find(e) is nil until Put(e) and from Remove(e) on; in between it is the place
//     of e's value, for reading and writing until the next Put or Remove.
//   - At(0) to At(Len()-1) are the entities put and not removed, each once, in an
//     order that follows from the calls alone: queries iterate in it.
//   - Put of an entity that is there replaces the value.
//
// A storage that does otherwise loses values or shows wrong ones; World.Check
// says so. It cannot harm other components: the world writes through it only to
// places that it gave for the type.
type Storage[T any] interface {
	// Len returns the number of values.
	Len() int
	// At returns the entity of the i-th value, 0 ≤ i < Len.
	At(i int) Entity
	// Find returns the place of e's value, or nil.
	Find(e Entity) *T
	// Reserve makes sure that Put(e) finds room for one value more, or says why it
	// would not; that error is what Spawn and Add return. It may be called again,
	// and Put may never come.
	Reserve(e Entity) error
	// Put stores a value for e, after Reserve.
	Put(e Entity, v T)
	// Remove takes e's value out, if there is one.
	Remove(e Entity)
}

// Stored keeps a type in a storage that create makes for each world. Adding or
// removing the component moves no other data of an entity; queries yield its
// entities one by one. Registering another type with it is a conflict.
func Stored[T any](create func() Storage[T]) ComponentOption {
	return storedOption{
		typ: reflect.TypeFor[T](),
		make: func() func(*World, *component) pool {
			if create == nil {
				return nil
			}
			s := create()
			if s == nil {
				return nil
			}
			return func(w *World, c *component) pool { return newStoredPool(w, c, s) }
		},
	}
}

type storedOption struct {
	typ reflect.Type
	// make makes the storage, or answers nil, before the component is registered:
	// the pool over it can be made only then.
	make func() func(*World, *component) pool
}

func (o storedOption) apply(s *componentSpec) { s.stored = o }
