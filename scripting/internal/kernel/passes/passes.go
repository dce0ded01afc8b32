// Package passes makes kernels faster without changing what they compute, to
// the last bit.
//
// A pass rewrites a kernel in place. The table says what each is for; their
// order matters only where it says so. [ir.Check] holds before and after each.
//
// What "the same" means: for every call of the kernel, each field and each input that is
// stored has the same bits afterwards, but for those of a not-a-number; the same rows stop;
// the same changes are noted in the same order; as much fuel is taken. A test runs random
// functions before all passes and after each. Only narrow computes something else: it
// is the pass that gives precision = "f32" its meaning.
//
// No pass knows algebra on float64: x*0 is not 0, x+0 is not x, and sums may not be
// reordered. What is gained comes from what is known: constants, bounds, branches.
//
// Each pass takes time in proportion to the function, times at most what is known at one
// place. A script must not be able to hold up its host by what it writes.
//
// # Where code lives
//
//	the table of passes                       passes
//	what is known at each place of the body   flow, facts
//	fewer operations                          fold, dead, share, hoist, unroll, follow
//	checks and types that are proven          guard, prove, narrow, handles
//	-0, where it cannot be or be seen         zeros
package passes

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// Pass is one step. Run is called once for each kernel, with no kernel besides in its hands:
// a pass keeps nothing from one to the next.
type Pass struct {
	Name   string
	Reason string // what would be slower without it
	Run    func(*ir.Func)
}

// All returns the passes in order. It is a function and not a variable, so that nobody can
// change the order for all others.
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

// Run runs all passes. watch, if not nil, sees the kernel after each: perigee explain shows
// what each has changed, and tests judge it there.
func Run(f *ir.Func, watch func(Pass)) {
	for _, p := range All() {
		p.Run(f)
		if watch != nil {
			watch(p)
		}
	}
}
