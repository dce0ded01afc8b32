package exec

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// Called reports whether the system is one of ecs.kernel, which no schedule runs.
func (s *System) Called() bool { return s.OnDemand }

// Restless reports whether a built system has more to do than to work on what has changed: to
// ask its when function, or to try again the entities for which it has failed.
func (s *System) Restless() bool {
	return s.When != nil || s.Faults != nil && len(s.Faults.parked) > 0
}

// Own says in a fault of a declaration whose it is. A fault that has a place keeps it: the
// table of a system, and its functions, may be written in a script that this one requires.
func (s *System) Own(e *diag.Error) *diag.Error {
	if e.Script == "" {
		e.Script = s.Script
	}
	if s.OnDemand {
		e.Message = fmt.Sprintf("kernel %q: %s", s.Name, e.Message)
	} else {
		e.System = s.Name
	}
	return e
}

// Kernel returns the system's kernel or, where it could have one, why it has
// none. Systems with kernel = "off" and those without an each function over a
// query have neither.
func (s *System) Kernel() (rows.Kernel, *diag.Error) { return s.Compiled.Made, s.Compiled.Why }

// KernelComes returns the tick from which on the system has another kernel, which is being compiled
// beside the ticks; 0 if there is none.
func (s *System) KernelComes() uint64 {
	if s.Compiled.coming == nil {
		return 0
	}
	return s.Compiled.coming.until
}

// KernelSource returns what the system's kernel is made of, whether it has one or
// not; false when it has no each function over a query.
func (s *System) KernelSource() (KernelSource, bool) {
	if s.Shape == nil {
		return KernelSource{}, false
	}
	source := KernelSource{System: s.Name, Place: s.Place, Closure: s.Each, Single: s.Compiled.Single, Required: s.Compiled.Mode == KernelRequire}
	for _, c := range s.Query.Terms() {
		term := KernelTerm{Schema: c.Schema, Optional: slices.Contains(s.Query.Optional, c)}
		if c.Heap {
			term.Unreachable = OnHeap
		}
		source.Terms = append(source.Terms, term)
	}
	for _, list := range [][]*decl.Component{s.Query.With, s.Query.Without, s.Query.Either} {
		for _, c := range list {
			source.Filters = append(source.Filters, c.Name)
		}
	}
	return source, true
}

// System is a system as a script declared it.
type System struct {
	Name       string
	diag.Place                              // of the declaration
	Options    map[string]facts.OptionPlace // by key; shared with other hosts

	Spec                   ecs.System // without queries and Run
	Query                  *decl.Query
	On                     *decl.Event
	Each, Batch, Run, When *lua.LFunction
	Shape                  *EachShape
	Context                Context
	Compiled               kernelState
	Faults                 *eachFaults     // of a built each system
	FailedEvents           map[uint64]bool // by number: those that an on system has failed for, and whether it passes them over
	Ran                    *rows.Ran       // of a built system: it outlives the system
	OnDemand               bool            // it is one of ecs.kernel
}

// EachShape says how an each function is called: what each of its parameters is.
type EachShape struct {
	Function *lua.LFunction
	Args     []EachArg
	Written  []bool      // by term
	Text     *facts.Each // what the text says of it; shared with other hosts. Nil: nothing is known
}

type ArgKind uint8

const (
	ArgRow     ArgKind = iota // a table with the fields of a term
	ArgTag                    // true where the row has the tag
	ArgContext                // the ctx table
)

// EachArg is one parameter.
type EachArg struct {
	Kind ArgKind
	Term int
}

// Writes reports whether the function may write a term.
func (s *EachShape) Writes(term int) bool { return s.Written[term] }
