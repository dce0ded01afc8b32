package snapshot

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// Cloner is a component type or a resource type that says how it is copied: nothing that the copy
// leads to may be written through the original, nor the other way round. The method may have a
// pointer as its receiver. It must not call the world.
//
//	func (b Bag) Clone() Bag { return Bag{Items: slices.Clone(b.Items)} }
type Cloner[T any] interface{ Clone() T }

// Clone says how values of a type are copied that has no Clone method: one of another package, say.
// It holds for one world, and goes before the method. The error wraps [ecs.ErrConflict] for a nil
// function, or [ecs.ErrClosed].
func Clone[T any](w *ecs.World, clone func(T) T) error {
	if clone == nil {
		return fmt.Errorf("snapshot: %w: type %s gets a nil function", ecs.ErrConflict, reflect.TypeFor[T]())
	}
	return plan[T](w, func(to, from unsafe.Pointer) { *(*T)(to) = clone(*(*T)(from)) }, false)
}

// Leave says that the resource of a type is no state of the world: a connection, a log, a cache. It is not
// captured, and a restore leaves it alone. It holds for one world. Components cannot be
// left. The error wraps [ecs.ErrClosed].
func Leave[T any](w *ecs.World) error { return plan[T](w, nil, true) }

// plan keeps a plan for a type.
func plan[T any](w *ecs.World, clone func(to, from unsafe.Pointer), left bool) error {
	if w == nil {
		return fmt.Errorf("snapshot: %w: the world is nil", ecs.ErrConflict)
	}
	if errors.Is(w.Raw().Ready(), ecs.ErrClosed) {
		return fmt.Errorf("snapshot: %w", ecs.ErrClosed)
	}
	(*plansOf(w))[reflect.TypeFor[T]()] = planned{Cloning: capture.Cloning{Clone: clone, Left: left}}
	return nil
}

// plans are the plans of the types of one world: those that the program has given, and those that were
// found. They are kept in the world as a resource that has no name, so that no script finds it.
type plans = map[reflect.Type]planned

// planned is a plan, or the error that there is none.
type planned struct {
	capture.Cloning
	err error
}

// plansOf returns the plans of a world, and makes them; nil if it is closed.
func plansOf(w *ecs.World) *plans {
	if p := ecs.Resource[plans](w); p != nil {
		return p
	}
	if errors.Is(w.Raw().Ready(), ecs.ErrClosed) {
		return nil
	}
	p := &plans{}
	(*p)[reflect.TypeFor[plans]()] = planned{Cloning: capture.Cloning{Left: true}}
	return ecs.Provide(w, p)
}

// find returns what finds the plans of a world.
func find(w *ecs.World) capture.Clonings {
	of := plansOf(w)
	return func(t reflect.Type) (capture.Cloning, error) {
		p, ok := (*of)[t]
		if !ok {
			p.Clone, p.err = derive(t)
			(*of)[t] = p
		}
		return p.Cloning, p.err
	}
}

// derive finds out how values of a type are copied.
func derive(t reflect.Type) (clone func(to, from unsafe.Pointer), err error) {
	if clone := byMethod(t); clone != nil {
		return clone, nil
	}
	if path, kind := shared(t, ""); kind != nil {
		return nil, fmt.Errorf("%w: %s cannot be copied: %s is a %s, which a copy would share: give the type a method Clone() %s, "+
			"or say how with snapshot.Clone; a resource can be left out with snapshot.Leave", ecs.ErrConflict, t, at(path), kind.Kind(), t.Name())
	}
	return nil, nil
}

// at names a part of a value.
func at(path string) string {
	if path == "" {
		return "it"
	}
	return path[1:]
}

// byMethod returns a function that calls the type's method Clone, nil if it has none.
func byMethod(t reflect.Type) func(to, from unsafe.Pointer) {
	m, ok := reflect.PointerTo(t).MethodByName("Clone")
	if !ok || m.Type.NumIn() != 1 || m.Type.NumOut() != 1 || m.Type.Out(0) != t {
		return nil
	}
	return func(to, from unsafe.Pointer) {
		made := m.Func.Call([]reflect.Value{reflect.NewAt(t, from)})
		reflect.NewAt(t, to).Elem().Set(made[0])
	}
}

// shared returns where a type has a part that a copy by assignment shares with the original, and
// that part's type; nil when it has none. Strings are shared and never written.
func shared(t reflect.Type, path string) (string, reflect.Type) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if at, kind := shared(f.Type, path+"."+f.Name); kind != nil {
				return at, kind
			}
		}
	case reflect.Array:
		if t.Len() > 0 {
			return shared(t.Elem(), path+"[]")
		}
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return path, t
	}
	return "", nil
}
