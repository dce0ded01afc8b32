package ecs

import (
	"fmt"
	"slices"
)

// access is what a parallel system's queries say that it touches. Terms that ask
// for presence alone (With, Without, Any) touch nothing: no component comes or
// goes while systems run beside each other. Changed reads a column's version,
// Where reads values.
type access struct {
	reads, writes []ComponentID
}

func accessOf(s *System) (a access) {
	for _, q := range s.Queries {
		for _, t := range q.terms {
			if t.write {
				a.writes = append(a.writes, t.id)
			} else {
				a.reads = append(a.reads, t.id)
			}
		}
		a.reads = append(a.reads, q.changed...)
		for _, c := range q.where {
			a.reads = append(a.reads, c.id)
		}
	}
	return a
}

// touches reports whether the system reads or writes a component.
func (a *access) touches(id ComponentID) bool {
	return slices.Contains(a.writes, id) || slices.Contains(a.reads, id)
}

// apart says why two systems of which a comes first cannot run beside each
// other, "" when they can. What lies between them is not looked at.
func (w *World) apart(a, b *scheduled) string {
	for _, o := range []*scheduled{a, b} {
		if !o.Parallel {
			return fmt.Sprintf("%q is not parallel%s", o.Name, because(o.Serial))
		}
	}
	switch {
	case a.Fixed != b.Fixed:
		return fmt.Sprintf("%q runs in fixed steps, %q once a frame", a.Name, b.Name)
	case a.Phase != b.Phase:
		return fmt.Sprintf("%q runs in phase %s, %q in phase %s", a.Name, a.Phase, b.Name, b.Phase)
	case names(a.Before, b.Name) || names(b.After, a.Name):
		return fmt.Sprintf("%q is to run after %q", b.Name, a.Name)
	}
	for _, q := range a.Queries {
		if slices.Contains(b.Queries, q) {
			return fmt.Sprintf("%q and %q share a query", a.Name, b.Name)
		}
	}
	if why := w.clash(a, b); why != "" {
		return why
	}
	return w.clash(b, a)
}

// clash says what a writes that b must not meet.
func (w *World) clash(a, b *scheduled) string {
	for _, id := range a.access.writes {
		c := w.components[id]
		switch {
		case slices.Contains(b.access.writes, id):
			return fmt.Sprintf("%q and %q both write %q", a.Name, b.Name, c.schema.Name)
		case b.access.touches(id):
			return fmt.Sprintf("%q writes %q, which %q reads", a.Name, c.schema.Name, b.Name)
		case c.size == 0 && c.pool == nil:
			// A tag has no column and no version of its own.
			return fmt.Sprintf("%q writes the tag %q, which stamps whole chunks", a.Name, c.schema.Name)
		}
	}
	return ""
}

// names reports whether a list of Before or After names a system.
func names(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, name+"?")
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
