//go:build !machine

package scripting

import (
	"context"
	"maps"

	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/scripting/internal/heapsize"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	"github.com/perigee-ecs/perigee/scripting/internal/unboxed"
)

type (
	// library is the standard library of a state.
	library = stdlib.Library
	// libraryOptions say what it takes from the host.
	libraryOptions = stdlib.Options
	// callBudget counts what a call uses.
	callBudget = stdlib.Budget
)

func newLibrary(L *lua.LState, o libraryOptions) *library { return stdlib.New(L, o) }

// serveBudget has a budget look at the size of tables, if that is limited.
func serveBudget(b *callBudget, l *library, tables bool) {
	if tables {
		b.Inspect = l.Inspect
	}
}

// attach has a context count what runs on a thread.
func attach(L *lua.LState, ctx context.Context) { stdlib.Attach(L, ctx) }

// charge counts steps that the host has taken for a script.
func charge(L *lua.LState, steps int) { stdlib.Charge(L, steps) }

// meant says what a script may have meant by a field that a table does not have.
func meant(t *lua.LTable, field string, wanted lua.LValueType) string {
	words, _ := stdlib.Meant(t, field, wanted)
	return words
}

// holeSteps is how many steps it takes to find the end of a list.
func holeSteps(t *lua.LTable) int { return stdlib.HoleSteps(t) }

// newWalk makes a walk over what scripts hold.
func newWalk() (w heapsize.Walk) {
	w.Body = stdlib.Body
	return w
}

// noteAbsent depends on no state, so that prototypes that hold it run in any.
var noteAbsent = lua.Constant(holes.Note)

// inPrototypes are the functions that the compiler calls by itself.
func inPrototypes(l *library) syntax.Options {
	return syntax.Options{Concat: l.Concat(), Pop: l.Pop(), Absent: noteAbsent}
}

// evaluator prepares a function to be run with its numbers in plain registers.
func (vm *interpreter) evaluator(fn *lua.LFunction, results int) vm.Evaluator {
	if vm.noEvaluator {
		return nil
	}
	if vm.goFuncs == nil {
		vm.goFuncs = unboxed.Math(vm.library)
		maps.Copy(vm.goFuncs, vm.binding.GoFuncs())
	}
	if f := unboxed.New(fn, results, vm.goFuncs, vm.old.addVariant); f != nil {
		return f
	}
	return nil // and no *Function in an Evaluator
}
