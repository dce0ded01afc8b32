package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Of reads a Go type. Fields that are not exported are left out, and so is a field
// tagged `ecs:"-"`; `ecs:"name"` renames, and on a uint8 field
// `ecs:"name,enum=idle|walk"` names its values. A type that is no struct has one field,
// "value". The type of handles, which are fields of kind [Ref], is given by the caller.
// It reads the type anew each time: keep the result.
func Of(name string, t, handle reflect.Type) *Schema {
	s := &Schema{Name: name, Size: t.Size(), Align: uintptr(t.Align())}
	r := typeReader{handle}
	if t.Kind() == reflect.Struct {
		s.Fields = r.structFields(t)
	} else {
		s.Fields = []Field{r.field("value", t, 0)}
	}
	return s
}

// typeReader reads Go types.
type typeReader struct{ handle reflect.Type }

func (r typeReader) structFields(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, names, ok := readTag(sf)
		if !ok {
			continue
		}
		f := r.field(name, sf.Type, sf.Offset)
		if len(names) > 0 && f.Kind == U8 {
			f.Kind, f.Names = Enum, names
		}
		fields = append(fields, f)
	}
	return fields
}

// readTag returns a field's name and the names of an enum; ok is false for a field that
// scripts do not see.
func readTag(sf reflect.StructField) (name string, names []string, ok bool) {
	tag := sf.Tag.Get("ecs")
	if !sf.IsExported() || tag == "-" {
		return "", nil, false
	}
	name, option, _ := strings.Cut(tag, ",")
	if list, found := strings.CutPrefix(option, "enum="); found {
		names = strings.Split(list, "|")
	}
	if name == "" {
		name = snake(sf.Name)
	}
	return name, names, true
}

// CheckTags says what is wrong with the tags of a struct's fields, nil if nothing is: an option that
// there is not, an enum that is no uint8 or has a word twice, a name that is no name or that two
// fields have. [Of] passes such mistakes over.
func CheckTags(t reflect.Type) error {
	if t.Kind() == reflect.Array {
		return CheckTags(t.Elem())
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	owners := map[string]string{}
	for i := range t.NumField() {
		sf := t.Field(i)
		name, names, ok := readTag(sf)
		if !ok {
			continue
		}
		wrong := wrongTag(sf, name, names)
		if first := owners[name]; wrong == "" && first != "" {
			wrong = fmt.Sprintf("the field %s has the name %q, too", first, name)
		}
		if wrong != "" {
			return fmt.Errorf("field %s of %s: %s", sf.Name, t, wrong)
		}
		owners[name] = sf.Name
		if err := CheckTags(sf.Type); err != nil {
			return err
		}
	}
	return nil
}

// wrongTag says what is wrong with the tag of one field, "" if nothing is.
func wrongTag(sf reflect.StructField, name string, names []string) string {
	_, option, _ := strings.Cut(sf.Tag.Get("ecs"), ",")
	if strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return fmt.Sprintf("%q is no name: it is made of letters, digits and _", name)
	}
	if option != "" && !strings.HasPrefix(option, "enum=") {
		return fmt.Sprintf("unknown option %q in the tag; there is enum=", option)
	}
	if len(names) > 0 && sf.Type.Kind() != reflect.Uint8 {
		return fmt.Sprintf("an enum is a uint8, and the field is a %s", sf.Type)
	}
	for i, word := range names {
		if slices.Contains(names[:i], word) {
			return fmt.Sprintf("the enum has the word %q twice", word)
		}
	}
	return ""
}

// goKinds are the kinds of Go's basic types on a 64-bit platform.
var goKinds = map[reflect.Kind]Kind{
	reflect.Bool: Bool, reflect.Int8: I8, reflect.Int16: I16, reflect.Int32: I32, reflect.Int64: I64, reflect.Int: I64,
	reflect.Uint8: U8, reflect.Uint16: U16, reflect.Uint32: U32, reflect.Uint64: U64, reflect.Uint: U64,
	reflect.Float32: F32, reflect.Float64: F64, reflect.String: String,
}

// field describes a value of a type; an array of one dimension is a field of Len
// elements.
func (r typeReader) field(name string, t reflect.Type, offset uintptr) Field {
	f := Field{Name: name, Offset: offset, Stride: t.Size()}
	if t.Kind() == reflect.Array && t.Len() > 0 && t.Elem().Kind() != reflect.Array {
		f.Len, t = t.Len(), t.Elem()
		f.Stride = t.Size()
	}
	switch {
	case t.Kind() == reflect.Array:
		f.Kind = Opaque // of no elements, or of arrays
	case t == r.handle:
		f.Kind = Ref
	case t.Kind() == reflect.Struct:
		f.Kind, f.Fields = Struct, r.structFields(t)
	case goKinds[t.Kind()] != 0 && (t.Kind() != reflect.Int && t.Kind() != reflect.Uint || t.Size() == 8):
		f.Kind = goKinds[t.Kind()]
	case t.Kind() == reflect.Int || t.Kind() == reflect.Uint:
		f.Kind = goKinds[t.Kind()] - 1 // 32-bit platforms
	default:
		f.Kind = Opaque
	}
	return f
}

// snake turns MaxHP into max_hp.
func snake(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// HasPointers reports whether values of t hold anything the collector follows.
func HasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && HasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if HasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128
}
