package vector

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file counts what plans and scalar rows cost, to choose between them. A wrong figure
// makes a kernel slower and never wrong, which is why all of them can be rough.

// Costs count what wazero's compiler makes of an instruction, two for each
// of the machine's: they rank plans, and nothing else depends on them. What is
// said once is paid once, and costs nothing here.

// heavy are the costs of operations by themselves: one row, two float64, four
// float32. All others cost simple.
var heavy = map[ir.Op][3]int{
	ir.Div: {10, 11, 11}, ir.Sqrt: {14, 16, 12}, ir.Pick: {8, 8, 8}, ir.Neg: {4, 3, 3}, ir.Abs: {4, 3, 3},
	ir.Lt: {4, 3, 3}, ir.Le: {4, 3, 3}, ir.Eq: {5, 3, 3}, ir.Ne: {5, 3, 3}, ir.Not: {2, 4, 4},
	ir.Mod: {20, 20}, ir.Sincos: {60 + together}, ir.Widen: {3}, ir.Narrow: {3},
}

const (
	simple = 2
	piece  = 5  // a lane that is put into a vector, or taken out of one, by itself
	jump   = 16 // of a branch, with its share of those that are not foreseen
	fork   = 40 // of one that looks at what state a row is in: as good as random

	checking = 14 // whether an integer field can hold a number; vectors ask once, by the guard
)

// formulas are the costs of calls, on one lane or two: a row alone takes as long as two do.
// Those that are not listed cost anyFormula. What is no formula is called in the host.
var formulas = map[string]int{"fmod": 20, "exp": 40, "log": 40, "log10": 50, "tan": 90, "sinh": 100, "cosh": 100, "tanh": 100, "pow": 130}

const (
	anyFormula = 60
	hosted     = 120
	together   = 10 // what a cosine costs besides the sine of the same angle
)

// callCost is the cost of a call of the library.
func callCost(name string) int {
	if ir.Call.Formula(name) == "" {
		return hosted
	}
	return cmp.Or(formulas[name], anyFormula)
}

// opCost is the cost of an operation on 1, 2 or 4 lanes. name is that of a Call.
func opCost(op ir.Op, name string, lanes int) int {
	if op == ir.Call {
		return callCost(name)
	}
	if c, ok := heavy[op]; ok {
		return c[lanes/2]
	}
	return simple
}

// vectorCost is the cost of making a vector.
func vectorCost(f *ir.Func, v *Vector) int {
	switch v.Form {
	case Once:
		return 0
	case Memory:
		return loadCost(f, v)
	case Least, Greatest, Low, Whole:
		return simple
	case Flip, Less:
		return 2 * simple
	case High:
		return 3 * simple
	case Join:
		if v.Type == ir.Bool {
			return 2 * simple
		}
		return 5 * simple
	}
	return opCost(v.Op, v.Name, v.Lanes)
}

// loadCost is the cost of a load: by one instruction where the places are adjacent, by one for
// each piece and one to put it in its lane where they are not, and more where each lane has
// to be converted by itself.
func loadCost(f *ir.Func, v *Vector) int {
	kind := f.Fields[v.Places[0].Field].Kind
	cost := simple
	if kind == schema.F32 && v.Type == ir.Num {
		cost += simple
	}
	switch same := !slices.ContainsFunc(v.Places, func(at FieldOfRow) bool { return at != v.Places[0] }); {
	case same:
		return cost + simple
	case Short(kind):
		return cost + simple + (len(Adjacent(f, v.Places))-1)*piece
	case kind != schema.F64 && kind != schema.F32, kind == schema.F64 && v.Type == ir.Num32:
		return len(v.Places) * 2 * piece
	}
	return cost + (len(Adjacent(f, v.Places))-1)*piece
}

// storeCost is the cost of storing a vector of a type. It is in step with package wasm,
// scatter, as loadCost is with gather.
func storeCost(f *ir.Func, places []FieldOfRow, t ir.Type) int {
	kind := f.Fields[places[0].Field].Kind
	cost := simple
	if kind == schema.F32 && t == ir.Num {
		cost += simple
	}
	switch {
	case Short(kind) && t == ir.Num:
		return len(places) * piece
	case kind != schema.F64 && kind != schema.F32:
		return len(places) * 2 * piece
	}
	if n := len(Adjacent(f, places)); n > 1 {
		cost += n * piece
	}
	return cost
}

// scalarCost is the cost of one row by itself. Of a branch, one arm runs.
func scalarCost(f *ir.Func) int {
	// Loads, stores and checks of fields, each with its conversion.
	cost := 0
	for i := range f.Fields {
		field := &f.Fields[i]
		each := simple
		if field.Kind != schema.F64 && !field.Single {
			each += simple
		}
		cost += each
		if field.Store {
			cost += each
		}
		if field.Store && Short(field.Kind) {
			cost += simple // numbers to integers
		}
		if field.Checked() {
			cost += checking
		}
	}
	return cost + listCost(f.Body)
}

// listCost is the cost of statements. Loops have none: a kernel with a loop has no graph.
func listCost(stmts []*ir.Stmt) int {
	cost := 0
	for _, s := range stmts {
		if s.Value != nil {
			s.Value.Walk(func(e *ir.Expr) {
				if len(e.Args) > 0 && e.Op != ir.Tee {
					cost += opCost(e.Op, e.Name, 1)
				}
			})
		}
		switch s.Kind {
		case ir.If:
			cost += branchCost(s.Value) + (listCost(s.Body)+listCost(s.Else)+1)/2
		case ir.Block:
			cost += listCost(s.Body)
		}
	}
	return cost
}

// branchCost is the cost of a jump. A comparison of a number with a constant for equality
// mostly asks for a state, which differs from row to row and cannot be foreseen.
func branchCost(cond *ir.Expr) int {
	if (cond.Op == ir.Eq || cond.Op == ir.Ne) && cond.Args[0].Type == ir.Num && cond.Args[1].Op == ir.Const {
		return fork
	}
	return jump
}
