package fields

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// JSON returns an entity as text: its components in the order of their names, the fields
// of each in the order of its schema. The same entity gives the same text. Entities are
// numbers, enums their names, floats that JSON does not have "NaN", "Infinity" and
// "-Infinity". What the world keeps by itself, such as parents, and opaque fields are left
// out. The error wraps ErrDead, or ErrRange for a number that float64 does not hold, and for one
// that no value of an enum has.
func (f Fields) JSON(e ecs.Entity) ([]byte, error) {
	if err := f.alive(e); err != nil {
		return nil, err
	}
	ids := slices.DeleteFunc(f.raw.Components(e, nil), func(id ecs.ComponentID) bool { return !f.named(id) })
	all := ecs.Field{Kind: ecs.Struct}
	byName := map[string]ecs.ComponentID{}
	for _, id := range ids {
		byName[f.raw.Schema(id).Name] = id
	}
	text := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		text = appendName(text, name)
		all = whole(f.raw.Schema(byName[name]))
		var err error
		if text, err = appendField(text, f.raw.Pointer(e, byName[name]), &all); err != nil {
			return nil, err
		}
	}
	return append(text, '}'), nil
}

// appendName begins a member of an object.
func appendName(text []byte, name string) []byte {
	if text[len(text)-1] != '{' {
		text = append(text, ',')
	}
	return append(appendText(text, name), ':')
}

// appendText appends a string. Bytes that are no UTF-8 become U+FFFD.
func appendText(text []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // a string has no error
	return append(text, quoted...)
}

// appendField appends a field of the component at base.
func appendField(text []byte, base unsafe.Pointer, f *ecs.Field) (_ []byte, err error) {
	switch {
	case f.Len > 0:
		text = append(text, '[')
		for i := range f.Len {
			if i > 0 {
				text = append(text, ',')
			}
			one := item(f, i)
			if text, err = appendField(text, base, &one); err != nil {
				return nil, err
			}
		}
		return append(text, ']'), nil
	case f.Kind == ecs.Struct:
		text = append(text, '{')
		for i := range f.Fields {
			if f.Fields[i].Kind == ecs.Opaque {
				continue
			}
			one := inside(f, &f.Fields[i])
			if text, err = appendField(appendName(text, f.Fields[i].Name), base, &one); err != nil {
				return nil, err
			}
		}
		return append(text, '}'), nil
	}
	return appendValue(text, base, f)
}

// appendValue appends a field that is neither array nor struct.
func appendValue(text []byte, base unsafe.Pointer, f *ecs.Field) ([]byte, error) {
	v, err := load(base, f)
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(text, v), nil
	case string:
		return appendText(text, v), nil
	case ecs.Entity:
		return strconv.AppendUint(text, uint64(v), 10), nil
	case float64:
		return appendNumber(text, v, f.Kind), nil
	}
	return nil, err
}

// appendNumber appends a number in the shortest form that is read back as the same.
func appendNumber(text []byte, v float64, kind ecs.Kind) []byte {
	switch {
	case kind != ecs.F32 && kind != ecs.F64:
		return strconv.AppendInt(text, int64(v), 10)
	case math.IsNaN(v):
		return append(text, `"NaN"`...)
	case math.IsInf(v, 0):
		return append(text, map[bool]string{true: `"Infinity"`, false: `"-Infinity"`}[v > 0]...)
	case kind == ecs.F32:
		short := strconv.AppendFloat(nil, v, 'g', -1, 32)
		if back, err := strconv.ParseFloat(string(short), 64); err == nil && float32(back) == float32(v) {
			return append(text, short...)
		}
	}
	return strconv.AppendFloat(text, v, 'g', -1, 64)
}

// SetJSON gives an entity what a text of the form of [Fields.JSON] says, in one change:
// fields that are named get their values, those that are not stay, or get their defaults
// where the component is new. Components that are not named stay. The error wraps what
// Set returns, and nothing has changed then.
func (f Fields) SetJSON(e ecs.Entity, text []byte) error {
	if err := f.alive(e); err != nil {
		return err
	}
	values, err := f.read(e, text)
	if err != nil {
		return err
	}
	return f.world.Add(e, values...)
}

// SpawnJSON makes an entity of a text. The error wraps what SetJSON and World.TrySpawn
// return, and there is no entity then.
func (f Fields) SpawnJSON(text []byte) (ecs.Entity, error) {
	if err := f.ready(); err != nil {
		return 0, err
	}
	values, err := f.read(0, text)
	if err != nil {
		return 0, err
	}
	return f.world.TrySpawn(values...)
}

// read returns the components that a text describes; those of e are changed, others made.
func (f Fields) read(e ecs.Entity, text []byte) ([]ecs.Value, error) {
	components, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	var values []ecs.Value
	for _, name := range slices.Sorted(maps.Keys(components)) {
		id, err := f.Component(name)
		if err != nil {
			return nil, err
		}
		var d unsafe.Pointer
		if p := f.raw.Pointer(e, id); p != nil {
			d = f.draftOf(id, p)
		} else if d, err = f.defaultOf(id); err != nil {
			return nil, err
		}
		all := whole(f.raw.Schema(id))
		if err := f.store(d, &all, components[name]); err != nil {
			return nil, err
		}
		values = append(values, f.raw.ValueAt(id, d))
	}
	return values, nil
}

// maxNested bounds objects and arrays within each other. No schema needs more than its
// own fields, and these end far before.
const maxNested = 64

// parseJSON reads an object. Other than package json, it refuses names that are given
// twice, of which the first would be lost.
func parseJSON(text []byte) (map[string]any, error) {
	r := jsonReader{json.NewDecoder(bytes.NewReader(text))}
	r.UseNumber()
	v, err := r.value(0)
	if err == nil {
		if _, err = r.Token(); err == nil {
			err = fmt.Errorf("%w: there is more than one value", ecs.ErrConflict)
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	all, ok := v.(map[string]any)
	switch {
	case err == nil && !ok:
		return nil, fmt.Errorf("%w: the JSON of an entity is an object of components", ecs.ErrConflict)
	case err == nil:
		return all, nil
	case errors.Is(err, ecs.ErrConflict):
		return nil, fmt.Errorf("byte %d of the JSON: %w", r.InputOffset(), err)
	}
	return nil, fmt.Errorf("byte %d of the JSON: %w: %w", r.InputOffset(), ecs.ErrConflict, err)
}

type jsonReader struct{ *json.Decoder }

// value reads the next value.
func (r jsonReader) value(depth int) (any, error) {
	t, err := r.Token()
	switch {
	case err != nil:
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	case depth > maxNested:
		return nil, fmt.Errorf("%w: more than %d values within each other", ecs.ErrConflict, maxNested)
	case t == json.Delim('{'):
		return r.object(depth)
	case t == json.Delim('['):
		return r.array(depth)
	}
	return t, nil
}

func (r jsonReader) object(depth int) (any, error) {
	all := map[string]any{}
	for r.More() {
		t, err := r.Token()
		if err != nil {
			return nil, err
		}
		name := t.(string) // the decoder takes nothing else here
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("%w: %.40q is given twice", ecs.ErrConflict, name)
		}
		if all[name], err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	_, err := r.Token()
	return all, err
}

func (r jsonReader) array(depth int) (any, error) {
	list := []any{}
	for r.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := r.Token()
	return list, err
}

// jsonNumber returns a number as a float64. A whole number that rounds to another one is
// refused; where the field is a float, rounding is what it does.
func jsonNumber(f *ecs.Field, n json.Number) (float64, error) {
	v, err := n.Float64()
	if err != nil {
		return 0, fmt.Errorf("%w: %s cannot hold the number %.40s", ecs.ErrRange, f.Name, string(n))
	}
	if f.Kind != ecs.F32 && f.Kind != ecs.F64 && math.Abs(v) >= exact {
		if i, err := n.Int64(); err != nil || i > exact || i < -exact {
			return 0, fmt.Errorf("%w: %s cannot hold the number %.40s exactly", ecs.ErrRange, f.Name, string(n))
		}
	}
	return v, nil
}
