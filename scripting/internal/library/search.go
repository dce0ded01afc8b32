package library

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library/pattern"
)

// The functions of string that search: find, match, gmatch and gsub. They share one
// cache of compiled patterns for each library, which holds at most maxPatterns times
// longestKept bytes of text.

// maxPatterns is how many compiled patterns a library keeps; then it begins anew.
const maxPatterns = 64

// longestKept is how long the text of a kept pattern is at most: what the library keeps
// counts for no script.
const longestKept = 256

// patternText is the text of a pattern, and how it is read.
type patternText struct {
	text    string
	anchors bool // ^ at the beginning is an anchor
}

// boxedPattern is a pattern, and the Lua value that stands for it.
type boxedPattern struct {
	*pattern.Pattern
	plain bool              // its text has no character with a meaning in patterns
	boxed *machine.Userdata // see box; nil until it is asked for
}

// box returns the pattern as a Lua value, always the same one. So a count of what scripts
// hold counts a pattern once, however many iterators share it.
func (p *boxedPattern) box() machine.Value {
	if p.boxed == nil {
		p.boxed = machine.NewUserdata(p)
	}
	return machine.OfUserdata(p.boxed)
}

// Held returns how many bytes the pattern takes, and the values that it leads to: none.
func (p *boxedPattern) Held() int64 { return p.Bytes() }

// recently is what the last searches have looked for. A script spells its patterns out, so
// most searches look for the very text that one before them did.
type recently struct {
	found [4]struct {
		text    *machine.Str // nil: none yet
		anchors bool
		pattern *boxedPattern // nil: a text that has no meaning as a pattern
	}
	next int
}

// find returns the pattern of a text, and whether it is known.
func (r *recently) find(v machine.Value, anchors bool) (p *boxedPattern, ok bool) {
	text := v.Str()
	for i := range r.found {
		if f := &r.found[i]; f.text == text && text != nil && f.anchors == anchors {
			return f.pattern, true
		}
	}
	return nil, false
}

// add notes the pattern of a text, which must be short: it is kept alive.
func (r *recently) add(v machine.Value, anchors bool, p *boxedPattern) {
	if text := v.Str(); text != nil && text.Len() <= short {
		f := &r.found[r.next%len(r.found)]
		f.text, f.anchors, f.pattern = text, anchors, p
		r.next++
	}
}

// pattern returns the pattern that is the second argument. Only a call that compiles it is
// charged for that.
func (lib *Library) pattern(a args, anchors bool) *boxedPattern {
	if p, ok := lib.recent.find(a.Arg(2), anchors); ok && p != nil {
		return p
	}
	p := lib.compiled(a, anchors)
	lib.recent.add(a.Arg(2), anchors, p)
	return p
}

// compiled is pattern for one that was not looked for just before.
func (lib *Library) compiled(a args, anchors bool) *boxedPattern {
	key := patternText{a.text(2), anchors}
	if len(key.text) <= longestKept {
		if p, ok := lib.patterns[key]; ok {
			return p
		}
	}
	a.Charge(len(key.text))
	compiled, err := pattern.Compile(key.text, anchors)
	if err != nil {
		a.raise("%s", err.Error())
	}
	a.Grow(compiled.Bytes())
	p := &boxedPattern{Pattern: compiled, plain: isPlain(key.text)}
	if len(key.text) <= longestKept {
		if len(lib.patterns) >= maxPatterns {
			clear(lib.patterns)
		}
		// The text may be part of a larger one, which the key would keep alive.
		key.text = strings.Clone(key.text)
		lib.patterns[key] = p
	}
	return p
}

// start returns the third argument of find and match as an offset of the text.
// It lies in the text or at its end, so slices from it never fail.
func (a args) start(text string) int {
	first := a.integerOr(3, 1)
	if first < 0 {
		first += len(text) + 1
	}
	return min(max(first-1, 0), len(text))
}

// find is string.find: where a text or a pattern is found, and the captures.
func (lib *Library) find(c *machine.Call) {
	a := args{c}
	text := a.text(1)
	from := a.start(text)
	if source := a.text(2); lib.plain(a, source) {
		a.findPlain(text, source, from)
		return
	}
	m := pattern.Matcher{Pattern: lib.pattern(a, true).Pattern, Text: text, Payer: a}
	start, end := m.First(from)
	if start < 0 {
		a.Push(machine.Nil)
		return
	}
	a.pushNumber(float64(start + 1))
	a.pushNumber(float64(end))
	lib.pushCaptures(a, &m, start, end, false)
}

// quickly is how long a text may be that is found at the speed of a copy, also in a text that
// has nearly the same at every place. A longer one may be looked for byte by byte.
const quickly = 8

// findPlain is find for a text as it is.
func (a args) findPlain(text, source string, from int) {
	per := bytesPerStep
	if len(source) > quickly {
		per = readPerStep
	}
	a.Charge((len(text) - from) / per)
	at := -1
	if len(source) <= len(text)-from {
		a.reading(source)
		at = strings.Index(text[from:], source)
	}
	if at < 0 {
		a.Push(machine.Nil)
		return
	}
	a.pushNumber(float64(from + at + 1))
	a.pushNumber(float64(from + at + len(source)))
}

// plain reports whether find looks for a text as it is: the script says so, or the text
// has no character with a meaning in patterns.
func (lib *Library) plain(a args, source string) bool {
	if a.Arg(4).Truth() {
		return true
	}
	if p, ok := lib.recent.find(a.Arg(2), true); ok {
		return p == nil || p.plain
	}
	a.reading(source)
	if !isPlain(source) {
		return false
	}
	lib.recent.add(a.Arg(2), true, nil)
	return true
}

// isPlain reports whether a text has no character with a meaning in patterns.
func isPlain(text string) bool { return !strings.ContainsAny(text, "^$*+?.([%-") }

// match is string.match: the captures of the first match.
func (lib *Library) match(c *machine.Call) {
	a := args{c}
	text := a.text(1)
	from := a.start(text)
	m := pattern.Matcher{Pattern: lib.pattern(a, true).Pattern, Text: text, Payer: a}
	start, end := m.First(from)
	if start < 0 {
		a.Push(machine.Nil)
		return
	}
	lib.pushCaptures(a, &m, start, end, true)
}

// capture returns the ith capture of a match from start to end.
func (lib *Library) capture(a args, m *pattern.Matcher, i, start, end int) machine.Value {
	from, to := m.Capture(i, start, end)
	if to < 0 {
		return machine.Number(float64(from + 1))
	}
	return lib.part(a, m.Text, from, to)
}

// pushCaptures pushes all captures and returns how many they are. whole: without captures,
// it pushes the whole match.
func (lib *Library) pushCaptures(a args, m *pattern.Matcher, start, end int, whole bool) int {
	n := m.Values(whole)
	for i := range n {
		a.Push(lib.capture(a, m, i, start, end))
	}
	return n
}

// iteratorBytes is about how much memory an iterator takes, without its text and its pattern.
const iteratorBytes = 350

// gmatch is string.gmatch: an iterator over all matches. The text and the pattern count as
// held by the iterator.
func (lib *Library) gmatch(c *machine.Call) {
	a := args{c}
	text, p := a.text(1), lib.pattern(a, false)
	a.Grow(iteratorBytes)
	from := 0
	next := func(c *machine.Call) {
		a := args{c}
		m := pattern.Matcher{Pattern: p.Pattern, Text: text, Payer: a}
		start, end := -1, -1
		if from <= len(text) {
			start, end = m.First(from)
		}
		if start < 0 {
			from = len(text) + 1
			a.Push(machine.Nil)
			return
		}
		from = max(end, start+1) // after an empty match it goes on one byte further
		lib.pushCaptures(a, &m, start, end, true)
	}
	kept := a.Arg(1)
	if kept.Str() == nil { // a number
		kept = machine.String(text)
	}
	a.Push(machine.OfFunction(machine.NewNative("gmatch", next, kept, p.box())))
}

// gsub is string.gsub. The result is measured as it grows: replacements can make a text
// that is much longer than the old one.
func (lib *Library) gsub(c *machine.Call) {
	a := args{c}
	text := a.text(1)
	p := lib.pattern(a, true)
	by := a.Arg(3)
	switch by.Kind() {
	case machine.KindString, machine.KindNumber, machine.KindTable, machine.KindFunction:
	default:
		a.expected(3, "string, function or table")
	}
	limit := a.integerOr(4, len(text)+1)
	if fn := by.Function(); fn != nil && fn.Fixed() {
		lib.gsubBy(a, fn, p, text, limit)
		return
	}
	s := substitution{m: pattern.Matcher{Pattern: p.Pattern, Text: text, Payer: a}, limit: limit, out: lib.take()}
	for s.next(a) {
		s.put(a, lib.replacement(a, &s.m, s.at, s.end))
	}
	lib.finish(a, &s)
}

// substitution is a gsub that is under way.
//
// Invariant: out is what has become of the text before at. After next, the match from at to end
// is to be replaced.
type substitution struct {
	m     pattern.Matcher
	out   []byte
	count int
	limit int
	at    int
	end   int
	over  bool // the pattern is not to be tried again
}

// next finds the next match.
func (s *substitution) next(a args) bool {
	for !s.over && s.count < s.limit {
		if s.end = s.m.Match(s.at); s.end >= 0 {
			s.count++
			a.Charge(4)
			return true
		}
		s.pass()
	}
	return false
}

// put puts the replacement of a match.
func (s *substitution) put(a args, replacement string) {
	a.Text(len(s.out), len(replacement))
	s.out = append(s.out, replacement...)
	s.pass()
}

// pass goes on after a match, or by one byte where there is none, or an empty one.
func (s *substitution) pass() {
	if text := s.m.Text; s.end > s.at {
		s.at = s.end
	} else {
		s.out = append(s.out, text[s.at:min(s.at+1, len(text))]...)
		s.at++
	}
	s.over = s.m.Pattern.Anchored() || s.at > len(s.m.Text)
}

// finish pushes the results of a gsub.
func (lib *Library) finish(a args, s *substitution) {
	s.m.Report()
	rest := s.m.Text[min(s.at, len(s.m.Text)):]
	a.newText(len(s.out) + len(rest))
	out := append(s.out, rest...)
	a.pushBytes(out)
	lib.keep(out)
	a.pushNumber(float64(s.count))
}

// replacing is a gsub that asks a function for the replacements. It calls it for each match,
// one after the other, without a call of Go between them.
type replacing struct {
	substitution
	lib   *Library
	a     args
	first int // captures of the first match, which are pushed; -1 after that
}

// gsubBy is gsub with a function of Lua.
func (lib *Library) gsubBy(a args, fn *machine.Function, p *boxedPattern, text string, limit int) {
	r := lib.replacing
	if lib.replacing = nil; r == nil {
		r = &replacing{}
	}
	r.lib, r.a = lib, a
	r.substitution = substitution{m: pattern.Matcher{Pattern: p.Pattern, Text: text, Payer: a}, limit: limit, out: lib.take()}
	if r.next(a) {
		r.first = lib.pushCaptures(a, &r.m, r.at, r.end, true)
		a.Each(fn, r)
		a.SetTop(a.Len())
	}
	lib.finish(a, &r.substitution)
	r.a, r.out, r.m.Pattern, r.m.Text, r.m.Payer = args{}, nil, nil, "", nil
	lib.replacing = r
}

// Turn implements machine.Turns.
func (r *replacing) Turn(results, arguments []machine.Value) bool {
	a, lib := r.a, r.lib
	if r.first >= 0 {
		for i := range arguments {
			arguments[i] = machine.Nil
			if i < r.first {
				arguments[i] = a.Get(i - r.first)
			}
		}
		r.first = -1
		return true
	}
	value := machine.Nil
	if len(results) > 0 {
		value = results[0]
	}
	r.put(a, replaced(a, value, r.m.Text[r.at:r.end]))
	if !r.next(a) {
		return false
	}
	n := r.m.Values(true)
	for i := range n {
		v := lib.capture(a, &r.m, i, r.at, r.end)
		if i < len(arguments) {
			arguments[i] = v
		}
	}
	for i := n; i < len(arguments); i++ {
		arguments[i] = machine.Nil
	}
	return true
}

// indexed is t[key] for a table.
func indexed(a args, t, key machine.Value) machine.Value {
	if v := t.Table().Get(key); !v.IsNil() || t.Table().Metatable() == nil {
		return v
	}
	return a.Thread().Index(t, key)
}

// replacement returns the text that replaces a match. False and nil keep the match.
func (lib *Library) replacement(a args, m *pattern.Matcher, start, end int) string {
	var value machine.Value
	switch by := a.Arg(3); by.Kind() {
	case machine.KindTable:
		value = indexed(a, by, lib.capture(a, m, 0, start, end))
	case machine.KindFunction:
		a.Push(by)
		a.CallTop(lib.pushCaptures(a, m, start, end, true), 1)
		value = a.Get(-1)
		a.Pop(1)
	default:
		return m.Expand(plainText(by), start, end)
	}
	return replaced(a, value, m.Text[start:end])
}

// replaced returns the text of a replacement, which a table or a function has given for a match.
func replaced(a args, value machine.Value, match string) string {
	switch {
	case !value.Truth():
		return match
	case !isText(value):
		a.raise("invalid replacement value (%s)", machine.KindName(value))
	case value.IsNumber():
		a.writing(value.Float())
	}
	return plainText(value)
}
