package kept

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// Input reads what was written of tables, and what stands around them. It is made for input that
// nobody vouches for: what it makes is counted as it is made, and nothing nests but by numbers
// of tables. Whoever reads ends at the first error.
//
// There are two counts. Tables and their texts count as in a [Survey], or as less, so that what was found
// within a limit is read within it. What stands around them has no limit of its own: it may take a
// few times as much as the input.
//
// Invariant: tableCount is the larger one of how many tables values have named and of how many were read.
type Input struct {
	in         *json.Decoder
	most       int64
	entries    int   // that a table may have; 0: no limit
	bytes      int64 // of tables and their texts
	notes      int64 // of what stands around them
	heap       *machine.Heap
	tables     map[int32]*machine.Table // that values have named so far, by number
	number     map[*machine.Table]int32
	tableCount int
}

// MostNumber is above all numbers in texts of values. Those that follow it, in a game of a forged save, are not kept.
const MostNumber = 1 << 53

// pastLimit is how many items more than it may have a list has at most: a script hears of the limit some thousand
// instructions later.
const pastLimit = 1 << 16

// NewInput makes a reader. most bounds what tables and texts take, as in a survey, and entries what a list may have; zero
// and less is no limit.
func NewInput(data []byte, most int64, entries int) *Input {
	r := &Input{in: json.NewDecoder(bytes.NewReader(data)), most: most, entries: entries, heap: machine.NewHeap(), tables: map[int32]*machine.Table{}, number: map[*machine.Table]int32{}}
	r.in.UseNumber()
	return r
}

// spend counts bytes of tables and their texts.
func (r *Input) spend(n int64) error {
	r.bytes += n
	if r.most > 0 && r.bytes > r.most {
		return diag.Reached("Saved", "too much: more than %s bytes of what scripts keep", diag.Grouped(r.most))
	}
	return nil
}

// perInput is how many bytes a byte of the input may stand for beside tables, and freeNotes how many
// there may be in any case. A note that was written is long enough for what it takes.
const perInput, freeNotes = 16, 1 << 16

// Note counts bytes that are about to be made beside tables and their texts.
func (r *Input) Note(n int) error {
	r.notes += int64(n)
	if r.notes > freeNotes+perInput*r.in.InputOffset() {
		return errors.New("it has too many things with next to nothing in them")
	}
	return nil
}

// next reads a token.
func (r *Input) next() (json.Token, error) {
	token, err := r.in.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return token, err
}

// Object reads an object whose keys the caller knows; field reads the value of each, and refuses others. A key that stands
// there twice is refused.
func (r *Input) Object(field func(key string) error) error {
	seen := make([]string, 0, 16)
	return r.Named(func(key string) error {
		if slices.Contains(seen, key) { // there are never more than the caller knows
			return errors.New("the key stands there twice")
		}
		seen = append(seen, key)
		return field(key)
	})
}

// Named reads an object whose keys are any names; field reads the value of each.
func (r *Input) Named(field func(name string) error) error {
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

// Text reads a text of any bytes that is no value of a script, and does not count.
func (r *Input) Text() (string, error) {
	v, err := r.value()
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
	v, err := r.value()
	if err == nil && !v.IsNumber() {
		err = errors.New("expected a number")
	}
	return v.Float(), err
}

// Truth reads true or false.
func (r *Input) Truth() (bool, error) {
	v, err := r.value()
	if err == nil && !v.IsBool() {
		err = errors.New("expected true or false")
	}
	return v.Truth(), err
}

// Value reads a value of a script, and counts the bytes of a text.
func (r *Input) Value() (machine.Value, error) {
	v, err := r.value()
	if s := v.Str(); err == nil && s != nil {
		err = r.spend(int64(s.Len()))
	}
	return v, err
}

// value reads a value, and counts no text.
func (r *Input) value() (machine.Value, error) {
	token, err := r.next()
	if err != nil {
		return machine.Nil, err
	}
	switch token := token.(type) {
	case bool:
		return machine.Bool(token), nil
	case string:
		return machine.String(token), nil
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
		err = r.tableIs(len(r.tables))
	}
	return machine.OfTable(t), err
}

// tableIs counts a table that is the n-th of those that values have named, or of those that were read.
func (r *Input) tableIs(n int) error {
	if n <= r.tableCount {
		return nil
	}
	r.tableCount = n
	return r.spend(emptyTable)
}

// emptyTable is how many bytes a table counts without what is in it.
var emptyTable = (&machine.Outline{}).Bytes()

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
	return machine.String(string(s)), nil
}

// Outlines reads the list of all tables.
func (r *Input) Outlines() (list []*machine.Outline, err error) {
	err = r.List(func() error {
		err := r.tableIs(len(list) + 1)
		if err != nil {
			return err
		}
		l, err := r.layout()
		list = append(list, l)
		return err
	})
	return list, err
}

// What an item of a list and a key count at least, while they are read.
const itemBytes, keyBytes = 8, 16

// layout reads one table. What is beyond its items and keys, such as the room of its list, counts at the end.
func (r *Input) layout() (*machine.Outline, error) {
	l := &machine.Outline{}
	err := r.Object(func(key string) (err error) {
		var n uint64
		switch key {
		case "list":
			l.List = nil
			return r.List(func() error {
				if r.entries > 0 && len(l.List) >= r.entries+pastLimit {
					return diag.Reached("Table", "a list of more than %s items", diag.Grouped(int64(r.entries)))
				}
				v, err := r.Value()
				l.List = append(l.List, v)
				return cmp.Or(err, r.spend(itemBytes))
			})
		case "keys":
			l.Keys = nil
			return r.List(func() error {
				e, err := r.entry()
				l.Keys = append(l.Keys, e)
				return cmp.Or(err, r.spend(keyBytes))
			})
		case "room":
			n, err = r.Integer(0, math.MaxInt32)
			l.ListCapacity = int(n)
		case "dict":
			n, err = r.Integer(0, math.MaxInt32)
			l.Dict = int(n)
		case "text":
			l.Number, err = r.Integer(1, MostNumber)
		default:
			err = r.Unknown()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := l.Check(); err != nil {
		return nil, err
	}
	if err := r.spend(l.Bytes() - emptyTable - itemBytes*int64(len(l.List)) - keyBytes*int64(len(l.Keys))); err != nil {
		return nil, err
	}
	if !r.heap.NewTable(0, 0).Lay(l) {
		return nil, errors.New("a table has a key twice")
	}
	return l, nil
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
		x.copies = append(x.copies, copied{found: found{table: t, parent: parent, root: root, key: key}, laid: all[n], n: all[n].Number})
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
