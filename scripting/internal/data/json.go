package data

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// json reads the file as JSON.
func (r *decoder) json() *diag.Error {
	r.blanks()
	if r.at == len(r.text) {
		return r.fail(r.at, "the file is empty: write {} for a record without keys")
	}
	begin := r.at
	err := r.value(&r.file.Root, 0)
	if err != nil {
		return err
	}
	if k := r.file.Root.Kind; k != List && k != Record {
		return r.fail(begin, "a data file holds a list or a record, in [] or {}; this is %s", k)
	}
	if r.blanks(); r.at < len(r.text) {
		return r.fail(r.at, "expected the end of the file, got %s", r.shown(r.at))
	}
	return nil
}

// blanks passes over what may stand between values.
func (r *decoder) blanks() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// next returns the next byte, 0 at the end.
func (r *decoder) next() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// value reads a value that is so deep in others.
func (r *decoder) value(v *Datum, depth int) (err *diag.Error) {
	v.Offset = uint32(r.at)
	if err := r.count(r.at); err != nil {
		return err
	}
	switch c := r.next(); {
	case c == '{':
		return r.record(v, depth)
	case c == '[':
		return r.list(v, depth)
	case c == '"':
		v.Kind = Text
		v.Text, err = r.quoted()
		return err
	case c == '-' || c >= '0' && c <= '9':
		return r.jsonNumber(v)
	}
	return r.literal(v)
}

// literal reads true, false or null, and says what is wrong with anything else.
func (r *decoder) literal(v *Datum) *diag.Error {
	word := r.word(r.at)
	switch word {
	case "true":
		v.Kind, v.Number = Truth, 1
	case "false":
		v.Kind = Truth
	case "null":
		v.Kind = Nothing
	default:
		return r.noValue(word)
	}
	r.at += len(word)
	return nil
}

// noValue says what is wrong where a value should stand.
func (r *decoder) noValue(word string) *diag.Error {
	rest := string(r.text[r.at:min(len(r.text), r.at+2)])
	switch {
	case rest == "//" || rest == "/*" || rest == "--" || strings.HasPrefix(rest, "#"):
		return r.fail(r.at, "JSON has no comments: remove this, or keep it as a value, such as \"note\": \"…\"")
	case strings.HasPrefix(rest, "'"):
		return r.fail(r.at, "a text stands in double quotes in JSON")
	case notFinite(word):
		return r.fail(r.at, "%s is no number that JSON has, and none that a game can compute with", word)
	case strings.HasPrefix(rest, "+"):
		return r.fail(r.at, "a number has no + before it in JSON")
	case strings.HasPrefix(rest, "."):
		return r.fail(r.at, "a number begins with a digit in JSON: write 0 before the point")
	case word == "nil" || word == "None" || word == "undefined":
		return r.fail(r.at, "JSON has no %s: leave the key out", word)
	case strings.EqualFold(word, "true") || strings.EqualFold(word, "false"):
		return r.fail(r.at, "JSON writes %s", strings.ToLower(word))
	case word != "":
		return r.fail(r.at, "a text stands in double quotes in JSON: \"%s\"", diag.Cut(word))
	}
	return r.fail(r.at, "expected a value, got %s", r.shown(r.at))
}

// jsonNumber reads a number by the grammar of JSON.
func (r *decoder) jsonNumber(v *Datum) *diag.Error {
	begin := r.at
	end := begin
	for end < len(r.text) && (isWord(r.text[end]) || strings.IndexByte("+-.", r.text[end]) >= 0) {
		end++
	}
	text := string(r.text[begin:end])
	switch {
	case strings.HasPrefix(text, "--"):
		return r.noValue("")
	case notFinite(text):
		return r.noValue(text)
	case !decimal(text) || text[0] == '+' || strings.HasPrefix(strings.TrimPrefix(text, "-"), ".") || pointless(text):
		return r.fail(begin, "%q is no number in JSON", diag.Cut(text))
	case zeroLed(text):
		return r.fail(begin, "%q: a number has no zeros before it in JSON", diag.Cut(text))
	}
	x, why := numberOf(text)
	if why != "" {
		return r.fail(begin, "%s: %s", diag.Cut(text), why)
	}
	v.Kind, v.Number, r.at = Number, x, end
	return nil
}

// pointless reports whether a number has a point with no digit after it.
func pointless(text string) bool {
	i := strings.IndexByte(text, '.')
	return i >= 0 && digits(text[i+1:]) == 0
}

// deeper returns the error of what nests too deep.
func (r *decoder) deeper(depth int) *diag.Error {
	if depth >= MaxDepth {
		return r.fail(r.at, "lists and records are inside of each other more than %d times", MaxDepth)
	}
	return nil
}

// list reads a list.
func (r *decoder) list(v *Datum, depth int) *diag.Error {
	if err := r.deeper(depth); err != nil {
		return err
	}
	v.Kind, v.Members = List, &Members{}
	return r.members('[', ']', func() *diag.Error {
		var item Datum
		if err := r.value(&item, depth+1); err != nil {
			return err
		}
		if item.Kind == Nothing {
			return r.fail(int(item.Offset), "null stands in a list, which has no gaps: leave it out, or write false")
		}
		v.Items = append(v.Items, item)
		return nil
	})
}

// record reads an object of JSON.
func (r *decoder) record(v *Datum, depth int) *diag.Error {
	if err := r.deeper(depth); err != nil {
		return err
	}
	v.Kind, v.Members = Record, &Members{}
	seen := keySet{of: v.Members}
	return r.members('{', '}', func() *diag.Error {
		begin := r.at
		key, err := r.key()
		if err != nil {
			return err
		}
		if first, twice := seen.find(key); twice {
			return r.fail(begin, "key %q stands twice: first in line %d", diag.Cut(key), placeIn(r.file.Name, r.file.text, int(first)).Line)
		}
		seen.add(key, uint32(begin))
		var item Datum
		if err := r.value(&item, depth+1); err != nil {
			return err
		}
		seen.set(item)
		return nil
	})
}

// key reads a key and the colon after it.
func (r *decoder) key() (string, *diag.Error) {
	if r.next() != '"' {
		if word := r.word(r.at); word != "" {
			return "", r.fail(r.at, "a key stands in double quotes in JSON: \"%s\"", diag.Cut(word))
		}
		if r.next() == '\'' || r.next() == '/' || r.next() == '#' {
			return "", r.noValue("")
		}
		return "", r.fail(r.at, "expected a key in double quotes, got %s", r.shown(r.at))
	}
	key, err := r.quoted()
	if err != nil {
		return "", err
	}
	if r.blanks(); r.next() != ':' {
		return "", r.fail(r.at, "expected : after the key %q, got %s", diag.Cut(key), r.shown(r.at))
	}
	r.at++
	r.blanks()
	return key, nil
}

// members reads what stands between brackets, with a comma after each member but the last.
func (r *decoder) members(open, end byte, member func() *diag.Error) *diag.Error {
	begin := r.at
	r.at++
	for first := true; ; first = false {
		r.blanks()
		switch c := r.next(); {
		case c == end && first:
			r.at++
			return nil
		case c == ',':
			return r.fail(r.at, "a comma stands with nothing before it")
		}
		if r.at >= len(r.text) {
			return r.unclosed(begin, open, end)
		}
		if err := member(); err != nil {
			return err
		}
		r.blanks()
		switch c := r.next(); {
		case c == end:
			r.at++
			return nil
		case c != ',' && r.at >= len(r.text):
			return r.unclosed(begin, open, end)
		case c != ',':
			return r.fail(r.at, "expected , or %c, got %s", end, r.shown(r.at))
		}
		comma := r.at
		r.at++
		if r.blanks(); r.next() == end {
			return r.fail(comma, "no comma may stand before the closing %c in JSON", end)
		}
	}
}

func (r *decoder) unclosed(begin int, open, end byte) *diag.Error {
	at := placeIn(r.file.Name, r.file.text, begin)
	return r.fail(len(r.text), "expected %c to close the %c of line %d, got the end of the file", end, open, at.Line)
}

// keySet finds the keys of a record that is being read.
type keySet struct {
	of    *Members
	all   map[string]uint32 // places of all keys, those of null included
	names []string          // the same, while they are few
	at    []uint32
}

// fewKeys is how many keys are looked through one by one.
const fewKeys = 8

// find returns where a key stands already.
func (s *keySet) find(key string) (at uint32, ok bool) {
	if s.all != nil {
		at, ok = s.all[key]
		return at, ok
	}
	for i, k := range s.names {
		if k == key {
			return s.at[i], true
		}
	}
	return 0, false
}

// add notes a key.
func (s *keySet) add(key string, at uint32) {
	s.names, s.at = append(s.names, key), append(s.at, at)
	if len(s.names) == fewKeys {
		s.all = map[string]uint32{}
		for i, k := range s.names {
			s.all[k] = s.at[i]
		}
	} else if s.all != nil {
		s.all[key] = at
	}
}

// set gives the key that was noted last its value.
func (s *keySet) set(v Datum) {
	if v.Kind == Nothing {
		return
	}
	last := len(s.names) - 1
	s.of.Keys, s.of.KeyAt = append(s.of.Keys, s.names[last]), append(s.of.KeyAt, s.at[last])
	s.of.Items = append(s.of.Items, v)
}
