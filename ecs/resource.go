package ecs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// resources are single values that belong to the world: settings, a map, the
// score. They are found by type and by name.
type resources struct {
	types map[reflect.Type]any
	names map[string]any
	list  []provided // all of them, in the order in which they were provided first
}

// provided is how a resource is found: by its type, or by a name alone.
type provided struct {
	typ  reflect.Type // nil for one that has a name alone
	name string
}

// init makes the maps.
func (r *resources) init() {
	r.types, r.names = map[reflect.Type]any{}, map[string]any{}
}

// Provide puts a value into the world under its type and its type's name,
// replacing an older one, and returns it. The world keeps the pointer: the host
// and the systems share the value. Provide panics for nil, and for a world that is closed.
func Provide[T any](w *World, v *T) *T {
	t := reflect.TypeFor[T]()
	if v == nil {
		panic(fmt.Errorf("ecs.Provide: %w: a resource of type %s must not be nil", ErrConflict, t))
	}
	if err := w.refuseDeclaring("resource " + t.String()); err != nil {
		panic(fmt.Errorf("ecs.Provide: %w", err))
	}
	w.resources.put(t, v)
	return v
}

// put makes a value the resource of a type, and of the name of that.
func (r *resources) put(t reflect.Type, v any) {
	if r.types[t] == nil {
		r.list = append(r.list, provided{typ: t})
	}
	r.types[t] = v
	if t.Name() != "" {
		r.list = slices.DeleteFunc(r.list, func(p provided) bool { return p.typ == nil && p.name == t.Name() })
		r.names[t.Name()] = v
	}
}

// putNamed makes a value the resource of a name.
func (r *resources) putNamed(name string, v any) {
	if !slices.Contains(r.list, provided{name: name}) {
		r.list = append(r.list, provided{name: name})
	}
	r.names[name] = v
}

// find returns a resource, nil when there is none.
func (r *resources) find(p provided) any {
	if p.typ != nil {
		return r.types[p.typ]
	}
	return r.names[p.name]
}

// Resource returns the value provided for a type, or nil.
func Resource[T any](w *World) *T {
	v, _ := w.resources.types[reflect.TypeFor[T]()].(*T)
	return v
}

// provideNamed is Raw.ProvideNamed.
func (w *World) provideNamed(name string, pointer any) error {
	if err := w.refuseDeclaring(fmt.Sprintf("resource %q", name)); err != nil {
		return err
	}
	v := reflect.ValueOf(pointer)
	if name == "" || v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%w: resource %q must be a pointer to a struct, is %T", ErrConflict, name, pointer)
	}
	if err := checkName("resource", name); err != nil {
		return err
	}
	w.resources.putNamed(name, pointer)
	return nil
}

// resourceNamed is Raw.ResourceNamed.
func (w *World) resourceNamed(name string) any { return w.resources.names[name] }

// resourceNames is Raw.ResourceNames.
func (w *World) resourceNames() []string {
	return slices.Sorted(maps.Keys(w.resources.names))
}
