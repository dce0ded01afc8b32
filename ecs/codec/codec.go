package codec

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

var (
	// ErrNone says that nobody has said how values of a Go type are written and read.
	ErrNone = errors.New("no codec")
	// ErrMemory says that a value would take more memory than there may be: see [Codec.DecodeWithin].
	ErrMemory = errors.New("too little memory")
)

// Codec says how values of a Go type are written and read: see [Of] and [JSON].
type Codec struct {
	typ    reflect.Type
	text   bool
	plain  bool // decode is not used: readPlain counts what a value takes
	encode func(from unsafe.Pointer) ([]byte, error)
	decode func(to unsafe.Pointer, data []byte) error
}

// Type returns the type of the values.
func (c *Codec) Type() reflect.Type { return c.typ }

// Text reports whether the bytes are text, for those who look into a save.
func (c *Codec) Text() bool { return c.text }

// Plain reports whether the bytes are JSON of this package.
func (c *Codec) Plain() bool { return c.plain }

// Of is a codec of two functions: decode makes a value of what encode has returned, and may get
// anything else, from a file that somebody has written by hand. Both may be called from any
// goroutine.
func Of[T any](encode func(T) ([]byte, error), decode func([]byte) (T, error)) Codec {
	return Codec{
		typ:    reflect.TypeFor[T](),
		encode: func(from unsafe.Pointer) ([]byte, error) { return encode(*(*T)(from)) },
		decode: func(to unsafe.Pointer, data []byte) (err error) {
			v, err := decode(data)
			if err == nil {
				*(*T)(to) = v
			}
			return err
		},
	}
}

// JSON is a codec for a type that package encoding/json writes and reads whole: what it leaves out,
// such as fields that are not exported, is lost.
func JSON[T any]() Codec {
	c := Of(func(v T) ([]byte, error) { return json.Marshal(v) }, func(data []byte) (v T, err error) {
		err = FromJSON(data, &v)
		return v, err
	})
	c.text = true
	return c
}

// FromJSON reads exactly one value of JSON, and no field that is not known. The errors say what was expected where, and
// wrap those of package encoding/json, or say that there is more after the value.
func FromJSON(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return &jsonError{err}
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after it")
	}
	return nil
}

// jsonError says an error of package encoding/json without the types of Go.
type jsonError struct{ error }

// Error implements error.
func (e *jsonError) Error() string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](e.error); ok {
		return fmt.Sprintf("byte %d: expected %s%s, got %s", wrong.Offset, jsonKind(wrong.Type), atPath(wrong.Field), withArticle(wrong.Value))
	}
	if wrong, ok := errors.AsType[*json.SyntaxError](e.error); ok {
		return fmt.Sprintf("byte %d: it is no JSON: %s", wrong.Offset, wrong.Error())
	}
	if errors.Is(e.error, io.ErrUnexpectedEOF) || errors.Is(e.error, io.EOF) {
		return "it ends too early"
	}
	return e.error.Error()
}

// Unwrap returns the error of package encoding/json.
func (e *jsonError) Unwrap() error { return e.error }

// jsonKind is what a type is in JSON.
func jsonKind(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number of at most " + strconv.Itoa(t.Bits()) + " bits"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	return "an object"
}

// atPath says where something is. Names of structs of Go that are in others are no part of it: they have no name in JSON.
func atPath(path string) string {
	names := slices.DeleteFunc(strings.Split(path, "."), func(name string) bool { return name == "" || name[0] >= 'A' && name[0] <= 'Z' })
	if len(names) == 0 {
		return ""
	}
	return " at " + strings.Join(names, ".")
}

// withArticle is what package encoding/json calls a value, in a sentence.
func withArticle(value string) string {
	switch kind, rest, _ := strings.Cut(value, " "); kind {
	case "bool":
		return "true or false"
	case "string":
		return "a text"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		if rest != "" {
			return rest
		}
		return "a number"
	}
	return value
}

// Set finds the codecs of types. It belongs to one goroutine.
type Set struct {
	given map[reflect.Type]*Codec
	found map[reflect.Type]*Codec
}

// NewSet returns a set of the codecs that a program has given, and of those of types that need none.
func NewSet(given []Codec) *Set {
	c := &Set{map[reflect.Type]*Codec{}, map[reflect.Type]*Codec{}}
	for i := range given {
		if given[i].typ != nil {
			c.given[given[i].typ] = &given[i]
		}
	}
	return c
}

// For returns the codec of a type. The error wraps ErrNone, and says which part of the type has none.
func (c *Set) For(t reflect.Type) (*Codec, error) {
	if k := c.given[t]; k != nil {
		return k, nil
	}
	if k := c.found[t]; k != nil {
		return k, nil
	}
	k := byMethods(t)
	if k == nil {
		if path, why := opaque(t, "", nil); why != "" {
			return nil, fmt.Errorf("%w: %s cannot be written: %s %s; give the type MarshalBinary and UnmarshalBinary, or a codec in Options.Codecs",
				ErrNone, t, inWords(path), why)
		}
		k = &Codec{typ: t, text: true, plain: true,
			encode: func(from unsafe.Pointer) ([]byte, error) {
				return appendPlain(nil, reflect.NewAt(t, from).Elem(), deepest), nil
			},
		}
	}
	c.found[t] = k
	return k, nil
}

// inWords names a part of a value.
func inWords(path string) string {
	if path == "" {
		return "it"
	}
	return path[1:]
}

// byMethods returns the codec of a type that knows itself how it is written, or nil.
func byMethods(t reflect.Type) *Codec {
	p := reflect.PointerTo(t)
	switch {
	case p.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) && p.Implements(reflect.TypeFor[encoding.BinaryUnmarshaler]()):
		return &Codec{typ: t,
			encode: func(from unsafe.Pointer) ([]byte, error) {
				return reflect.NewAt(t, from).Interface().(encoding.BinaryMarshaler).MarshalBinary()
			},
			decode: func(to unsafe.Pointer, data []byte) error {
				return reflect.NewAt(t, to).Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
			}}
	case p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &Codec{typ: t, text: true,
			encode: func(from unsafe.Pointer) ([]byte, error) {
				return reflect.NewAt(t, from).Interface().(encoding.TextMarshaler).MarshalText()
			},
			decode: func(to unsafe.Pointer, data []byte) error {
				return reflect.NewAt(t, to).Interface().(encoding.TextUnmarshaler).UnmarshalText(data)
			}}
	}
	return nil
}

// Encode encodes the value at an address. What the program's own code panics with becomes an error.
func (c *Codec) Encode(from unsafe.Pointer) (data []byte, err error) {
	defer recovered(&err, c.typ)
	return c.encode(from)
}

// Decode decodes a value to an address, where a value of the type is. Data may be anything.
func (c *Codec) Decode(to unsafe.Pointer, data []byte) (err error) {
	left := math.MaxInt
	return c.DecodeWithin(to, data, &left, nil)
}

// DecodeWithin is Decode for one of many values that may take so many bytes of memory together: it subtracts from left
// what the value takes beside itself. The error wraps ErrMemory if there is too little. Of codecs of the program only
// the data count.
//
// The value may be one that an earlier version of the program has written. Fields that the type has no more are
// given to gone as "Type.Field", each as often as it comes; where gone is nil they are an error. Those that it did not
// have yet stay what they are. That is so for a type whose codec is Plain; other codecs see to it themselves.
func (c *Codec) DecodeWithin(to unsafe.Pointer, data []byte, left *int, gone func(field string)) (err error) {
	defer recovered(&err, c.typ)
	if c.plain {
		return readPlain(reflect.NewAt(c.typ, to).Elem(), data, left, gone)
	}
	if *left -= len(data); *left < 0 {
		return fmt.Errorf("%w: for %d bytes", ErrMemory, len(data))
	}
	return c.decode(to, data)
}

// FromPlain reads a value as types are written that need no codec, see [Codec.Plain], into what a pointer leads to. With
// it, a type whose fields have got other names reads what was saved before, in UnmarshalText:
//
//	func (p *Pack) UnmarshalText(text []byte) error {
//		var old struct{ Items map[string]int32; Names []string } // as it was
//		err := codec.FromPlain(text, &old)
//		*p = Pack{Items: old.Items, Labels: old.Names}
//		return err
//	}
//
// The error says what does not fit. It wraps [ErrNone] for what is no pointer to such a type.
func FromPlain(text []byte, to any) (err error) {
	p := reflect.ValueOf(to)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("%w: a value is read into what a pointer leads to, not into %T", ErrNone, to)
	}
	t := p.Type().Elem()
	if path, why := opaque(t, "", nil); why != "" {
		return fmt.Errorf("%w: %s %s", ErrNone, inWords(path), why)
	}
	defer recovered(&err, t)
	left := math.MaxInt
	return readPlain(p.Elem(), text, &left, nil)
}

// recovered makes an error of a panic.
func recovered(err *error, t reflect.Type) {
	switch p := recover(); p {
	case nil:
	case errDeep:
		*err = fmt.Errorf("a value of %s has %w", t, errDeep)
	default:
		*err = fmt.Errorf("the codec of %s has panicked: %v", t, p)
	}
}

// opaque returns the part of a type that nobody but the program can write, and what it is; "" if
// there is none. known are the types around it.
func opaque(t reflect.Type, path string, known []reflect.Type) (at, why string) {
	for _, k := range known {
		if k == t {
			return "", "" // a list of itself: what it is made of is looked at already
		}
	}
	known = append(known, t)
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return "", ""
	case reflect.Slice, reflect.Array:
		return opaque(t.Elem(), path+"[]", known)
	case reflect.Map:
		if k := t.Key().Kind(); k != reflect.String && (k < reflect.Int || k > reflect.Uint64) {
			return path, "is a map with keys of type " + t.Key().String()
		}
		return opaque(t.Elem(), path+"[]", known)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				return path + "." + f.Name, "is not exported"
			}
			if at, why := opaque(f.Type, path+"."+f.Name, known); why != "" {
				return at, why
			}
		}
		return "", ""
	}
	return path, fmt.Sprintf("is a %s", t.Kind())
}
