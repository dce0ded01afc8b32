package twin

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// layouts are the field lists that a type defined at run time takes in turn: two of the
// same size that differ in order, one with fewer bytes, one with many more, and
// last a tag, in which the number that a value is made from is lost.
func layouts() [][]ecs.Field {
	now, most := ecs.Field{Name: "now", Kind: ecs.I32}, ecs.Field{Name: "max", Kind: ecs.I32}
	return [][]ecs.Field{
		{now, most},
		{most, now},
		{now},
		{{Name: "pad", Kind: ecs.F64}, now, {Name: "wide", Kind: ecs.F32, Len: 60}, most},
		{},
	}
}

// schemaOf returns the schema of a layout under a name, with the layout's version.
func schemaOf(name string, layout int) ecs.Schema {
	return ecs.Schema{Name: name, Fields: layouts()[layout], Version: layout + 1}
}

// write stores the value that is made from n at p.
func write(s *ecs.Schema, p unsafe.Pointer, n int) {
	for i := range s.Fields {
		f, at := &s.Fields[i], unsafe.Add(p, s.Fields[i].Offset)
		switch f.Name {
		case "now":
			*(*int32)(at) = int32(n)
		case "max":
			*(*int32)(at) = int32(n + 1)
		case "pad":
			*(*float64)(at) = float64(n)
		case "wide":
			wide := unsafe.Slice((*float32)(at), f.Len)
			wide[0], wide[f.Len-1] = float32(n), float32(-n)
		}
	}
}

// holds reports whether the value at p is the one made from n.
func holds(s *ecs.Schema, p unsafe.Pointer, n int) bool {
	for i := range s.Fields {
		f, at := &s.Fields[i], unsafe.Add(p, s.Fields[i].Offset)
		ok := true
		switch f.Name {
		case "now":
			ok = *(*int32)(at) == int32(n)
		case "max":
			ok = *(*int32)(at) == int32(n+1)
		case "pad":
			ok = *(*float64)(at) == float64(n)
		case "wide":
			wide := unsafe.Slice((*float32)(at), f.Len)
			ok = wide[0] == float32(n) && wide[f.Len-1] == float32(-n)
		}
		if !ok {
			return false
		}
	}
	return true
}

// made returns room for a value, with that of n in it.
func made(s *ecs.Schema, n int) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(make([]uint64, s.Size/8+1)))
	write(s, p, n)
	return p
}

// defined registers a type at run time, as scripts do.
func defined(w *ecs.World, name string, sparse bool) kind {
	id, err := w.Raw().Define(schemaOf(name, 0), sparse, ecs.Tracked)
	if err != nil {
		panic(err) // the definition above is right: a bug in this package
	}
	return kind{
		id:      id,
		defined: name,
		tracked: true,
		value:   func(n int) ecs.Value { return w.Raw().ValueAt(id, made(w.Raw().Schema(id), n)) },
		holds:   func(p unsafe.Pointer, n int) bool { return holds(w.Raw().Schema(id), p, n) },
		write:   func(p unsafe.Pointer, n int) { write(w.Raw().Schema(id), p, n) },
		get: func(e ecs.Entity, n int) (bool, bool) {
			p := w.Raw().Pointer(e, id)
			return p != nil && holds(w.Raw().Schema(id), p, n), p != nil
		},
	}
}
