package fields

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/nearest"
)

// exact is up to where a float64 holds every whole number.
const exact = 1 << 53

// load returns the value of a field of the component at base.
func load(base unsafe.Pointer, f *ecs.Field) (any, error) {
	if f.Len > 0 {
		all := make([]any, f.Len)
		for i := range all {
			var err error
			one := item(f, i)
			if all[i], err = load(base, &one); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	at := unsafe.Add(base, f.Offset)
	switch f.Kind {
	case ecs.Struct:
		return loadStruct(base, f)
	case ecs.String:
		return *(*string)(at), nil
	case ecs.Ref:
		return *(*ecs.Entity)(at), nil
	case ecs.Bool:
		return f.Kind.Load(at) != 0, nil
	case ecs.Enum:
		n := int(f.Kind.Load(at))
		if n >= len(f.Names) {
			return nil, noName(f, n)
		}
		return f.Names[n], nil
	case ecs.Opaque:
		return nil, fmt.Errorf("%w: %s holds what only Go can read", ecs.ErrConflict, f.Name)
	}
	return loadNumber(at, f)
}

// noName is the error for a number that no value of an enum has. Only Go can store one.
func noName(f *ecs.Field, n int) error {
	return fmt.Errorf("%w: %s has %d values, and none of number %d", ecs.ErrRange, f.Name, len(f.Names), n)
}

// loadNumber returns a number that a float64 can hold.
func loadNumber(at unsafe.Pointer, f *ecs.Field) (any, error) {
	switch f.Kind {
	case ecs.I64:
		if v := *(*int64)(at); v > exact || v < -exact {
			return nil, fmt.Errorf("%w: %s is %d, beyond what a number can tell exactly", ecs.ErrRange, f.Name, v)
		}
	case ecs.U64:
		if v := *(*uint64)(at); v > exact {
			return nil, fmt.Errorf("%w: %s is %d, beyond what a number can tell exactly", ecs.ErrRange, f.Name, v)
		}
	}
	return f.Kind.Load(at), nil
}

func loadStruct(base unsafe.Pointer, f *ecs.Field) (any, error) {
	all := make(map[string]any, len(f.Fields))
	for i := range f.Fields {
		if f.Fields[i].Kind == ecs.Opaque {
			continue
		}
		one := inside(f, &f.Fields[i])
		v, err := load(base, &one)
		if err != nil {
			return nil, err
		}
		all[f.Fields[i].Name] = v
	}
	return all, nil
}

// store writes a value into a field of the draft at base. After an error the draft is of
// no use.
func (f Fields) store(base unsafe.Pointer, field *ecs.Field, value any) error {
	at := unsafe.Add(base, field.Offset)
	switch {
	case field.Len > 0:
		return f.storeArray(base, field, value)
	case field.Kind == ecs.Struct:
		return f.storeStruct(base, field, value)
	case field.Kind == ecs.Opaque:
		return fmt.Errorf("%w: %s holds what only Go can write", ecs.ErrConflict, field.Name)
	case field.Kind == ecs.String:
		text, ok := value.(string)
		if !ok {
			return wrongKind(field, value)
		}
		*(*string)(at) = text
		return nil
	}
	n, err := number(field, value)
	if err != nil {
		return err
	}
	if err := field.Kind.Fit(n); err != nil {
		return fmt.Errorf("%s: %w", field.Name, err)
	}
	switch {
	case field.Kind == ecs.Enum && int(n) >= len(field.Names):
		return noName(field, int(n))
	case field.Kind == ecs.F32 && !math.IsInf(n, 0) && math.IsInf(float64(float32(n)), 0):
		return fmt.Errorf("%w: %s is f32 and cannot hold %v", ecs.ErrRange, field.Name, n)
	case field.Kind == ecs.Ref && n != 0:
		if err := f.alive(ecs.Entity(n)); err != nil {
			return fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	field.Kind.Store(at, n)
	return nil
}

// wrongKind is the error for a value that a field cannot be.
func wrongKind(f *ecs.Field, value any) error {
	what := "nothing"
	switch v := value.(type) {
	case nil:
	case string:
		what = fmt.Sprintf("the text %.40q", v)
	case bool:
		what = strconv.FormatBool(v)
	case json.Number:
		what = fmt.Sprintf("the number %.40s", string(v))
	case map[string]any:
		what = "a list of fields"
	case []any:
		what = "an array"
	default:
		what = "a " + reflect.TypeOf(value).String()
	}
	return fmt.Errorf("%w: %s is %s, and was given %s", ecs.ErrConflict, f.Name, kindOf(f), what)
}

func (f Fields) storeArray(base unsafe.Pointer, field *ecs.Field, value any) error {
	list, ok := value.([]any)
	if !ok {
		return wrongKind(field, value)
	}
	if len(list) != field.Len {
		return fmt.Errorf("%w: %s has %d elements, and was given %d", ecs.ErrRange, field.Name, field.Len, len(list))
	}
	for i, v := range list {
		one := item(field, i)
		if err := f.store(base, &one, v); err != nil {
			return err
		}
	}
	return nil
}

func (f Fields) storeStruct(base unsafe.Pointer, field *ecs.Field, value any) error {
	given, ok := value.(map[string]any)
	if !ok {
		return wrongKind(field, value)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) { // of several errors always the same comes first
		one, err := member(*field, name)
		if err == nil {
			err = f.store(base, &one, given[name])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// number returns what a field of a kind of number is given.
func number(f *ecs.Field, value any) (float64, error) {
	switch v := value.(type) {
	case bool:
		if f.Kind == ecs.Bool {
			return map[bool]float64{true: 1}[v], nil
		}
		return 0, wrongKind(f, value)
	case json.Number:
		return jsonNumber(f, v)
	case string:
		return named(f, v)
	}
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return whole64(f, float64(v.Int()), v.Int() > exact || v.Int() < -exact, value)
	case v.CanUint():
		return whole64(f, float64(v.Uint()), v.Uint() > exact, value)
	case v.CanFloat():
		return v.Float(), nil
	}
	return 0, wrongKind(f, value)
}

// whole64 refuses a whole number that a float64 does not hold.
func whole64(f *ecs.Field, n float64, beyond bool, value any) (float64, error) {
	if beyond {
		return 0, fmt.Errorf("%w: %s is given %v, beyond what a number can tell exactly", ecs.ErrRange, f.Name, value)
	}
	return n, nil
}

// named returns the number of an enum's name, and those of floats that JSON has no
// numbers for.
func named(f *ecs.Field, text string) (float64, error) {
	switch f.Kind {
	case ecs.Enum:
		if i := slices.Index(f.Names, text); i >= 0 {
			return float64(i), nil
		}
		return 0, fmt.Errorf("%w: %s has no value %.40q%s", ecs.ErrUnknown, f.Name, text, nearest.DidYouMean(text, f.Names))
	case ecs.F32, ecs.F64:
		if v, ok := unspeakable[text]; ok {
			return v, nil
		}
	}
	return 0, wrongKind(f, text)
}

// unspeakable are the floats that JSON writes as text.
var unspeakable = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}
