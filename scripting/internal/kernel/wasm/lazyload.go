package wasm

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file finds fields that are better loaded later than at the begin of a row: those that
// only one arm of a branch needs.

// lazyLoads finds the fields that only one arm of a branch reads, and says of the list
// of statements that is the arm, by its first statement, which fields it loads.
// All others are loaded when the row begins, by which time it is not known what the
// row will need. A branch that is rarely taken is what most changes are behind:
// the handle of the entity that they are about is such a field.
//
// Nothing else in the kernel writes memory before the end of the row, so a load gives the
// same wherever it stands.
//
// Fields that are stored are never loaded lazily: what the row leaves alone is written
// back with them. Nor does a loop begin with a load, which its turns would repeat.
func lazyLoads(f *ir.Func) map[*ir.Stmt][]int {
	places := map[*ir.Stmt][]int{}
	for i := range f.Fields {
		if f.Fields[i].Store {
			continue
		}
		if arm := armOf(f.Body, f.Fields[i].Local); arm != nil {
			places[arm] = append(places[arm], i)
		}
	}
	return places
}

// armOf returns the first statement of the innermost arm, below the list, that has
// all reads of a local; nil when there is none.
//
// The list must have one statement that mentions the local, and that statement must not
// read it in its own condition. A read after the branch would find the local without a
// value where the other arm was taken.
func armOf(list []*ir.Stmt, local int) *ir.Stmt {
	var only *ir.Stmt
	for _, s := range list {
		if !mentions([]*ir.Stmt{s}, local) {
			continue
		}
		if only != nil || s.Value != nil && readsIn(s.Value, local) {
			return nil
		}
		only = s
	}
	if only == nil || only.Kind != ir.If && only.Kind != ir.Block {
		return nil
	}
	arm := only.Body
	switch {
	case !mentions(only.Body, local):
		arm = only.Else
	case mentions(only.Else, local):
		return nil
	}
	if inner := armOf(arm, local); inner != nil || only.Kind == ir.Block {
		return inner
	}
	return arm[0]
}

// mentions reports whether statements read a local.
func mentions(stmts []*ir.Stmt, local int) bool {
	return ir.Any(stmts, func(e *ir.Expr) bool { return e.Op == ir.Get && e.Local == local })
}

// readsIn reports whether an expression reads a local.
func readsIn(e *ir.Expr, local int) bool {
	return mentions([]*ir.Stmt{{Value: e}}, local)
}

// isLazyLoad reports whether a field is loaded in an arm.
//
// row leaves such a field out. O(lazy loads), which are as many as fields at most.
func (c *code) isLazyLoad(field int) bool {
	for _, fields := range c.lazyLoads {
		if slices.Contains(fields, field) {
			return true
		}
	}
	return false
}
