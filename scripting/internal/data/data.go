package data

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// DatumKind says what a [Datum] is.
type DatumKind uint8

// The kinds of values.
const (
	Nothing DatumKind = iota // null, or an empty cell
	Truth                    // Number is 1 for true
	Number
	Text
	List   // Items has the values
	Record // Items has the values, and Keys their keys
)

// String returns the kind with its article, as messages say it.
func (k DatumKind) String() string {
	return [...]string{"nothing", "a truth", "a number", "a text", "a list", "a record"}[k]
}

// Datum is what stands at one place of a file.
//
// Invariants: Keys and Items of a record are equally long; no key stands twice; no item of a list
// is Nothing, and no number is NaN or infinite.
type Datum struct {
	Kind   DatumKind
	Offset uint32 // of the byte at which it begins
	Number float64
	Text   string
	*Members
}

// Members are what a list or a record holds. Rows of a CSV file share their Keys.
type Members struct {
	Keys  []string
	KeyAt []uint32 // where the keys begin; nil in a CSV file
	Items []Datum
}

// Get returns the value of a key of a record; false where there is none.
func (v *Datum) Get(key string) (*Datum, bool) {
	if v.Kind != Record {
		return nil, false
	}
	for i, k := range v.Keys {
		if k == key {
			return &v.Items[i], true
		}
	}
	return nil, false
}

// File is a data file that was read.
type File struct {
	Name    string
	Root    Datum
	Values  int      // how many there are in all
	Texts   int      // bytes of all texts and keys
	Columns []string // of a CSV file; else nil

	text *diag.Text
}

// Place returns the place of a byte of the file. O(text).
func (f *File) Place(offset uint32) diag.Place { return placeIn(f.Name, f.text, int(offset)) }

func placeIn(name string, text *diag.Text, offset int) diag.Place {
	before := text.Bytes()
	before = before[:min(offset, len(before))]
	line := bytes.Count(before, []byte("\n")) + 1
	return diag.Place{Script: name, Line: line, Column: len(before) - bytes.LastIndexByte(before, '\n'), Text: text}
}

// Limits bound what a file may hold. Zero means no limit.
type Limits struct {
	Values int // of all kinds, lists and records included
}

// MaxDepth is how deep lists and records may be inside of each other.
const MaxDepth = 64

// folders are those at the top in which a file in Lua is a data file and no script: plain tables,
// and scenes.
var folders = []string{"data/", "scenes/"}

// Is reports whether a file of this path is a data file: by how it ends, and for one in Lua by the
// folder at the top in which it lies.
func Is(path string) bool {
	switch {
	case strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".csv"):
		return true
	case strings.HasSuffix(path, ".lua"):
		return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(path, folder) })
	}
	return false
}

// Read reads a file by what its name ends in. The error has its place in the file. O(text).
func Read(name string, text []byte, limits Limits) (*File, *diag.Error) {
	r := &decoder{limits: limits, file: File{Name: name, text: diag.NewText(text)}, text: text}
	r.skipMark()
	if err := r.utf8(); err != nil {
		return nil, err
	}
	read := r.json
	switch {
	case strings.HasSuffix(name, ".csv"):
		read = r.csv
	case strings.HasSuffix(name, ".lua"):
		read = r.lua
	}
	if err := read(); err != nil {
		return nil, err
	}
	return &r.file, nil
}

// decoder reads one file.
type decoder struct {
	limits Limits
	file   File
	text   []byte
	at     int // the next byte
}

// skipMark passes over the mark of the byte order, which spreadsheets write.
func (r *decoder) skipMark() {
	if bytes.HasPrefix(r.text, []byte("\ufeff")) {
		r.at = len("\ufeff")
	}
}

// utf8 returns an error for text that is no UTF-8.
func (r *decoder) utf8() *diag.Error {
	if utf8.Valid(r.text) {
		return nil
	}
	at := 0
	for at < len(r.text) {
		c, n := utf8.DecodeRune(r.text[at:])
		if c == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return r.fail(at, "the byte 0x%02x is no UTF-8: save the file in the encoding UTF-8", r.text[at])
}

// fail makes the error of a place.
func (r *decoder) fail(at int, format string, v ...any) *diag.Error {
	return diag.New(format, v...).On(placeIn(r.file.Name, r.file.text, at))
}

// count counts a value before it is made.
func (r *decoder) count(at int) *diag.Error {
	r.file.Values++
	if most := r.limits.Values; most > 0 && r.file.Values > most {
		return diag.Reached("DataValues", "the file has more than %s values", diag.Grouped(int64(most))).On(placeIn(r.file.Name, r.file.text, at))
	}
	return nil
}

// shown returns what stands at a place, for messages.
func (r *decoder) shown(at int) string {
	if at >= len(r.text) {
		return "the end of the file"
	}
	c, _ := utf8.DecodeRune(r.text[at:])
	switch c {
	case '\n', '\r':
		return "the end of the line"
	}
	if word := r.word(at); word != "" {
		return diag.Format("%q", diag.Cut(word))
	}
	return diag.Format("%q", string(c))
}

// word returns the name or number that begins at a place, "" for other characters.
func (r *decoder) word(at int) string {
	end := at
	for end < len(r.text) && isWord(r.text[end]) {
		end++
	}
	return string(r.text[at:end])
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}
