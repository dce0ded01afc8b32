package ecs

import (
	"reflect"
	"unsafe"
)

// refs changes the handles inside component values: of entities that were copied
// or moved together, so that they name each other's copies.
//
// Reached are fields of type Entity, in structs and arrays, as the schema shows
// them; in types with Go pointers, exported fields and slices too, which are
// copied first, because the old value keeps its own. Maps, pointers, interfaces
// and slices more than 32 deep are not followed.
type refs struct {
	// replace says what becomes of a handle that is not 0.
	replace func(Entity) Entity
	depth   int // of slices within slices
}

// maxNesting bounds slices within slices: one can be made to hold itself.
const maxNesting = 32

// holds reports whether values of a component can name entities that replace
// reaches.
func (c *component) holds() bool {
	if c.heap {
		return typeHolds(c.typ, nil)
	}
	return fieldsHold(c.schema.Fields)
}

func fieldsHold(fields []Field) bool {
	for i := range fields {
		if fields[i].Kind == Ref || fieldsHold(fields[i].Fields) {
			return true
		}
	}
	return false
}

// typeHolds looks into a type; within are those that it is part of.
func typeHolds(t reflect.Type, within []reflect.Type) bool {
	for _, outer := range within {
		if outer == t {
			return false // a type that holds slices of itself
		}
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return typeHolds(t.Elem(), within)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && typeHolds(f.Type, within) {
				return true
			}
		}
	}
	return t == reflect.TypeFor[Entity]()
}

// value changes the value of a component at p in place.
func (r *refs) value(c *component, p unsafe.Pointer) {
	if c.heap {
		r.typed(reflect.NewAt(c.typ, p).Elem())
		return
	}
	r.fields(c.schema.Fields, p)
}

func (r *refs) fields(fields []Field, p unsafe.Pointer) {
	for i := range fields {
		f := &fields[i]
		if f.Kind != Ref && f.Kind != Struct {
			continue
		}
		for j := range max(f.Len, 1) {
			at := unsafe.Add(p, f.Offset+uintptr(j)*f.Stride)
			if f.Kind == Struct {
				r.fields(f.Fields, at)
			} else if e := (*Entity)(at); *e != 0 {
				*e = r.replace(*e)
			}
		}
	}
}

func (r *refs) typed(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.typed(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() == 0 || r.depth == maxNesting || !typeHolds(v.Type().Elem(), nil) {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		r.depth++
		r.elements(own)
		r.depth--
	case reflect.Array:
		r.elements(v)
	case reflect.Uint64:
		if v.Type() == reflect.TypeFor[Entity]() && v.Uint() != 0 {
			v.SetUint(uint64(r.replace(Entity(v.Uint()))))
		}
	}
}

func (r *refs) elements(v reflect.Value) {
	for i := range v.Len() {
		r.typed(v.Index(i))
	}
}
