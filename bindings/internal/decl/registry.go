package decl

import (
	"cmp"
	"maps"
	"slices"
	"weak"
)

// Declared is what a [Registry] holds: [*Component] or [*Event].
type Declared[T any] interface {
	*T
	Common() *Type
	// Continue takes over the number of a declaration of the same type.
	Continue(known *T)
	// Is reports whether two declarations are of one type of the world.
	Is(other *T) bool
	// Detach forgets what an interpreter has remembered in the declaration, so that a copy
	// shares nothing that is written to.
	Detach()
}

// Ground says which types there are, whatever scripts declare: those of the world, or
// of a copy of what it knows.
type Ground[T any] interface {
	Names() []string
	Has(name string) bool
	// Make returns a new declaration for a type that the ground has.
	Make(name string) *T
}

// Registry holds the components, or the events, that scripts know by name: those in
// force, and those that the running load has declared.
//
// Scripts hold declarations, also such as a later load has replaced. The registry
// knows them all, but keeps none of the replaced ones alive: when the fields change,
// each of them gets the new ones.
//
// Invariant: what is in force by a name is the ground's type of that name. There is one
// declaration of it here, however often it is asked for.
type Registry[T any, P Declared[T]] struct {
	Sort   string       // "component" or "event", for messages
	Staged map[string]P // by the running load; nil: there is no load

	ground Ground[T]
	known  map[string]P
	issued map[string][]weak.Pointer[T] // that scripts may hold
}

// NewRegistry makes the registry of one sort of types.
func NewRegistry[T any, P Declared[T]](sort string, g Ground[T]) *Registry[T, P] {
	return &Registry[T, P]{Sort: sort, ground: g, known: map[string]P{}, issued: map[string][]weak.Pointer[T]{}}
}

// InForce returns the type of that name that exists, nil if there is none.
func (r *Registry[T, P]) InForce(name string) P {
	if !r.ground.Has(name) {
		return nil
	}
	if r.known[name] == nil {
		r.keep(name, r.ground.Make(name))
	}
	return r.known[name]
}

// Find returns the type that the load has declared by a name, else the one in force,
// nil if there is neither.
func (r *Registry[T, P]) Find(name string) P {
	if staged := r.Staged[name]; staged != nil {
		return staged
	}
	return r.InForce(name)
}

// Existing lists the names of the types in force, in the order of the ground.
func (r *Registry[T, P]) Existing() []string { return r.ground.Names() }

// Names lists what a script could mean: the names in force and those of the load.
func (r *Registry[T, P]) Names() []string {
	return append(r.ground.Names(), slices.Collect(maps.Keys(r.Staged))...)
}

// Changed lists the types whose values the load changes, by name.
func (r *Registry[T, P]) Changed() []P {
	return r.Select(func(p P) bool { return p.Common().Changes != nil })
}

// Select lists those of the load that are sound and meet a condition, by name.
func (r *Registry[T, P]) Select(meets func(P) bool) []P {
	var list []P
	for _, p := range r.Staged {
		if !p.Common().Broken && meets(p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b P) int { return cmp.Compare(a.Common().Name, b.Common().Name) })
	return list
}

// Accept puts declarations of the load in force, but for those that change values: see
// Renew. define gives numbers to those that have none.
func (r *Registry[T, P]) Accept(list []P, define func(P) error) error {
	for _, p := range list {
		if p.Common().Changes != nil {
			continue
		}
		if err := define(p); err != nil {
			return err
		}
		r.accept(p)
	}
	return nil
}

// Renew puts those declarations of the load in force that change values, once the values
// are changed and all others are reformed. Why not in Accept? The world may refuse the load
// in between: then the fields in force are those that the values have.
func (r *Registry[T, P]) Renew(list []P) {
	for _, p := range list {
		if p.Common().Changes != nil {
			r.accept(p)
		}
	}
}

// accept puts one declaration in force.
func (r *Registry[T, P]) accept(p P) {
	t := p.Common()
	t.Ready = true
	r.keep(t.Name, p)
}

// keep puts a declaration in force, and remembers that scripts may hold it.
func (r *Registry[T, P]) keep(name string, p P) {
	r.known[name] = p
	list := slices.DeleteFunc(r.issued[name], func(w weak.Pointer[T]) bool { return w.Value() == nil || w.Value() == (*T)(p) })
	r.issued[name] = append(list, weak.Make((*T)(p)))
}

// Reform gives the name and the fields of a declaration of the load to those of its type
// that scripts may hold from older loads. Values that were made of these are of an old form
// from then on. Another declaration of the same load is not in force yet, and has the new
// fields: values that were made of it stay good.
func (r *Registry[T, P]) Reform(p P) {
	now := p.Common()
	if now.Renamed() {
		r.rename(p, now.Changes.Name)
	}
	for _, w := range r.issued[now.Name] {
		held := P(w.Value())
		if held == nil {
			continue
		}
		old := held.Common()
		old.Name, old.Schema = now.Name, now.Schema
		if now.Reshaped() {
			old.Form++
		}
	}
}

// rename has a type be known by its new name.
func (r *Registry[T, P]) rename(p P, old string) {
	if known := r.known[old]; known != nil && known.Is((*T)(p)) {
		delete(r.known, old)
	}
	name := p.Common().Name
	r.issued[name] = append(r.issued[name], r.issued[old]...)
	delete(r.issued, old)
}
