package kept

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/bindings/machine"
)

// The form of a save. Values are those of JSON where JSON has them:
//
//	1.5, true, "text", null        numbers, booleans, texts, what is missing
//	{"bits": "7ff0000000000000"}   a number that JSON does not have: infinite, or NaN with its bits
//	{"bytes": "gA=="}              a text that is no UTF-8, in base 64
//	{"table": 3}                   the table with that number, counted from 0
//
// A table is {"list": [values], "room": n, "keys": [[key, value], …], "dict": n}. The value of a key
// that was removed, and still has its place in the order of pairs, is null; a key that has moved to
// the list is null itself. dict is left out where all keys are texts that records have. text is the number in the
// text of the table, if a script has asked for that.

// AppendValue writes a value of the tables.
func (x *Copies) AppendValue(to []byte, v machine.Value) []byte {
	switch s := v.Str(); {
	case v.IsNumber():
		return AppendNumber(to, v.Float())
	case v.IsBool():
		return strconv.AppendBool(to, v.Truth())
	case s != nil:
		return AppendText(to, s.String())
	case v.IsTable():
		to = append(to, `{"table":`...)
		to = strconv.AppendInt(to, int64(x.first)+int64(x.index[v.Table()]), 10)
		return append(to, '}')
	}
	return append(to, "null"...)
}

// AppendNumber writes a number, with its bits where JSON has none.
func AppendNumber(to []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		to = append(to, `{"bits":"`...)
		const digits = 16
		bits := strconv.FormatUint(math.Float64bits(f), 16)
		for range digits - len(bits) {
			to = append(to, '0')
		}
		return append(append(to, bits...), `"}`...)
	}
	return strconv.AppendFloat(to, f, 'g', -1, 64)
}

// AppendText writes a text of any bytes.
func AppendText(to []byte, s string) []byte {
	if !utf8.ValidString(s) {
		to = append(to, `{"bytes":"`...)
		to = base64.StdEncoding.AppendEncode(to, []byte(s))
		return append(to, `"}`...)
	}
	quoted, _ := json.Marshal(s) // a string has no error
	return append(to, quoted...)
}

// AppendCopies writes all tables, as the next items of a list that has those before the first.
func (x *Copies) AppendCopies(to []byte) []byte {
	for i := range x.copies {
		to = append(comma(to, x.first+i), '\n')
		to = x.appendTable(to, x.copies[i].layout(), x.copies[i].n)
	}
	return to
}

// appendTable writes one table.
func (x *Copies) appendTable(to []byte, l machine.Outline, n uint64) []byte {
	to = append(to, `{"list":[`...)
	for i, v := range l.List {
		to = comma(to, i)
		to = x.AppendValue(to, v)
	}
	to = append(to, `],"room":`...)
	to = strconv.AppendInt(to, int64(l.ListCapacity), 10)
	to = append(to, `,"keys":[`...)
	for i, e := range l.Keys {
		to = append(comma(to, i), '[')
		to = append(x.AppendValue(to, e.Key), ',')
		to = append(x.AppendValue(to, e.Value), ']')
	}
	to = append(to, ']')
	if l.Dict > 0 {
		to = append(to, `,"dict":`...)
		to = strconv.AppendInt(to, int64(l.Dict), 10)
	}
	if n > 0 {
		to = strconv.AppendUint(append(to, `,"text":`...), n, 10)
	}
	return append(to, '}')
}

// comma separates an item from the one before it.
func comma(to []byte, i int) []byte {
	if i > 0 {
		return append(to, ',')
	}
	return to
}
