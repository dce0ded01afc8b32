// Package schema says how values lie in memory: what a field is, how fields make a
// component or an event, and where the tables are that lead from a handle to a value.
//
// There are four nouns. A [Kind] is what one element of a field holds. A [Field] has a
// kind, a name and a place. A [Schema] is a named list of fields. A [MemoryMap] says
// where in a world's memory the values are.
//
// It is a leaf: package ecs uses it and gives its names on, and so does whatever works
// on a world's bytes without a world, such as the compiler of scripts.
//
// Invariant: fields that were laid out by [Schema.Layout] lie where Go puts the fields
// of a struct of the same types, so a Go type and a schema can share one component.
package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Sentinels: an error of this package wraps one of them. Package ecs has them, too.
var (
	// ErrConflict refuses fields that contradict each other, or a default of another size.
	ErrConflict = errors.New("conflict")
	// ErrRange refuses a number that a field cannot hold, and sizes past the bounds.
	ErrRange = errors.New("number out of range")
)

// Field is one field of a component, an event or a nested struct.
type Field struct {
	Name   string   // as scripts see it: snake_case
	Kind   Kind     // of one element
	Offset uintptr  // from the start of the struct that holds it
	Len    int      // 0: a single value; n: a fixed array of n
	Stride uintptr  // bytes from one array element to the next
	Names  []string // for Enum
	Fields []Field  // for Struct
}

// maxSize bounds what is defined at run time, in bytes: 16 rows share a chunk.
const maxSize = 1 << 20

// Schema describes a component or an event. Layout fills in Size, Align and the fields'
// Offset and Stride; Raw.Define calls it, and keeps a copy.
type Schema struct {
	Name    string
	Fields  []Field
	Size    uintptr
	Align   uintptr
	Default []byte // the value a script gets when it names none; nil: zero bytes
	Version int    // declared by scripts, for migration

	places map[string]int // of many fields, by name; nil where they are few
}

// manyFields is how many fields are better found with a map.
const manyFields = 16

// place makes fields of a name quick to find where there are many.
func (s *Schema) place() {
	s.places = nil
	if len(s.Fields) <= manyFields {
		return
	}
	s.places = make(map[string]int, len(s.Fields))
	for i := range s.Fields {
		s.places[s.Fields[i].Name] = i
	}
}

// Field returns the field of that name, or nil. It takes O(1) for a name that a schema
// has which was laid out, and O(fields) otherwise.
func (s *Schema) Field(name string) *Field {
	if i, ok := s.places[name]; ok && i < len(s.Fields) && s.Fields[i].Name == name {
		return &s.Fields[i]
	}
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// Same reports whether two schemas describe the same bytes under the same names.
func (s *Schema) Same(o *Schema) bool {
	return s.Name == o.Name && s.Size == o.Size && sameFields(s.Fields, o.Fields)
}

func sameFields(a, b []Field) bool {
	return slices.EqualFunc(a, b, func(x, y Field) bool {
		return x.Name == y.Name && x.Kind == y.Kind && x.Offset == y.Offset && x.Len == y.Len &&
			slices.Equal(x.Names, y.Names) && sameFields(x.Fields, y.Fields)
	})
}

// Difference is something that two schemas say differently: about a field or, with Field
// empty, about the whole. Of and Other are what each says, "" where it has no such field.
type Difference struct{ Field, Of, Other string }

// Differences lists what two schemas say differently about their fields, in the order of
// the first, then those that only the other one has. Fields of nested structs are named
// with a dot. It is empty when [Schema.Same] holds, names of the schemas aside.
func (s *Schema) Differences(o *Schema) []Difference {
	all := differences("", s.Fields, o.Fields)
	if len(all) == 0 && s.Size != o.Size { // a field that scripts do not see takes room
		all = append(all, Difference{"", fmt.Sprintf("%d bytes", s.Size), fmt.Sprintf("%d bytes", o.Size)})
	}
	return all
}

// differences lists them for the fields of a struct; within is its name, with a dot.
func differences(within string, a, b []Field) (all []Difference) {
	for i := range a {
		x, y := &a[i], find(b, a[i].Name)
		switch {
		case y == nil:
			all = append(all, Difference{within + x.Name, x.shape(), ""})
		case x.shape() != y.shape():
			all = append(all, Difference{within + x.Name, x.shape(), y.shape()})
		case x.Kind == Struct && !sameFields(x.Fields, y.Fields):
			all = append(all, differences(within+x.Name+".", x.Fields, y.Fields)...)
		case x.Offset != y.Offset:
			all = append(all, Difference{within + x.Name, fmt.Sprintf("at byte %d", x.Offset), fmt.Sprintf("at byte %d", y.Offset)})
		}
	}
	for i := range b {
		if find(a, b[i].Name) == nil {
			all = append(all, Difference{within + b[i].Name, "", b[i].shape()})
		}
	}
	return all
}

// find returns the field of a name, or nil.
func find(fields []Field, name string) *Field {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &fields[i]
}

// shape says what a field is, without its place: "f32", "[3]u8", "enum idle|walk".
func (f *Field) shape() string {
	text := f.Kind.String()
	if f.Kind == Enum {
		text += " " + strings.Join(f.Names, "|")
	}
	if f.Len > 0 {
		text = fmt.Sprintf("[%d]%s", f.Len, text)
	}
	return text
}

// Layout gives every field its place, in order, each at the alignment that Go gives it on
// this machine, and fills in Size and Align. Define does it too; call it to know the places
// before. The error wraps ErrConflict or ErrRange.
func (s *Schema) Layout() error {
	if err := checkFields(s.Name, s.Fields); err != nil {
		return err
	}
	s.Fields, s.Default = cloneFields(s.Fields), slices.Clone(s.Default)
	size, align := arrange(s.Fields)
	if size > maxSize {
		return fmt.Errorf("%w: %q would have more than %d bytes", ErrRange, s.Name, maxSize)
	}
	s.Size, s.Align = size, align
	s.place()
	if s.Default != nil && uintptr(len(s.Default)) != s.Size {
		return fmt.Errorf("%w: default of %q has %d bytes, the type has %d", ErrConflict, s.Name, len(s.Default), s.Size)
	}
	return nil
}

func checkFields(owner string, fields []Field) error {
	seen := map[string]bool{}
	for _, f := range fields {
		switch {
		case !utf8.ValidString(f.Name) || slices.ContainsFunc(f.Names, func(word string) bool { return !utf8.ValidString(word) }):
			return fmt.Errorf("%w: field %q of %q, or a word of it, is no UTF-8", ErrConflict, f.Name, owner)
		case f.Name == "" || seen[f.Name]:
			return fmt.Errorf("%w: field %q of %q is empty or given twice", ErrConflict, f.Name, owner)
		case f.Kind == 0 || f.Kind >= String:
			return fmt.Errorf("%w: field %q of %q cannot be a %s here", ErrConflict, f.Name, owner, f.Kind)
		case f.Len < 0 || f.Len > 4096:
			return fmt.Errorf("%w: field %q of %q has %d elements, 0 to 4096 are possible", ErrRange, f.Name, owner, f.Len)
		case len(f.Names) > 256:
			return fmt.Errorf("%w: field %q of %q has %d names, 256 are possible", ErrRange, f.Name, owner, len(f.Names))
		}
		seen[f.Name] = true
		if err := checkFields(owner+"."+f.Name, f.Fields); err != nil {
			return err
		}
	}
	return nil
}

func cloneFields(fields []Field) []Field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Names = slices.Clone(fields[i].Names)
		fields[i].Fields = cloneFields(fields[i].Fields)
	}
	return fields
}

// mostAlign is the alignment of numbers of 8 bytes in Go's structs: 8, or 4 where words have 32 bits.
// A layout is for the memory of one process, and Go types share it.
const mostAlign = unsafe.Alignof(uint64(0))

// arrange places the fields and returns what they need. A size above maxSize
// only says that it is: nested arrays could ask for more than a number can tell.
func arrange(fields []Field) (size, align uintptr) {
	align = 1
	for i := range fields {
		f := &fields[i]
		n, a := f.Kind.Size(), min(f.Kind.Size(), mostAlign)
		if f.Kind == Struct {
			n, a = arrange(f.Fields)
		}
		a = max(a, 1)
		size = (size + a - 1) &^ (a - 1)
		f.Offset, f.Stride = size, n
		size = min(size+min(n*uintptr(max(f.Len, 1)), 2*maxSize), 2*maxSize)
		align = max(align, a)
	}
	return (size + align - 1) &^ (align - 1), align
}

// CheckValues refuses values, which lie so many bytes apart, of which a bool is neither true nor false, or an enum none of
// its words: code takes for granted that they are. All other fields may hold what they like: a field of entities any
// number, as it may in a world. The error wraps [ErrRange].
func (s *Schema) CheckValues(values []byte, apart int) error {
	return checkValues(s.Fields, values, apart, 0)
}

// checkValues is CheckValues for fields whose owners begin at some place of each value.
func checkValues(fields []Field, values []byte, apart int, owner uintptr) error {
	for i := range fields {
		f, most := &fields[i], 1
		switch f.Kind {
		case Struct:
			for e := range max(f.Len, 1) {
				if err := checkValues(f.Fields, values, apart, owner+f.Offset+uintptr(e)*f.Stride); err != nil {
					return err
				}
			}
			continue
		case Enum:
			most = len(f.Names) - 1
		case Bool:
		default:
			continue
		}
		for at := int(owner + f.Offset); at < len(values); at += apart {
			for e := range max(f.Len, 1) {
				if v := values[at+e*int(f.Stride)]; int(v) > most {
					return fmt.Errorf("%w: field %q, a %v, holds the byte %d", ErrRange, f.Name, f.Kind, v)
				}
			}
		}
	}
	return nil
}
