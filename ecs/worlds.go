package ecs

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Worlds is a set of worlds that a host owns: a level and the next one, a menu
// and a match, a shard per room. The zero value is an empty set. Like a world, it
// belongs to one goroutine at a time.
//
// Invariants: names are unique among the open worlds, and so are tags, so that a
// handle of one is dead in every other; numbers rise and are never given twice.
type Worlds struct {
	// Make makes each world; nil means [Open]. A host that wants every world to
	// have the same components, systems and resources registers them here. The
	// options are those given to Open.
	Make func(name string, options Options) (*World, error)

	members []NamedWorld
	last    int // the highest number given
}

// NamedWorld is a world of a set.
type NamedWorld struct {
	ID    int // from 1, in order of opening
	Name  string
	World *World
}

// Open makes a world and adds it under a name. The error wraps ErrConflict, when
// the name is empty or taken, or the tag is; ErrRange, when all tags are in
// use; ErrClosed, when Make returns a closed world; or the error of Make. The set is then as before.
func (s *Worlds) Open(name string, options Options) (NamedWorld, error) {
	if _, taken := s.Named(name); taken || name == "" {
		return NamedWorld{}, fmt.Errorf("%w: world name %q is empty or taken", ErrConflict, name)
	}
	if options.Tag != 0 && s.uses(options.Tag) {
		return NamedWorld{}, fmt.Errorf("%w: tag %d is in use", ErrConflict, options.Tag)
	}
	open := s.Make
	if open == nil {
		open = func(_ string, o Options) (*World, error) { return Open(o) }
	}
	w, err := open(name, options)
	if err != nil {
		return NamedWorld{}, fmt.Errorf("world %q: %w", name, err)
	}
	if w != nil && w.closed() {
		return NamedWorld{}, fmt.Errorf("world %q: %w", name, w.closedError())
	}
	if w == nil || s.uses(w.tag()) {
		return NamedWorld{}, fmt.Errorf("%w: what was made as world %q is no new world, or its tag is in use", ErrConflict, name)
	}
	s.last++
	m := NamedWorld{ID: s.last, Name: name, World: w}
	s.members = append(s.members, m)
	return m, nil
}

// uses reports whether an open world has a tag.
func (s *Worlds) uses(tag uint16) bool {
	return slices.ContainsFunc(s.members, func(m NamedWorld) bool { return m.World.tag() == tag })
}

// Named returns the open world of a name.
func (s *Worlds) Named(name string) (NamedWorld, bool) {
	return s.find(func(m NamedWorld) bool { return m.Name == name })
}

// Numbered returns the open world of a number.
func (s *Worlds) Numbered(id int) (NamedWorld, bool) {
	return s.find(func(m NamedWorld) bool { return m.ID == id })
}

// Issuer returns the open world that issued a handle, dead or alive.
func (s *Worlds) Issuer(e Entity) (NamedWorld, bool) {
	return s.find(func(m NamedWorld) bool { return m.World.tag() == e.Tag() })
}

// find returns the first open world for which is holds.
func (s *Worlds) find(is func(NamedWorld) bool) (NamedWorld, bool) {
	if i := slices.IndexFunc(s.members, is); i >= 0 {
		return s.members[i], true
	}
	return NamedWorld{}, false
}

// All iterates the open worlds in the order in which they were opened. The loop
// body may close worlds; those that are closed by then are left out.
func (s *Worlds) All() iter.Seq[NamedWorld] {
	return func(yield func(NamedWorld) bool) {
		for _, m := range slices.Clone(s.members) {
			if _, open := s.Numbered(m.ID); open && !yield(m) {
				return
			}
		}
	}
}

// Len returns the number of open worlds.
func (s *Worlds) Len() int { return len(s.members) }

// Close closes the world of a name and takes it out of the set. The error wraps
// ErrUnknown or what World.Close returns; a world that cannot be closed stays. One whose
// systems could not be shut down is closed, and goes.
func (s *Worlds) Close(name string) error {
	m, ok := s.Named(name)
	if !ok {
		return fmt.Errorf("%w: no world %q is open", ErrUnknown, name)
	}
	err := m.World.Close()
	if err != nil {
		err = fmt.Errorf("world %q: %w", name, err)
	}
	if !m.World.closed() {
		return err
	}
	s.members = slices.DeleteFunc(s.members, func(o NamedWorld) bool { return o.ID == m.ID })
	return err
}

// CloseAll closes every world, the last one first. Those that cannot be closed
// stay, and their errors come back joined.
func (s *Worlds) CloseAll() error {
	var errs []error
	for _, m := range slices.Backward(slices.Clone(s.members)) {
		errs = append(errs, s.Close(m.Name))
	}
	return errors.Join(errs...)
}
