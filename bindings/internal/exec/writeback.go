package exec

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// storeArray writes an array back into its column. An element that its field
// cannot hold raises an error that names the entity.
func (b *Batch) storeArray(L *lua.LState, a *array) {
	c, f := &b.View.Columns[a.key.Term], a.key.Field
	if isFloat(f) {
		writeFloats(c, f, b.floats(L, a))
		return
	}
	for i := range b.View.Entities {
		v := a.at(i)
		differs, why := value.Differs(L, f, c.At(i), v)
		if why != "" {
			b.refuse(L, a, i, why)
		}
		if differs {
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

// floats returns the elements of an array of numbers.
func (b *Batch) floats(L *lua.LState, a *array) []float64 {
	if !a.materialised {
		return a.lazy.Numbers()
	}
	list, n := value.Unwrap(a.Table), len(b.View.Entities)
	a.numbers = slices.Grow(a.numbers[:0], n)[:n]
	for i := range a.numbers {
		v := list.RawGetInt(i + 1)
		number, ok := v.(lua.LNumber)
		if !ok {
			b.refuse(L, a, i, "expected a number, got "+value.Describe(v))
		}
		a.numbers[i] = float64(number)
	}
	return a.numbers
}

func (b *Batch) refuse(L *lua.LState, a *array, i int, why string) {
	e := diag.New("field %q of %q, row %d of the batch: %s", a.key.Field.Name, b.Terms[a.key.Term].Name, i+1, why).On(b.S.Script, b.S.Batch.Proto.LineDefined)
	e.Entity = b.View.Entities[i]
	fault.Raise(L, e)
}
