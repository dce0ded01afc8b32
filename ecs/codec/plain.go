package codec

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Values that are made of bools, numbers, strings, and lists, maps and structs of them are written as
// JSON that brings back exactly what they were. What JSON does not have is written as an object of
// one field: {"float":"nan"}, {"float":"nan fff8000000000000"} for a NaN of other bits than that of package math, {"bytes":"…"} for text that is no UTF-8. A []byte is a text in base64,
// and null is a nil list or map.

// deepest is how many lists, maps and structs may be in each other.
const deepest = 1000

// errDeep says that a value has more, as a list that holds itself does.
var errDeep = errors.New("lists in lists, more than 1000, or a list in itself")

// appendPlain writes a value, which may hold others to some depth. It panics with errDeep.
func appendPlain(to []byte, v reflect.Value, depth int) []byte {
	if depth == 0 {
		panic(errDeep)
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(to, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(to, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(to, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return appendFloat(to, v)
	case reflect.String:
		return appendText(to, v.String())
	case reflect.Slice, reflect.Array:
		return appendList(to, v, depth-1)
	case reflect.Map:
		return appendMap(to, v, depth-1)
	}
	to = append(to, '{')
	for i := range v.NumField() {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(appendText(to, v.Type().Field(i).Name), ':')
		to = appendPlain(to, v.Field(i), depth-1)
	}
	return append(to, '}')
}

// appendFloat writes a number with all of its bits.
func appendFloat(to []byte, v reflect.Value) []byte {
	switch x := v.Float(); {
	case math.IsNaN(x):
		to = append(to, `{"float":"nan`...)
		if bits, usual := floatBits(v), floatBits(reflect.ValueOf(math.NaN()).Convert(v.Type())); bits != usual {
			to = fmt.Appendf(to, " %0*x", v.Type().Bits()/4, bits)
		}
		return append(to, `"}`...)
	case math.IsInf(x, 0):
		return append(strconv.AppendFloat(append(to, `{"float":"`...), x, 'g', -1, 64), `"}`...)
	default:
		return strconv.AppendFloat(to, x, 'g', -1, v.Type().Bits())
	}
}

// floatBits returns the bits of a number. To make a number of 64 bits of one of 32 may change those of NaN.
func floatBits(v reflect.Value) uint64 {
	if v.Kind() == reflect.Float64 {
		return math.Float64bits(v.Float())
	}
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return uint64(*(*uint32)(at.UnsafePointer()))
}

// setNaN gives a number that can be addressed the bits of a text that appendFloat has written, and reports whether they are
// those of a NaN.
func setNaN(v reflect.Value, text string) bool {
	hex, ok := strings.CutPrefix(text, "nan ")
	bits, err := strconv.ParseUint(hex, 16, v.Type().Bits())
	if !ok || err != nil {
		return false
	}
	if v.Kind() == reflect.Float64 {
		v.SetFloat(math.Float64frombits(bits))
	} else {
		*(*uint32)(v.Addr().UnsafePointer()) = uint32(bits)
	}
	return math.IsNaN(v.Float())
}

// appendText writes a string.
func appendText(to []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return append(base64.StdEncoding.AppendEncode(append(to, `{"bytes":"`...), []byte(s)), `"}`...)
	}
	text, _ := json.Marshal(s) // a valid string has no error
	return append(to, text...)
}

// appendList writes a slice or an array.
func appendList(to []byte, v reflect.Value, depth int) []byte {
	if v.Kind() == reflect.Slice {
		if v.IsNil() {
			return append(to, "null"...)
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return append(base64.StdEncoding.AppendEncode(append(to, '"'), v.Bytes()), '"')
		}
	}
	to = append(to, '[')
	for i := range v.Len() {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendPlain(to, v.Index(i), depth)
	}
	return append(to, ']')
}

// appendMap writes a map as a list of pairs, in the order of their text.
func appendMap(to []byte, v reflect.Value, depth int) []byte {
	if v.IsNil() {
		return append(to, "null"...)
	}
	var pairs [][]byte
	for it := v.MapRange(); it.Next(); {
		pair := append(appendPlain([]byte{'['}, it.Key(), depth), ',')
		pairs = append(pairs, append(appendPlain(pair, it.Value(), depth), ']'))
	}
	slices.SortFunc(pairs, bytes.Compare)
	return append(append(append(to, '['), bytes.Join(pairs, []byte{','})...), ']')
}

// plainReader reads values, and counts what they take.
type plainReader struct {
	left int
	gone func(field string) // gets the path of a field that the type has not; nil: it is an error
}

// perByte is how many bytes of memory a byte of JSON may ask for, treeByte how many it takes at most while it is read.
const perByte, treeByte = 64, 32

// errMismatch says that JSON is of another kind than the value.
var errMismatch = errors.New("it is of another kind")

// readPlain reads a value, and subtracts from left what it takes. Fields that the text does not have stay what they are;
// gone gets those that the type has not.
func readPlain(v reflect.Value, text []byte, left *int, gone func(field string)) error {
	if len(text) > *left/treeByte {
		return fmt.Errorf("%w: for %d bytes of JSON", ErrMemory, len(text))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after it")
	}
	most := 1<<16 + perByte*len(text)
	r := plainReader{min(most, *left), gone}
	begun := r.left
	err := r.read(v, tree)
	*left -= max(begun-r.left, 0)
	if err != nil && begun < most && r.left <= 0 {
		return fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return err
}

// spend charges memory.
func (r *plainReader) spend(n int) error {
	if r.left -= n; r.left < 0 || n < 0 {
		return errors.New("it would take far more memory than its text")
	}
	return nil
}

// read makes a value of a tree.
func (r *plainReader) read(v reflect.Value, tree any) error {
	switch v.Kind() {
	case reflect.Bool:
		b, ok := tree.(bool)
		if !ok {
			return errMismatch
		}
		v.SetBool(b)
		return nil
	case reflect.String:
		s, err := textOf(tree)
		v.SetString(s)
		return cmp.Or(err, r.spend(len(s)))
	case reflect.Slice, reflect.Array:
		return r.list(v, tree)
	case reflect.Map:
		return r.pairs(v, tree)
	case reflect.Struct:
		return r.fields(v, tree)
	}
	return number(v, tree)
}

// number reads a number.
func number(v reflect.Value, tree any) error {
	word := ""
	switch t := tree.(type) {
	case json.Number:
		word = t.String()
	case map[string]any:
		s, ok := t["float"].(string)
		switch {
		case !ok || len(t) != 1:
		case s == "nan" || s == "+Inf" || s == "-Inf":
			word = s
		case v.CanFloat() && setNaN(v, s):
			return nil
		}
	}
	var err error
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		x, e := strconv.ParseFloat(word, v.Type().Bits())
		v.SetFloat(x)
		err = e
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, e := strconv.ParseUint(word, 10, v.Type().Bits())
		v.SetUint(n)
		err = e
	default:
		n, e := strconv.ParseInt(word, 10, v.Type().Bits())
		v.SetInt(n)
		err = e
	}
	if err != nil {
		return errMismatch
	}
	return nil
}

// textOf reads a string.
func textOf(tree any) (string, error) {
	switch t := tree.(type) {
	case string:
		return t, nil
	case map[string]any:
		if s, ok := t["bytes"].(string); ok && len(t) == 1 {
			b, err := base64.StdEncoding.DecodeString(s)
			return string(b), err
		}
	}
	return "", errMismatch
}

// list reads a slice or an array.
func (r *plainReader) list(v reflect.Value, tree any) error {
	if v.Kind() == reflect.Slice {
		if tree == nil {
			v.SetZero()
			return nil
		}
		if s, ok := tree.(string); ok && v.Type().Elem().Kind() == reflect.Uint8 {
			b, err := base64.StdEncoding.DecodeString(s)
			v.SetBytes(append(make([]byte, 0, len(b)), b...))
			return cmp.Or(err, r.spend(len(b)))
		}
	}
	items, ok := tree.([]any)
	switch {
	case !ok:
		return errMismatch
	case v.Kind() == reflect.Array && len(items) != v.Len():
		return fmt.Errorf("it has %d elements of %d", len(items), v.Len())
	case v.Kind() == reflect.Slice:
		if size := int(v.Type().Elem().Size()); size > 0 && len(items) > r.left/size {
			return r.spend(math.MaxInt)
		} else if err := r.spend(len(items) * size); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	}
	for i, item := range items {
		if err := r.read(v.Index(i), item); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

// pairs reads a map.
func (r *plainReader) pairs(v reflect.Value, tree any) error {
	if tree == nil {
		v.SetZero()
		return nil
	}
	items, ok := tree.([]any)
	if !ok {
		return errMismatch
	}
	t := v.Type()
	v.Set(reflect.MakeMap(t))
	for _, item := range items {
		pair, ok := item.([]any)
		if !ok || len(pair) != 2 {
			return errMismatch
		}
		if err := r.spend(int(t.Key().Size() + t.Elem().Size())); err != nil {
			return err
		}
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := r.read(key, pair[0]); err != nil {
			return err
		}
		if err := r.read(value, pair[1]); err != nil {
			return fmt.Errorf("[%v]: %w", key, err)
		}
		v.SetMapIndex(key, value)
	}
	return nil
}

// fields reads a struct.
func (r *plainReader) fields(v reflect.Value, tree any) error {
	items, ok := tree.(map[string]any)
	if !ok {
		return errMismatch
	}
	for name, item := range items {
		f, ok := v.Type().FieldByName(name)
		if !ok || len(f.Index) != 1 {
			if r.gone == nil {
				return fmt.Errorf("there is no field %q", name)
			}
			r.gone(v.Type().Name() + "." + name)
			continue
		}
		if err := r.read(v.Field(f.Index[0]), item); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
