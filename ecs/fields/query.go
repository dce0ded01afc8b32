package fields

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

const (
	maxText  = 4096 // bytes of a query
	maxTerms = 64
)

// TextQuery is a query that was written as text, see [Fields.Query]. It belongs to the
// goroutine of its world. The zero value matches nothing.
type TextQuery struct {
	fields      Fields
	query       *ecs.Query
	comparisons []fieldCondition
}

// QueryError says what is wrong with the text of a query, and where.
type QueryError struct {
	Column int // of the character, from 1
	Err    error
}

// Error begins with the column.
func (e *QueryError) Error() string { return fmt.Sprintf("column %d: %v", e.Column, e.Err) }

// Unwrap returns what is wrong, which wraps an error of package ecs.
func (e *QueryError) Unwrap() error { return e.Err }

// Query reads a query: terms with commas between them, all of which must hold.
//
//	Position             has the component
//	!Frozen              has it not
//	?Velocity            may have it: a term of [TextQuery.Base], and no condition
//	any(Poison|Burning)  has one of them
//	Health.hp < 50       has the component, and its field compares so
//	Body.at.x >= 0       likewise of a nested struct
//	Grid.cells[0] == 1   likewise of an array, counted from 0
//
// Numbers compare by ==, ~= (or !=), <, <=, > and >=; those of an f32 field with the
// number rounded as the field is, and those of 64 bits up to 2⁵³. Bools compare with true and false by == and ~=, and so
// do enums with their names, strings with "text", entities with numbers. A component
// whose name is no word stands in quotes: "my component".hp. The empty text asks for
// every entity.
//
// The error is a [*QueryError] and wraps ErrUnknown, ErrConflict or ErrRange. A text has
// at most 4,096 bytes and 64 terms.
func (f Fields) Query(text string) (*TextQuery, error) {
	p := queryParser{fields: f, text: text}
	if err := f.ready(); err != nil {
		return nil, &QueryError{1, err}
	}
	if len(text) > maxText {
		return nil, &QueryError{1, fmt.Errorf("%w: a query has at most %d bytes", ecs.ErrRange, maxText)}
	}
	if err := p.terms(); err != nil {
		return nil, &QueryError{utf8.RuneCountInString(text[:p.begin]) + 1, err}
	}
	return p.build(), nil
}

// queryParser reads a text from left to right.
type queryParser struct {
	fields                     Fields
	text                       string
	at                         int // where the rest begins
	begin                      int // where the token at hand begins: an error is there
	read, optional, none, some []ecs.ComponentID
	comparisons                []fieldCondition
}

func (p *queryParser) terms() error {
	if p.space(); p.at == len(p.text) {
		return nil
	}
	for n := 1; ; n++ {
		if n > maxTerms {
			return fmt.Errorf("%w: a query has at most %d terms", ecs.ErrRange, maxTerms)
		}
		if err := p.term(); err != nil {
			return err
		}
		if p.space(); p.at == len(p.text) {
			return nil
		}
		if !p.take(",") {
			return p.unexpected("a comma")
		}
	}
}

// term reads one term.
func (p *queryParser) term() error {
	switch {
	case p.take("!"):
		return p.component(&p.none)
	case p.take("?"):
		return p.component(&p.optional)
	}
	name, err := p.name("a component")
	if err != nil {
		return err
	}
	if name == "any" && p.text[p.begin] != '"' && p.take("(") {
		return p.any()
	}
	id, err := p.fields.Component(name)
	if err != nil {
		return err
	}
	add(&p.read, id)
	if p.at < len(p.text) && (p.text[p.at] == '.' || p.text[p.at] == '[') {
		return p.compare(id)
	}
	if p.space(); p.at < len(p.text) && strings.IndexByte("=~!<>", p.text[p.at]) >= 0 {
		p.begin = p.at
		return fmt.Errorf("%w: a comparison needs a field: %s.field", ecs.ErrConflict, name)
	}
	return nil
}

// component reads the name of a component into a list.
func (p *queryParser) component(list *[]ecs.ComponentID) error {
	name, err := p.name("a component")
	if err != nil {
		return err
	}
	id, err := p.fields.Component(name)
	if err == nil {
		add(list, id)
	}
	return err
}

// any reads what stands after "any(".
func (p *queryParser) any() error {
	if len(p.some) > 0 {
		return fmt.Errorf("%w: a query has one any(…)", ecs.ErrConflict)
	}
	for n := 0; n < maxTerms; n++ {
		if err := p.component(&p.some); err != nil {
			return err
		}
		if p.take(")") {
			return nil
		}
		if !p.take("|") {
			return p.unexpected(`"|" or ")"`)
		}
	}
	return fmt.Errorf("%w: any(…) has at most %d components", ecs.ErrRange, maxTerms)
}

// add adds a component to a list, once.
func add(list *[]ecs.ComponentID, id ecs.ComponentID) {
	if !slices.Contains(*list, id) {
		*list = append(*list, id)
	}
}

// space passes over spaces.
func (p *queryParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take passes over a token, if it is the next one.
func (p *queryParser) take(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.begin = p.at
	p.at += len(token)
	return true
}

// unexpected says what was expected here, and what is there.
func (p *queryParser) unexpected(want string) error {
	p.space()
	if p.begin = p.at; p.at == len(p.text) {
		return fmt.Errorf("%w: %s was expected, and here is the end", ecs.ErrConflict, want)
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return fmt.Errorf("%w: %s was expected, and not %q", ecs.ErrConflict, want, r)
}

// name reads a word, or a text in quotes.
func (p *queryParser) name(want string) (string, error) {
	p.space()
	p.begin = p.at
	if p.at < len(p.text) && p.text[p.at] == '"' {
		return p.quoted()
	}
	for p.at < len(p.text) && inWord(p.text[p.at], p.at > p.begin) {
		p.at++
	}
	if p.at == p.begin {
		return "", p.unexpected(want)
	}
	return p.text[p.begin:p.at], nil
}

func inWord(c byte, later bool) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf || later && '0' <= c && c <= '9'
}

// quoted reads a text in quotes.
func (p *queryParser) quoted() (string, error) {
	q, err := strconv.QuotedPrefix(p.text[p.at:])
	if err != nil {
		return "", fmt.Errorf("%w: this text has no end", ecs.ErrConflict)
	}
	p.at += len(q)
	return strconv.Unquote(q)
}

// operators are those of comparisons; none begins one after it.
var operators = []string{"==", "~=", "!=", "<=", ">=", "<", ">"}

// compare reads the rest of a comparison: path, operator and value.
func (p *queryParser) compare(id ecs.ComponentID) error {
	c := fieldCondition{id: id}
	from := p.at
	for p.at < len(p.text) && (inWord(p.text[p.at], true) || strings.IndexByte(".[]", p.text[p.at]) >= 0) {
		p.at++
	}
	p.begin, c.path = from, strings.TrimPrefix(p.text[from:p.at], ".")
	s := p.fields.raw.Schema(id)
	if _, err := walk(s, c.path); err != nil || c.path == "" || c.path[0] == '.' {
		return errors.Join(err, map[bool]error{true: fmt.Errorf("%w: a field was expected after the dot", ecs.ErrConflict)}[err == nil])
	}
	i := slices.IndexFunc(operators, p.take)
	if i < 0 {
		return p.unexpected("a comparison (==, ~= or !=, <, <=, >, >=)")
	}
	if c.operator = strings.Replace(operators[i], "!", "~", 1); p.at < len(p.text) && p.text[p.at] == '=' {
		return p.unexpected("a value")
	}
	if err := p.value(&c); err != nil {
		return err
	}
	if err := c.bind(s); err != nil {
		return err
	}
	p.comparisons = append(p.comparisons, c)
	return nil
}

// value reads what a field is compared with.
func (p *queryParser) value(c *fieldCondition) error {
	p.space()
	p.begin = p.at
	if p.at < len(p.text) && strings.IndexByte("+-.0123456789", p.text[p.at]) >= 0 {
		for p.at < len(p.text) && (inWord(p.text[p.at], true) || strings.IndexByte("+-.", p.text[p.at]) >= 0) {
			p.at++
		}
		n, err := strconv.ParseFloat(p.text[p.begin:p.at], 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return fmt.Errorf("%w: %.40q is no number", ecs.ErrConflict, p.text[p.begin:p.at])
		}
		c.value = json.Number(p.text[p.begin:p.at])
		return nil
	}
	text, err := p.name("a value")
	if err != nil {
		return err
	}
	quoted := p.text[p.begin] == '"'
	if c.value = text; !quoted && (text == "true" || text == "false") {
		c.value = text == "true"
	}
	c.quoted = quoted
	return nil
}

// build makes the query of what was read.
func (p *queryParser) build() *TextQuery {
	var terms []ecs.Term
	for _, id := range p.read {
		terms = append(terms, ecs.Read(id))
	}
	q := p.fields.world.Query(terms...).Without(refs(p.none)...)
	if len(p.some) > 0 {
		q.Any(refs(p.some)...)
	}
	for _, id := range p.optional {
		if !slices.Contains(p.read, id) {
			q.Optional(ecs.Read(id))
		}
	}
	return &TextQuery{p.fields, q, p.comparisons}
}

func refs(ids []ecs.ComponentID) []ecs.ComponentRef {
	all := make([]ecs.ComponentRef, len(ids))
	for i, id := range ids {
		all[i] = id
	}
	return all
}

// fieldCondition is a condition on one field. What it was read from is kept, because a
// migration may give the component other fields.
type fieldCondition struct {
	id       ecs.ComponentID
	path     string
	operator string
	value    any // json.Number, bool or string
	quoted   bool

	schema *ecs.Schema // that the rest was made for
	gone   bool        // the field is no longer there, or of another kind
	field  ecs.Field
	number float64
}

// bind finds the field in a schema, and what its values are compared with.
func (c *fieldCondition) bind(s *ecs.Schema) (err error) {
	c.schema, c.gone = s, true
	if c.field, err = walk(s, c.path); err != nil {
		return err
	}
	f := &c.field
	ordered := f.Kind.Integer() || f.Kind == ecs.F32 || f.Kind == ecs.F64
	_, isText := c.value.(string)
	switch {
	case f.Len > 0 || f.Kind == ecs.Struct || f.Kind == ecs.Opaque:
		return fmt.Errorf("%w: %s is %s and cannot be compared", ecs.ErrConflict, f.Name, kindOf(f))
	case f.Kind == ecs.String && !(isText && c.quoted):
		return fmt.Errorf("%w: %s is a string and compares with a text in quotes", ecs.ErrConflict, f.Name)
	case !ordered && c.operator != "==" && c.operator != "~=":
		return fmt.Errorf("%w: %s is %s and compares by == and ~=", ecs.ErrConflict, f.Name, kindOf(f))
	case f.Kind == ecs.String:
	case ordered && isText:
		return fmt.Errorf("%w: %s is %s and compares with a number", ecs.ErrConflict, f.Name, kindOf(f))
	default:
		c.number, err = number(f, c.value)
		if err == nil && !ordered {
			if err = f.Kind.Fit(c.number); err != nil {
				err = fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	c.gone = err != nil
	return err
}

// refresh binds the comparisons anew where a migration has changed the component.
func (q *TextQuery) refresh() {
	for i := range q.comparisons {
		c := &q.comparisons[i]
		if s := q.fields.raw.Schema(c.id); s != c.schema {
			_ = c.bind(s) // what is gone holds for no entity
		}
	}
}

// holds reports whether the comparison holds for a value of the component.
func (c *fieldCondition) holds(p unsafe.Pointer) bool {
	if c.gone || p == nil {
		return false
	}
	at := unsafe.Add(p, c.field.Offset)
	switch c.field.Kind {
	case ecs.String:
		return (*(*string)(at) == c.value) == (c.operator == "==")
	case ecs.I64:
		return c.decide(compareExact(c.field.Kind.Load(at), c.number, *(*int64)(at)))
	case ecs.U64:
		return c.decide(compareExact(c.field.Kind.Load(at), c.number, *(*uint64)(at)))
	case ecs.F32:
		return c.decide(compare(c.field.Kind.Load(at), float64(float32(c.number))))
	}
	return c.decide(compare(c.field.Kind.Load(at), c.number))
}

// ordering says how two numbers compare; unordered is NaN's.
type ordering int8

const (
	less ordering = iota - 1
	equal
	greater
	unordered
)

func compare(a, b float64) ordering {
	switch {
	case a < b:
		return less
	case a > b:
		return greater
	case a == b:
		return equal
	}
	return unordered
}

// compareExact compares a number of 64 bits, which a rounds, with b, which is exact and so
// no farther from 0 than 2⁵³.
func compareExact[T int64 | uint64](a, b float64, v T) ordering {
	o := compare(a, b)
	if o != equal {
		return o
	}
	switch n := T(b); {
	case v < n:
		return less
	case v > n:
		return greater
	}
	return equal
}

// decide applies the operator.
func (c *fieldCondition) decide(o ordering) bool {
	switch c.operator {
	case "==":
		return o == equal
	case "~=":
		return o != equal
	case "<":
		return o == less
	case "<=":
		return o == less || o == equal
	case ">":
		return o == greater
	}
	return o == greater || o == equal
}

// Base returns the query without the comparisons: for chunks, and for System.Queries. Add
// nothing to it.
func (q *TextQuery) Base() *ecs.Query {
	if q == nil {
		return nil
	}
	return q.query
}

// All yields the entities that match, in the order of the query. The loop holds the
// iteration lock as one over chunks does. In a system that runs beside others it panics, as
// Count and First do, unless Base is among the System.Queries, with the error of Query.Chunks.
// O(entities that match without the comparisons).
func (q *TextQuery) All() iter.Seq[ecs.Entity] {
	return func(yield func(ecs.Entity) bool) {
		if q.Base() == nil {
			return
		}
		q.refresh()
		columns := make([]unsafe.Pointer, len(q.comparisons))
		for c := range q.query.Chunks() {
			for i := range columns {
				columns[i] = c.Column(q.comparisons[i].id, false)
			}
			for row, e := range c.Entities() {
				if q.keeps(columns, row) && !yield(e) {
					return
				}
			}
		}
	}
}

// keeps applies the comparisons to a row.
func (q *TextQuery) keeps(columns []unsafe.Pointer, row int) bool {
	for i := range q.comparisons {
		c := &q.comparisons[i]
		if columns[i] == nil || !c.holds(unsafe.Add(columns[i], uintptr(row)*c.schema.Size)) {
			return false
		}
	}
	return true
}

// Count returns how many entities match. It panics where All does.
func (q *TextQuery) Count() (n int) {
	switch {
	case q.Base() == nil:
		return 0
	case len(q.comparisons) == 0:
		return q.query.Count()
	}
	for range q.All() {
		n++
	}
	return n
}

// First returns the first entity that matches, or 0. It panics where All does.
func (q *TextQuery) First() ecs.Entity {
	for e := range q.All() {
		return e
	}
	return 0
}

// Matches reports whether an entity matches. O(terms).
func (q *TextQuery) Matches(e ecs.Entity) bool {
	if q.Base() == nil {
		return false
	}
	if q.refresh(); !q.query.Matches(e) {
		return false
	}
	for i := range q.comparisons {
		if c := &q.comparisons[i]; !c.holds(q.fields.raw.Pointer(e, c.id)) {
			return false
		}
	}
	return true
}
