package data

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/internal/numbers"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// A data file in Lua is read and never run: there is no machine here. What has a value is found
// by walking the tree once. A local may name a value that stands in the file several times, so
// that a table of some bytes could stand for one of any size: what a name stands for counts anew
// wherever it is used.
//
// Why not run the text on the VM, with nothing in its environment? It would need limits on
// instructions and memory, errors would have lost the places of values, and a table of Lua does
// not know the order in which its keys were written.

const (
	// mostExpanded is how many values a file may stand for when Limits has no bound, and
	// mostTexts how many bytes of texts.
	mostExpanded = 1 << 20
	mostTexts    = 64 << 20
	// longestJoined is how many bytes a text may have that is put together by `..`, and mostJoined
	// all such texts of a file: they need more memory than the file has bytes.
	longestJoined = 64 << 10
	mostJoined    = 1 << 20
)

// lua reads the file as a table in Lua.
func (r *decoder) lua() *diag.Error {
	tree, err := syntax.Parse(r.file.Name, r.text, syntax.Options{MaxSize: len(r.text) + 1, Uncompiled: true})
	if err != nil {
		return r.noLua(err)
	}
	e := luaReader{decoder: r, lines: linesOf(r.text), locals: map[string]Datum{}, sizes: map[*Members]size{}}
	for _, s := range tree.Body {
		switch s := s.(type) {
		case *syntax.Local:
			if err := e.local(s); err != nil {
				return err
			}
		case *syntax.Return:
			return e.root(s)
		default:
			return e.refuse(s, "a data file in Lua has locals and ends with return { … }: nothing in it runs")
		}
	}
	return r.fail(len(r.text), "expected return { … } at the end: that is what the file holds")
}

// noLua turns the first fault of a text into one of the file.
func (r *decoder) noLua(err error) *diag.Error {
	f, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return diag.New("%s", err.Error()).On(placeIn(r.file.Name, r.file.text, 0))
	}
	return diag.New("%s", f.Message).On(diag.Place{Script: r.file.Name, Line: max(f.Line, 1), Column: max(f.Column, 1), Text: r.file.text})
}

// linesOf returns where the lines of a text begin, by the rule of Lua.
func linesOf(text []byte) []int {
	begins := []int{0}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\n' && c != '\r' {
			continue
		}
		if i+1 < len(text) && text[i+1] != c && (text[i+1] == '\n' || text[i+1] == '\r') {
			i++
		}
		begins = append(begins, i+1)
	}
	return begins
}

// size is what a table stands for: with all that is in it, and how deep its tables are inside of
// each other.
type size struct{ values, texts, depth int }

// luaReader finds what the expressions of one file stand for.
type luaReader struct {
	*decoder
	lines  []int
	locals map[string]Datum
	sizes  map[*Members]size // of the tables that were made
	joined int               // bytes of the texts that were put together
}

// offset returns the byte at which a node begins.
func (e *luaReader) offset(n syntax.Node) int {
	line, column := n.Line(), n.Column()
	if line < 1 || line > len(e.lines) {
		return 0
	}
	at := e.lines[line-1] + max(column-1, 0)
	if line == 1 {
		at += e.at // the mark of the byte order
	}
	return min(at, len(e.text))
}

// begin returns the leftmost node of an expression: the place of an operator is in its middle.
func begin(x syntax.Expr) syntax.Node {
	for {
		switch y := x.(type) {
		case *syntax.Arithmetic:
			x = y.Lhs
		case *syntax.Concat:
			x = y.Lhs
		case *syntax.Comparison:
			x = y.Lhs
		case *syntax.Logical:
			x = y.Lhs
		case *syntax.Index:
			x = y.Object
		case *syntax.Call:
			if x = y.Func; x == nil {
				x = y.Receiver
			}
		default:
			return x
		}
	}
}

// refuse makes an error at a node.
func (e *luaReader) refuse(n syntax.Node, format string, v ...any) *diag.Error {
	if x, ok := n.(syntax.Expr); ok {
		n = begin(x)
	}
	return e.fail(e.offset(n), format, v...)
}

// local reads `local name = value, …`.
func (e *luaReader) local(s *syntax.Local) *diag.Error {
	if len(s.Exprs) > len(s.Names) {
		return e.refuse(s.Exprs[len(s.Names)], "there are more values than names")
	}
	values := make([]Datum, len(s.Names))
	for i, x := range s.Exprs {
		v, err := e.value(x, 0)
		if err != nil {
			return err
		}
		values[i] = v
	}
	for i, name := range s.Names {
		e.locals[name.Value] = values[i]
	}
	// What was made for a local counts where it is used: the file holds nothing of it yet.
	e.file.Values, e.file.Texts = 0, 0
	return nil
}

// root reads what the file returns.
func (e *luaReader) root(s *syntax.Return) *diag.Error {
	if len(s.Exprs) != 1 {
		return e.refuse(s, "a data file returns one table: return { … }")
	}
	v, err := e.value(s.Exprs[0], 0)
	if err != nil {
		return err
	}
	if v.Kind != List && v.Kind != Record {
		return e.refuse(s.Exprs[0], "a data file returns a table: return { … }; this is %s", v.Kind)
	}
	e.file.Root = v
	return nil
}

// value returns what an expression stands for, which is so deep in tables.
func (e *luaReader) value(x syntax.Expr, depth int) (v Datum, err *diag.Error) {
	at := e.offset(begin(x))
	v.Offset = uint32(at)
	switch x := x.(type) {
	case *syntax.Nil:
		return v, e.count(at)
	case *syntax.True:
		v.Kind, v.Number = Truth, 1
		return v, e.count(at)
	case *syntax.False:
		v.Kind = Truth
		return v, e.count(at)
	case *syntax.String:
		return e.string(v, x.Value)
	case *syntax.Number, *syntax.Minus, *syntax.Arithmetic:
		if v.Number, err = e.number(x); err != nil {
			return v, err
		}
		v.Kind = Number
		return v, e.count(at)
	case *syntax.Concat:
		text, err := e.join(x)
		if err != nil {
			return v, err
		}
		return e.string(v, text)
	case *syntax.Table:
		return e.table(v, x, depth)
	case *syntax.Name, *syntax.Index:
		return e.named(v, x, depth)
	}
	return v, e.noDatum(x)
}

// noDatum says what is wrong with an expression that has no value before the game runs.
func (e *luaReader) noDatum(x syntax.Expr) *diag.Error {
	switch x.(type) {
	case *syntax.Function:
		return e.refuse(x, "a data file holds no functions: write the function in a script, and its name here as a text")
	case *syntax.Call:
		return e.refuse(x, "a data file calls nothing: it has tables, numbers, texts, true and false, and arithmetic with them")
	case *syntax.Vararg:
		return e.refuse(x, "a data file has no arguments")
	}
	return e.refuse(x, "a data file decides nothing: it has tables, numbers, texts, true and false, and arithmetic with them")
}

// string counts a text.
func (e *luaReader) string(v Datum, text string) (Datum, *diag.Error) {
	if !utf8.ValidString(text) {
		return v, e.fail(int(v.Offset), "the text is no UTF-8: escapes such as \\200 stand for single bytes; write the characters themselves")
	}
	v.Kind, v.Text = Text, text
	e.file.Texts += len(text)
	return v, e.count(int(v.Offset))
}

// number computes with numbers. The parser bounds how deep operators are inside of each other.
func (e *luaReader) number(x syntax.Expr) (float64, *diag.Error) {
	v, err := e.operand(x)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return 0, e.refuse(x, "this is no number that a game can compute with: it is %s", numbers.Format(v))
	}
	return v, err
}

func (e *luaReader) operand(x syntax.Expr) (float64, *diag.Error) {
	switch x := x.(type) {
	case *syntax.Number:
		v, ok := syntax.Literal(x)
		if !ok {
			return 0, e.refuse(x, "this is no number")
		}
		return v, nil
	case *syntax.Minus:
		v, err := e.number(x.Expr)
		return -v, err
	case *syntax.Arithmetic:
		a, err := e.number(x.Lhs)
		if err != nil {
			return 0, err
		}
		b, err := e.number(x.Rhs)
		if err != nil {
			return 0, err
		}
		return syntax.Compute(x.Operator, a, b), nil
	case *syntax.Name, *syntax.Index:
		v, err := e.find(x)
		if err == nil && v.Kind != Number {
			err = e.refuse(x, "expected a number, got %s", v.Kind)
		}
		return v.Number, err
	case *syntax.String, *syntax.Table, *syntax.True, *syntax.False, *syntax.Nil, *syntax.Concat:
		return 0, e.refuse(x, "expected a number")
	}
	return 0, e.noDatum(x)
}

// join returns a text that is put together of texts and numbers.
func (e *luaReader) join(x *syntax.Concat) (string, *diag.Error) {
	var parts []string
	length := 0
	for rest := syntax.Expr(x); rest != nil; {
		part := rest
		if join, ok := rest.(*syntax.Concat); ok { // it leans to the right
			part, rest = join.Lhs, join.Rhs
		} else {
			rest = nil
		}
		text, err := e.piece(part)
		if err != nil {
			return "", err
		}
		length += len(text)
		if e.joined += len(text); length > longestJoined || e.joined > mostJoined {
			return "", e.refuse(x, "the texts that are put together are too long: one may have %s bytes, and all together %s", diag.Grouped(longestJoined), diag.Grouped(mostJoined))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ""), nil
}

// piece returns an operand of `..`.
func (e *luaReader) piece(x syntax.Expr) (string, *diag.Error) {
	switch x := x.(type) {
	case *syntax.String:
		return x.Value, nil
	case *syntax.Concat:
		return e.join(x)
	case *syntax.Name, *syntax.Index:
		v, err := e.find(x)
		switch {
		case err != nil:
			return "", err
		case v.Kind == Text:
			return v.Text, nil
		case v.Kind == Number:
			return numbers.Format(v.Number), nil
		}
		return "", e.refuse(x, "expected a text or a number, got %s", v.Kind)
	}
	v, err := e.number(x)
	return numbers.Format(v), err
}

// table reads a constructor: a list, or a record with its keys in the order of the text.
func (e *luaReader) table(v Datum, x *syntax.Table, depth int) (Datum, *diag.Error) {
	if depth >= MaxDepth {
		return v, e.fail(int(v.Offset), "lists and records are inside of each other more than %d times", MaxDepth)
	}
	before, deepest := size{e.file.Values, e.file.Texts, 0}, 0
	if err := e.count(int(v.Offset)); err != nil {
		return v, err
	}
	v.Kind, v.Members = Record, &Members{}
	seen := keySet{of: v.Members}
	for i, f := range x.Fields {
		if (f.Key == nil) != (x.Fields[0].Key == nil) {
			return v, e.refuse(x.Fields[i].Value, "a table has keys or is a list, and not both: give each of its values a key, or none")
		}
		if f.Key != nil {
			item, err := e.field(&seen, f, depth)
			if err != nil {
				return v, err
			}
			deepest = max(deepest, e.sizes[item.Members].depth)
			continue
		}
		v.Kind = List
		item, err := e.value(f.Value, depth+1)
		if err != nil {
			return v, err
		}
		if item.Kind == Nothing {
			return v, e.refuse(f.Value, "nil stands in a list, which has no gaps: leave it out, or write false")
		}
		v.Items = append(v.Items, item)
		deepest = max(deepest, e.sizes[item.Members].depth)
	}
	e.sizes[v.Members] = size{e.file.Values - before.values, e.file.Texts - before.texts, deepest + 1}
	return v, nil
}

// field reads a key and its value.
func (e *luaReader) field(seen *keySet, f *syntax.Field, depth int) (item Datum, err *diag.Error) {
	key, err := e.key(f.Key)
	if err != nil {
		return item, err
	}
	at := e.offset(f.Key)
	if first, twice := seen.find(key); twice {
		return item, e.fail(at, "key %q stands twice: first in line %d", diag.Cut(key), placeIn(e.file.Name, e.file.text, int(first)).Line)
	}
	seen.add(key, uint32(at))
	e.file.Texts += len(key)
	if item, err = e.value(f.Value, depth+1); err == nil {
		seen.set(item)
	}
	return item, err
}

// key reads a key: a name, or a text in brackets.
func (e *luaReader) key(x syntax.Expr) (string, *diag.Error) {
	var key string
	switch k := x.(type) {
	case *syntax.String:
		key = k.Value
	case *syntax.Concat, *syntax.Name, *syntax.Index:
		text, err := e.piece(x)
		if err != nil {
			return "", err
		}
		key = text
	default:
		return "", e.refuse(x, "a key is a text: write [\"1\"], or a list without keys")
	}
	if !utf8.ValidString(key) {
		return "", e.refuse(x, "the key is no UTF-8")
	}
	return key, nil
}

// named returns what a local stands for, or something in it, and counts it once more.
func (e *luaReader) named(v Datum, x syntax.Expr, depth int) (Datum, *diag.Error) {
	found, err := e.find(x)
	if err != nil {
		return v, err
	}
	found.Offset = v.Offset
	if found.Members == nil {
		e.file.Texts += len(found.Text)
		return found, e.count(int(v.Offset))
	}
	s := e.sizes[found.Members]
	if depth+s.depth > MaxDepth {
		return v, e.refuse(x, "lists and records are inside of each other more than %d times", MaxDepth)
	}
	e.file.Values += s.values - 1
	e.file.Texts += s.texts
	if e.file.Values > mostExpanded || e.file.Texts > mostTexts {
		return v, e.refuse(x, "the file stands for more than %s values, or for more than %s bytes of texts", diag.Grouped(mostExpanded), diag.Grouped(mostTexts))
	}
	return found, e.count(int(v.Offset))
}

// find returns what a name stands for, or a path that begins with one.
func (e *luaReader) find(x syntax.Expr) (v Datum, err *diag.Error) {
	switch x := x.(type) {
	case *syntax.Name:
		v, ok := e.locals[x.Value]
		if !ok {
			return v, e.refuse(x, "this file has no local %q%s: names of scripts, and ecs, are unknown in a data file", diag.Cut(x.Value), e.meant(x.Value))
		}
		return v, nil
	case *syntax.Index:
		if v, err = e.find(x.Object); err != nil {
			return v, err
		}
		return e.item(v, x)
	}
	return v, e.noDatum(x)
}

// meant proposes a local.
func (e *luaReader) meant(name string) string {
	return diag.DidYouMean(name, slices.Sorted(maps.Keys(e.locals)))
}

// item returns what a table holds under a key.
func (e *luaReader) item(of Datum, x *syntax.Index) (v Datum, err *diag.Error) {
	switch of.Kind {
	case Record:
		key, err := e.key(x.Key)
		if err != nil {
			return v, err
		}
		item, ok := of.Get(key)
		if !ok {
			return v, e.fail(e.offset(x.Key), "the table has no key %q%s", diag.Cut(key), diag.DidYouMean(key, of.Keys))
		}
		return *item, nil
	case List:
		n, err := e.number(x.Key)
		if err != nil {
			return v, err
		}
		if !(n >= 1 && n <= float64(len(of.Items))) || n != math.Trunc(n) {
			return v, e.fail(e.offset(begin(x.Key)), "the list has the items 1 to %d, and none %s", len(of.Items), numbers.Format(n))
		}
		return of.Items[int(n)-1], nil
	}
	return v, e.refuse(x.Object, "expected a table, got %s", of.Kind)
}
