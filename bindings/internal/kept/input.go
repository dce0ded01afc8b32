package kept

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// Input reads what was written of tables, and what stands around them. It is made for input that
// nobody vouches for: what it makes is counted before it is made, and nothing nests but by numbers
// of tables. Whoever reads ends at the first error.
type Input struct {
	in     *json.Decoder
	limits Most
	bytes  int64
	heap   *machine.Heap
	tables map[int32]*machine.Table // that values have named so far, by number
	number map[*machine.Table]int32
}

// NewInput makes a reader. Most.Bytes bounds what tables and texts will take, as in a walk.
func NewInput(data []byte, limits Most) *Input {
	r := &Input{in: json.NewDecoder(bytes.NewReader(data)), limits: limits, heap: machine.NewHeap(), tables: map[int32]*machine.Table{}, number: map[*machine.Table]int32{}}
	r.in.UseNumber()
	return r
}

// wordBytes is what each value of the input counts as at least.
const wordBytes = 16

// Spend counts bytes that are about to be made.
func (r *Input) Spend(n int) error {
	r.bytes += int64(n)
	if most := r.limits.Bytes; most > 0 && r.bytes > most {
		return diag.Reached("Saved", "too much: more than %s bytes of what scripts keep", diag.Grouped(most))
	}
	return nil
}

// Beside reads what is bounded by whoever reads it, and by the length of the input: it does not count.
func (r *Input) Beside(do func() error) error {
	bytes, most := r.bytes, r.limits.Bytes
	r.limits.Bytes = 0
	err := do()
	r.bytes, r.limits.Bytes = bytes, most
	return err
}

// next reads a token, and counts it.
func (r *Input) next() (json.Token, error) {
	token, err := r.in.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	return token, r.Spend(wordBytes)
}

// Object reads an object; field reads the value of each key.
func (r *Input) Object(field func(key string) error) error {
	if err := r.demand('{'); err != nil {
		return err
	}
	return r.fields(field)
}

// fields reads the rest of an object.
func (r *Input) fields(field func(key string) error) error {
	for r.in.More() {
		token, err := r.next()
		if err != nil {
			return err
		}
		key, _ := token.(string) // keys are strings: else there was an error
		if err := field(key); err != nil {
			return fmt.Errorf("%s: %w", diag.Cut(key), err)
		}
	}
	return r.demand('}')
}

// List reads a list; item reads each of its values.
func (r *Input) List(item func() error) error {
	if err := r.demand('['); err != nil {
		return err
	}
	for i := 0; r.in.More(); i++ {
		if err := item(); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return r.demand(']')
}

// End demands that nothing follows.
func (r *Input) End() error {
	if _, err := r.in.Token(); err != io.EOF {
		return errors.New("something follows the end")
	}
	return nil
}

// demand reads a delimiter.
func (r *Input) demand(want json.Delim) error {
	token, err := r.next()
	if err == nil && token != want {
		err = fmt.Errorf("expected %v", want)
	}
	return err
}

// Unknown is the error of a key that has no meaning.
func (r *Input) Unknown() error { return errors.New("unknown key") }

// Integer reads a whole number from low to high.
func (r *Input) Integer(low, high uint64) (uint64, error) {
	token, err := r.next()
	if err != nil {
		return 0, err
	}
	word, _ := token.(json.Number)
	n, err := strconv.ParseUint(word.String(), 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("expected a whole number from %d to %d", low, high)
	}
	return n, nil
}

// Text reads a text of any bytes.
func (r *Input) Text() (string, error) {
	v, err := r.Value()
	if err != nil {
		return "", err
	}
	if s := v.Str(); s != nil {
		return s.String(), nil
	}
	return "", errors.New("expected a text")
}

// Number reads a number, NaN and infinite ones included.
func (r *Input) Number() (float64, error) {
	v, err := r.Value()
	if err == nil && !v.IsNumber() {
		err = errors.New("expected a number")
	}
	return v.Float(), err
}

// Truth reads true or false.
func (r *Input) Truth() (bool, error) {
	v, err := r.Value()
	if err == nil && !v.IsBool() {
		err = errors.New("expected true or false")
	}
	return v.Truth(), err
}

// Value reads a value.
func (r *Input) Value() (machine.Value, error) {
	token, err := r.next()
	if err != nil {
		return machine.Nil, err
	}
	switch token := token.(type) {
	case bool:
		return machine.Bool(token), nil
	case string:
		return r.text(token)
	case json.Number:
		f, err := strconv.ParseFloat(token.String(), 64)
		if err != nil {
			return machine.Nil, errors.New("a number is too large")
		}
		return machine.Number(f), nil
	case json.Delim:
		return r.special(token)
	}
	return machine.Nil, nil
}

// text makes a text.
func (r *Input) text(s string) (machine.Value, error) {
	if most := r.limits.Text; most > 0 && len(s) > most {
		return machine.Nil, diag.Reached("String", "a text has %s of %s bytes", diag.Grouped(int64(len(s))), diag.Grouped(int64(most)))
	}
	return machine.String(s), r.Spend(len(s))
}

// special reads the rest of a value that JSON has no word for.
func (r *Input) special(open json.Delim) (v machine.Value, err error) {
	if open != '{' {
		return machine.Nil, errors.New("expected a value")
	}
	found := 0
	err = r.fields(func(key string) (err error) {
		found++
		switch key {
		case "table":
			v, err = r.reference()
		case "bits":
			v, err = r.bits()
		case "bytes":
			v, err = r.binary()
		default:
			err = r.Unknown()
		}
		return err
	})
	if err == nil && found != 1 {
		err = errors.New("expected one of table, bits and bytes")
	}
	return v, err
}

// reference reads the number of a table. The table stands for it until all are read.
func (r *Input) reference() (machine.Value, error) {
	n, err := r.Integer(0, math.MaxInt32-1)
	if err != nil {
		return machine.Nil, err
	}
	t := r.tables[int32(n)]
	if t == nil {
		t = r.heap.NewTable(0, 0)
		r.tables[int32(n)], r.number[t] = t, int32(n)
		err = r.Spend(t.Bytes())
	}
	return machine.OfTable(t), err
}

// bits reads the bits of a number.
func (r *Input) bits() (machine.Value, error) {
	token, err := r.next()
	if err != nil {
		return machine.Nil, err
	}
	word, _ := token.(string)
	n, err := strconv.ParseUint(word, 16, 64)
	if err != nil || len(word) != 16 {
		return machine.Nil, errors.New("expected 16 digits")
	}
	return machine.Number(math.Float64frombits(n)), nil
}

// binary reads a text in base 64.
func (r *Input) binary() (machine.Value, error) {
	token, err := r.next()
	if err != nil {
		return machine.Nil, err
	}
	word, ok := token.(string)
	s, err := base64.StdEncoding.DecodeString(word)
	if err != nil || !ok {
		return machine.Nil, errors.New("expected base 64")
	}
	return r.text(string(s))
}

// Outlines reads the list of all tables.
func (r *Input) Outlines() (list []*machine.Outline, err error) {
	err = r.List(func() error {
		l, err := r.layout()
		list = append(list, l)
		return err
	})
	return list, err
}

// layout reads one table.
func (r *Input) layout() (*machine.Outline, error) {
	l := &machine.Outline{}
	err := r.Object(func(key string) (err error) {
		var n uint64
		switch key {
		case "list":
			l.List = nil
			return r.List(func() error {
				v, err := r.Value()
				l.List = append(l.List, v)
				return cmpErr(err, r.within(len(l.List)))
			})
		case "keys":
			l.Keys = nil
			return r.List(func() error {
				e, err := r.entry()
				l.Keys = append(l.Keys, e)
				return cmpErr(err, r.within(len(l.Keys)/2)) // removed ones have their places, too
			})
		case "room":
			n, err = r.Integer(0, math.MaxInt32)
			l.ListCapacity = int(n)
		case "dict":
			n, err = r.Integer(0, math.MaxInt32)
			l.Dict = int(n)
		default:
			err = r.Unknown()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := r.Spend(l.Bytes()); err != nil {
		return nil, err
	}
	if err := l.Check(); err != nil {
		return nil, err
	}
	if !r.heap.NewTable(0, 0).Lay(l) {
		return nil, errors.New("a table has a key twice")
	}
	return l, nil
}

// cmpErr returns the first error.
func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// within holds the entries of one table against the limit.
func (r *Input) within(n int) error {
	if most := r.limits.Table; most > 0 && n > most {
		return diag.Reached("Table", "a table has more than %s items and keys", diag.Grouped(int64(most)))
	}
	return nil
}

// entry reads a key and its value.
func (r *Input) entry() (e machine.LaidKey, err error) {
	n := 0
	err = r.List(func() (err error) {
		switch n++; n {
		case 1:
			if e.Key, err = r.Value(); err == nil && e.Key.IsTable() {
				err = errors.New("a key is a table")
			}
		case 2:
			e.Value, err = r.Value()
		default:
			err = errors.New("expected a key and a value")
		}
		return err
	})
	if err == nil && n != 2 {
		err = errors.New("expected a key and a value")
	}
	return e, err
}

// Gather makes Copies of roots that were read, whose tables must be a part of all, and of the tables
// that these lead to. Copies of one input may become several Copies, and each of all is to be in
// one: whatever lies outside of them is counted in left.
func (r *Input) Gather(all []*machine.Outline, roots []machine.Value, met map[int32]bool) (*Copies, error) {
	x := &Copies{roots: roots, index: map[*machine.Table]int32{}, bytes: r.bytes}
	meet := func(parent, root int32, key, v machine.Value) error {
		t := v.Table()
		if t == nil {
			return nil
		}
		if _, known := x.index[t]; known {
			return nil
		}
		n := r.number[t]
		if int(n) >= len(all) {
			return fmt.Errorf("there is no table %d", n)
		}
		met[n] = true
		x.index[t] = int32(len(x.copies))
		x.copies = append(x.copies, copied{found: found{table: t, parent: parent, root: root, key: key}, laid: all[n]})
		return nil
	}
	for root, v := range roots {
		if err := meet(-1, int32(root), machine.Nil, v); err != nil {
			return nil, err
		}
	}
	for at := 0; at < len(x.copies); at++ {
		l, root := x.copies[at].laid, x.copies[at].root
		for i, v := range l.List {
			if err := meet(int32(at), root, machine.Number(float64(i+1)), v); err != nil {
				return nil, err
			}
		}
		for _, e := range l.Keys {
			if err := meet(int32(at), root, e.Key, e.Value); err != nil {
				return nil, err
			}
		}
	}
	return x, nil
}
