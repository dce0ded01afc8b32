package bindings

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// storeArray writes an array back into its column. An element that its field
// cannot hold raises an error that names the entity.
func (b *batch) storeArray(L *lua.LState, a *array) {
	c, f := &b.view.Columns[a.key.term], a.key.field
	switch {
	case f.Len == 0 && f.Kind == ecs.F64:
		storeFloats(b, L, a, c, func(p unsafe.Pointer, v float64) { *(*float64)(p) = v })
	case f.Len == 0 && f.Kind == ecs.F32:
		storeFloats(b, L, a, c, func(p unsafe.Pointer, v float64) { *(*float32)(p) = float32(v) })
	default:
		for i := range b.view.Entities {
			v := a.at(i)
			if value.Unchanged(f, c.At(i), v) {
				continue
			}
			if why := value.CannotHold(L, f, v); why != "" {
				b.refuse(L, a, i, why)
			}
			value.Store(f, c.At(i), v)
		}
	}
}

// at returns the element of the i-th row.
func (a *array) at(i int) lua.LValue {
	if !a.materialised {
		return lua.LNumber(a.lazy.numbers[i])
	}
	return value.Unwrap(a.table).RawGetInt(i + 1)
}

func storeFloats(b *batch, L *lua.LState, a *array, c *view.Column, put func(unsafe.Pointer, float64)) {
	offset := a.key.field.Offset
	if !a.materialised {
		for i, v := range a.lazy.numbers {
			put(unsafe.Add(c.At(i), offset), v)
		}
		return
	}
	list := value.Unwrap(a.table)
	for i := range b.view.Entities {
		v, ok := list.RawGetInt(i + 1).(lua.LNumber)
		if !ok {
			b.refuse(L, a, i, "expected a number, got "+value.Describe(list.RawGetInt(i+1)))
		}
		put(unsafe.Add(c.At(i), offset), float64(v))
	}
}

func (b *batch) refuse(L *lua.LState, a *array, i int, why string) {
	value.Raise(L, &diag.Error{
		Script: b.s.Script, Line: b.s.batch.Proto.LineDefined, Entity: b.view.Entities[i],
		Message: fmt.Sprintf("field %q of %q, row %d of the batch: %s", a.key.field.Name, b.terms[a.key.term].Name, i+1, why),
	})
}
