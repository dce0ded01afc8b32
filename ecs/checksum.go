package ecs

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"reflect"
	"unsafe"
)

// Checksum hashes what a game sees: every entity and every component value, in
// iteration order. Two worlds with the same history have the same checksum,
// whatever their tags. It reads everything.
//
// Why SHA-256? It is in the standard library, fast where it matters and the
// same everywhere; eight bytes of it are kept.
func (w *World) Checksum() uint64 {
	s := summer{h: sha256.New()}
	for _, a := range w.archetypes[limbo+1:] {
		if a.count == 0 {
			continue
		}
		for _, id := range a.ids {
			s.text(w.components[id].schema.Name)
		}
		for _, c := range a.chunks {
			s.chunk(w, c, a.ids)
		}
	}
	for _, p := range w.pools {
		if p.len() > 0 {
			s.text(p.of().schema.Name)
			for i := 0; p.page(i) != nil; i++ {
				s.chunk(w, p.page(i), []ComponentID{p.of().id})
			}
		}
	}
	return binary.LittleEndian.Uint64(s.h.Sum(nil))
}

// summer feeds a hash through a buffer.
type summer struct {
	h     hash.Hash
	buf   []byte
	depth int // of slices within slices; see maxNesting
}

func (s *summer) text(t string) {
	s.h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(t))))
	s.h.Write([]byte(t))
}

func (s *summer) chunk(w *World, c *Chunk, ids []ComponentID) {
	s.buf = binary.LittleEndian.AppendUint64(s.buf[:0], uint64(c.n))
	for _, e := range c.Entities() {
		s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(e&^tagBits))
	}
	for _, id := range ids {
		info := w.components[id]
		p := c.column(id)
		for i := range c.n {
			s.value(info, unsafe.Add(p, uintptr(i)*info.size))
		}
	}
	s.h.Write(s.buf)
}

// value appends one component value, field by field: bytes between fields are
// padding and mean nothing.
func (s *summer) value(info *component, p unsafe.Pointer) {
	if info.heap {
		s.pointers(reflect.NewAt(info.typ, p).Elem())
		return
	}
	s.fields(info.schema.Fields, p)
}

func (s *summer) fields(fields []Field, p unsafe.Pointer) {
	for i := range fields {
		f := &fields[i]
		for j := range max(f.Len, 1) {
			s.field(f, unsafe.Add(p, f.Offset+uintptr(j)*f.Stride))
		}
	}
}

func (s *summer) field(f *Field, p unsafe.Pointer) {
	switch f.Kind {
	case Struct:
		s.fields(f.Fields, p)
	case Ref:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(*(*Entity)(p)&^tagBits))
	case Opaque:
		s.buf = append(s.buf, unsafe.Slice((*byte)(p), f.Stride)...)
	default:
		s.buf = append(s.buf, unsafe.Slice((*byte)(p), f.Kind.Size())...)
	}
}

// pointers appends the exported scalars, strings and slices of a value with Go
// pointers.
func (s *summer) pointers(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				s.pointers(v.Field(i))
			}
		}
	case reflect.String:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(v.Len()))
		s.buf = append(s.buf, v.String()...)
	case reflect.Slice, reflect.Array:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(v.Len()))
		if s.depth == maxNesting {
			return
		}
		s.depth++
		for i := range v.Len() {
			s.pointers(v.Index(i))
		}
		s.depth--
	case reflect.Uint64:
		n := v.Uint()
		if v.Type() == reflect.TypeFor[Entity]() {
			n &^= uint64(tagBits)
		}
		s.buf = binary.LittleEndian.AppendUint64(s.buf, n)
	default:
		if v.Kind() <= reflect.Complex128 { // maps and pointers have no order to hash in
			s.buf = append(s.buf, unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size())...)
		}
	}
}
