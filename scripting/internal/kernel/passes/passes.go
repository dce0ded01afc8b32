// Package passes makes kernels faster without changing what they compute, to
// the last bit.
//
// A pass rewrites a kernel in place. The table says what each is for; their
// order matters only where it says so. [ir.Check] holds before and after each.
//
// # Where code lives
//
//	the table of passes                       passes
//	what is known at each place of the body   flow, facts
//	fewer operations                          fold, dead, share, hoist, unroll, follow
//	checks and types that are proven          guard, prove, narrow, zeros, handles
package passes

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// Pass is one step.
type Pass struct {
	Name   string
	Reason string // what would be slower without it
	Run    func(*ir.Func)
}

// All returns the passes in order.
func All() []Pass {
	return []Pass{
		{"fold", "captured constants are numbers by now: what follows from them need not be computed for every row", fold},
		{"unroll", "in each turn of a short loop over constants the index is a number, and so is what follows from it; after fold, before dead", unroll},
		{"dead", "branches that folding has decided, and locals that nobody reads", dead},
		{"handles", "the entities that others are found by are 64 bits in memory: to make numbers of them and back takes longer than to find them; after unroll, which says which of an array they are", handles},
		{"narrow", "with precision = \"f32\", float32 halves the width of numbers: twice as many fit into a vector", narrow},
		{"zeros", "Lua has no -0 as a result; for most that is done with it, the sign of zero does not matter", zeros},
		{"prove", "an integer field that can only get what it holds needs no check, and its column no copy for the undo", prove},
		{"guard", "what a branch around it has found out needs no second look, and a row cannot stop at it, nor at a change that Lua surely makes; after prove, which bounds the fields", guard},
		{"hoist", "what depends on ctx and constants alone is the same for all rows; after fold, which makes it smaller", hoist},
		{"share", "designers write p.x - q.x twice rather than naming it; after hoist, which takes the easier half", share},
	}
}

// Run runs all passes. watch, if not nil, sees the kernel after each.
func Run(f *ir.Func, watch func(Pass)) {
	for _, p := range All() {
		p.Run(f)
		if watch != nil {
			watch(p)
		}
	}
}
