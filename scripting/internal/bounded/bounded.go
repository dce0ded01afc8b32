// Package bounded proves of script functions that they end by themselves.
//
// A script runs under a budget, and to count its instructions costs a quarter
// of its time. Most functions that run over rows need no counting: they
// compute, compare, assign, and loop over the rows of one batch. For those this
// package finds how many instructions they can execute at most. What cannot be
// known from the text, such as what an outer local holds, becomes a condition
// that package bindings checks before each run.
//
// # The argument
//
// Every value that an accepted function can compute is a number, a boolean,
// nil, a short string, or one of the host's own objects. No operation on these
// calls a script. Tables are never values: they stand only in front of an
// index, as an outer local that was found to be a table without a metatable and
// with plain values in it, or as a local that holds an array of the batch. So
// nothing can put a table where a later run would trust it.
//
// The only calls are those of the library's math functions and of the methods
// of batches and columns, which are Go. The only loops are numeric ones whose
// limit is a small literal, or b.n. What takes time in proportion to the rows is
// not done in loops.
//
// A [bindings.Bound] holds the result. It is tied to the function's prototype,
// where no script can reach it.
package bounded

import (
	"math"

	"github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/perigee-ecs/perigee/bindings"
)

// lineBits is where the number of a function stands above its last line, to be
// found again in its prototype. Package front uses the bits below.
const lineBits = 25

// Mark proves what it can of functions: scalar ones, whose parameters are plain
// values, and batch functions. It numbers those that it accepts, for Attach.
func Mark(scalar, batch []*ast.FunctionExpr) []*bindings.Bound {
	var bounds []*bindings.Bound
	mark := func(fn *ast.FunctionExpr, p *prover) {
		if p.prove(fn) != nil || len(bounds) == math.MaxInt>>lineBits {
			return
		}
		bounds = append(bounds, &p.bound)
		fn.SetLastLine(fn.LastLine() | len(bounds)<<lineBits)
	}
	for _, fn := range scalar {
		mark(fn, &prover{})
	}
	for _, fn := range batch {
		mark(fn, newBatchProver(fn))
	}
	return bounds
}

// Attach ties the bounds that Mark has found to the prototypes of their
// functions, in all of proto.
func Attach(proto *lua.FunctionProto, bounds []*bindings.Bound) {
	if number := proto.LastLineDefined >> lineBits; number > 0 {
		const line = 1<<lineBits - 1
		proto.LastLineDefined &= line
		for i := range proto.DbgSourcePositions {
			proto.DbgSourcePositions[i] &= line
		}
		bounds[number-1].Attach(proto)
	}
	for _, inner := range proto.FunctionPrototypes {
		Attach(inner, bounds)
	}
}
