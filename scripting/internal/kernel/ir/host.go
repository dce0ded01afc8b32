package ir

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// This file holds what joins a kernel to the world around it: where entities and lists are
// in memory, which questions and changes go to the host, and what follows from that for the
// caller, as whether rows may run on several goroutines. These questions are asked of the
// body as it is after all passes: what they have removed does not count.

// HostCall is a place in the body that asks the host for something. Op is the
// function of ecs; Parts list the components, events and prefabs that it names, with
// the values that it makes. An Op of Exposed is a function of the host's own, which is the one part. At is where
// the call stands in the text; its File is "" for that of the function itself.
type HostCall struct {
	Op    string
	At    TextPlace
	Parts []Part
}

// Exposed is the Op of a call of a function that the host has exposed.
const Exposed = "host"

// MostInvoked is how many numbers such a function gets; those that it does not take are 0.
const MostInvoked = 5

// Component is a component in the columns of its entities of which the body reads
// what belongs to others. Its number in the world is a parameter of the kernel.
type Component struct {
	Name string
	Ref  any
	Size uint32 // bytes from one row to the next
	From int    // as that of an InputLocal
}

// Memory says where the body finds entities by their handles.
type Memory struct{ schema.MemoryMap }

// Part is one thing that a host call names. Fields says which fields of it the
// arguments are. Bytes is how much one takes, of a prefab with all that is in it.
type Part struct {
	Ref    any
	Fields []schema.Field
	From   int // as that of an InputLocal
	Bytes  int64
}

// Copied returns how many bytes a change copies at most, where that takes longer than the call: those
// of values of longValue bytes and more.
func (s *HostCall) Copied() (bytes int64) {
	for i := range s.Parts {
		if n := s.Parts[i].Bytes; n >= longValue {
			bytes += n
		}
	}
	return bytes
}

// longValue is how many bytes a value has that the VM charges for, too, when it is copied.
const longValue = 512

// AboutEntity reports whether a change is about an entity, which is then its first value.
// Such a change is checked against the world and marks the entity; others only bring
// values.
func (s *HostCall) AboutEntity() bool { return s.Op != "spawn" && s.Op != "emit" }

// Kinds lists those of the fields that a host call gives values for.
func (s *HostCall) Kinds() []schema.Kind {
	var kinds []schema.Kind
	for i := range s.Parts {
		for k := range s.Parts[i].Fields {
			kinds = append(kinds, s.Parts[i].Fields[k].Kind)
		}
	}
	return kinds
}

// Independent reports whether rows have nothing to do with each other, so that they may run
// on several goroutines and in any order: they leave nothing for the next one, ask the host
// for nothing, and read of other entities only components that the kernel does not write.
// What is left to Lua may do anything.
func (f *Func) Independent() bool {
	if len(f.Fallbacks) > 0 || f.carries() || f.CallsHost() || Any(f.Body, (*Expr).Effect) {
		return false
	}
	return !slices.ContainsFunc(f.Fields, func(field Field) bool {
		return field.Store && slices.ContainsFunc(f.Components, func(c Component) bool { return c.Name == f.Columns[field.Column].Name })
	})
}

// NoteSize is how many bytes the note of a change with so many values takes: the
// number of the host call in 8 bytes, and 8 for each value. Package wasm writes notes so,
// and the world that a kernel works for reads them.
func NoteSize(values int) int { return 8 + 8*values }

// Noted returns how many bytes the notes of one row take at most; bounded is false
// when a loop makes changes, and it is not known how many. A caller that has that much
// room for each row knows that none will stop for want of it.
func (f *Func) Noted() (bytes int, bounded bool) { return noted(f.Body) }

func noted(stmts []*Stmt) (bytes int, bounded bool) {
	bounded = true
	for _, s := range stmts {
		if s.Value != nil {
			s.Value.Walk(func(e *Expr) {
				if e.Op == Do {
					bytes += NoteSize(len(e.Args))
				}
			})
		}
		then, first := noted(s.Body)
		otherwise, second := noted(s.Else)
		bytes += max(then, otherwise) // one of the arms
		bounded = bounded && first && second && (s.Kind != Loop || then == 0)
	}
	return bytes, bounded
}

// IsOwn reports whether an expression is the handle of the row itself, or the number that
// Lua has for it. That entity is alive, without a look at the world, and only of it is
// that known.
func (f *Func) IsOwn(e *Expr) bool {
	if e.Op == Number {
		e = e.Args[0]
	}
	if e.Op != Get {
		return false
	}
	field := f.FieldOf(e.Local)
	return field != nil && f.Columns[field.Column].Term == Entities && !field.Store
}

// CallsHost reports whether a row may ask the host for something. That a function names a
// host call does not mean so: the branch with it may be one that no row takes.
func (f *Func) CallsHost() bool {
	return Any(f.Body, func(e *Expr) bool { return e.Op == Fetch || e.Op == Ask || e.Op == Invoke || e.Op == Do })
}

// Invokes reports whether a row may call a function of the host's own, which charges what it does.
func (f *Func) Invokes() bool {
	return Any(f.Body, func(e *Expr) bool { return e.Op == Invoke })
}

// Changes reports whether the kernel notes changes. Only such kernels are given room for
// notes, as two parameters more.
func (f *Func) Changes() bool {
	return Any(f.Body, func(e *Expr) bool { return e.Op == Do })
}

// ReadsMarks reports whether the kernel asks which entities its run has done something to.
// That is so where it changes entities and looks at them, and lower cannot rule out that
// one row looks at what another has changed.
func (f *Func) ReadsMarks() bool {
	return Any(f.Body, func(e *Expr) bool { return e.Op == Touched })
}

// ReadsEntities reports whether the kernel asks about entities what their changes may
// change. Without marks, it must not run among changes that are noted and not made yet.
func (f *Func) ReadsEntities() bool {
	return Any(f.Body, func(e *Expr) bool { return e.Op == Alive || e.Op == Record || e.Op == Fetch || e.Op == Ask })
}

// Despawns reports whether the kernel despawns entities. Others may die with them, by
// relations, so the call needs the mark of the run even if the body never asks for marks.
func (f *Func) Despawns() bool {
	return Any(f.Body, func(e *Expr) bool { return e.Op == Do && f.HostCalls[e.HostCall].Op == "despawn" })
}

// Spawns reports whether some row may make an entity, itself or by what it leaves to the
// VM. Then a handle that no entity has yet may have been promised to one by an earlier row
// of the same run, and the row that meets such a handle is the VM's.
func (f *Func) Spawns() bool {
	return len(f.Fallbacks) > 0 || Any(f.Body, func(e *Expr) bool { return e.Op == Do && f.HostCalls[e.HostCall].Op == "spawn" })
}

// List is a list of numbers of the script. The kernel has a copy of it, which is
// made before it runs: at the end of the world's scratch memory, a float64 for each
// item, 1 for true.
type List struct {
	Name string
	Len  int
	// Read copies the items as they are now; false when they are not as many, or
	// not all of the kind that they were, and the kernel cannot run.
	Read func(items []float64) bool
}

// ListAt returns where in memory the copy of a list begins. Lists grow down from the end of
// the scratch memory, and notes up from its begin, so that they share what is left.
func (f *Func) ListAt(i int) uint32 {
	at := f.Memory.ScratchEnd
	for _, l := range f.Lists[:i+1] {
		at -= uint32(8 * l.Len)
	}
	return at
}

// ListBytes returns how much memory all copies take: so much less there is for notes.
func (f *Func) ListBytes() int {
	n := 0
	for _, l := range f.Lists {
		n += 8 * l.Len
	}
	return n
}
