package ecs

import (
	"fmt"
	"slices"
)

// access is what a system's queries say that it touches. Terms that ask
// for presence alone (With, Without, Any) touch nothing: no component comes or
// goes while systems run at the same time. Changed reads a column's version,
// Where reads values.
type access struct {
	reads, writes []ComponentID
}

// accessOf reads the access of a system off its queries.
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

// ConflictKind is a kind of reason why two systems do not run at the same time.
type ConflictKind uint8

// The kinds, in the order in which they are looked for.
const (
	ConflictSerial  ConflictKind = iota + 1 // By is not parallel
	ConflictFixed                           // one runs in fixed steps, the other once a tick
	ConflictPhase                           // they are in two phases
	ConflictOrder                           // Before or After says which comes first
	ConflictQuery                           // they share a query, which has one loop at a time
	ConflictWrite                           // both write Component
	ConflictRead                            // By writes Component, which the other reads
	ConflictTag                             // By writes the tag Component, which stamps whole chunks
	ConflictBetween                         // nothing of their own: By, which joins neither, comes between or joins only one of them
)

var conflictNames = [...]string{
	ConflictSerial: "serial", ConflictFixed: "fixed", ConflictPhase: "phase", ConflictOrder: "order", ConflictQuery: "query",
	ConflictWrite: "write", ConflictRead: "read", ConflictTag: "tag", ConflictBetween: "between",
}

// String returns the name of the kind: "write".
func (k ConflictKind) String() string {
	if int(k) < len(conflictNames) && k > 0 {
		return conflictNames[k]
	}
	return fmt.Sprintf("ConflictKind(%d)", uint8(k))
}

// Conflict is the first reason why two systems do not run at the same time.
type Conflict struct {
	First, Second string // the systems, in running order
	Kind          ConflictKind
	By            string // a system, of ConflictSerial, ConflictRead, ConflictTag and ConflictBetween
	Component     string // of ConflictWrite, ConflictRead and ConflictTag
	Text          string // all of it in a sentence, for people
}

// conflict makes a Conflict of two systems.
func conflict(a, b *scheduled, kind ConflictKind, by, component, text string, args ...any) *Conflict {
	return &Conflict{a.Name, b.Name, kind, by, component, fmt.Sprintf(text, args...)}
}

// apart says why two systems of which a comes first cannot run at the same time,
// nil when they can. What lies between them is not looked at.
func (w *World) apart(a, b *scheduled) *Conflict {
	for _, o := range []*scheduled{a, b} {
		if !o.Parallel {
			return conflict(a, b, ConflictSerial, o.Name, "", "%q is not parallel%s", o.Name, because(o.Serial))
		}
	}
	switch {
	case a.Fixed != b.Fixed:
		return conflict(a, b, ConflictFixed, "", "", "%q runs in fixed steps, %q once a tick", a.Name, b.Name)
	case a.Phase != b.Phase:
		return conflict(a, b, ConflictPhase, "", "", "%q runs in phase %s, %q in phase %s", a.Name, a.Phase, b.Name, b.Phase)
	case mentions(a.Before, b.Name) || mentions(b.After, a.Name):
		return conflict(a, b, ConflictOrder, "", "", "%q is to run after %q", b.Name, a.Name)
	}
	for _, q := range a.Queries {
		if slices.Contains(b.Queries, q) {
			return conflict(a, b, ConflictQuery, "", "", "%q and %q share a query", a.Name, b.Name)
		}
	}
	why := w.clash(a, b)
	if why == nil {
		why = w.clash(b, a)
	}
	if why != nil {
		why.First, why.Second = a.Name, b.Name
	}
	return why
}

// clash says what a writes that b must not meet.
func (w *World) clash(a, b *scheduled) *Conflict {
	for _, id := range a.access.writes {
		c := w.components[id]
		name := c.schema.Name
		switch {
		case slices.Contains(b.access.writes, id):
			return conflict(a, b, ConflictWrite, "", name, "%q and %q both write %q", a.Name, b.Name, name)
		case b.access.touches(id):
			return conflict(a, b, ConflictRead, a.Name, name, "%q writes %q, which %q reads", a.Name, name, b.Name)
		case c.size == 0 && c.pool == nil:
			// A tag has no column and no version of its own.
			return conflict(a, b, ConflictTag, a.Name, name, "%q writes the tag %q, which stamps whole chunks", a.Name, name)
		}
	}
	return nil
}

// mentions reports whether a list of Before or After names a system.
func mentions(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, name+"?")
}

// because is the reason that a system gives for not being parallel.
func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// Explain says why two systems do not run at the same time, or that they do: it names
// the component and the systems that write it, the order that was asked for, or the
// system that comes between them. The error wraps ErrUnknown. O(systems).
func (s *Schedule) Explain(a, b string) (string, error) {
	i, err := s.stageOf(a)
	if err != nil {
		return "", err
	}
	j, err := s.stageOf(b)
	if err != nil {
		return "", err
	}
	first, second := s.find(a), s.find(b)
	if slices.Index(s.order, first) > slices.Index(s.order, second) {
		i, j, first, second = j, i, second, first
	}
	switch {
	case first == second:
		return fmt.Sprintf("%q is one system", a), nil
	case i == j:
		return fmt.Sprintf("%q and %q run beside each other, in stage %d", first.Name, second.Name, i+1), nil
	}
	return s.conflictOf(i, first, second).Text, nil
}

// Conflicts says why a system does not run at the same time as the others of its phase: a reason for
// each of them that runs in another stage, in running order. Systems of other phases are left
// out, and of a system in fixed steps those of the tick: none of them can run beside it. The error
// wraps ErrUnknown. O(systems of the phase × their queries). It is for tools; Explain has the same for
// any two systems.
func (s *Schedule) Conflicts(system string) ([]Conflict, error) {
	at, err := s.stageOf(system)
	if err != nil {
		return nil, err
	}
	of := s.find(system)
	list := []Conflict{}
	for i, st := range s.stages {
		if first := st.systems[0]; i == at || first.Phase != of.Phase || first.Fixed != of.Fixed {
			continue
		}
		for _, o := range st.systems {
			if i < at {
				list = append(list, *s.conflictOf(i, o, of))
			} else {
				list = append(list, *s.conflictOf(at, of, o))
			}
		}
	}
	return list, nil
}

// conflictOf says why two systems are in two stages, of which the first has a number.
func (s *Schedule) conflictOf(stage int, first, second *scheduled) *Conflict {
	if why := s.world.apart(first, second); why != nil {
		return why
	}
	return s.between(stage+1, first, second)
}

// between explains two systems that only others keep apart: some system ended
// the stage of the first one.
func (s *Schedule) between(next int, first, second *scheduled) *Conflict {
	barrier, why := s.stages[next].systems[0], s.stages[next].why
	if barrier == second {
		return conflict(first, second, ConflictBetween, barrier.Name, "", "%q runs beside others that %q cannot join: %s", first.Name, second.Name, why)
	}
	return conflict(first, second, ConflictBetween, barrier.Name, "", "%q comes between %q and %q: %s", barrier.Name, first.Name, second.Name, why)
}

// stageOf returns the number of a system's stage.
func (s *Schedule) stageOf(name string) (int, error) {
	for i, st := range s.stages {
		if slices.ContainsFunc(st.systems, func(o *scheduled) bool { return o.Name == name }) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: there is no system %q", ErrUnknown, name)
}
