package exec

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// storeArray writes an array back into its column. An element that its field
// cannot hold raises an error that names the entity.
func (b *Batch) storeArray(L *lua.LState, a *array) {
	c, f := &b.View.Columns[a.key.Term], a.key.Field
	switch {
	case f.Len == 0 && f.Kind == ecs.F64:
		storeFloats(b, L, a, c, func(p unsafe.Pointer, v float64) { *(*float64)(p) = v })
	case f.Len == 0 && f.Kind == ecs.F32:
		storeFloats(b, L, a, c, func(p unsafe.Pointer, v float64) { *(*float32)(p) = float32(v) })
	default:
		for i := range b.View.Entities {
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
		return lua.LNumber(a.lazy.Numbers()[i])
	}
	return value.Unwrap(a.Table).RawGetInt(i + 1)
}

func storeFloats(b *Batch, L *lua.LState, a *array, c *rows.Column, put func(unsafe.Pointer, float64)) {
	offset := a.key.Field.Offset
	if !a.materialised {
		for i, v := range a.lazy.Numbers() {
			put(unsafe.Add(c.At(i), offset), v)
		}
		return
	}
	list := value.Unwrap(a.Table)
	for i := range b.View.Entities {
		v, ok := list.RawGetInt(i + 1).(lua.LNumber)
		if !ok {
			b.refuse(L, a, i, "expected a number, got "+value.Describe(list.RawGetInt(i+1)))
		}
		put(unsafe.Add(c.At(i), offset), float64(v))
	}
}

func (b *Batch) refuse(L *lua.LState, a *array, i int, why string) {
	e := diag.New("field %q of %q, row %d of the batch: %s", a.key.Field.Name, b.Terms[a.key.Term].Name, i+1, why).On(b.S.Script, b.S.Batch.Proto.LineDefined)
	e.Entity = b.View.Entities[i]
	fault.Raise(L, e)
}
