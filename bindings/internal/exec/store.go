package exec

import (
	"math"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// isFloat reports whether a field holds every number.
func isFloat(f *ecs.Field) bool { return f.Len == 0 && (f.Kind == ecs.F64 || f.Kind == ecs.F32) }

// storeFloat is store for a number in such a field, which need not be boxed.
func (x *EachRunner) storeFloat(L *lua.LState, v *rows.View, term int, f *ecs.Field, i int, n float64) {
	p := unsafe.Add(v.Columns[term].At(i), f.Offset)
	if f.Kind == ecs.F32 {
		if at := (*float32)(p); math.Float32bits(*at) != math.Float32bits(float32(n)) {
			x.change(L, v, term)
			*at = float32(n)
		}
		return
	}
	if at := (*float64)(p); math.Float64bits(*at) != math.Float64bits(n) {
		x.change(L, v, term)
		*at = n
	}
}

// change keeps the old values of a column and notes that the row at hand changes one.
//
// Changes are stamped by the chunk, and only for rows whose turn has succeeded:
// as where a kernel has done the work, so that a query for changes finds the same.
func (x *EachRunner) change(L *lua.LState, v *rows.View, term int) {
	c := &v.Columns[term]
	if !c.Saved {
		x.m.Tx.Keep(L, v, c, x.proto())
		c.Stamps, x.unmarked = true, true
	}
	if c.Stamps && !slices.Contains(x.changes, term) {
		x.changes = append(x.changes, term)
	}
}

// passed ends a row's turn: it stamps what has changed where the row was the last one
// of its chunk. What a row has changed that failed is not among it.
func (x *EachRunner) passed(v *rows.View, i int, failed bool) {
	if failed {
		x.changes = x.changes[:x.settled]
	}
	x.settled = len(x.changes)
	if x.settled == 0 {
		return
	}
	from, to := v.Within(i)
	if i+1 < to {
		return
	}
	for _, term := range x.changes {
		x.m.Tx.Stamp(v, &v.Columns[term], from, to)
	}
	x.changes, x.settled = x.changes[:0], 0
}

// refuse raises an error for a value that a field cannot hold, at the last
// assignment to the field of the row or, where the text has none, to one of its name; else at
// the function.
func (x *EachRunner) refuse(L *lua.LState, term int, f *ecs.Field, why string) {
	e := diag.New("field %q of %q: %s", f.Name, x.Terms[term].Name, why)
	if text := x.shape.Text; text != nil {
		if e.Put(text.AssignedAt(term, f.Name)); e.Line == 0 {
			e.Put(text.Elsewhere[f.Name])
		}
	}
	if e.Line == 0 {
		e.Put(fault.OfFunction(L, x.proto()))
	}
	fault.Raise(L, e)
}
