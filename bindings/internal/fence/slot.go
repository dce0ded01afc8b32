package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// scalar is a Go type as the place of a number, a text or a boolean of a script: of a field, an
// item or an argument. What is known of the type is looked up once.
type scalar struct {
	kind      reflect.Kind // Invalid: values of the type need another conversion
	entity    bool
	low, high float64 // of a type of whole numbers: the least, and the one after the greatest
}

// scalarOf returns the scalar of a type.
func scalarOf(t reflect.Type) (s scalar) {
	switch kind := t.Kind(); {
	case isForeign(t):
	case kind >= reflect.Int && kind <= reflect.Uint64:
		s.kind, s.entity = kind, t == value.EntityType
		s.low, s.high = limits(t)
	case kind == reflect.Float32, kind == reflect.Float64, kind == reflect.Bool, kind == reflect.String:
		s.kind = kind
	}
	return s
}

// fits reports whether the type holds a value as it is. It says no more than [Fence.unfit]:
// where it is false, that is to be asked.
func (s *scalar) fits(v lua.Value) bool {
	switch s.kind {
	case reflect.Invalid:
		return false
	case reflect.Bool:
		return v.IsBool()
	case reflect.String:
		return v.IsString()
	case reflect.Float32:
		x, ok := lua.AsNumber(v)
		return ok && single(x)
	case reflect.Float64:
		return v.IsNumber()
	}
	x, ok := lua.AsNumber(v)
	if s.entity && ok {
		_, why := value.ToEntity(x)
		return why == ""
	}
	return ok && whole(x, s.low, s.high)
}

// put sets a place of the type to a value that fits.
func (s *scalar) put(place reflect.Value, v lua.Value) {
	switch kind := s.kind; {
	case kind == reflect.Bool:
		place.SetBool(v.Truth())
	case kind == reflect.String:
		place.SetString(v.Str().String())
	case kind >= reflect.Float32:
		place.SetFloat(v.Float())
	case kind >= reflect.Uint:
		place.SetUint(uint64(v.Float()))
	default:
		place.SetInt(int64(v.Float()))
	}
}

// push pushes what scripts get for a value of Go: as out, but a number, a text or a boolean
// needs no interface on the way.
func (f *Fence) push(call *machine.Call, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		call.Push(lua.Bool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		call.Push(lua.Number(float64(v.Int())))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		call.Push(lua.Number(float64(v.Uint())))
	case reflect.Float32, reflect.Float64:
		call.Push(lua.Number(v.Float()))
	case reflect.String:
		call.Push(lua.Text(v.String()))
	default:
		call.Push(lua.ToValue(f.out(v)))
	}
}
