package scene

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
)

// field is a field of a component that is an atom: a number, a text, an entity and so on, or an
// array. Nested structs are passed through. Opaque fields, which scripts cannot see, do not count.
type field struct {
	path      string // "hp", "at.x"
	ecs.Field        // its Offset is that in the component
}

// fieldsOf lists the atoms of a component in the order of its schema.
func fieldsOf(s *ecs.Schema) (all []field) { return appendFields(nil, "", 0, s.Fields) }

func appendFields(all []field, within string, base uintptr, fields []ecs.Field) []field {
	for _, f := range fields {
		path := f.Name
		if within != "" {
			path = within + "." + f.Name
		}
		f.Offset += base
		switch {
		case f.Kind == ecs.Opaque:
		case f.Kind == ecs.Struct && f.Len == 0:
			all = appendFields(all, path, f.Offset, f.Fields)
		default:
			all = append(all, field{path, f})
		}
	}
	return all
}

// pieces lists the places of a field that hold values.
func pieces(list []ecs.Piece, f *ecs.Field, base uintptr) []ecs.Piece {
	for i := range max(f.Len, 1) {
		at := base + uintptr(i)*f.Stride
		switch f.Kind {
		case ecs.Opaque:
		case ecs.Struct:
			for j := range f.Fields {
				list = pieces(list, &f.Fields[j], at+f.Fields[j].Offset)
			}
		case ecs.String:
			list = append(list, ecs.Piece{Offset: at, Size: unsafe.Sizeof(""), Text: true})
		default:
			list = append(list, ecs.Piece{Offset: at, Size: f.Kind.Size()})
		}
	}
	return list
}

// namer says how an entity is written.
type namer func(ecs.Entity) string

// text appends what a field holds.
func (f *field) text(to []byte, base unsafe.Pointer, name namer) []byte {
	return appendField(to, unsafe.Add(base, f.Offset), &f.Field, name)
}

func appendField(to []byte, at unsafe.Pointer, f *ecs.Field, name namer) []byte {
	if f.Len == 0 {
		return appendOne(to, at, f, name)
	}
	to = append(to, '[')
	for i := range f.Len {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendOne(to, unsafe.Add(at, uintptr(i)*f.Stride), f, name)
	}
	return append(to, ']')
}

func appendOne(to []byte, at unsafe.Pointer, f *ecs.Field, name namer) []byte {
	switch f.Kind {
	case ecs.Struct:
		to = append(to, '{')
		for i := range f.Fields {
			if f.Fields[i].Kind == ecs.Opaque {
				continue
			}
			to = appendField(append(to, ' '), unsafe.Add(at, f.Fields[i].Offset), &f.Fields[i], name)
		}
		return append(to, '}')
	case ecs.String:
		return strconv.AppendQuote(to, *(*string)(at))
	case ecs.Ref:
		return append(to, name(*(*ecs.Entity)(at))...)
	case ecs.I64:
		return strconv.AppendInt(to, *(*int64)(at), 10)
	case ecs.U64:
		return strconv.AppendUint(to, *(*uint64)(at), 10)
	case ecs.F32:
		return strconv.AppendFloat(to, f.Kind.Load(at), 'g', -1, 32)
	case ecs.Enum:
		if n := int(f.Kind.Load(at)); n < len(f.Names) {
			return append(to, f.Names[n]...)
		}
	}
	return strconv.AppendFloat(to, f.Kind.Load(at), 'g', -1, 64)
}

// newValue returns memory for a value of a component, filled with another one, or with the default.
func newValue(r ecs.Raw, id ecs.ComponentID, from unsafe.Pointer) unsafe.Pointer {
	if from == nil {
		from = r.Default(id)
	}
	if t := r.GoType(id); t != nil {
		p := reflect.New(t)
		if from != nil {
			p.Elem().Set(reflect.NewAt(t, from).Elem())
		}
		return p.UnsafePointer()
	}
	size := r.Schema(id).Size
	p := unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8+1)))
	if size > 0 && from != nil {
		copy(unsafe.Slice((*byte)(p), size), unsafe.Slice((*byte)(from), size))
	}
	return p
}

// reference is a field, or an element of one, that holds an entity of the scene.
type reference struct {
	offset uintptr
	name   Mention
	target int // among the entities of the plan
}

// filler stores what a file says into a value.
type filler struct {
	*problems
	base  unsafe.Pointer
	links []reference
}

// record stores a table of fields.
func (w *filler) record(path string, offset uintptr, fields []ecs.Field, v *data.Datum) {
	if v.Kind != data.Record {
		w.add(v.Offset, "%s: expected a table of fields, got %s", path, v.Kind)
		return
	}
	for i, key := range v.Keys {
		if w.full() {
			return
		}
		at := slices.IndexFunc(fields, func(f ecs.Field) bool { return f.Name == key && f.Kind != ecs.Opaque })
		if at < 0 {
			w.noField(path, fields, key, keyAt(v, i))
			continue
		}
		f := &fields[at]
		w.field(path+"."+f.Name, offset+f.Offset, f, &v.Items[i])
	}
}

// noField says that there is no such field.
func (w *filler) noField(path string, fields []ecs.Field, key string, at uint32) {
	if w.full() {
		return
	}
	var names []string
	for _, f := range fields {
		if f.Kind != ecs.Opaque {
			names = append(names, f.Name)
		}
	}
	hint := w.meant(key, func() []string { return names })
	switch {
	case len(names) == 0:
		hint = ": it has no fields, so write {} or true"
	case hint == "" && len(names) <= 8:
		hint = ": it has " + diag.Choice(names)
	}
	w.add(at, "%s has no field %q%s", path, diag.Cut(key), hint)
}

// field stores a field.
func (w *filler) field(path string, offset uintptr, f *ecs.Field, v *data.Datum) {
	switch {
	case f.Len > 0:
		if v.Kind != data.List || len(v.Items) != f.Len {
			w.add(v.Offset, "%s: expected a list of %s, got %s", path, diag.Plural(f.Len, "value"), shownList(v))
			return
		}
		for i := range v.Items {
			w.one(fmt.Sprintf("%s, item %d", path, i+1), offset+uintptr(i)*f.Stride, f, &v.Items[i])
		}
	default:
		w.one(path, offset, f, v)
	}
}

func shownList(v *data.Datum) string {
	if v.Kind == data.List {
		return diag.Format("one of %d", len(v.Items))
	}
	return v.Kind.String()
}

// one stores a value that is no array.
func (w *filler) one(path string, offset uintptr, f *ecs.Field, v *data.Datum) {
	at := unsafe.Add(w.base, offset)
	switch f.Kind {
	case ecs.Struct:
		w.record(path, offset, f.Fields, v)
	case ecs.String:
		if w.is(path, "a text", data.Text, v) {
			*(*string)(at) = v.Text
		}
	case ecs.Bool:
		if w.is(path, "true or false", data.Truth, v) {
			f.Kind.Store(at, v.Number)
		}
	case ecs.Enum:
		w.enum(path, at, f, v)
	case ecs.Ref:
		w.entity(path, offset, f, v)
	default:
		w.number(path, at, f, v)
	}
}

// is reports whether a value is of a kind, and notes a problem otherwise.
func (w *filler) is(path, what string, kind data.DatumKind, v *data.Datum) bool {
	if v.Kind != kind {
		w.add(v.Offset, "%s: expected %s, got %s", path, what, v.Kind)
	}
	return v.Kind == kind
}

// enum stores a word.
func (w *filler) enum(path string, at unsafe.Pointer, f *ecs.Field, v *data.Datum) {
	if !w.is(path, "one of the words "+diag.Choice(f.Names), data.Text, v) {
		return
	}
	i := slices.Index(f.Names, v.Text)
	if i < 0 {
		w.add(v.Offset, "%s: there is no word %q%s", path, diag.Cut(v.Text), diag.OneOf(v.Text, f.Names))
		return
	}
	f.Kind.Store(at, float64(i))
}

// entity notes which entity a field holds. The number 0 is nobody.
func (w *filler) entity(path string, offset uintptr, f *ecs.Field, v *data.Datum) {
	switch {
	case v.Kind == data.Number && v.Number == 0:
		f.Kind.Store(unsafe.Add(w.base, offset), 0)
	case w.is(path, "the name of an entity of this scene, or 0", data.Text, v):
		w.links = append(w.links, reference{offset: offset, name: Mention{v.Text, v.Offset}})
	}
}

// notFinite are the floats that no file writes as numbers.
var notFinite = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}

// number stores a number.
func (w *filler) number(path string, at unsafe.Pointer, f *ecs.Field, v *data.Datum) {
	float := f.Kind == ecs.F32 || f.Kind == ecs.F64
	if x, ok := notFinite[v.Text]; ok && float && v.Kind == data.Text {
		f.Kind.Store(at, x)
		return
	}
	if !w.is(path, "a number", data.Number, v) {
		return
	}
	if err := f.Kind.Fit(v.Number); err != nil {
		low, high := f.Kind.Range()
		w.add(v.Offset, "%s is %s and takes whole numbers from %s to %s, and not %s", path, f.Kind, strconv.FormatFloat(low, 'f', 0, 64), strconv.FormatFloat(high, 'f', 0, 64), strconv.FormatFloat(v.Number, 'g', -1, 64))
		return
	}
	if f.Kind == ecs.F32 && math.IsInf(float64(float32(v.Number)), 0) {
		w.add(v.Offset, "%s is f32, and %s is too large for it", path, strconv.FormatFloat(v.Number, 'g', -1, 64))
		return
	}
	f.Kind.Store(at, v.Number)
}
