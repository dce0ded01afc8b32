// Package symbol says what values of a script stand for, to those who compile its
// functions.
//
// A [Symbol] is a value that a function captures or names, such as a component or ecs.get,
// looked at from outside: its kind, its schema, and why a kernel cannot reach it. What a
// compiled function asks of the world, or changes in it, are its calls ([HostCall]). They
// name symbols by references, which only package bindings can look into.
package symbol

import "github.com/perigee-ecs/perigee/ecs"

// Kind says what a symbol is.
type Kind uint8

// The kinds of symbols.
const (
	Function Kind = iota + 1 // of the ecs table, or of the host's own
	Component
	Event
	Prefab
	Resource
)

// Symbol says what a value in a script stands for when the script is compiled.
type Symbol struct {
	Kind        Kind
	Name        string      // as in "ecs.get", or of the component
	Schema      *ecs.Schema // of a component, an event or a resource
	Bytes       uintptr     // of a prefab: what a spawn of it records
	Unreachable string      // why a kernel cannot reach the component; empty: it can
	Ruled       bool        // others come with the component, or keep it away
	Pooled      bool        // the component does not lie in the columns of its entities
	Ref         any         // for a Part
	Takes       int         // how many numbers a function of the host's own takes
	Second      bool        // it has a second result, which is true
	// Field reads a number or truth of a resource, 1 for true; false when the
	// resource or the field is another one by now.
	Field func(name string) (v float64, truth, ok bool)
}

// HostCall is a place in a function that asks the world for something, or changes it: what Op
// says, a function of ecs, or "host" for one of the host's own. Parts are the values that it lists, after the entity.
// Script, Line and Column say where it stands.
type HostCall struct {
	Op           string
	Parts        []Part
	Script       string
	Line, Column int
}

// Part is a component, an event or a prefab. Fields are those of which the call gives the
// numbers, in order: 1 for true, the place of its name for an enum.
type Part struct {
	Ref    any // of a Symbol
	Fields []ecs.Field
}
